//! The content of inbound messages.

use super::shape::{ChoicePart, FilePart, InboundMessage, QuickReplyPart, ReactionPart, TextPart};
use crate::callback::InboundContent;
use domain::keyword::Keyword as _;
use domain::media::MediaKind;
use serde::de::DeserializeOwned;
use serde_json::Value;

/// What a message says, and the network's id of the message that it reacts to. What is of a known type
/// and not of its shape is kept like what is of an unknown one.
pub fn of(message: &InboundMessage, payload: &str) -> (InboundContent, Option<String>) {
    if let Some(reaction) = part::<ReactionPart>(message, "reaction") {
        return (InboundContent::Reaction(reaction.emoji), Some(reaction.message_id));
    }
    let said = match message.kind.as_str() {
        "text" => part::<TextPart>(message, "text").map(|text| InboundContent::Text(text.body)),
        "interactive" => message.rest.get("interactive").and_then(choice),
        "button" => {
            part::<QuickReplyPart>(message, "button").map(|tapped| InboundContent::Choice {
                kind: "button_reply".to_owned(),
                id: tapped.payload,
                title: tapped.text,
                description: None,
            })
        }
        kind => MediaKind::from_keyword(kind).and_then(|kind| file(message, kind)),
    };
    let unsupported =
        || InboundContent::Unsupported { kind: message.kind.clone(), payload: payload.to_owned() };
    (said.unwrap_or_else(unsupported), None)
}

/// The object that is named as the message's type is.
fn part<T: DeserializeOwned>(message: &InboundMessage, kind: &str) -> Option<T> {
    let part = message.rest.get(kind).filter(|_| message.kind == kind)?;
    serde_json::from_value(part.clone()).ok()
}

fn file(message: &InboundMessage, kind: MediaKind) -> Option<InboundContent> {
    let file: FilePart = part(message, kind.as_str())?;
    Some(InboundContent::Media {
        kind,
        id: file.id,
        content_type: file.mime_type,
        caption: file.caption,
        filename: file.filename,
    })
}

fn choice(interactive: &Value) -> Option<InboundContent> {
    let kind = interactive.get("type")?.as_str()?;
    if !matches!(kind, "button_reply" | "list_reply") {
        return None;
    }
    let part: ChoicePart = serde_json::from_value(interactive.get(kind)?.clone()).ok()?;
    Some(InboundContent::Choice {
        kind: kind.to_owned(),
        id: part.id,
        title: part.title,
        description: part.description,
    })
}
