//! Interactive messages, in Meta's format.

mod carousel;
mod header;
mod order;
mod parameters;
pub mod sample;

use crate::object::Object;
use crate::schema::{OneOf, ReplyWord};
use carousel::CarouselCardWire;
use domain::content::interactive::{
    InteractiveType, MAX_BODY_LENGTH, MAX_BUTTON_ID_LENGTH, MAX_BUTTONS, MAX_CARDS,
    MAX_DESCRIPTION_LENGTH, MAX_FOOTER_LENGTH, MAX_LABEL_LENGTH, MAX_ROW_ID_LENGTH, MAX_ROWS,
    MAX_SECTIONS, MAX_TITLE_LENGTH, ProductList, ProductRef,
};
use domain::content::parameter::{MAX_PRODUCTS, MAX_REFERENCE_LENGTH};
use domain::content::{Action, Button, Interactive, ProductSection, Row, Section};
use domain::violation::{Fault, Field, Violations};
use header::{HeaderWire, LinkWire};
use parameters::ParametersWire;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// An interactive message.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Interactive")]
pub struct InteractiveWire {
    /// The type of the interactive message, such as buttons, a list, or a link.
    #[serde(rename = "type")]
    #[schemars(required, with = "OneOf<InteractiveType>")]
    kind: Option<String>,
    /// The header, above the body.
    #[serde(skip_serializing_if = "Option::is_none")]
    header: Option<Object<HeaderWire>>,
    /// The text. Required, except for `product`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<BodyText>")]
    body: Option<Object<TextWire>>,
    /// The footer, in small print below the body.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<FooterText>")]
    footer: Option<Object<TextWire>>,
    /// The action that the message offers.
    #[schemars(required)]
    action: Option<Object<ActionWire>>,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct TextWire {
    text: Option<String>,
}

/// The body of an interactive message.
#[derive(JsonSchema)]
#[schemars(rename = "InteractiveBody")]
#[expect(dead_code, reason = "only its schema is used")]
struct BodyText {
    /// The text.
    #[schemars(length(min = 1, max = MAX_BODY_LENGTH))]
    text: String,
}

/// The footer of an interactive message.
#[derive(JsonSchema)]
#[schemars(rename = "InteractiveFooter")]
#[expect(dead_code, reason = "only its schema is used")]
struct FooterText {
    /// The text.
    #[schemars(length(min = 1, max = MAX_FOOTER_LENGTH))]
    text: String,
}

/// The action that an interactive message offers.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "InteractiveAction")]
struct ActionWire {
    /// For `button`: the reply buttons.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = MAX_BUTTONS))]
    buttons: Option<Vec<Object<ButtonWire>>>,
    /// For `list`: the label of the button that opens the list.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = MAX_LABEL_LENGTH))]
    button: Option<String>,
    /// For `list`: the sections, with at most 10 rows in all. For `product_list`: the sections,
    /// with at most 30 products in all.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = MAX_SECTIONS))]
    sections: Option<Vec<Object<SectionWire>>>,
    /// The name of the action, for types that have one: `send_location` for
    /// `location_request_message`, `review_and_pay` for `order_details`, `review_order` for
    /// `order_status`, and otherwise the name of the type.
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    /// The parameters of the action, for types that have them.
    #[serde(skip_serializing_if = "Option::is_none")]
    parameters: Option<Object<ParametersWire>>,
    /// For `product` and `product_list`: the id of the catalog.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = MAX_REFERENCE_LENGTH))]
    catalog_id: Option<String>,
    /// For `product`: the id of the product in the catalog.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = MAX_REFERENCE_LENGTH))]
    product_retailer_id: Option<String>,
    /// For `carousel`: the cards.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 2, max = MAX_CARDS))]
    cards: Option<Vec<Object<CarouselCardWire>>>,
}

/// A reply button.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "InteractiveButton")]
struct ButtonWire {
    /// The type of the button, always `reply`.
    #[serde(rename = "type")]
    #[schemars(required, with = "ReplyWord")]
    kind: Option<String>,
    /// The id and the title of the button.
    #[schemars(required)]
    reply: Option<Object<ReplyWire>>,
}

/// The id and the title of a reply button.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "InteractiveReply")]
struct ReplyWire {
    /// The id that is returned when the button is tapped. Each button has a different one.
    #[schemars(required, length(min = 1, max = MAX_BUTTON_ID_LENGTH))]
    id: Option<String>,
    /// The label of the button. Each button has a different one.
    #[schemars(required, length(min = 1, max = MAX_LABEL_LENGTH))]
    title: Option<String>,
}

/// A section of a list.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "InteractiveSection")]
struct SectionWire {
    /// The title. Required if there are several sections.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = MAX_TITLE_LENGTH))]
    title: Option<String>,
    /// Required for `list`: the rows.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = MAX_ROWS))]
    rows: Option<Vec<Object<RowWire>>>,
    /// Required for `product_list`: the products.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = MAX_PRODUCTS))]
    product_items: Option<Vec<Object<ProductItemWire>>>,
}

/// A product in a list.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "InteractiveProductItem")]
struct ProductItemWire {
    /// The id of the product in the catalog.
    #[schemars(required, length(min = 1, max = MAX_REFERENCE_LENGTH))]
    product_retailer_id: Option<String>,
}

/// A row of a list.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "InteractiveRow")]
struct RowWire {
    /// The id that is returned when the row is chosen. Each row has a different one.
    #[schemars(required, length(min = 1, max = MAX_ROW_ID_LENGTH))]
    id: Option<String>,
    /// The title.
    #[schemars(required, length(min = 1, max = MAX_TITLE_LENGTH))]
    title: Option<String>,
    /// The description, below the title.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = MAX_DESCRIPTION_LENGTH))]
    description: Option<String>,
}

impl InteractiveWire {
    /// Parses the message, and adds each violation to `faults`.
    pub fn parse(&self, faults: &mut Violations) -> Option<Interactive> {
        let at = Field::root("interactive");
        let header = match &self.header {
            None => Some(None),
            Some(header) => header.parse(&at.key("header"), faults).map(Some),
        };
        let field = at.key("type");
        let kind = faults.require(&field, self.kind.as_deref());
        let kind: Option<InteractiveType> = kind.and_then(|word| faults.word(&field, word));
        let body = self.body.as_ref().and_then(|body| body.text.as_deref());
        let footer = self.footer.as_ref().map(|footer| footer.text.as_deref());
        let field = at.key("action");
        let action = faults.require(&field, self.action.as_ref());
        let action = action.zip(kind).and_then(|(it, kind)| it.parse(&field, kind, faults));
        Interactive::parse(&at, kind, header, body, footer, action, faults)
    }
}

/// Adds a violation for each field of `given` that is not in `own`, because such a field would be
/// silently dropped.
fn forbid_others<T: Serialize>(
    at: &Field<'_>,
    given: &T,
    own: &[&str],
    context: &str,
    faults: &mut Violations,
) {
    if let Ok(Value::Object(given)) = serde_json::to_value(given) {
        let others =
            given.iter().filter(|(name, value)| !(own.contains(&name.as_str()) || value.is_null()));
        for (name, _) in others {
            faults.forbid(&at.key(name), Some(&()), context);
        }
    }
}

/// Returns the names of the fields that the action of a type has.
const fn own_fields(kind: InteractiveType) -> &'static [&'static str] {
    match kind {
        InteractiveType::Button => &["buttons"],
        InteractiveType::List => &["button", "sections"],
        InteractiveType::Product => &["catalog_id", "product_retailer_id"],
        InteractiveType::ProductList => &["catalog_id", "sections"],
        InteractiveType::Carousel => &["cards"],
        InteractiveType::Link
        | InteractiveType::Flow
        | InteractiveType::LocationRequest
        | InteractiveType::ContactInfoRequest
        | InteractiveType::CallPermissionRequest
        | InteractiveType::Address
        | InteractiveType::Catalog
        | InteractiveType::OrderDetails
        | InteractiveType::OrderStatus => &["name", "parameters"],
    }
}

