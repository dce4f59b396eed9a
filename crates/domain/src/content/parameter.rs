//! The parameters of a template message, with Meta's structure and bounds.

use super::media::MAX_FILENAME_LENGTH;
use super::order_reference::order_reference;
use crate::location::Location;
use crate::media::WebAddress;
use crate::template::parts::MAX_COUPON_CODE_LENGTH;
use crate::violation::{Fault, Field, Violations};

/// A parameter of a template message: the value for a variable, a header or a button.
#[derive(Clone, Debug, PartialEq)]
pub enum Parameter {
    /// A text, such as the value of a variable.
    Text {
        /// The name of the variable, if the template names its variables instead of numbering them.
        name: Option<String>,
        text: String,
    },
    /// An amount of money. The contact's device formats it as usual in the contact's country.
    Currency {
        /// The name of the variable, if the template names its variables instead of numbering them.
        name: Option<String>,
        /// The text that is shown by devices that cannot format the amount.
        fallback: String,
        /// The currency code (ISO 4217).
        code: String,
        /// The amount, as a whole number of thousandths of the currency.
        amount_1000: i64,
    },
    /// A date and time. The contact reads the fallback text.
    DateTime {
        /// The name of the variable, if the template names its variables instead of numbering them.
        name: Option<String>,
        /// The text that the contact reads.
        fallback: String,
        /// The date and time as separate parts.
        parts: Box<DateParts>,
    },
    Image(WebAddress),
    Video(WebAddress),
    /// An animated picture for a header.
    Gif(WebAddress),
    /// A document for a header, with its file name if it has one.
    Document(WebAddress, Option<String>),
    Location(Location),
    /// A product of a catalog for a header.
    Product {
        catalog_id: String,
        /// The id of the product in the catalog.
        product_retailer_id: String,
    },
    /// The end of a limited-time offer, in milliseconds since 1970.
    OfferExpiration(i64),
    /// The code that a button copies.
    CouponCode(String),
    /// The value that comes back when the contact taps a quick reply button.
    Payload(String),
    /// The number of minutes for which the contact can use the button that calls the organization.
    TtlMinutes(i64),
    /// The data for a button that opens a flow, the catalog, products or an order.
    Action(ActionParameter),
    /// The status of an order: a JSON object.
    OrderStatus(String),
    /// The titles of links in the message, which replace the links' own titles.
    TapTargets(Vec<TapTarget>),
}

/// The parts of a date and time, as described in older versions of Meta's documentation. The
/// channel still accepts the parts, but shows the fallback text instead.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DateParts {
    /// The day of the week, from 1 for Monday to 7 for Sunday.
    pub day_of_week: Option<i64>,
    pub year: Option<i64>,
    /// The month, from 1 for January.
    pub month: Option<i64>,
    /// The day of the month, starting at 1.
    pub day_of_month: Option<i64>,
    /// The hour of the day, starting at 0.
    pub hour: Option<i64>,
    /// The minute of the hour, starting at 0.
    pub minute: Option<i64>,
    /// The calendar, such as `GREGORIAN`.
    pub calendar: Option<String>,
    /// The date and time, in seconds since 1970.
    pub timestamp: Option<i64>,
}

/// A link in a message, with a title that replaces the link's own title.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TapTarget {
    pub url: WebAddress,
    pub title: String,
}

/// The parameters of a button that opens a flow, the catalog, products or an order. Each field is
/// for one of these kinds of buttons.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ActionParameter {
    /// The product whose picture is shown above the message.
    pub thumbnail_product_retailer_id: Option<String>,
    /// The products that the button shows, in sections.
    pub sections: Vec<ProductSection>,
    /// The sender's own token, which identifies this use of a flow.
    pub flow_token: Option<String>,
    /// The data for the first screen of a flow: a JSON object.
    pub flow_action_data: Option<String>,
    /// The order that the contact can pay: a JSON object.
    pub order_details: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProductSection {
    pub title: Option<String>,
    /// The ids of the products in the catalog.
    pub products: Vec<String>,
}

