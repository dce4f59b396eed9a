//! The content of inbound messages.

use super::shape::{
    ChoicePart, FilePart, InboundMessage, QuickReplyPart, ReactionPart, TextPart, text_of,
};
use super::structured;
use crate::callback::UnsupportedPart;
use domain::callback::DeadLetterReason;
use domain::emoji::canonical;
use domain::inbound::{InboundContent, InboundContext, ReferredProduct};
use domain::keyword::Keyword as _;
use domain::media::MediaKind;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

/// The fields of an ad whose values are texts. Other values are converted to texts.
const REFERRAL_TEXTS: [&str; 9] = [
    "source_url",
    "source_id",
    "source_type",
    "headline",
    "body",
    "media_type",
    "image_url",
    "video_url",
    "ctwa_clid",
];

/// Returns the content of a message, and the channel's id of the message to which it is a reaction.
/// Content of a known type that cannot be read is stored like content of an unknown type.
pub fn parse(message: &InboundMessage, payload: &str) -> (InboundContent, Option<String>) {
    let (kind, fields) = (message.kind.as_str(), &message.rest);
    let part = fields.get(kind).filter(|_| kind == "reaction");
    if let Some((message, reaction)) = part.and_then(reaction) {
        return (reaction, Some(message));
    }
    (parse_kind(kind, fields, payload), None)
}

/// Returns a reaction, and the channel's id of the message that it is on.
pub fn reaction(part: &Value) -> Option<(String, InboundContent)> {
    let part: ReactionPart = serde_json::from_value(part.clone()).ok()?;
    // Some phones add a variation selector to an emoji, and some do not.
    let emoji = canonical(&part.emoji).unwrap_or(part.emoji);
    Some((part.message_id, InboundContent::Reaction(emoji)))
}

/// Returns the content of type `kind` from `fields`. `payload` is the whole message as JSON.
pub fn parse_kind(kind: &str, fields: &Map<String, Value>, payload: &str) -> InboundContent {
    let whole = || fields.get(kind).cloned();
    let content = match kind {
        "text" => part::<TextPart>(kind, fields).map(|text| InboundContent::Text(text.body)),
        "interactive" => fields.get(kind).and_then(interactive),
        "button" => part::<QuickReplyPart>(kind, fields).map(|tapped| InboundContent::Choice {
            kind: "button_reply".to_owned(),
            id: tapped.payload,
            title: tapped.text,
            description: None,
        }),
        "location" => whole().and_then(structured::location),
        "contacts" => whole().and_then(structured::contacts),
        "order" => whole().and_then(structured::order),
        _ => MediaKind::from_keyword(kind).and_then(|of| Some(file(of, part(kind, fields)?))),
    };
    let unsupported =
        || InboundContent::Unsupported { kind: kind.to_owned(), payload: payload.to_owned() };
    content.unwrap_or_else(unsupported)
}

/// The part of an edit or a deletion that names the changed message.
#[derive(Deserialize)]
struct RevisionPart {
    original_message_id: String,
    /// The new content, in an edit.
    message: Option<Map<String, Value>>,
}

/// Returns the channel's id of the message that `message` edits or deletes, and the new content of
/// an edit. Returns `None` for any other message.
pub fn revision(
    message: &InboundMessage,
    payload: &str,
) -> Option<Result<(String, Option<InboundContent>), UnsupportedPart>> {
    let kind = message.kind.as_str();
    if !matches!(kind, "edit" | "revoke") {
        return None;
    }
    let unreadable = |detail: &str| {
        let detail = format!("the {kind} {detail}");
        UnsupportedPart::new(DeadLetterReason::Unreadable, detail)
    };
    let Some(RevisionPart { original_message_id: named, message: now }) = part(kind, &message.rest)
    else {
        return Some(Err(unreadable("names no message")));
    };
    if kind == "revoke" {
        return Some(Ok((named, None)));
    }
    let Some(mut now) = now else { return Some(Err(unreadable("does not say what it says now"))) };
    let of = now.get("type").and_then(Value::as_str).unwrap_or_default().to_owned();
    // An edit of a file changes only its caption, and need not repeat the file's id.
    if let Some(Value::Object(file)) = now.get_mut(&of)
        && MediaKind::from_keyword(&of).is_some()
    {
        file.entry("id").or_insert_with(|| Value::from(""));
    }
    Some(Ok((named, Some(parse_kind(&of, &now, payload)))))
}

/// Returns the context of a message: the ad or product it refers to, and whether it was forwarded.
pub fn context(message: &InboundMessage) -> InboundContext {
    let context = message.context.as_ref();
    let flag = |of: Option<&Value>| of.and_then(Value::as_bool).unwrap_or_default();
    InboundContext {
        referral: message.rest.get("referral").and_then(referral),
        referred_product: context.and_then(|it| product(it.referred_product.as_ref()?)),
        forwarded: flag(context.and_then(|it| it.forwarded.as_ref())),
        frequently_forwarded: flag(context.and_then(|it| it.frequently_forwarded.as_ref())),
    }
}

/// Returns the ad or post with all its fields, as JSON.
fn referral(it: &Value) -> Option<String> {
    let mut fields = it.as_object()?.clone();
    for name in REFERRAL_TEXTS {
        if let Some(value) = fields.get_mut(name).filter(|value| !value.is_null()) {
            *value = Value::String(text_of(value));
        }
    }
    fields.retain(|_, value| !value.is_null());
    Some(Value::Object(fields).to_string())
}

fn product(it: &Value) -> Option<ReferredProduct> {
    let text = |name| it.get(name).filter(|value| !value.is_null()).map(text_of);
    Some(ReferredProduct {
        catalog_id: text("catalog_id")?,
        product_retailer_id: text("product_retailer_id")?,
    })
}

/// Returns the object that has the name of the type.
fn part<T: DeserializeOwned>(kind: &str, fields: &Map<String, Value>) -> Option<T> {
    serde_json::from_value(fields.get(kind)?.clone()).ok()
}

fn file(kind: MediaKind, file: FilePart) -> InboundContent {
    InboundContent::Media {
        kind,
        id: file.id,
        content_type: file.mime_type,
        caption: file.caption,
        filename: file.filename,
        voice: file.voice == Some(true),
        animated: file.animated == Some(true),
    }
}

fn interactive(interactive: &Value) -> Option<InboundContent> {
    let kind = interactive.get("type")?.as_str()?;
    let part = interactive.get(kind)?.clone();
    match kind {
        "button_reply" | "list_reply" => {
            let part: ChoicePart = serde_json::from_value(part).ok()?;
            Some(InboundContent::Choice {
                kind: kind.to_owned(),
                id: part.id,
                title: part.title,
                description: part.description,
            })
        }
        "nfm_reply" => structured::form(part),
        "call_permission_reply" => structured::permission(part),
        _ => None,
    }
}
