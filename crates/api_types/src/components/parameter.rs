//! Values of template variables, in Meta's format.

use crate::location::LocationWire;
use crate::object::Object;
use crate::schema::UrlText;
use domain::content::media::MAX_FILENAME_LENGTH;
use domain::content::parameter::{
    MAX_CALENDAR_LENGTH, MAX_PARAMETER_LENGTH, MAX_PAYLOAD_LENGTH, MAX_PRODUCT_SECTIONS,
    MAX_TAP_TARGET_TITLE_LENGTH, MAX_TAP_TARGETS, MAX_TTL_MINUTES, PARAMETERS,
};
use domain::content::{ActionParameter, DateParts, Parameter, ProductSection};
use domain::template::parts::MAX_COUPON_CODE_LENGTH;
use domain::violation::{Fault, Field, Violations};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// The value of one variable of a template.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "TemplateParameter")]
pub struct ParameterWire {
    /// The type of the parameter. The field of the same name holds its value.
    #[serde(rename = "type")]
    #[schemars(required, extend("enum" = PARAMETERS))]
    kind: Option<String>,
    /// The name of the variable, if the template has named variables.
    #[serde(skip_serializing_if = "Option::is_none")]
    parameter_name: Option<String>,
    /// The text, without line breaks, tabs or more than four spaces in a row, because the channel rejects them.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = MAX_PARAMETER_LENGTH))]
    text: Option<String>,
    /// The amount of money.
    #[serde(skip_serializing_if = "Option::is_none")]
    currency: Option<Object<CurrencyWire>>,
    /// The date and time.
    #[serde(skip_serializing_if = "Option::is_none")]
    date_time: Option<Object<DateTimeWire>>,
    /// The image.
    #[serde(skip_serializing_if = "Option::is_none")]
    image: Option<Object<FileWire>>,
    /// The video.
    #[serde(skip_serializing_if = "Option::is_none")]
    video: Option<Object<FileWire>>,
    /// The animation: an MP4 file of at most 3.5 MB.
    #[serde(skip_serializing_if = "Option::is_none")]
    gif: Option<Object<FileWire>>,
    /// The document.
    #[serde(skip_serializing_if = "Option::is_none")]
    document: Option<Object<FileWire>>,
    /// The location, for a header of format `LOCATION`.
    #[serde(skip_serializing_if = "Option::is_none")]
    location: Option<Object<LocationWire>>,
    /// The product, for a header of format `PRODUCT`.
    #[serde(skip_serializing_if = "Option::is_none")]
    product: Option<Object<ProductWire>>,
    /// The end of the offer.
    #[serde(skip_serializing_if = "Option::is_none")]
    limited_time_offer: Option<Object<OfferEndWire>>,
    /// The code that the button copies.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = MAX_COUPON_CODE_LENGTH))]
    coupon_code: Option<String>,
    /// The payload that is returned when a quick reply button is tapped.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = MAX_PAYLOAD_LENGTH))]
    payload: Option<String>,
    /// Number of minutes that a button that calls the business stays active.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = MAX_TTL_MINUTES))]
    ttl_minutes: Option<i64>,
    /// The action of a button that opens a flow, the catalog, products or an order.
    #[serde(skip_serializing_if = "Option::is_none")]
    action: Option<Object<ButtonActionWire>>,
    /// The status of an order, in Meta's shape: `reference_id`, and `order` with `status` and `description`.
    #[serde(skip_serializing_if = "Option::is_none")]
    order_status: Option<Map<String, Value>>,
    /// Titles that replace those of links.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = MAX_TAP_TARGETS))]
    tap_target_configuration: Option<Vec<Object<TapTargetWire>>>,
}

/// A file at a URL.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "LinkedFile")]
struct FileWire {
    /// The URL of the file.
    #[schemars(required, with = "UrlText")]
    link: Option<String>,
    /// The file name that the recipient sees, for documents. For one of your uploads it defaults to the upload's name.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = MAX_FILENAME_LENGTH))]
    filename: Option<String>,
}

/// An amount of money.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "CurrencyParameter")]
struct CurrencyWire {
    /// The text that is shown on devices that cannot format the amount.
    #[schemars(required)]
    fallback_value: Option<String>,
    /// The currency code (ISO 4217), such as `USD`.
    #[schemars(required, length(min = 3, max = 3))]
    code: Option<String>,
    /// The amount multiplied by 1000.
    #[schemars(required)]
    amount_1000: Option<i64>,
}

