//! The stored content of inbound messages: the JSON of version 1 of the API
//! (`docs/contract.md#messages-and-history`). Message history shows it unchanged, so its API
//! schemas are derived here. The schemas have no bounds, because received content is never
//! rejected.

use crate::StoredContent;
use crate::first::contacts::ContactRow;
use crate::schema::Instant;
use domain::inbound::{
    InboundContent, InboundContext, ReceivedItem, ReceivedOrder, ReportedNumber,
};
use domain::keyword::Keyword as _;
use domain::location::Location;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

#[derive(Serialize)]
struct TextRow {
    text: String,
}

#[derive(Serialize)]
struct ReceivedFileRow {
    url: Option<String>,
    media_type: &'static str,
    /// `None` if the channel does not report it.
    content_type: Option<String>,
    caption: Option<String>,
    filename: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    voice: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    animated: Option<bool>,
}

/// The location of a message.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "MessageLocation")]
pub struct PlaceRow {
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
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "ReceivedOrder")]
pub struct ReceivedOrderRow {
    /// The id of the catalog.
    catalog_id: String,
    /// The text that the contact wrote with the order.
    text: Option<String>,
    /// The ordered products.
    product_items: Vec<ReceivedItemRow>,
}

/// An ordered product.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "ReceivedOrderItem")]
struct ReceivedItemRow {
    /// The id of the product in the catalog.
    product_retailer_id: String,
    /// The number of units.
    #[schemars(with = "f64")]
    quantity: ReportedNumberRow,
    /// The price of one unit.
    #[schemars(with = "f64")]
    item_price: ReportedNumberRow,
    /// The currency code (ISO 4217).
    currency: String,
}

/// A number as the channel wrote it: a whole number is encoded without a fraction.
#[derive(Serialize)]
#[serde(untagged)]
enum ReportedNumberRow {
    Whole(i64),
    Fraction(f64),
}

impl From<ReportedNumber> for ReportedNumberRow {
    fn from(number: ReportedNumber) -> Self {
        match number {
            ReportedNumber::Whole(number) => Self::Whole(number),
            ReportedNumber::Fraction(number) => Self::Fraction(number),
        }
    }
}

/// The answer to an interactive message: a tapped button or row, a completed form, or a call
/// permission.
#[derive(Default, Serialize, JsonSchema)]
#[schemars(rename = "InteractiveChoice")]
pub struct InteractiveAnswerRow {
    /// The type of the answer. The field of the same name holds its content.
    #[serde(rename = "type")]
    #[schemars(extend("enum" = ["button_reply", "list_reply", "flow_reply", "call_permission_reply"]))]
    kind: String,
    /// For `button_reply`: the tapped button.
    #[serde(skip_serializing_if = "Option::is_none")]
    button_reply: Option<ChosenRow>,
    /// For `list_reply`: the chosen row.
    #[serde(skip_serializing_if = "Option::is_none")]
    list_reply: Option<ChosenRow>,
    /// For `flow_reply`: the completed form.
    #[serde(skip_serializing_if = "Option::is_none")]
    flow_reply: Option<FlowReplyRow>,
    /// For `call_permission_reply`: the permission.
    #[serde(skip_serializing_if = "Option::is_none")]
    call_permission_reply: Option<CallPermissionRow>,
}

/// A tapped button or a chosen row.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "InteractiveSelection")]
struct ChosenRow {
    /// The id that the button or row was sent with.
    id: String,
    /// The title of the button or row.
    title: String,
    /// The description of the row.
    #[serde(skip_serializing_if = "Option::is_none")]
    description: Option<String>,
}

/// A completed form.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "FlowReply")]
struct FlowReplyRow {
    /// The kind of form, such as `flow` or `address_message`; null if the channel does not report
    /// it.
    name: Option<String>,
    /// The part of the answer that the contact sees.
    body: Option<String>,
    /// The decoded answer. For a flow, an object with its fields and its `flow_token`. A string if
    /// the answer is not JSON.
    #[schemars(with = "serde_json::Value")]
    response: Box<RawValue>,
}

/// A contact's permission for the business to call them.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "CallPermissionReply")]
struct CallPermissionRow {
    /// Whether the business may call.
    accepted: bool,
    /// Whether the permission is valid until the contact revokes it.
    permanent: bool,
    /// When the permission expires; null if it does not expire or the channel does not report it.
    expires_at: Option<Instant>,
    /// Whether the permission was granted without a request, because the contact called the
    /// business.
    automatic: bool,
}

/// A message from a contact, of a type that this version does not support.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "UnsupportedMessage")]
pub struct UnsupportedRow {
    /// The channel's name for the type, such as `poll`.
    #[serde(rename = "type")]
    kind: String,
    /// The whole message, as the channel reported it.
    #[schemars(with = "serde_json::Value")]
    payload: Box<RawValue>,
}

