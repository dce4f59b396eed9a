//! The stored content of inbound messages: the JSON of version 1 of the API.

use crate::StoredContent;
use crate::first::contacts::ContactRow;
use domain::inbound::{InboundContent, InboundContext, ReceivedItem, ReceivedOrder};
use domain::keyword::Keyword as _;
use domain::location::Location;
use serde::Serialize;
use serde_json::value::RawValue;

#[derive(Serialize)]
struct TextRow {
    text: String,
}

#[derive(Serialize)]
struct ReceivedFileRow {
    url: Option<String>,
    media_type: &'static str,
    content_type: String,
    caption: Option<String>,
    filename: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    voice: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    animated: Option<bool>,
}

#[derive(Serialize)]
struct PlaceRow {
    latitude: f64,
    longitude: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    address: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    url: Option<String>,
}

#[derive(Serialize)]
struct ReceivedOrderRow {
    catalog_id: String,
    text: Option<String>,
    product_items: Vec<ReceivedItemRow>,
}

#[derive(Serialize)]
struct ReceivedItemRow {
    product_retailer_id: String,
    quantity: f64,
    item_price: f64,
    currency: String,
}

/// The answer to an interactive message. The field named after the type holds the answer.
#[derive(Default, Serialize)]
struct InteractiveAnswerRow {
    #[serde(rename = "type")]
    kind: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    button_reply: Option<ChosenRow>,
    #[serde(skip_serializing_if = "Option::is_none")]
    list_reply: Option<ChosenRow>,
    #[serde(skip_serializing_if = "Option::is_none")]
    flow_reply: Option<FlowReplyRow>,
    #[serde(skip_serializing_if = "Option::is_none")]
    call_permission_reply: Option<CallPermissionRow>,
}

#[derive(Serialize)]
struct ChosenRow {
    id: String,
    title: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    description: Option<String>,
}

#[derive(Serialize)]
struct FlowReplyRow {
    name: Option<String>,
    body: Option<String>,
    response: Box<RawValue>,
}

#[derive(Serialize)]
struct CallPermissionRow {
    accepted: bool,
    permanent: bool,
    expires_at: Option<String>,
    automatic: bool,
}

#[derive(Serialize)]
struct UnsupportedRow {
    #[serde(rename = "type")]
    kind: String,
    payload: Box<RawValue>,
}

#[derive(Serialize)]
struct ContextRow {
    #[serde(skip_serializing_if = "Option::is_none")]
    referral: Option<Box<RawValue>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    referred_product: Option<ReferredProductRow>,
    #[serde(skip_serializing_if = "Option::is_none")]
    forwarded: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    frequently_forwarded: Option<bool>,
}

#[derive(Serialize)]
struct ReferredProductRow {
    catalog_id: String,
    product_retailer_id: String,
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
                content_type,
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
        quantity: it.quantity,
        item_price: it.item_price,
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
            let expires_at = expires_at.map(|at| at.to_string());
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
            quantity: 2.0,
            item_price: 3.5,
            currency: "EUR".to_owned(),
        };
        let order = ReceivedOrder {
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
            InboundContent::Order(order),
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
