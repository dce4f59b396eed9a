//! Erases texts that people wrote, and data that identifies them, from stored JSON. Ids, times and
//! words of a fixed vocabulary are kept.

use domain::content::MessageKind;
use domain::id::MediaId;
use serde_json::{Map, Value};

/// The fields that hold words of a fixed vocabulary.
const WORDS: [&str; 6] = ["type", "status", "direction", "source", "code", "agent"];
/// Ids that the channel assigned to a person or to a message to a person.
const CHANNEL_IDS: [&str; 3] = ["channel_user_id", "channel_parent_user_id", "channel_message_id"];

/// Returns the content that replaces the erased content of a message of this type.
#[must_use]
pub const fn erased_content(kind: MessageKind) -> &'static str {
    match kind {
        MessageKind::Text | MessageKind::Reaction => r#"{"text":null}"#,
        _ => "null",
    }
}

/// Whether the content of a message was erased.
#[must_use]
pub fn is_erased(kind: MessageKind, content: &str) -> bool {
    content == erased_content(kind)
}

/// Returns JSON in which all texts and numbers are null, except ids, times and words of a fixed
/// vocabulary. Stored text that is not JSON becomes null.
#[must_use]
pub fn erased_json(stored: &str) -> String {
    let mut value = serde_json::from_str(stored).ok().unwrap_or_default();
    erase(&mut value);
    value.to_string()
}

fn erase(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            for (name, field) in fields {
                let is_nested = field.is_object() || field.is_array();
                if is_nested || !stays(name, field) {
                    erase(field);
                }
            }
        }
        Value::Array(items) => items.iter_mut().for_each(erase),
        Value::Bool(_) | Value::Null => {}
        other => *other = Value::Null,
    }
}

fn stays(name: &str, field: &Value) -> bool {
    let is_id = (name == "id" || name.ends_with("_id")) && !CHANNEL_IDS.contains(&name);
    field.is_string() && (is_id || name.ends_with("_at") || WORDS.contains(&name))
}

/// Returns the content of a message without its texts. The file of a media message is kept.
#[must_use]
pub fn without_text(kind: MessageKind, stored: &str) -> String {
    let fields: Option<Map<String, Value>> = serde_json::from_str(stored).ok();
    match fields {
        Some(mut fields) if kind == MessageKind::Media => {
            for name in ["caption", "filename"] {
                fields.insert(name.to_owned(), Value::Null);
            }
            // Null means that the transcript was erased, so the file is not transcribed again.
            fields.insert("transcript".to_owned(), Value::Null);
            Value::Object(fields).to_string()
        }
        _ => erased_content(kind).to_owned(),
    }
}

/// Returns stored JSON without the URLs of files.
#[must_use]
pub fn without_files(stored: &str) -> String {
    let mut value = serde_json::from_str(stored).ok().unwrap_or_default();
    remove_urls(&mut value);
    value.to_string()
}

fn remove_urls(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            for (name, field) in fields {
                match field {
                    Value::String(_) if name == "url" => *field = Value::Null,
                    other => remove_urls(other),
                }
            }
        }
        Value::Array(items) => items.iter_mut().for_each(remove_urls),
        _ => {}
    }
}

/// Returns a stored JSON object in which the fields with these names are empty texts, also in
/// objects within it. A field that is missing or null does not change.
#[must_use]
pub fn erased_fields(stored: &str, names: &[&str]) -> String {
    let mut fields: Map<String, Value> = serde_json::from_str(stored).ok().unwrap_or_default();
    clear_texts(&mut fields, names);
    Value::Object(fields).to_string()
}

fn clear_texts(fields: &mut Map<String, Value>, names: &[&str]) {
    for (name, field) in fields {
        match field {
            Value::String(text) if names.contains(&name.as_str()) => text.clear(),
            Value::Object(inner) => clear_texts(inner, names),
            _ => {}
        }
    }
}

/// Returns the stored data of a changed conversation without its labels, the present and the
/// previous ones.
#[must_use]
pub fn without_labels(stored: &str) -> String {
    let mut value: Value = serde_json::from_str(stored).ok().unwrap_or_default();
    for place in ["/labels", "/changes/labels/previous", "/changes/labels/current"] {
        if let Some(labels) = value.pointer_mut(place) {
            *labels = Value::Array(Vec::new());
        }
    }
    value.to_string()
}