/// The context of a message: what it refers to, and how it was forwarded. The API shows its fields
/// beside those of the message.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct ContextRow {
    /// The ad or post that led the contact to the business.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub referral: Option<Box<RawValue>>,
    /// The product that the message is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub referred_product: Option<ReferredProductRow>,
    /// Whether the message was forwarded.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub forwarded: Option<bool>,
    /// Whether the message was forwarded many times.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub frequently_forwarded: Option<bool>,
}

/// A product in a catalog.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "ReferredProduct")]
pub struct ReferredProductRow {
    /// The id of the catalog.
    catalog_id: String,
    /// The id of the product in the catalog.
    product_retailer_id: String,
}

/// The ad or post that led a contact to the business, as the channel describes it. There may be
/// further fields.
#[derive(JsonSchema)]
#[schemars(rename = "Referral", extend("additionalProperties" = true))]
#[expect(dead_code, reason = "only its schema is used; the channel's JSON is shown unchanged")]
pub struct ReferralRow {
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

/// Encodes the content of an inbound message.
///
/// # Errors
///
/// JSON that is part of the content is not valid.
pub fn encode(said: InboundContent) -> serde_json::Result<StoredContent> {
    let kind = said.kind();
    let document = match said {
        InboundContent::Text(text) | InboundContent::Reaction(text) => {
            serde_json::to_string(&TextRow { text })
        }
        InboundContent::Media { kind, id: _, content_type, caption, filename, voice, animated } => {
            serde_json::to_string(&ReceivedFileRow {
                url: None,
                media_type: kind.as_str(),
                content_type: Some(content_type).filter(|it| !it.is_empty()),
                caption,
                filename,
                voice: voice.then_some(true),
                animated: animated.then_some(true),
            })
        }
        InboundContent::Location { place, url } => {
            let Location { latitude, longitude, name, address, .. } = place;
            serde_json::to_string(&PlaceRow { latitude, longitude, name, address, url })
        }
        InboundContent::Contacts(cards) => {
            let rows: Vec<ContactRow> = cards.into_iter().map(Into::into).collect();
            serde_json::to_string(&rows)
        }
        InboundContent::Order(it) => serde_json::to_string(&order(it)),
        InboundContent::Passthrough { kind: _, body } => {
            RawValue::from_string(body).map(|body| body.get().to_owned())
        }
        InboundContent::Unsupported { kind, payload } => {
            let payload = RawValue::from_string(payload)?;
            serde_json::to_string(&UnsupportedRow { kind, payload })
        }
        answer @ (InboundContent::Choice { .. }
        | InboundContent::FlowReply { .. }
        | InboundContent::CallPermissionReply { .. }) => {
            serde_json::to_string(&self::answer(answer)?)
        }
    };
    Ok(StoredContent { kind, document: document? })
}

/// Encodes the context of an inbound message; nothing if the context is empty.
pub fn encode_context(it: InboundContext) -> serde_json::Result<Option<String>> {
    if it == InboundContext::default() {
        return Ok(None);
    }
    let InboundContext { referral, referred_product, forwarded, frequently_forwarded } = it;
    let row = ContextRow {
        referral: referral.map(RawValue::from_string).transpose()?,
        referred_product: referred_product.map(|it| ReferredProductRow {
            catalog_id: it.catalog_id,
            product_retailer_id: it.product_retailer_id,
        }),
        forwarded: forwarded.then_some(true),
        frequently_forwarded: frequently_forwarded.then_some(true),
    };
    serde_json::to_string(&row).map(Some)
}

fn order(it: ReceivedOrder) -> ReceivedOrderRow {
    let item = |it: ReceivedItem| ReceivedItemRow {
        product_retailer_id: it.product_retailer_id,
        quantity: it.quantity.into(),
        item_price: it.item_price.into(),
        currency: it.currency,
    };
    let product_items = it.items.into_iter().map(item).collect();
    ReceivedOrderRow { catalog_id: it.catalog_id, text: it.text, product_items }
}

fn answer(said: InboundContent) -> serde_json::Result<InteractiveAnswerRow> {
    let mut row = InteractiveAnswerRow::default();
    match said {
        InboundContent::Choice { kind, id, title, description } => {
            let chosen = Some(ChosenRow { id, title, description });
            if kind == "button_reply" {
                row.button_reply = chosen;
            } else {
                row.list_reply = chosen;
            }
            row.kind = kind;
        }
        InboundContent::FlowReply { name, body, response } => {
            let response = RawValue::from_string(response)?;
            "flow_reply".clone_into(&mut row.kind);
            row.flow_reply = Some(FlowReplyRow { name, body, response });
        }
        InboundContent::CallPermissionReply { accepted, permanent, expires_at, automatic } => {
            let expires_at = expires_at.map(Instant);
            "call_permission_reply".clone_into(&mut row.kind);
            row.call_permission_reply =
                Some(CallPermissionRow { accepted, permanent, expires_at, automatic });
        }
        _ => {}
    }
    Ok(row)
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::inbound::ReferredProduct;
    use domain::media::MediaKind;
    use domain::time::Timestamp;

    /// Stored rows, one per line. Lines are added, never changed.
    const RECEIVED: &str = include_str!("../../../tests/stored_content/received_1.jsonl");

    fn text(text: &str) -> String {
        text.to_owned()
    }

    fn file(kind: MediaKind, caption: Option<String>, filename: Option<String>) -> InboundContent {
        let (id, content_type) = ("7".to_owned(), "image/png".to_owned());
        let (voice, animated) = (kind == MediaKind::Audio, kind == MediaKind::Sticker);
        InboundContent::Media { kind, id, content_type, caption, filename, voice, animated }
    }

    /// The content that each line of [`RECEIVED`] holds.
    fn said() -> Vec<InboundContent> {
        let choice = |kind: &str, description| InboundContent::Choice {
            kind: kind.to_owned(),
            id: "y".to_owned(),
            title: "Yes".to_owned(),
            description,
        };
        let item = ReceivedItem {
            product_retailer_id: "bread".to_owned(),
            quantity: ReportedNumber::Fraction(2.0),
            item_price: ReportedNumber::Fraction(3.5),
            currency: "EUR".to_owned(),
        };
        let whole = ReceivedItem {
            quantity: ReportedNumber::Whole(2),
            item_price: ReportedNumber::Whole(30),
            ..item.clone()
        };
        let order = |item| ReceivedOrder {
            catalog_id: "35".to_owned(),
            text: Some(text("Soon")),
            items: vec![item],
        };
        let place = Location::stored(37.5, -122.25, Some(text("HQ")), None);
        let response = r#"{"flow_token":"t","rating":4}"#.to_owned();
        let mut card = domain::content::ContactCard::default();
        "Ada L".clone_into(&mut card.name.formatted_name);
        card.birthday = Some(text("1815-12-10"));
        vec![
            InboundContent::Text("Hello".to_owned()),
            InboundContent::Reaction(String::new()),
            file(MediaKind::Image, Some(text("Look")), None),
            file(MediaKind::Audio, None, None),
            file(MediaKind::Sticker, None, None),
            file(MediaKind::Document, None, Some(text("a.pdf"))),
            InboundContent::Location { place, url: Some(text("https://example.com")) },
            InboundContent::Contacts(vec![card]),
            InboundContent::Order(order(item)),
            choice("button_reply", None),
            choice("list_reply", Some(text("Both"))),
            InboundContent::FlowReply { name: Some(text("flow")), body: None, response },
            InboundContent::CallPermissionReply {
                accepted: true,
                permanent: false,
                expires_at: Some(Timestamp::from_seconds(1_795_262_400)),
                automatic: false,
            },
            InboundContent::Unsupported {
                kind: "hologram".to_owned(),
                payload: r#"{"type":"hologram","id":"1"}"#.to_owned(),
            },
            InboundContent::Order(order(whole)),
        ]
    }

    #[test]
    fn a_row_is_written_as_it_always_was() {
        let written = said().into_iter().map(|said| {
            let StoredContent { kind, document } = encode(said).unwrap();
            format!(r#"{{"kind":"{kind}","content":{document}}}"#)
        });
        let written: Vec<String> = written.collect();
        assert_eq!(written, RECEIVED.lines().collect::<Vec<_>>());
    }

    #[test]
    fn a_content_type_that_is_not_reported_is_null() {
        let InboundContent::Media { kind, id, caption, filename, voice, animated, .. } =
            file(MediaKind::Image, None, None)
        else {
            panic!("it is a file");
        };
        let content_type = String::new();
        let file =
            InboundContent::Media { kind, id, content_type, caption, filename, voice, animated };
        let document = encode(file).unwrap().document;
        assert!(document.contains(r#""content_type":null"#), "{document}");
    }

    #[test]
    fn a_context_says_what_there_is_and_nothing_else() {
        assert_eq!(encode_context(InboundContext::default()).unwrap(), None);
        let context = InboundContext {
            referral: Some(r#"{"source_type":"ad"}"#.to_owned()),
            referred_product: Some(ReferredProduct {
                catalog_id: "1".to_owned(),
                product_retailer_id: "a".to_owned(),
            }),
            forwarded: true,
            frequently_forwarded: false,
        };
        let expected = r#"{"referral":{"source_type":"ad"},"referred_product":{"catalog_id":"1","product_retailer_id":"a"},"forwarded":true}"#;
        assert_eq!(encode_context(context).unwrap().unwrap(), expected);
    }
}
