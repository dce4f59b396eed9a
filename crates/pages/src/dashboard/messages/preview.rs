//! The content of a message as one line of a list, and as the text of a bubble.

use domain::content::{Content, MessageKind};
use domain::keyword::Keyword as _;
use domain::message::Direction;
use persistence::content::decode;
use persistence::content::erasure::is_erased;
use persistence::records::Message;
use serde_json::Value;

/// Number of characters of a message that a list shows.
const LINE: usize = 140;

/// Returns the message as one line.
pub fn line(message: &Message) -> String {
    one_line(&sent_file(message).unwrap_or_else(|| text(message)))
}

/// Returns the beginning of a text as one line.
pub fn one_line(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    let words = words.join(" ");
    match words.char_indices().nth(LINE) {
        Some((end, _)) => format!("{}…", words.get(..end).unwrap_or_default().trim_end()),
        None => words,
    }
}

/// Returns words for a file that was sent. A list has no room for its URL.
fn sent_file(message: &Message) -> Option<String> {
    let content = &message.content.0;
    if message.direction == Direction::Inbound || is_erased(message.kind, content) {
        return None;
    }
    let content = decode(message.content_format, message.kind, content).ok()?;
    let Content::Media(media) = content else { return None };
    let said = [media.filename.as_deref(), media.caption.as_deref()];
    Some(file(media.kind.as_str(), media.voice, &said.map(Option::unwrap_or_default)))
}

/// Returns what was said with a file, or else the kind of the file.
fn file(media_type: &str, is_voice: bool, said: &[&str]) -> String {
    let said: Vec<&str> = said.iter().copied().filter(|it| !it.is_empty()).collect();
    if !said.is_empty() {
        return said.join("\n");
    }
    let kind = match media_type {
        _ if is_voice => "Voice message",
        "image" => "Picture",
        "video" => "Video",
        "audio" => "Audio",
        "sticker" => "Sticker",
        _ => "Document",
    };
    kind.to_owned()
}

/// Returns the message as text. Files and other content are named in words.
pub fn text(message: &Message) -> String {
    let content = &message.content.0;
    if is_erased(message.kind, content) {
        return "Deleted".to_owned();
    }
    match message.direction {
        Direction::Outbound => match decode(message.content_format, message.kind, content) {
            Ok(content) => outbound(&content),
            Err(error) => {
                tracing::error!(%error, message = %message.id, "a message cannot be shown");
                "This message can’t be shown.".to_owned()
            }
        },
        Direction::Inbound => {
            let content = serde_json::from_str(content).inspect_err(|error| {
                tracing::error!(%error, message = %message.id, "a message cannot be shown");
            });
            inbound(message.kind, &content.ok().unwrap_or(Value::Null))
        }
    }
}

fn outbound(content: &Content) -> String {
    match content {
        Content::Media(media) => {
            let file = media.filename.as_deref().unwrap_or(media.url.as_str());
            match media.caption.as_deref() {
                Some(caption) => format!("{file}\n{caption}"),
                None => file.to_owned(),
            }
        }
        Content::Template(template) => {
            format!("Template {} ({})", template.name, template.language)
        }
        other => other.words(),
    }
}

fn inbound(kind: MessageKind, content: &Value) -> String {
    let field = |name: &str| content.get(name).and_then(Value::as_str).unwrap_or_default();
    match kind {
        MessageKind::Text => field("text").to_owned(),
        MessageKind::Reaction if field("text").is_empty() => "Removed a reaction".to_owned(),
        MessageKind::Reaction => format!("Reacted with {}", field("text")),
        MessageKind::Media => {
            let voice = content.get("voice").and_then(Value::as_bool).unwrap_or_default();
            let said = [field("filename"), field("caption"), field("transcript")];
            file(field("media_type"), voice, &said)
        }
        MessageKind::Interactive => {
            let answers = ["button_reply", "list_reply"];
            let chosen = answers.iter().find_map(|it| content.get(it)?.get("title")?.as_str());
            chosen.unwrap_or("Answered a form").to_owned()
        }
        MessageKind::Location => "Location".to_owned(),
        MessageKind::Contacts => "Contact cards".to_owned(),
        MessageKind::Order => "Order from the catalog".to_owned(),
        MessageKind::Template | MessageKind::Channel | MessageKind::Unsupported => {
            "A message of a type that can’t be shown".to_owned()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn inbound_messages_are_named_in_words() {
        let text = |kind, content| inbound(kind, &content);
        assert_eq!(text(MessageKind::Text, json!({"text": "Hello"})), "Hello");
        let voice = json!({"media_type": "audio", "voice": true});
        assert_eq!(text(MessageKind::Media, voice), "Voice message");
        let transcribed =
            json!({"media_type": "audio", "voice": true, "transcript": "Is it ready?"});
        assert_eq!(text(MessageKind::Media, transcribed), "Is it ready?");
        let named =
            json!({"media_type": "document", "filename": "cake.pdf", "caption": "The cake"});
        assert_eq!(text(MessageKind::Media, named), "cake.pdf\nThe cake");
        let tapped = json!({"type": "button_reply", "button_reply": {"id": "y", "title": "Yes"}});
        assert_eq!(text(MessageKind::Interactive, tapped), "Yes");
        assert_eq!(text(MessageKind::Reaction, json!({"text": ""})), "Removed a reaction");
        assert_eq!(text(MessageKind::Text, Value::Null), "");
    }

    #[test]
    fn a_file_is_named_by_what_was_said_with_it_or_by_its_kind() {
        assert_eq!(file("image", false, &["", ""]), "Picture");
        assert_eq!(file("audio", true, &["", ""]), "Voice message");
        assert_eq!(file("document", false, &["menu.pdf", ""]), "menu.pdf");
        assert_eq!(file("image", false, &["", "Two tiers"]), "Two tiers");
    }
}
