//! What people send beside words, files and taps, as history shows it (`docs/contract.md#messages-and-history`). What is
//! stored is shown as it is: most types here stand for their schemas. None has bounds, for it is not ours to refuse.

use crate::schema::Instant;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

/// A place on the map, as history shows it.
#[derive(JsonSchema)]
#[schemars(rename = "MessageLocation")]
#[expect(dead_code, reason = "it stands for its schema")]
pub struct LocationDocument {
    /// Degrees north.
    latitude: f64,
    /// Degrees east.
    longitude: f64,
    /// What it is called.
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    /// Where it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    address: Option<String>,
    /// The address of its page, of a place that a person sent.
    #[serde(skip_serializing_if = "Option::is_none")]
    url: Option<String>,
}

/// What a person chose of a catalog.
#[derive(JsonSchema)]
#[schemars(rename = "ReceivedOrder")]
#[expect(dead_code, reason = "it stands for its schema")]
pub struct OrderDocument {
    /// The catalog.
    catalog_id: String,
    /// What the person wrote with it.
    text: Option<String>,
    /// The products.
    product_items: Vec<OrderItemDocument>,
}

/// What a person chose of a product.
#[derive(JsonSchema)]
#[schemars(rename = "ReceivedOrderItem")]
#[expect(dead_code, reason = "it stands for its schema")]
struct OrderItemDocument {
    /// The product's id in the catalog.
    product_retailer_id: String,
    /// How many.
    quantity: f64,
    /// What one costs.
    item_price: f64,
    /// ISO 4217.
    currency: String,
}

/// A form that was filled in.
#[derive(JsonSchema)]
#[schemars(rename = "FlowReply")]
#[expect(dead_code, reason = "it stands for its schema")]
pub struct FlowReplyDocument {
    /// The kind of form, such as `flow` or `address_message`; null where the channel does not say.
    name: Option<String>,
    /// What the person sees of the answer.
    body: Option<String>,
    /// The answer, decoded: of a flow an object with its fields and its `flow_token`. A string where it is not JSON.
    response: serde_json::Value,
}

/// Whether the business may call.
#[derive(JsonSchema)]
#[schemars(rename = "CallPermissionReply")]
#[expect(dead_code, reason = "it stands for its schema")]
pub struct CallPermissionDocument {
    /// Whether it may.
    accepted: bool,
    /// Whether it may until that is taken back.
    permanent: bool,
    /// Until when it may; null where that is not limited or not said.
    #[schemars(with = "Option<Instant>")]
    expires_at: Option<String>,
    /// Whether the person was not asked: it follows from a call of theirs.
    automatic: bool,
}

/// What a message comes from, or with which it came.
#[derive(Debug, Default, Deserialize)]
pub struct ContextDocument {
    /// The ad or post that led the person here.
    pub referral: Option<Box<RawValue>>,
    /// The product that it is about.
    pub referred_product: Option<ProductDocument>,
    /// Whether it was forwarded.
    pub forwarded: Option<bool>,
    /// Whether it was forwarded many times.
    pub frequently_forwarded: Option<bool>,
}

/// The ad or post that led a person to the business, as the channel describes it. It may have further fields.
#[derive(JsonSchema)]
#[schemars(rename = "Referral", extend("additionalProperties" = true))]
#[expect(dead_code, reason = "it stands for its schema")]
pub struct ReferralDocument {
    /// The address of the ad or post.
    #[serde(skip_serializing_if = "Option::is_none")]
    source_url: Option<String>,
    /// Its id.
    #[serde(skip_serializing_if = "Option::is_none")]
    source_id: Option<String>,
    /// `ad` or `post`.
    #[serde(skip_serializing_if = "Option::is_none")]
    source_type: Option<String>,
    /// Its headline.
    #[serde(skip_serializing_if = "Option::is_none")]
    headline: Option<String>,
    /// Its text.
    #[serde(skip_serializing_if = "Option::is_none")]
    body: Option<String>,
    /// `image` or `video`.
    #[serde(skip_serializing_if = "Option::is_none")]
    media_type: Option<String>,
    /// The address of its picture.
    #[serde(skip_serializing_if = "Option::is_none")]
    image_url: Option<String>,
    /// The address of its video.
    #[serde(skip_serializing_if = "Option::is_none")]
    video_url: Option<String>,
    /// The id of the click, for the channel's reports of conversions.
    #[serde(skip_serializing_if = "Option::is_none")]
    ctwa_clid: Option<String>,
}

/// A product of a catalog.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "ReferredProduct")]
pub struct ProductDocument {
    /// The catalog.
    pub catalog_id: String,
    /// The product's id in it.
    pub product_retailer_id: String,
}
