//! Cards of an interactive carousel, in Meta's format.

use super::{HeaderWire, ReplyWire, TextWire, forbid_others};
use crate::object::Object;
use crate::schema::{LinkWord, QuickReplyWord, UrlText};
use domain::content::interactive::{
    Button, CARD_TYPES, Card, CardAction, Header, MAX_CARD_BODY_LENGTH, MAX_CARD_BUTTONS,
    MAX_CARDS, MAX_LABEL_LENGTH, ProductRef,
};
use domain::content::parameter::MAX_REFERENCE_LENGTH;
use domain::violation::{Fault, Field, Violations};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A card of a carousel.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "CarouselCard")]
pub(super) struct CarouselCardWire {
    /// The index of the card, from 0. Each card has a different one.
    #[schemars(required, range(min = 0, max = MAX_CARDS - 1))]
    card_index: Option<i64>,
    /// The type of the card: `product`, or `cta_url` for all other cards, including those with
    /// reply buttons.
    #[serde(rename = "type")]
    #[schemars(required, extend("enum" = CARD_TYPES))]
    kind: Option<String>,
    /// The image or video. Required, except for a product.
    #[serde(skip_serializing_if = "Option::is_none")]
    header: Option<Object<HeaderWire>>,
    /// The text. Not allowed for a product.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<CardText>")]
    body: Option<Object<TextWire>>,
    /// The action that the card offers.
    #[schemars(required)]
    action: Option<Object<CardActionWire>>,
}

/// The text of a card, with at most two line breaks.
#[derive(JsonSchema)]
#[schemars(rename = "CarouselCardBody")]
#[expect(dead_code, reason = "only its schema is used")]
struct CardText {
    /// The text.
    #[schemars(length(min = 1, max = MAX_CARD_BODY_LENGTH))]
    text: String,
}

/// The action of a card: open a link, tap a reply button, or view a product. All cards of a
/// carousel have the same kind of action.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "CarouselCardAction")]
struct CardActionWire {
    /// For a link: `cta_url`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<LinkWord>")]
    name: Option<String>,
    /// For a link: the label of the button and the URL that it opens.
    #[serde(skip_serializing_if = "Option::is_none")]
    parameters: Option<Object<CardLinkWire>>,
    /// The reply buttons.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = MAX_CARD_BUTTONS))]
    buttons: Option<Vec<Object<CardButtonWire>>>,
    /// For a product: the id of the catalog.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = MAX_REFERENCE_LENGTH))]
    catalog_id: Option<String>,
    /// For a product: the id of the product in the catalog.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = MAX_REFERENCE_LENGTH))]
    product_retailer_id: Option<String>,
}

/// The link of a card.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "CarouselCardLink")]
struct CardLinkWire {
    /// The label of the button.
    #[schemars(required, length(min = 1, max = MAX_LABEL_LENGTH))]
    display_text: Option<String>,
    /// The URL that the button opens.
    #[schemars(required, with = "UrlText")]
    url: Option<String>,
}

/// A reply button of a card.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "CarouselCardButton")]
struct CardButtonWire {
    /// The type of the button, always `quick_reply`.
    #[serde(rename = "type")]
    #[schemars(required, with = "QuickReplyWord")]
    kind: Option<String>,
    /// The id and the title of the button.
    #[schemars(required)]
    quick_reply: Option<Object<ReplyWire>>,
}

/// Parses the cards of a carousel, and adds each violation to `faults`.
pub(super) fn parse(
    at: &Field<'_>,
    cards: &[Object<CarouselCardWire>],
    faults: &mut Violations,
) -> Option<Vec<Card>> {
    let parsed = cards.iter().take(MAX_CARDS).enumerate();
    let mut read = Vec::with_capacity(cards.len());
    for (index, card) in parsed {
        read.extend(card.parse(&at.index(index), faults).map(|card| (index, card)));
    }
    Card::check(at, cards.len(), read, faults)
}

impl CarouselCardWire {
    fn parse(&self, at: &Field<'_>, faults: &mut Violations) -> Option<Card> {
        let header = self.header.as_ref().map(|it| it.parse(&at.key("header"), faults));
        let header = match header {
            Some(Some(Header::Media { kind, url, .. })) => Some(Some((kind, url))),
            Some(Some(Header::Text(_))) => {
                faults.add(&at.key("header"), Fault::NotAllowed, "must be an image or a video");
                None
            }
            // The violation has been added.
            Some(None) => None,
            None => Some(None),
        };
        let body = self.body.as_ref().map(|it| it.text.as_deref().unwrap_or_default());
        let field = at.key("type");
        let kind = faults.require(&field, self.kind.as_deref());
        if kind.is_some_and(|kind| !CARD_TYPES.contains(&kind)) {
            let message = format!("must be one of {}", CARD_TYPES.join(", "));
            faults.add(&field, Fault::NotOneOf, message);
        }
        let field = at.key("action");
        let action = faults.require(&field, self.action.as_ref());
        let action = action.and_then(|action| match kind {
            Some("product") => {
                let own = &["catalog_id", "product_retailer_id"];
                forbid_others(&field, &**action, own, "a card of a product", faults);
                action.product(&field, faults)
            }
            _ if action.buttons.is_some() => {
                forbid_others(&field, &**action, &["buttons"], "a card with buttons", faults);
                Some(action.replies(&field, faults))
            }
            _ => {
                let own = &["name", "parameters"];
                forbid_others(&field, &**action, own, "a card with a link", faults);
                action.link(&field, faults)
            }
        });
        Card::parse(at, self.card_index, header?, body, action, faults)
    }
}

impl CardActionWire {
    fn product(&self, at: &Field<'_>, faults: &mut Violations) -> Option<CardAction> {
        let (catalog, product) = (self.catalog_id.as_deref(), self.product_retailer_id.as_deref());
        ProductRef::parse(at, catalog, product, faults).map(CardAction::Product)
    }

    fn replies(&self, at: &Field<'_>, faults: &mut Violations) -> CardAction {
        let list = at.key("buttons");
        let mut buttons = Vec::new();
        for (index, button) in self.buttons.iter().flatten().enumerate() {
            let at = list.index(index);
            if button.kind.as_deref() != Some("quick_reply") {
                faults.add(&at.key("type"), Fault::NotOneOf, "must be quick_reply");
            }
            let reply = button.quick_reply.as_deref();
            let (id, title) =
                (reply.and_then(|it| it.id.as_deref()), reply.and_then(|it| it.title.as_deref()));
            buttons.extend(Button::parse(&at.key("quick_reply"), id, title, faults));
        }
        CardAction::Replies(buttons)
    }

    fn link(&self, at: &Field<'_>, faults: &mut Violations) -> Option<CardAction> {
        if self.name.as_deref() != Some("cta_url") {
            faults.add(&at.key("name"), Fault::NotOneOf, "must be cta_url");
        }
        let parameters = self.parameters.as_deref();
        let text = parameters.and_then(|it| it.display_text.as_deref());
        let url = parameters.and_then(|it| it.url.as_deref());
        CardAction::link(&at.key("parameters"), text, url, faults)
    }
}
