//! Values of template variables, in Meta's format.

use crate::location::LocationWire;
use crate::object::Object;
use crate::schema::Address;
use domain::content::parameter::{
    MAX_PARAMETER_LENGTH, MAX_PAYLOAD_LENGTH, MAX_PRODUCT_SECTIONS, PARAMETERS,
};
use domain::content::{ActionParameter, Parameter, ProductSection};
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
    /// The text.
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
    /// The parameters of a button that opens a flow, the catalog or products.
    #[serde(skip_serializing_if = "Option::is_none")]
    action: Option<Object<ActionWire>>,
}

/// A file at a URL.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "LinkedFile")]
struct FileWire {
    /// The URL of the file.
    #[schemars(required, with = "Address")]
    link: Option<String>,
    /// The file name that the recipient sees. For documents.
    #[serde(skip_serializing_if = "Option::is_none")]
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

/// A date and time.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "DateTimeParameter")]
struct DateTimeWire {
    /// The text that is shown.
    #[schemars(required)]
    fallback_value: Option<String>,
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

/// The parameters of a button that opens a flow, the catalog or products.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "ButtonAction")]
struct ActionWire {
    /// The id of the product whose image is shown above the message.
    #[serde(skip_serializing_if = "Option::is_none")]
    thumbnail_product_retailer_id: Option<String>,
    /// The products: at most 30 in at most 10 sections.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = MAX_PRODUCT_SECTIONS))]
    sections: Option<Vec<Object<SectionWire>>>,
    /// Your own identifier for this use of a flow.
    #[serde(skip_serializing_if = "Option::is_none")]
    flow_token: Option<String>,
    /// The data that the first screen of the flow receives.
    #[serde(skip_serializing_if = "Option::is_none")]
    flow_action_data: Option<Map<String, Value>>,
}

/// A section of products.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "ProductSection")]
struct SectionWire {
    /// The title of the section.
    #[serde(skip_serializing_if = "Option::is_none")]
    title: Option<String>,
    /// The products in the section.
    #[schemars(required)]
    product_items: Option<Vec<Object<ProductItemWire>>>,
}

/// A product.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "ProductItem")]
struct ProductItemWire {
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
                let money =
                    (given.fallback_value.as_deref(), given.code.as_deref(), given.amount_1000);
                Parameter::currency(&at_kind, name, money, faults)
            }
            "date_time" => {
                let given = faults.require(&at_kind, self.date_time.as_deref())?;
                Parameter::date_time(&at_kind, name, given.fallback_value.as_deref(), faults)
            }
            "image" => file(&self.image, faults).map(Parameter::Image),
            "video" => file(&self.video, faults).map(Parameter::Video),
            "gif" => file(&self.gif, faults).map(Parameter::Gif),
            "document" => {
                let name = self.document.as_ref().and_then(|file| file.filename.clone());
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
                Some(Parameter::Action(given.parameter().parse(&at_kind, faults)))
            }
            _ => {
                let message = format!("must be one of {}", PARAMETERS.join(", "));
                faults.add(&at.key("type"), Fault::NotOneOf, message);
                None
            }
        }
    }
}

impl ActionWire {
    fn parameter(&self) -> ActionParameter {
        let sections = self.sections.iter().flatten();
        ActionParameter {
            thumbnail_product_retailer_id: self.thumbnail_product_retailer_id.clone(),
            sections: sections.map(|it| it.section()).collect(),
            flow_token: self.flow_token.clone(),
            flow_action_data: self
                .flow_action_data
                .clone()
                .map(|data| Value::Object(data).to_string()),
        }
    }
}

impl SectionWire {
    fn section(&self) -> ProductSection {
        let products = self.product_items.iter().flatten();
        // A missing id becomes an empty one, which the domain rejects.
        let id = |it: &Object<ProductItemWire>| it.product_retailer_id.clone().unwrap_or_default();
        ProductSection { title: self.title.clone(), products: products.map(id).collect() }
    }
}