/// The keywords of all types of parameters.
pub const PARAMETERS: [&str; 16] = [
    "text",
    "currency",
    "date_time",
    "image",
    "video",
    "gif",
    "document",
    "location",
    "product",
    "limited_time_offer",
    "coupon_code",
    "payload",
    "ttl_minutes",
    "action",
    "order_status",
    "tap_target_configuration",
];
/// Maximum number of characters in the text of a parameter.
pub const MAX_PARAMETER_LENGTH: usize = 4096;
/// Maximum number of consecutive spaces in a text parameter. The channel rejects a text parameter
/// with more consecutive spaces, and any text parameter with line breaks or tabs.
pub const MAX_SPACES_IN_A_ROW: usize = 4;
/// Maximum number of characters in the name of a calendar.
pub const MAX_CALENDAR_LENGTH: usize = 32;
/// Maximum number of minutes for which the contact can use a button that calls the organization: 30
/// days.
pub const MAX_TTL_MINUTES: i64 = 43_200;
/// Maximum number of links whose titles one message can replace.
pub const MAX_TAP_TARGETS: usize = 10;
/// Maximum number of characters in a title that replaces a link's own title.
pub const MAX_TAP_TARGET_TITLE_LENGTH: usize = 256;
/// Maximum number of characters in the value that a quick reply button sends back.
pub const MAX_PAYLOAD_LENGTH: usize = 256;
/// Maximum number of characters in a one-time code.
pub const MAX_ONE_TIME_CODE_LENGTH: usize = 15;
/// Maximum number of characters in the id of a catalog or a product, and in the token of a flow.
pub const MAX_REFERENCE_LENGTH: usize = 256;
pub const MAX_PRODUCT_SECTIONS: usize = 10;
/// Maximum number of products in all sections together.
pub const MAX_PRODUCTS: usize = 30;
/// Maximum number of characters in the title of a section of products.
pub const MAX_SECTION_TITLE_LENGTH: usize = 24;

impl Parameter {
    /// Parses a text parameter.
    pub fn text(
        at: &Field<'_>,
        name: Option<&str>,
        text: Option<&str>,
        faults: &mut Violations,
    ) -> Option<Self> {
        let text = words(&at.key("text"), text, MAX_PARAMETER_LENGTH, faults)?;
        let name = name.map(str::to_owned);
        Some(Self::Text { name, text })
    }

    /// Parses an amount of money as a parameter.
    pub fn currency(
        at: &Field<'_>,
        name: Option<&str>,
        fallback: Option<&str>,
        code: Option<&str>,
        amount_1000: Option<i64>,
        faults: &mut Violations,
    ) -> Option<Self> {
        let field = at.key("fallback_value");
        let fallback = words(&field, fallback, MAX_PARAMETER_LENGTH, faults);
        let field = at.key("code");
        let code = faults.require(&field, code);
        if code.is_some_and(|it| it.len() != 3 || !it.bytes().all(|b| b.is_ascii_uppercase())) {
            let message = "must be three capital letters, as in USD (ISO 4217)";
            faults.add(&field, Fault::InvalidFormat, message);
        }
        let amount_1000 = faults.require(&at.key("amount_1000"), amount_1000);
        let (name, code) = (name.map(str::to_owned), code?.to_owned());
        Some(Self::Currency { name, fallback: fallback?, code, amount_1000: amount_1000? })
    }

    /// Parses a date and time as a parameter.
    pub fn date_time(
        at: &Field<'_>,
        name: Option<&str>,
        fallback: Option<&str>,
        parts: DateParts,
        faults: &mut Violations,
    ) -> Option<Self> {
        let field = at.key("fallback_value");
        let fallback = words(&field, fallback, MAX_PARAMETER_LENGTH, faults);
        let calendar = parts.calendar.as_deref();
        faults.optional_text(&at.key("calendar"), calendar, MAX_CALENDAR_LENGTH);
        let name = name.map(str::to_owned);
        Some(Self::DateTime { name, fallback: fallback?, parts: Box::new(parts) })
    }

    /// Parses a product of a catalog as a parameter.
    pub fn product(
        at: &Field<'_>,
        catalog_id: Option<&str>,
        product_retailer_id: Option<&str>,
        faults: &mut Violations,
    ) -> Option<Self> {
        let field = at.key("catalog_id");
        let catalog_id = faults.required_text(&field, catalog_id, MAX_REFERENCE_LENGTH);
        let field = at.key("product_retailer_id");
        let product = faults.required_text(&field, product_retailer_id, MAX_REFERENCE_LENGTH);
        Some(Self::Product { catalog_id: catalog_id?, product_retailer_id: product? })
    }

