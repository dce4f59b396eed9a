//! Interactive messages, with Meta's structure and bounds: a type, a header, a body, a footer and
//! an action.

mod address;
mod carousel;
mod choices;
mod flow;
mod kind;
mod order;
mod products;

pub use address::AddressRequest;
pub use carousel::{
    CARD_TYPES, Card, CardAction, MAX_CARD_BODY_LENGTH, MAX_CARD_BUTTONS, MAX_CARDS, MIN_CARDS,
};
pub use choices::{
    Button, List, MAX_BUTTON_ID_LENGTH, MAX_BUTTONS, MAX_DESCRIPTION_LENGTH, MAX_LABEL_LENGTH,
    MAX_ROW_ID_LENGTH, MAX_ROWS, MAX_SECTIONS, MAX_TITLE_LENGTH, Row, Section,
};
pub use flow::{
    FLOW_MESSAGE_VERSION, FlowAction, FlowInput, FlowMode, FlowRef, FlowStart,
    MAX_FLOW_LABEL_LENGTH,
};
pub use kind::{HeaderRule, InteractiveType};
pub use order::{
    AmountInput, Charge, Expiration, GoodsType, MAX_ITEM_NAME_LENGTH, MAX_ITEMS,
    MAX_ORDER_DESCRIPTION_LENGTH, OFFSET, Order, OrderDetails, OrderDetailsInput, OrderInput,
    OrderItem, OrderItemInput, OrderState, OrderStatus, Origin, Payment,
};
pub use products::{ProductList, ProductRef};

pub use crate::content::order_reference::MAX_ORDER_REFERENCE_LENGTH;

use choices::check_buttons;

use crate::content::media::MAX_FILENAME_LENGTH;
use crate::keyword::Keyword as _;
use crate::media::{MediaKind, WebAddress};
use crate::violation::{Fault, Field, Violations};

#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Interactive {
    pub header: Option<Header>,
    /// The text of the message. Only a product message needs none.
    pub body: Option<String>,
    pub footer: Option<String>,
    pub action: Action,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Header {
    /// A header that is a text of at most 60 characters, in one line.
    Text(String),
    /// A header that is an image, a video or a document.
    Media {
        kind: MediaKind,
        url: WebAddress,
        /// The file name that the contact sees. Only a document has one.
        filename: Option<String>,
    },
}

/// The action that a message offers to the contact.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Action {
    /// 1 to 3 reply buttons.
    Buttons(Vec<Button>),
    /// A list from which the contact chooses a row.
    List(List),
    /// A button that opens a link.
    Link {
        /// The label of the button.
        display_text: String,
        url: WebAddress,
    },
    /// A button that opens a flow.
    Flow(FlowAction),
    /// A button with which the contact sends a location.
    RequestLocation,
    /// A button with which the contact sends a phone number.
    RequestContactInfo,
    RequestCallPermission,
    /// A form for a postal address.
    Address(AddressRequest),
    /// A button that opens the catalog. The message shows the picture of a product.
    Catalog {
        /// The product whose picture is shown. If it is not set, the catalog's first product is
        /// shown.
        thumbnail: Option<String>,
    },
    Product(ProductRef),
    /// Several products of a catalog.
    ProductList(ProductList),
    /// A carousel: cards side by side.
    Carousel(Vec<Card>),
    /// An order that the contact can pay.
    OrderDetails(Box<OrderDetails>),
    OrderStatus(OrderStatus),
}

/// The types that a header can have.
pub const HEADERS: [&str; 4] = ["text", "image", "video", "document"];
/// Maximum number of characters in the text of a header.
pub const MAX_HEADER_LENGTH: usize = 60;
/// Maximum number of characters in a body.
pub const MAX_BODY_LENGTH: usize = 1024;
/// Maximum number of characters in a footer.
pub const MAX_FOOTER_LENGTH: usize = 60;

impl Interactive {
    /// Builds a message from stored parts, which are not checked.
    #[must_use]
    pub const fn stored(
        header: Option<Header>,
        body: Option<String>,
        footer: Option<String>,
        action: Action,
    ) -> Self {
        Self { header, body, footer, action }
    }

    /// Builds a message from its parsed parts, and checks that its type allows all of them.
    pub fn parse(
        at: &Field<'_>,
        kind: Option<InteractiveType>,
        header: Option<Option<Header>>,
        body: Option<&str>,
        footer: Option<Option<&str>>,
        action: Option<Action>,
        faults: &mut Violations,
    ) -> Option<Self> {
        let body_at = at.key("body");
        let field = body_at.key("text");
        let body = if kind.is_none_or(InteractiveType::needs_body) {
            faults.required_text(&field, body, MAX_BODY_LENGTH).map(Some)
        } else {
            Some(faults.optional_text(&field, body, MAX_BODY_LENGTH))
        };
        let footer = match footer {
            None => Some(None),
            Some(text) => {
                let at = at.key("footer");
                faults.required_text(&at.key("text"), text, MAX_FOOTER_LENGTH).map(Some)
            }
        };
        if let Some(kind) = kind {
            check_frame(at, kind, header.as_ref(), footer.as_ref(), faults);
        }
        Some(Self { header: header?, body: body?, footer: footer?, action: action? })
    }

    /// Renders the message as text that people can read, one line per part.
    #[must_use]
    pub fn words(&self) -> String {
        self.texts().chain(self.action.words()).collect::<Vec<_>>().join("\n")
    }

    /// Renders header, body and footer as text. Buttons and lists are left out.
    #[must_use]
    pub fn text(&self) -> String {
        self.texts().collect::<Vec<_>>().join("\n")
    }