impl ActionWire {
    fn parse(
        &self,
        at: &Field<'_>,
        kind: InteractiveType,
        faults: &mut Violations,
    ) -> Option<Action> {
        if let Some(name) = kind.action_name()
            && self.name.as_deref() != Some(name)
        {
            faults.add(&at.key("name"), Fault::NotOneOf, format!("must be {name}"));
        }
        forbid_others(
            at,
            self,
            own_fields(kind),
            &format!("an interactive message of type {kind}"),
            faults,
        );
        let (field, empty) = (at.key("parameters"), ParametersWire::default());
        let parameters = self.parameters.as_deref().unwrap_or(&empty);
        parameters.forbid_others(&field, kind, faults);
        match kind {
            InteractiveType::Button => self.buttons(at, faults),
            InteractiveType::List => self.list(at, faults),
            InteractiveType::Link => {
                let (text, url) = (parameters.display_text.as_deref(), parameters.url.as_deref());
                Action::link(at, text, url, faults)
            }
            InteractiveType::Flow => parameters.flow(&field, faults).map(Action::Flow),
            InteractiveType::LocationRequest => Some(Action::RequestLocation),
            InteractiveType::ContactInfoRequest => Some(Action::RequestContactInfo),
            InteractiveType::CallPermissionRequest => Some(Action::RequestCallPermission),
            InteractiveType::Address => parameters.address(&field, faults).map(Action::Address),
            InteractiveType::Catalog => {
                let field = field.key("thumbnail_product_retailer_id");
                let given = parameters.thumbnail_product_retailer_id.as_deref();
                let thumbnail = faults.optional_text(&field, given, MAX_REFERENCE_LENGTH);
                Some(Action::Catalog { thumbnail })
            }
            InteractiveType::Product => {
                let (catalog, id) =
                    (self.catalog_id.as_deref(), self.product_retailer_id.as_deref());
                ProductRef::parse(at, catalog, id, faults).map(Action::Product)
            }
            InteractiveType::ProductList => {
                for (index, section) in self.sections.iter().flatten().enumerate() {
                    let list = at.key("sections");
                    let own = &["title", "product_items"];
                    forbid_others(&list.index(index), &**section, own, "a product_list", faults);
                }
                let sections = self.sections.iter().flatten().map(|it| it.products()).collect();
                let catalog = self.catalog_id.as_deref();
                ProductList::parse(at, catalog, sections, faults).map(Action::ProductList)
            }
            InteractiveType::Carousel => {
                let cards = self.cards.as_deref().unwrap_or_default();
                carousel::parse(&at.key("cards"), cards, faults).map(Action::Carousel)
            }
            InteractiveType::OrderDetails => {
                let order = parameters.order_details(&field, faults);
                order.map(|order| Action::OrderDetails(Box::new(order)))
            }
            InteractiveType::OrderStatus => {
                parameters.order_status(&field, faults).map(Action::OrderStatus)
            }
        }
    }

