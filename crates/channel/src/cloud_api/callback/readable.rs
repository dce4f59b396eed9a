//! Replaces JSON escapes of characters that cannot be stored.

use std::borrow::Cow;

const REPLACEMENT: &str = "\\ufffd";

/// Replaces each escape that cannot be stored with the replacement character. Such escapes are half
/// of a surrogate pair, which no text can contain, and NUL, which `PostgreSQL` cannot store.
///
/// The replacement is as long as the escape, so every part of the text keeps its position.
pub fn readable(json: &str) -> Cow<'_, str> {
    let mut readable = Cow::Borrowed(json);
    let mut from = 0;
    while let Some(found) = json.get(from..).and_then(|rest| rest.find('\\')) {
        let at = from + found;
        let (length, is_character) = match unit(json, at) {
            None => (2, true),
            Some(0xd800..=0xdbff) => match unit(json, at + 6) {
                Some(0xdc00..=0xdfff) => (12, true),
                _ => (6, false),
            },
            Some(0 | 0xdc00..=0xdfff) => (6, false),
            Some(_) => (6, true),
        };
        if !is_character {
            readable.to_mut().replace_range(at..at + 6, REPLACEMENT);
        }
        from = at + length;
    }
    readable
}

/// Returns the UTF-16 code unit that is escaped as `\uXXXX` at a position.
fn unit(json: &str, at: usize) -> Option<u16> {
    let digits = json.get(at..at + 6)?.strip_prefix("\\u")?;
    let are_hex = digits.bytes().all(|digit| digit.is_ascii_hexdigit());
    are_hex.then(|| u16::from_str_radix(digits, 16).ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn only_what_is_no_character_is_replaced() {
        for (json, expected) in [
            (r#""plain \n \u00e9 \ud83d\ude00 \\ud83d \\u0000""#, None),
            (r#""\ud83d""#, Some(r#""\ufffd""#)),
            (r#""\uD83D\uD83D\uDE00""#, Some(r#""\ufffd\uD83D\uDE00""#)),
            (r#""\udE00x""#, Some(r#""\ufffdx""#)),
            (r#""\\\ud800\u0041""#, Some(r#""\\\ufffd\u0041""#)),
            (r#""\u0000""#, Some(r#""\ufffd""#)),
        ] {
            assert_eq!(readable(json), expected.unwrap_or(json), "{json}");
        }
    }

    proptest! {
        /// Any JSON text can be read after the replacement, and keeps its length.
        #[test]
        fn every_json_can_be_read(units: Vec<u16>, plain in "[a-z\\u{1f600}é]{0,4}") {
            let escapes: Vec<String> =
                units.iter().map(|unit| format!("\\u{unit:04x}{plain}")).collect();
            let json = format!("\"{}\"", escapes.concat());
            let readable = readable(&json);
            prop_assert_eq!(readable.len(), json.len());
            let text: String = serde_json::from_str(&readable).unwrap();
            prop_assert!(!text.contains('\0'));
        }
    }
}