    /// Parses the end of a limited-time offer.
    pub fn offer_expiration(
        at: &Field<'_>,
        milliseconds: Option<i64>,
        faults: &mut Violations,
    ) -> Option<Self> {
        let at = at.key("expiration_time_ms");
        let milliseconds = faults.require(&at, milliseconds)?;
        if milliseconds <= 0 {
            let message = "must be a time in milliseconds since 1970";
            faults.add(&at, Fault::OutOfRange, message);
        }
        Some(Self::OfferExpiration(milliseconds))
    }

    /// Parses a code that a button copies.
    pub fn coupon_code(
        at: &Field<'_>,
        code: Option<&str>,
        faults: &mut Violations,
    ) -> Option<Self> {
        let at = at.key("coupon_code");
        words(&at, code, MAX_COUPON_CODE_LENGTH, faults).map(Self::CouponCode)
    }

    /// Parses the value that comes back when the contact taps a quick reply button.
    pub fn payload(at: &Field<'_>, payload: Option<&str>, faults: &mut Violations) -> Option<Self> {
        let payload = faults.required_text(&at.key("payload"), payload, MAX_PAYLOAD_LENGTH)?;
        Some(Self::Payload(payload))
    }

    /// Parses the number of minutes for which the contact can use a button that calls the
    /// organization.
    pub fn ttl_minutes(
        at: &Field<'_>,
        minutes: Option<i64>,
        faults: &mut Violations,
    ) -> Option<Self> {
        let at = at.key("ttl_minutes");
        let minutes = faults.require(&at, minutes)?;
        if !(1..=MAX_TTL_MINUTES).contains(&minutes) {
            faults.add(&at, Fault::OutOfRange, format!("must be 1 to {MAX_TTL_MINUTES}"));
        }
        Some(Self::TtlMinutes(minutes))
    }

    /// Parses the status of an order. Only the sender's own id of the order is checked here. The
    /// channel checks the other fields.
    pub fn order_status(
        at: &Field<'_>,
        reference_id: Option<&str>,
        status: String,
        faults: &mut Violations,
    ) -> Option<Self> {
        order_reference(at, reference_id, faults).map(|_| Self::OrderStatus(status))
    }

    /// Parses the links of a message whose own titles are replaced. Each pair is the `url` of a
    /// link and the `title` that the contact sees instead of the link's own title.
    pub fn tap_targets<'a>(
        at: &Field<'_>,
        given: impl ExactSizeIterator<Item = (Option<&'a str>, Option<&'a str>)>,
        faults: &mut Violations,
    ) -> Self {
        if given.len() == 0 {
            faults.add(at, Fault::Empty, "must not be empty");
        } else if given.len() > MAX_TAP_TARGETS {
            let message = format!("has more than {MAX_TAP_TARGETS} entries");
            faults.add(at, Fault::TooLong, message);
        }
        let targets =
            given.take(MAX_TAP_TARGETS).enumerate().filter_map(|(index, (url, title))| {
                let entry = at.index(index);
                let url = address(&entry.key("url"), url, faults);
                let field = entry.key("title");
                let title = faults.required_text(&field, title, MAX_TAP_TARGET_TITLE_LENGTH);
                Some(TapTarget { url: url?, title: title? })
            });
        Self::TapTargets(targets.collect())
    }

    /// Parses the field `link` of a file.
    pub fn link(at: &Field<'_>, link: Option<&str>, faults: &mut Violations) -> Option<WebAddress> {
        address(&at.key("link"), link, faults)
    }

    /// Parses the optional file name of a document.
    pub fn filename(at: &Field<'_>, name: Option<&str>, faults: &mut Violations) -> Option<String> {
        faults.optional_text(&at.key("filename"), name, MAX_FILENAME_LENGTH)
    }

    /// Returns the keyword of the parameter's type, such as `currency`.
    #[must_use]
    pub const fn word(&self) -> &'static str {
        match self {
            Self::Text { .. } => "text",
            Self::Currency { .. } => "currency",
            Self::DateTime { .. } => "date_time",
            Self::Image(_) => "image",
            Self::Video(_) => "video",
            Self::Gif(_) => "gif",
            Self::Document(..) => "document",
            Self::Location(_) => "location",
            Self::Product { .. } => "product",
            Self::OfferExpiration(_) => "limited_time_offer",
            Self::CouponCode(_) => "coupon_code",
            Self::Payload(_) => "payload",
            Self::TtlMinutes(_) => "ttl_minutes",
            Self::Action(_) => "action",
            Self::OrderStatus(_) => "order_status",
            Self::TapTargets(_) => "tap_target_configuration",
        }
    }

    /// Returns the name of the variable, if the parameter has one, and the text: the fallback text
    /// for an amount or a date. Returns `None` for any other parameter, which has no text.
    #[must_use]
    pub fn words(&self) -> Option<(Option<&str>, &str)> {
        match self {
            Self::Text { name, text } => Some((name.as_deref(), text)),
            Self::Currency { name, fallback, .. } | Self::DateTime { name, fallback, .. } => {
                Some((name.as_deref(), fallback))
            }
            _ => None,
        }
    }
}

