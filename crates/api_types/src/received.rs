//! Content that contacts send besides text, files and taps, as history shows it
//! (`docs/contract.md#messages-and-history`). Stored JSON is shown unchanged, so most types here
//! exist only for their schemas. They have no bounds, because received content is not rejected.

use crate::schema::Instant;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

/// The location of a message.
#[derive(JsonSchema)]
#[schemars(rename = "MessageLocation")]
#[expect(dead_code, reason = "only its schema is used")]
pub struct LocationDocument {
    /// The latitude in degrees.
    latitude: f64,
    /// The longitude in degrees.
    longitude: f64,
    /// The name of the place.
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    /// The address of the place.
    #[serde(skip_serializing_if = "Option::is_none")]
    address: Option<String>,
    /// The URL of the place's page, for a location that a contact sent.
    #[serde(skip_serializing_if = "Option::is_none")]
    url: Option<String>,
}

/// An order that a contact placed from a catalog.
#[derive(JsonSchema)]
#[schemars(rename = "ReceivedOrder")]
#[expect(dead_code, reason = "only its schema is used")]
pub struct OrderDocument {
    /// The id of the catalog.
    catalog_id: String,
    /// The text that the contact wrote with the order.
    text: Option<String>,
    /// The ordered products.
    product_items: Vec<OrderItemDocument>,
}

/// An ordered product.
#[derive(JsonSchema)]
#[schemars(rename = "ReceivedOrderItem")]
#[expect(dead_code, reason = "only its schema is used")]
struct OrderItemDocument {
    /// The id of the product in the catalog.
    product_retailer_id: String,
    /// The number of units.
    quantity: f64,
    /// The price of one unit.
    item_price: f64,
    /// The currency code (ISO 4217).
    currency: String,
}

/// A completed form.
#[derive(JsonSchema)]
#[schemars(rename = "FlowReply")]
#[expect(dead_code, reason = "only its schema is used")]
pub struct FlowReplyDocument {
    /// The kind of form, such as `flow` or `address_message`; null if the channel does not report
    /// it.
    name: Option<String>,
    /// The part of the answer that the contact sees.
    body: Option<String>,
    /// The decoded answer. For a flow, an object with its fields and its `flow_token`. A string if
    /// the answer is not JSON.
    response: serde_json::Value,
}

/// A contact's permission for the business to call them.
#[derive(JsonSchema)]
#[schemars(rename = "CallPermissionReply")]
#[expect(dead_code, reason = "only its schema is used")]
pub struct CallPermissionDocument {
    /// Whether the business may call.
    accepted: bool,
    /// Whether the permission is valid until the contact revokes it.
    permanent: bool,
    /// When the permission expires; null if it does not expire or the channel does not report it.
    #[schemars(with = "Option<Instant>")]
    expires_at: Option<String>,
    /// Whether the permission was granted without a request, because the contact called the
    /// business.
    automatic: bool,
}

/// The stored context of a message: what it refers to, and how it was forwarded.
#[derive(Debug, Default, Deserialize)]
pub struct ContextDocument {
    /// The ad or post that led the contact to the business.
    pub referral: Option<Box<RawValue>>,
    /// The product that the message is about.
    pub referred_product: Option<ProductDocument>,
    /// Whether the message was forwarded.
    pub forwarded: Option<bool>,
    /// Whether the message was forwarded many times.
    pub frequently_forwarded: Option<bool>,
}

/// The ad or post that led a contact to the business, as the channel describes it. There may be
/// further fields.
#[derive(JsonSchema)]
#[schemars(rename = "Referral", extend("additionalProperties" = true))]
#[expect(dead_code, reason = "only its schema is used")]
pub struct ReferralDocument {
    /// The URL of the ad or post.
    #[serde(skip_serializing_if = "Option::is_none")]
    source_url: Option<String>,
    /// The id of the ad or post.
    #[serde(skip_serializing_if = "Option::is_none")]
    source_id: Option<String>,
    /// The type of the source: `ad` or `post`.
    #[serde(skip_serializing_if = "Option::is_none")]
    source_type: Option<String>,
    /// The headline.
    #[serde(skip_serializing_if = "Option::is_none")]
    headline: Option<String>,
    /// The text.
    #[serde(skip_serializing_if = "Option::is_none")]
    body: Option<String>,
    /// The type of the media: `image` or `video`.
    #[serde(skip_serializing_if = "Option::is_none")]
    media_type: Option<String>,
    /// The URL of the image.
    #[serde(skip_serializing_if = "Option::is_none")]
    image_url: Option<String>,
    /// The URL of the video.
    #[serde(skip_serializing_if = "Option::is_none")]
    video_url: Option<String>,
    /// The click id, for the channel's conversion reports.
    #[serde(skip_serializing_if = "Option::is_none")]
    ctwa_clid: Option<String>,
}

/// A product in a catalog.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "ReferredProduct")]
pub struct ProductDocument {
    /// The id of the catalog.
    pub catalog_id: String,
    /// The id of the product in the catalog.
    pub product_retailer_id: String,
}
