//! What fills in one variable, in Meta's shape.

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

/// What fills in one variable.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "TemplateParameter")]
pub struct ParameterWire {
    /// What it is; the field of that name holds it.
    #[serde(rename = "type")]
    #[schemars(required, extend("enum" = PARAMETERS))]
    kind: Option<String>,
    /// The variable's name, where the template names its variables.
    #[serde(skip_serializing_if = "Option::is_none")]
    parameter_name: Option<String>,
    /// The words.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = MAX_PARAMETER_LENGTH))]
    text: Option<String>,
    /// An amount of money.
    #[serde(skip_serializing_if = "Option::is_none")]
    currency: Option<Object<CurrencyWire>>,
    /// A date and time.
    #[serde(skip_serializing_if = "Option::is_none")]
    date_time: Option<Object<DateTimeWire>>,
    /// The picture.
    #[serde(skip_serializing_if = "Option::is_none")]
    image: Option<Object<FileWire>>,
    /// The video.
    #[serde(skip_serializing_if = "Option::is_none")]
    video: Option<Object<FileWire>>,
    /// The animation: an MP4 of at most 3.5 MB.
    #[serde(skip_serializing_if = "Option::is_none")]
    gif: Option<Object<FileWire>>,
    /// The file.
    #[serde(skip_serializing_if = "Option::is_none")]
    document: Option<Object<FileWire>>,
    /// The place on the map, of a header `LOCATION`.
    #[serde(skip_serializing_if = "Option::is_none")]
    location: Option<Object<LocationWire>>,
    /// The product, of a header `PRODUCT`.
    #[serde(skip_serializing_if = "Option::is_none")]
    product: Option<Object<ProductWire>>,
    /// When the offer ends.
    #[serde(skip_serializing_if = "Option::is_none")]
    limited_time_offer: Option<Object<OfferEndWire>>,
    /// The code that a button copies.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = MAX_COUPON_CODE_LENGTH))]
    coupon_code: Option<String>,
    /// What a quick reply sends back.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = MAX_PAYLOAD_LENGTH))]
    payload: Option<String>,
    /// What a button for a flow, the catalog or products opens with.
    #[serde(skip_serializing_if = "Option::is_none")]
    action: Option<Object<ActionWire>>,
}

/// A file at an address.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "LinkedFile")]
struct FileWire {
    /// Its address.
    #[schemars(required, with = "Address")]
    link: Option<String>,
    /// What a document is called on the other side.
    #[serde(skip_serializing_if = "Option::is_none")]
    filename: Option<String>,
}

/// An amount of money.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "CurrencyParameter")]
struct CurrencyWire {
    /// What a device shows that cannot write it.
    #[schemars(required)]
    fallback_value: Option<String>,
    /// ISO 4217, such as `USD`.
    #[schemars(required, length(min = 3, max = 3))]
    code: Option<String>,
    /// The amount times 1000.
    #[schemars(required)]
    amount_1000: Option<i64>,
}

/// A date and time.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "DateTimeParameter")]
struct DateTimeWire {
    /// What is shown.
    #[schemars(required)]
    fallback_value: Option<String>,
}

/// A product of a catalog.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "ProductParameter")]
struct ProductWire {
    /// The catalog.
    #[schemars(required)]
    catalog_id: Option<String>,
    /// The product's id in it.
    #[schemars(required)]
    product_retailer_id: Option<String>,
}

/// When an offer ends.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "OfferExpiration")]
struct OfferEndWire {
    /// In milliseconds since 1970.
    #[schemars(required)]
    expiration_time_ms: Option<i64>,
}

/// What a button for a flow, the catalog or products opens with.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "ButtonAction")]
struct ActionWire {
    /// The product whose picture stands above the message.
    #[serde(skip_serializing_if = "Option::is_none")]
    thumbnail_product_retailer_id: Option<String>,
    /// The products: at most 30 in at most 10 sections.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = MAX_PRODUCT_SECTIONS))]
    sections: Option<Vec<Object<SectionWire>>>,
    /// Your own name for this use of a flow.
    #[serde(skip_serializing_if = "Option::is_none")]
    flow_token: Option<String>,
    /// What the flow's first screen gets.
    #[serde(skip_serializing_if = "Option::is_none")]
    flow_action_data: Option<Map<String, Value>>,
}

/// Products under a title.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "ProductSection")]
struct SectionWire {
    /// The title.
    #[serde(skip_serializing_if = "Option::is_none")]
    title: Option<String>,
    /// The products.
    #[schemars(required)]
    product_items: Option<Vec<Object<ProductItemWire>>>,
}

/// A product.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "ProductItem")]
struct ProductItemWire {
    /// Its id in the catalog.
    #[schemars(required)]
    product_retailer_id: Option<String>,
}

impl ParameterWire {
    /// A text.
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
        // A product without an id is one with an empty one, which is refused.
        let id = |it: &Object<ProductItemWire>| it.product_retailer_id.clone().unwrap_or_default();
        ProductSection { title: self.title.clone(), products: products.map(id).collect() }
    }
}