    fn buttons(&self, at: &Field<'_>, faults: &mut Violations) -> Option<Action> {
        let entries = self.buttons.as_deref().unwrap_or_default();
        let mut buttons = Vec::with_capacity(entries.len());
        for (index, button) in entries.iter().enumerate() {
            let (list, empty) = (at.key("buttons"), Object::<ReplyWire>::default());
            let at = list.index(index);
            if button.kind.as_deref() != Some("reply") {
                faults.add(&at.key("type"), Fault::NotOneOf, "must be reply");
            }
            let reply = button.reply.as_ref().unwrap_or(&empty);
            let (id, title) = (reply.id.as_deref(), reply.title.as_deref());
            buttons.extend(Button::parse(&at.key("reply"), id, title, faults));
        }
        Action::buttons(at, entries.len(), buttons, faults)
    }

    fn list(&self, at: &Field<'_>, faults: &mut Violations) -> Option<Action> {
        let entries = self.sections.as_deref().unwrap_or_default();
        let mut sections = Vec::with_capacity(entries.len());
        let mut count = 0;
        for (index, section) in entries.iter().enumerate() {
            let list = at.key("sections");
            let at = list.index(index);
            forbid_others(&at, &**section, &["title", "rows"], "a list", faults);
            let rows = section.rows.as_deref().unwrap_or_default();
            count += rows.len();
            let mut parsed = Vec::with_capacity(rows.len());
            for (index, row) in rows.iter().enumerate() {
                let (id, title) = (row.id.as_deref(), row.title.as_deref());
                let rows = at.key("rows");
                let row =
                    Row::parse(&rows.index(index), id, title, row.description.as_deref(), faults);
                parsed.extend(row);
            }
            if rows.is_empty() || !parsed.is_empty() {
                sections.extend(Section::parse(&at, section.title.as_deref(), parsed, faults));
            }
        }
        Action::list(at, self.button.as_deref(), sections, entries.len(), count, faults)
    }
}

impl SectionWire {
    fn products(&self) -> ProductSection {
        let items = self.product_items.iter().flatten();
        // A missing id becomes an empty one, which the domain rejects.
        let id = |it: &Object<ProductItemWire>| it.product_retailer_id.clone().unwrap_or_default();
        ProductSection { title: self.title.clone(), products: items.map(id).collect() }
    }
}
