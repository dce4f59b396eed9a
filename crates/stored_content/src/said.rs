//! The texts of a stored message, for the search.

use serde_json::Value;

/// The fields whose texts are not shown to people, such as URLs and ids.
const UNREAD: [&str; 12] = [
    "url",
    "link",
    "type",
    "media_type",
    "content_type",
    "id",
    "sub_type",
    "format",
    "language",
    "code",
    "payload",
    "flow_token",
];

/// Returns all texts of a stored content that are shown to people, separated by spaces.
#[must_use]
pub fn said(content: &str) -> String {
    let mut text = String::new();
    if let Ok(value) = serde_json::from_str(content) {
        collect(&value, &mut text);
    }
    text
}

fn collect(value: &Value, text: &mut String) {
    match value {
        Value::String(said) => {
            text.push_str(said);
            text.push(' ');
        }
        Value::Array(items) => items.iter().for_each(|it| collect(it, text)),
        Value::Object(fields) => {
            let read = fields.iter().filter(|(name, _)| !UNREAD.contains(&name.as_str()));
            read.for_each(|(_, field)| collect(field, text));
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_collected_from_everywhere_but_addresses_and_keywords() {
        assert_eq!(said(r#"{"text":"Hello"}"#), "Hello ");
        let media = r#"{"url":"https://x.example/a.png","media_type":"image","caption":"Look"}"#;
        assert_eq!(said(media), "Look ");
        let list = r#"{"type":"list_reply","list_reply":{"id":"7","title":"Bread"}}"#;
        assert_eq!(said(list), "Bread ");
        assert_eq!(said("null"), "");
        assert_eq!(said("broken"), "");
    }
}