/// Returns the reason why the channel rejects `text` as a parameter, or `None` if the channel
/// accepts it.
#[must_use]
pub fn refused_by_channel(text: &str) -> Option<&'static str> {
    if text.contains(['\n', '\r', '\t']) {
        return Some("must have no line breaks and no tabs");
    }
    let mut row = 0;
    let too_many = text.chars().any(|letter| {
        row = if letter == ' ' { row + 1 } else { 0 };
        row > MAX_SPACES_IN_A_ROW
    });
    too_many.then_some("must have no more than 4 spaces in a row")
}

/// Parses the text of a text parameter.
fn words(
    at: &Field<'_>,
    text: Option<&str>,
    most: usize,
    faults: &mut Violations,
) -> Option<String> {
    if let Some(why) = text.and_then(refused_by_channel) {
        faults.add(at, Fault::InvalidFormat, why);
    }
    faults.required_text(at, text, most)
}

fn address(at: &Field<'_>, url: Option<&str>, faults: &mut Violations) -> Option<WebAddress> {
    let parsed = WebAddress::parse(faults.require(at, url)?);
    parsed.map_err(|wrong| faults.add(at, Fault::InvalidFormat, wrong.to_string())).ok()
}

impl ActionParameter {
    /// Checks the parameters of a button: the titles and products of sections, within Meta's
    /// bounds, and the sender's own id of an order. The other fields of an order depend on the
    /// country. The channel checks them.
    #[must_use]
    pub fn parse(
        self,
        at: &Field<'_>,
        order_reference_id: Option<&str>,
        faults: &mut Violations,
    ) -> Self {
        if self.order_details.is_some() {
            order_reference(&at.key("order_details"), order_reference_id, faults);
        }
        check_sections(&at.key("sections"), &self.sections, faults);
        let field = at.key("thumbnail_product_retailer_id");
        let thumbnail = self.thumbnail_product_retailer_id.as_deref();
        faults.optional_text(&field, thumbnail, MAX_REFERENCE_LENGTH);
        let token = self.flow_token.as_deref();
        faults.optional_text(&at.key("flow_token"), token, MAX_REFERENCE_LENGTH);
        self
    }
}

/// Checks sections of products: at most 10 sections, with at most 30 products in total.
pub(super) fn check_sections(at: &Field<'_>, sections: &[ProductSection], faults: &mut Violations) {
    if sections.len() > MAX_PRODUCT_SECTIONS {
        let message = format!("has more than {MAX_PRODUCT_SECTIONS} entries");
        faults.add(at, Fault::TooLong, message);
    }
    let products: usize = sections.iter().map(|section| section.products.len()).sum();
    if products > MAX_PRODUCTS {
        let message = format!("has {products} products; at most {MAX_PRODUCTS} are allowed");
        faults.add(at, Fault::TooLong, message);
    }
    for (index, section) in sections.iter().take(MAX_PRODUCT_SECTIONS).enumerate() {
        section.check(&at.index(index), faults);
    }
}

impl ProductSection {
    fn check(&self, at: &Field<'_>, faults: &mut Violations) {
        faults.optional_text(&at.key("title"), self.title.as_deref(), MAX_SECTION_TITLE_LENGTH);
        let items = at.key("product_items");
        if self.products.is_empty() {
            faults.add(&items, Fault::Empty, "must not be empty");
        }
        for (index, product) in self.products.iter().take(MAX_PRODUCTS).enumerate() {
            let item = items.index(index);
            faults.text(&item.key("product_retailer_id"), product, MAX_REFERENCE_LENGTH);
        }
    }
}