/// A date and time. The channel shows `fallback_value`; it accepts the parts too.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "DateTimeParameter")]
struct DateTimeWire {
    /// The text that is shown.
    #[schemars(required)]
    fallback_value: Option<String>,
    /// 1 for Monday to 7 for Sunday. English names of days are accepted too.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<i64>")]
    day_of_week: Option<DayOfWeek>,
    /// The year.
    #[serde(skip_serializing_if = "Option::is_none")]
    year: Option<i64>,
    /// The month, starting at 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    month: Option<i64>,
    /// The day of the month, starting at 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    day_of_month: Option<i64>,
    /// The hour, starting at 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    hour: Option<i64>,
    /// The minute, starting at 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    minute: Option<i64>,
    /// The calendar, such as `GREGORIAN`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = MAX_CALENDAR_LENGTH))]
    calendar: Option<String>,
    /// The date and time as seconds since 1970.
    #[serde(skip_serializing_if = "Option::is_none")]
    timestamp: Option<i64>,
}

/// A day of the week. Meta accepts a number or an English name.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[serde(try_from = "DayInput")]
struct DayOfWeek(i64);

#[derive(Deserialize)]
#[serde(untagged, expecting = "must be a number or the name of a day")]
enum DayInput {
    Number(i64),
    Name(String),
}

impl TryFrom<DayInput> for DayOfWeek {
    type Error = &'static str;

    fn try_from(given: DayInput) -> Result<Self, Self::Error> {
        let name = match given {
            DayInput::Number(number) => return Ok(Self(number)),
            DayInput::Name(name) => name,
        };
        let days = ["MONDAY", "TUESDAY", "WEDNESDAY", "THURSDAY", "FRIDAY", "SATURDAY", "SUNDAY"];
        let named = (1..).zip(days).find(|(_, day)| day.eq_ignore_ascii_case(&name));
        let number = named.map(|(number, _)| number).or_else(|| name.parse().ok());
        number.map(Self).ok_or("must be a number or the name of a day")
    }
}

/// A title that replaces that of a link.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "TapTarget")]
struct TapTargetWire {
    /// The URL of the link.
    #[schemars(required, with = "UrlText")]
    url: Option<String>,
    /// The title of the section.
    #[schemars(required, length(min = 1, max = MAX_TAP_TARGET_TITLE_LENGTH))]
    title: Option<String>,
}

/// A product in a catalog.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "ProductParameter")]
struct ProductWire {
    /// The id of the catalog.
    #[schemars(required)]
    catalog_id: Option<String>,
    /// The id of the product in the catalog.
    #[schemars(required)]
    product_retailer_id: Option<String>,
}

/// The end of an offer.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "OfferExpiration")]
struct OfferEndWire {
    /// The time at which the offer ends, as Unix time in milliseconds.
    #[schemars(required)]
    expiration_time_ms: Option<i64>,
}

/// The action of a button that opens a flow, the catalog, products or an order.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "ButtonAction")]
struct ButtonActionWire {
    /// The id of the product whose image is shown above the message.
    #[serde(skip_serializing_if = "Option::is_none")]
    thumbnail_product_retailer_id: Option<String>,
    /// The products: at most 30 in at most 10 sections.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = MAX_PRODUCT_SECTIONS))]
    sections: Option<Vec<Object<TemplateSectionWire>>>,
    /// Your own identifier for this use of a flow.
    #[serde(skip_serializing_if = "Option::is_none")]
    flow_token: Option<String>,
    /// The data that the first screen of the flow receives.
    #[serde(skip_serializing_if = "Option::is_none")]
    flow_action_data: Option<Map<String, Value>>,
    /// The order to be paid, in Meta's format, with your own `reference_id`. The other fields differ by country.
    #[serde(skip_serializing_if = "Option::is_none")]
    order_details: Option<Map<String, Value>>,
}

/// A section of products.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "ProductSection")]
struct TemplateSectionWire {
    /// The title of the section.
    #[serde(skip_serializing_if = "Option::is_none")]
    title: Option<String>,
    /// The products in the section.
    #[schemars(required)]
    product_items: Option<Vec<Object<TemplateProductItemWire>>>,
}

/// A product.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "ProductItem")]
struct TemplateProductItemWire {
    /// The id of the product in the catalog.
    #[schemars(required)]
    product_retailer_id: Option<String>,
}

impl ParameterWire {
    pub fn text(text: &str) -> Self {
        let (kind, text) = (Some("text".to_owned()), Some(text.to_owned()));
        Self { kind, text, ..Self::default() }
    }