    fn texts(&self) -> impl Iterator<Item = String> {
        let header = self.header.as_ref().map(|header| match header {
            Header::Text(text) => text.clone(),
            Header::Media { kind, url, .. } => format!("[{kind}] {url}"),
        });
        header.into_iter().chain(self.body.clone()).chain(self.footer.clone())
    }
}

/// Adds a fault for a header or a footer that the message type does not allow. Also adds a fault if
/// the type requires a header and there is none.
fn check_frame(
    at: &Field<'_>,
    kind: InteractiveType,
    header: Option<&Option<Header>>,
    footer: Option<&Option<String>>,
    faults: &mut Violations,
) {
    let context = format!("an interactive message of type {kind}");
    let field = at.key("header");
    let given = header.and_then(Option::as_ref);
    match (kind.header(), given) {
        (HeaderRule::Never, given) => faults.forbid(&field, given, &context),
        // If the header could not be parsed, there already is a fault for it.
        (HeaderRule::Text, None) if header.is_some() => {
            faults.add(&field, Fault::Required, "this field is required");
        }
        (HeaderRule::Text, Some(Header::Media { .. })) => {
            faults.add(&field.key("type"), Fault::NotOneOf, format!("must be text in {context}"));
        }
        (HeaderRule::Optional | HeaderRule::Text, _) => {}
    }
    if !kind.takes_footer() {
        faults.forbid(&at.key("footer"), footer.and_then(Option::as_ref), &context);
    }
}

impl Header {
    /// Parses a text header.
    pub fn text(at: &Field<'_>, text: Option<&str>, faults: &mut Violations) -> Option<Self> {
        let text = faults.required_text(&at.key("text"), text, MAX_HEADER_LENGTH)?;
        Some(Self::Text(text))
    }

    /// Parses a header with an image, a video or a document.
    pub fn media(
        at: &Field<'_>,
        kind: MediaKind,
        link: Option<&str>,
        filename: Option<&str>,
        faults: &mut Violations,
    ) -> Option<Self> {
        let at = at.key(crate::keyword::Keyword::as_str(kind));
        let url = parse_address(&at.key("link"), link, faults);
        let filename = faults.optional_text(&at.key("filename"), filename, MAX_FILENAME_LENGTH);
        Some(Self::Media { kind, url: url?, filename })
    }
}

impl Action {
    #[must_use]
    pub const fn interactive_type(&self) -> InteractiveType {
        match self {
            Self::Buttons(_) => InteractiveType::Button,
            Self::List(_) => InteractiveType::List,
            Self::Link { .. } => InteractiveType::Link,
            Self::Flow(_) => InteractiveType::Flow,
            Self::RequestLocation => InteractiveType::LocationRequest,
            Self::RequestContactInfo => InteractiveType::ContactInfoRequest,
            Self::RequestCallPermission => InteractiveType::CallPermissionRequest,
            Self::Address(_) => InteractiveType::Address,
            Self::Catalog { .. } => InteractiveType::Catalog,
            Self::Product(_) => InteractiveType::Product,
            Self::ProductList(_) => InteractiveType::ProductList,
            Self::Carousel(_) => InteractiveType::Carousel,
            Self::OrderDetails(_) => InteractiveType::OrderDetails,
            Self::OrderStatus(_) => InteractiveType::OrderStatus,
        }
    }

    /// Renders the action as text that people can read. Labels that the channel adds are rendered
    /// in English.
    fn words(&self) -> Vec<String> {
        match self {
            Self::Buttons(buttons) => buttons.iter().map(|it| format!("[{}]", it.title)).collect(),
            Self::List(list) => vec![format!("[{}]", list.button)],
            Self::Link { display_text, url } => vec![format!("[{display_text}] {url}")],
            Self::Flow(flow) => vec![format!("[{}]", flow.label)],
            Self::RequestLocation => vec!["[Send location]".to_owned()],
            Self::RequestContactInfo => vec!["[Share phone number]".to_owned()],
            Self::RequestCallPermission => vec!["[Allow calls]".to_owned()],
            Self::Address(_) => vec!["[Provide address]".to_owned()],
            Self::Catalog { .. } => vec!["[View catalog]".to_owned()],
            Self::Product(product) => vec![format!("[product] {}", product.product_retailer_id)],
            Self::ProductList(list) => {
                let products = list.sections.iter().flat_map(|section| &section.products);
                products.map(|id| format!("[product] {id}")).collect()
            }
            Self::Carousel(cards) => cards.iter().map(Card::words).collect(),
            Self::OrderDetails(it) => {
                let (whole, cents) = (it.total / OFFSET, it.total % OFFSET);
                vec![format!("[order {}] {whole}.{cents:02} {}", it.reference_id, it.currency)]
            }
            Self::OrderStatus(it) => {
                let about = it.description.as_ref().map(|text| format!(": {text}"));
                let about = about.unwrap_or_default();
                vec![format!("[order {}] {}{about}", it.reference_id, it.status.as_str())]
            }
        }
    }

    /// Parses a button that opens a link.
    pub fn link(
        at: &Field<'_>,
        display_text: Option<&str>,
        url: Option<&str>,
        faults: &mut Violations,
    ) -> Option<Self> {
        let at = at.key("parameters");
        let display_text =
            faults.required_text(&at.key("display_text"), display_text, MAX_LABEL_LENGTH);
        let url = parse_address(&at.key("url"), url, faults);
        Some(Self::Link { display_text: display_text?, url: url? })
    }
}

fn parse_address(
    at: &Field<'_>,
    text: Option<&str>,
    faults: &mut Violations,
) -> Option<WebAddress> {
    let text = faults.require(at, text)?;
    let parsed = WebAddress::parse(text);
    parsed.map_err(|wrong| faults.add(at, Fault::InvalidFormat, wrong.to_string())).ok()
}
