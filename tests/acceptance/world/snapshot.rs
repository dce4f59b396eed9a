//! Answers in snapshots: ids and secrets are numbered, because they differ from run to run.

use serde_json::Value;

/// The shortest id, client id or secret, without its prefix.
const SHORTEST: usize = 20;

/// Returns the value with a number in place of each id, client id and secret, in the order of their
/// first appearance: `msg_1`, `msg_2`, `con_1`. Equal ids have equal numbers.
pub fn with_numbered_ids(value: &Value) -> Value {
    numbered(value, &mut Vec::new())
}

fn numbered(value: &Value, seen: &mut Vec<String>) -> Value {
    match value {
        Value::Object(fields) => {
            let fields = fields.iter().map(|(name, value)| (name.clone(), numbered(value, seen)));
            Value::Object(fields.collect())
        }
        Value::Array(items) => items.iter().map(|item| numbered(item, seen)).collect(),
        Value::String(text) => Value::String(numbered_text(text, seen)),
        _ => value.clone(),
    }
}

fn numbered_text(text: &str, seen: &mut Vec<String>) -> String {
    let words = text.split_inclusive(|letter: char| !is_of_id(letter));
    words
        .map(|word| {
            let id = word.trim_end_matches(|letter| !is_of_id(letter));
            match prefix(id) {
                Some(prefix) => {
                    format!("{prefix}_{}{}", number(id, prefix, seen), &word[id.len()..])
                }
                None => word.to_owned(),
            }
        })
        .collect()
}

fn is_of_id(letter: char) -> bool {
    letter.is_ascii_alphanumeric() || letter == '_'
}

/// Returns the prefix of an id, or `None` if the word is not an id.
fn prefix(word: &str) -> Option<&str> {
    let (prefix, rest) = word.split_once('_')?;
    let is_id = (2..=4).contains(&prefix.len())
        && prefix.bytes().all(|letter| letter.is_ascii_lowercase())
        && rest.len() >= SHORTEST
        && rest.bytes().all(|letter| letter.is_ascii_alphanumeric());
    is_id.then_some(prefix)
}

/// Returns the place of an id among the ids with its prefix, counted from 1.
fn number(id: &str, prefix: &str, seen: &mut Vec<String>) -> usize {
    if !seen.iter().any(|it| it == id) {
        seen.push(id.to_owned());
    }
    let alike = seen.iter().filter(|it| it.starts_with(&format!("{prefix}_")));
    alike.take_while(|it| *it != id).count() + 1
}

#[test]
fn equal_ids_have_equal_numbers() {
    let first = "msg_01jd7qkz5tefrs7nn4j9m2h8xa";
    let second = "msg_01jd7qkz5tefrs7nn4j9m2h8xb";
    let value = serde_json::json!({
        "id": second,
        "reply_to": first,
        "url": format!("https://a.example/{second}/b_c.png"),
        "count": 1,
        "all": [first, "acc_01jd7qkz5tefrs7nn4j9m2h8xa", "marketing_messages"],
    });
    let expected = serde_json::json!({
        "id": "msg_1", "reply_to": "msg_2", "url": "https://a.example/msg_1/b_c.png", "count": 1,
        "all": ["msg_2", "acc_1", "marketing_messages"],
    });
    assert_eq!(with_numbered_ids(&value), expected);
}
