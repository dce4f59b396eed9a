//! Contents of each type with arbitrary texts, for the tests of the codec.

use domain::content::contacts::{
    CardAddress, CardEntry, CardName, CardOrganization, CardPhone, ContactCard,
};
use domain::content::interactive::{
    AddressRequest, Card, CardAction, Charge, Expiration, FlowAction, FlowMode, FlowRef, FlowStart,
    GoodsType, Order, OrderDetails, OrderItem, OrderState, OrderStatus, Origin, Payment,
    ProductList, ProductRef,
};
use domain::content::{
    Action, Button, Content, PassthroughContent, ProductSection, ReactionContent, Row, Section,
};
use domain::id::MessageId;
use domain::keyword::Keyword;
use domain::location::Location;
use domain::media::{MediaKind, WebAddress};
use domain::time::Timestamp;
use serde_json::json;

/// The texts for the contents, and a number that decides how many elements a list has.
pub struct SampleSource<'a> {
    pub texts: &'a [String],
    pub number: usize,
}

impl SampleSource<'_> {
    pub fn text(&self, index: usize) -> String {
        self.texts[index % self.texts.len()].clone()
    }

    /// Returns the text at this index if its length is even, otherwise `None`, so that both cases
    /// occur.
    pub fn some(&self, index: usize) -> Option<String> {
        self.texts.get(index).filter(|text| text.len().is_multiple_of(2)).cloned()
    }

    pub fn link(&self, index: usize) -> WebAddress {
        WebAddress::stored(self.text(index))
    }

    fn one_of<K: Keyword>(&self) -> K {
        K::ALL[self.number % K::ALL.len()]
    }

    fn amount(&self) -> i64 {
        i64::try_from(self.number).unwrap()
    }

    fn object(&self, index: usize) -> Option<String> {
        self.some(index).map(|text| json!({ "key": text, "b": [1, null] }).to_string())
    }

    fn array(&self, index: usize) -> Option<String> {
        self.some(index).map(|text| json!([{ "key": text }]).to_string())
    }

    fn buttons(&self) -> Vec<Button> {
        (0..self.number).map(|it| Button::stored(self.text(it), self.text(it + 1))).collect()
    }

    fn product(&self) -> ProductRef {
        ProductRef { catalog_id: self.text(1), product_retailer_id: self.text(2) }
    }

    pub fn sections(&self) -> Vec<ProductSection> {
        let products = (0..self.number).map(|it| self.text(it)).collect();
        vec![ProductSection { title: self.some(2), products }]
    }

    fn flow(&self) -> FlowAction {
        let by_id = self.number.is_multiple_of(2);
        FlowAction {
            flow: if by_id { FlowRef::Id(self.text(1)) } else { FlowRef::Name(self.text(1)) },
            label: self.text(2),
            token: self.some(3),
            mode: by_id.then(|| self.one_of::<FlowMode>()),
            start: by_id.then(|| self.one_of::<FlowStart>()),
            screen: self.some(4),
            data: self.object(5),
        }
    }

    fn cards(&self) -> Vec<Card> {
        let actions = [
            CardAction::Link { display_text: self.text(1), url: self.link(2) },
            CardAction::Replies(self.buttons()),
            CardAction::Product(self.product()),
        ];
        let kinds = [Some(MediaKind::Image), Some(MediaKind::Video), None];
        let card = |(index, (action, kind)): (usize, (CardAction, Option<MediaKind>))| Card {
            index: u8::try_from(index).unwrap(),
            header: kind.map(|kind| (kind, self.link(3))),
            body: self.some(4),
            action,
        };
        actions.into_iter().zip(kinds).enumerate().map(card).collect()
    }

    fn order(&self) -> OrderDetails {
        let charge = |index| Charge {
            amount: self.amount(),
            description: self.some(index),
            program: self.some(index + 1),
        };
        let item = |index| OrderItem {
            retailer_id: self.text(index),
            name: self.text(index + 1),
            amount: self.amount(),
            sale_amount: self.some(index).map(|_| 7),
            quantity: self.amount(),
            image: self.some(index).map(|_| self.link(2)),
            origin: Origin {
                country: self.some(3),
                importer_name: self.some(4),
                importer_address: self.some(5).map(|text| json!({ "city": text }).to_string()),
            },
        };
        let order = Order {
            catalog_id: self.some(1),
            items: (0..self.number).map(item).collect(),
            subtotal: self.amount(),
            tax: self.some(2).map(|_| charge(3)),
            shipping: self.some(4).map(|_| charge(5)),
            discount: self.some(6).map(|_| charge(7)),
            expiration: self
                .some(8)
                .map(|description| Expiration { at: self.amount(), description }),
        };
        OrderDetails {
            reference_id: self.text(1),
            goods: self.one_of::<GoodsType>(),
            currency: self.text(2),
            total: self.amount(),
            order: self.some(3).map(|_| order),
            payment: Payment {
                payment_type: self.some(4),
                payment_configuration: self.some(5),
                payment_settings: self.array(6),
            },
        }
    }

    /// Returns one action of each type.
    pub fn actions(&self) -> Vec<Action> {
        let row = |index| Row::stored(self.text(index), self.text(index + 1), self.some(index));
        let section = |index| Section::stored(self.some(index), vec![row(index), row(index + 2)]);
        let (reference_id, description) = (self.text(1), self.some(2));
        let status = self.one_of::<OrderState>();
        vec![
            Action::Buttons(self.buttons()),
            Action::stored_list(self.text(3), (0..self.number).map(section).collect()),
            Action::Link { display_text: self.text(4), url: self.link(5) },
            Action::Flow(self.flow()),
            Action::RequestLocation,
            Action::RequestContactInfo,
            Action::RequestCallPermission,
            Action::Address(AddressRequest {
                country: self.text(1),
                values: self.object(2),
                saved_addresses: self.array(3),
                validation_errors: self.object(4),
            }),
            Action::Catalog { thumbnail: self.some(1) },
            Action::Product(self.product()),
            Action::ProductList(ProductList {
                catalog_id: self.text(1),
                sections: self.sections(),
            }),
            Action::Carousel(self.cards()),
            Action::OrderDetails(Box::new(self.order())),
            Action::OrderStatus(OrderStatus { reference_id, status, description }),
        ]
    }

    fn contact(&self) -> ContactCard {
        let entry = |index| CardEntry { value: self.text(index), kind: self.some(index) };
        ContactCard {
            name: CardName {
                formatted_name: self.text(1),
                first_name: self.some(2),
                last_name: self.some(3),
                middle_name: self.some(4),
                suffix: self.some(5),
                prefix: self.some(6),
            },
            phones: vec![CardPhone {
                phone: self.some(1),
                kind: self.some(2),
                wa_id: self.some(3),
            }],
            emails: (0..self.number).map(entry).collect(),
            urls: (0..self.number).map(entry).collect(),
            addresses: vec![CardAddress {
                street: self.some(1),
                city: self.some(2),
                state: self.some(3),
                zip: self.some(4),
                country: self.some(5),
                country_code: self.some(6),
                kind: self.some(7),
            }],
            org: self.some(1).map(|company| CardOrganization {
                company: Some(company),
                department: self.some(2),
                title: self.some(3),
            }),
            birthday: self.some(8),
        }
    }

    /// Returns locations, contact cards, reactions and channel-specific bodies.
    pub fn others(&self) -> Vec<Content> {
        let message = MessageId::new(Timestamp::from_seconds(1_800_000_000), [7; 10]);
        let body = json!({ "type": self.text(1), "x": { "y": self.text(2) } }).to_string();
        vec![
            Content::Location(Location::stored(-12.5, 179.25, self.some(1), self.some(2))),
            Content::Contacts(vec![self.contact(); self.number]),
            Content::Reaction(ReactionContent::stored(message, self.text(3))),
            Content::Channel(PassthroughContent::stored(self.text(1), body)),
        ]
    }
}