/// Returns the ids of the files that stored JSON contains, in any of its texts.
#[must_use]
pub fn file_ids(stored: &str) -> Vec<MediaId> {
    let starts = stored.match_indices("med_").map(|(at, _)| at);
    let ids = starts.filter_map(|at| {
        let rest = stored.get(at..)?;
        let is_part = |it: char| it.is_ascii_alphanumeric() || it == '_';
        let end = rest.find(|it| !is_part(it)).unwrap_or(rest.len());
        rest.get(..end)?.parse().ok()
    });
    ids.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::time::Timestamp;

    #[test]
    fn ids_times_and_known_words_stay_and_nothing_else() {
        let stored = r#"{"id":"msg_1","type":"text","text":"Hello","created_at":"2026-11-26T12:00:00Z","contact":{"id":"con_1","phone_number":"+12025550100","name":"Ada"},"location":{"latitude":37.5},"media":null,"metadata":{"order":"7"},"channel_user_id":"US.1","list":["Ada",{"type":"button","title":"Yes"}]}"#;
        let erased = r#"{"id":"msg_1","type":"text","text":null,"created_at":"2026-11-26T12:00:00Z","contact":{"id":"con_1","phone_number":null,"name":null},"location":{"latitude":null},"media":null,"metadata":{"order":null},"channel_user_id":null,"list":[null,{"type":"button","title":null}]}"#;
        let value = |json: &str| serde_json::from_str::<Value>(json).unwrap();
        assert_eq!(value(&erased_json(stored)), value(erased));
        assert_eq!(erased_json("Ada"), "null");
    }

    #[test]
    fn only_the_named_fields_are_emptied() {
        let handover = r#"{"turn_id":"turn_1","reason":"Ada wants a refund","summary":null}"#;
        let erased = erased_fields(handover, &["reason", "summary"]);
        let expected = serde_json::json!({"turn_id": "turn_1", "reason": "", "summary": null});
        assert_eq!(serde_json::from_str::<Value>(&erased).unwrap(), expected);
    }

    #[test]
    fn a_change_of_a_conversation_loses_its_labels_only() {
        let value = |json: &str| serde_json::from_str::<Value>(json).unwrap();
        let change = r#"{"id":"conv_1","labels":["Ada"],"changes":{"status":{"previous":"open","current":"closed"},"labels":{"previous":["Ada","Bo"],"current":["Ada"]}}}"#;
        let expected = r#"{"id":"conv_1","labels":[],"changes":{"status":{"previous":"open","current":"closed"},"labels":{"previous":[],"current":[]}}}"#;
        assert_eq!(value(&without_labels(change)), value(expected));
        let other = r#"{"id":"conv_1","labels":[],"changes":{}}"#;
        assert_eq!(value(&without_labels(other)), value(other));
    }

    #[test]
    fn the_reason_of_a_pause_is_erased_where_it_stands_in_another_object() {
        let update = r#"{"id":"conv_1","agent":{"cause":"handed_over","reason":"Ada is angry"}}"#;
        let erased = erased_fields(update, &["reason"]);
        let expected = serde_json::json!(
            {"id": "conv_1", "agent": {"cause": "handed_over", "reason": ""}}
        );
        assert_eq!(serde_json::from_str::<Value>(&erased).unwrap(), expected);
    }

    #[test]
    fn a_note_keeps_its_author_and_loses_its_text() {
        let note = r#"{"id":"note_1","text":"Ada called","author":{"name":"Bo"}}"#;
        let erased = erased_fields(note, &["text"]);
        assert!(erased.contains(r#""text":"""#) && erased.contains("Bo"), "{erased}");
        assert!(!erased.contains("Ada"), "{erased}");
    }

    #[test]
    fn a_message_loses_its_text_and_keeps_its_file_or_the_other_way_round() {
        let media = r#"{"url":"https://example.com/media/med_1/a.png","caption":"Look"}"#;
        let value = |json: &str| serde_json::from_str::<Value>(json).unwrap();
        let voice = r#"{"url":"https://example.com/media/med_1/a.ogg","transcript":"Hello"}"#;
        assert!(!super::without_text(MessageKind::Media, voice).contains("Hello"));
        let without_text = value(&without_text(MessageKind::Media, media));
        assert_eq!(without_text["url"], value(media)["url"]);
        assert_eq!(without_text["caption"], Value::Null);
        assert_eq!(
            super::without_text(MessageKind::Text, r#"{"text":"Hello"}"#),
            r#"{"text":null}"#
        );
        let without_file = value(&without_files(media));
        assert_eq!(without_file["url"], Value::Null);
        assert_eq!(without_file["caption"], "Look");
    }

    #[test]
    fn files_are_found_in_addresses() {
        let id = MediaId::new(Timestamp::from_seconds(1_800_000_000), [7; 10]);
        let stored =
            format!(r#"{{"url":"https://example.com/media/{id}/a.png","caption":"med_x"}}"#);
        assert_eq!(file_ids(&stored), [id]);
        assert_eq!(file_ids(r#"{"url":null}"#), []);
    }
}