    pub fn parse(&self, at: &Field<'_>, faults: &mut Violations) -> Option<Parameter> {
        let kind = faults.require(&at.key("type"), self.kind.as_deref())?;
        let (name, at_kind) = (self.parameter_name.as_deref(), at.key(kind));
        let file = |file: &Option<Object<FileWire>>, faults: &mut Violations| {
            let link = file.as_ref().and_then(|file| file.link.as_deref());
            Parameter::link(&at_kind, link, faults)
        };
        match kind {
            "text" => Parameter::text(at, name, self.text.as_deref(), faults),
            "currency" => {
                let given = faults.require(&at_kind, self.currency.as_deref())?;
                let (fallback, code) = (given.fallback_value.as_deref(), given.code.as_deref());
                Parameter::currency(&at_kind, name, fallback, code, given.amount_1000, faults)
            }
            "date_time" => {
                let given = faults.require(&at_kind, self.date_time.as_deref())?;
                let fallback = given.fallback_value.as_deref();
                Parameter::date_time(&at_kind, name, fallback, given.parts(), faults)
            }
            "image" => file(&self.image, faults).map(Parameter::Image),
            "video" => file(&self.video, faults).map(Parameter::Video),
            "gif" => file(&self.gif, faults).map(Parameter::Gif),
            "document" => {
                let name = self.document.as_ref().and_then(|file| file.filename.as_deref());
                let name = Parameter::filename(&at_kind, name, faults);
                file(&self.document, faults).map(|link| Parameter::Document(link, name))
            }
            "location" => {
                let given = faults.require(&at_kind, self.location.as_deref())?;
                given.parse(&at_kind, faults).map(Parameter::Location)
            }
            "product" => {
                let given = faults.require(&at_kind, self.product.as_deref())?;
                let (catalog, product) =
                    (given.catalog_id.as_deref(), given.product_retailer_id.as_deref());
                Parameter::product(&at_kind, catalog, product, faults)
            }
            "limited_time_offer" => {
                let given = faults.require(&at_kind, self.limited_time_offer.as_deref())?;
                Parameter::offer_expiration(&at_kind, given.expiration_time_ms, faults)
            }
            "coupon_code" => Parameter::coupon_code(at, self.coupon_code.as_deref(), faults),
            "payload" => Parameter::payload(at, self.payload.as_deref(), faults),
            "action" => {
                let given = faults.require(&at_kind, self.action.as_deref())?;
                let reference = given.order_details.as_ref().and_then(reference_id);
                Some(Parameter::Action(given.parameter().parse(&at_kind, reference, faults)))
            }
            "ttl_minutes" => Parameter::ttl_minutes(at, self.ttl_minutes, faults),
            "order_status" => {
                let given = faults.require(&at_kind, self.order_status.as_ref())?;
                let status = Value::Object(given.clone()).to_string();
                Parameter::order_status(&at_kind, reference_id(given), status, faults)
            }
            "tap_target_configuration" => {
                let given = faults.require(&at_kind, self.tap_target_configuration.as_ref())?;
                let given = given.iter().map(|it| (it.url.as_deref(), it.title.as_deref()));
                Some(Parameter::tap_targets(&at_kind, given, faults))
            }
            _ => {
                let message = format!("must be one of {}", PARAMETERS.join(", "));
                faults.add(&at.key("type"), Fault::NotOneOf, message);
                None
            }
        }
    }
}

/// Returns the sender's own reference of an order.
fn reference_id(order: &Map<String, Value>) -> Option<&str> {
    order.get("reference_id").and_then(Value::as_str)
}

impl DateTimeWire {
    fn parts(&self) -> DateParts {
        DateParts {
            day_of_week: self.day_of_week.map(|day| day.0),
            year: self.year,
            month: self.month,
            day_of_month: self.day_of_month,
            hour: self.hour,
            minute: self.minute,
            calendar: self.calendar.clone(),
            timestamp: self.timestamp,
        }
    }
}

impl ButtonActionWire {
    fn parameter(&self) -> ActionParameter {
        let sections = self.sections.iter().flatten();
        let json = |given: &Option<Map<String, Value>>| {
            given.clone().map(|data| Value::Object(data).to_string())
        };
        ActionParameter {
            thumbnail_product_retailer_id: self.thumbnail_product_retailer_id.clone(),
            sections: sections.map(|it| it.section()).collect(),
            flow_token: self.flow_token.clone(),
            flow_action_data: json(&self.flow_action_data),
            order_details: json(&self.order_details),
        }
    }
}

impl TemplateSectionWire {
    fn section(&self) -> ProductSection {
        let products = self.product_items.iter().flatten();
        // A missing id becomes an empty one, which the domain rejects.
        let id = |it: &Object<TemplateProductItemWire>| {
            it.product_retailer_id.clone().unwrap_or_default()
        };
        ProductSection { title: self.title.clone(), products: products.map(id).collect() }
    }
}
