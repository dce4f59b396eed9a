//! Recognizes a single emoji (UTS #51, `possible emoji`).

use unicode_properties::UnicodeEmoji as _;

const JOINER: char = '\u{200d}';
const PRESENTATION: char = '\u{fe0f}';
const KEYCAP: char = '\u{20e3}';
const END_OF_TAGS: char = '\u{e007f}';
/// Maximum number of characters in one emoji. The longest families and flags have 10.
const MAX_CHARACTERS: usize = 20;

/// Whether `text` is exactly one emoji: a character, a flag, a keycap, or several joined into one.
#[must_use]
pub fn is_one_emoji(text: &str) -> bool {
    let all: Vec<char> = text.chars().take(MAX_CHARACTERS + 1).collect();
    if all.len() > MAX_CHARACTERS {
        return false;
    }
    let mut rest = all.as_slice();
    loop {
        match after_element(rest) {
            Some([]) => return true,
            Some([JOINER, more @ ..]) => rest = more,
            _ => return false,
        }
    }
}

/// Returns the text after the first element of a joined emoji, or nothing if there is no such
/// element.
fn after_element(text: &[char]) -> Option<&[char]> {
    match text {
        [first, second, rest @ ..] if is_regional(*first) && is_regional(*second) => Some(rest),
        // Digits, `#` and `*` are emoji only as keycaps.
        [first, PRESENTATION, KEYCAP, rest @ ..] if first.is_emoji_char() => Some(rest),
        [first, ..] if first.is_ascii() || is_regional(*first) => None,
        [first, rest @ ..] if first.is_emoji_char() => Some(match rest {
            [modifier, rest @ ..] if is_skin_tone(*modifier) => rest,
            [PRESENTATION, rest @ ..] => rest,
            [tag, ..] if is_tag(*tag) => {
                let tags = rest.iter().take_while(|it| is_tag(**it)).count();
                match rest.get(tags..)? {
                    [END_OF_TAGS, rest @ ..] => rest,
                    _ => return None,
                }
            }
            rest => rest,
        }),
        _ => None,
    }
}

const fn is_regional(it: char) -> bool {
    matches!(it, '\u{1f1e6}'..='\u{1f1ff}')
}

const fn is_skin_tone(it: char) -> bool {
    matches!(it, '\u{1f3fb}'..='\u{1f3ff}')
}

const fn is_tag(it: char) -> bool {
    matches!(it, '\u{e0020}'..='\u{e007e}')
}

#[cfg(test)]
mod tests {
    use super::is_one_emoji;
    use proptest::prelude::*;

    proptest! {
        /// Plain text is never an emoji. Emoji joined with U+200D are one emoji, but adjacent ones
        /// are not.
        #[test]
        fn only_emoji_are_emoji(text in "[a-z0-9#*é ]{0,4}", parts in prop::collection::vec(prop::sample::select(&["👍🏽", "❤\u{fe0f}", "🇩🇪", "1\u{fe0f}\u{20e3}", "😮"][..]), 1..4)) {
            prop_assert!(!is_one_emoji(&text));
            let (joined, more) = (parts.join("\u{200d}"), format!("{}{text}x", parts.concat()));
            prop_assert!(is_one_emoji(&joined) && !is_one_emoji(&more));
        }

        #[test]
        fn whatever_is_written_is_judged(text in "[👍🏽❤\u{fe0f}\u{20e3}\u{200d}🇩1\u{e0067}\u{e007f}🏴]{0,24}|\\PC{0,24}") {
            if is_one_emoji(&text) {
                prop_assert!((1..=20).contains(&text.chars().count()));
            }
        }
    }

    #[test]
    fn an_emoji_is_one_whatever_it_is_made_of() {
        let scotland = "\u{1f3f4}\u{e0067}\u{e0062}\u{e0073}\u{e0063}\u{e0074}\u{e007f}";
        for emoji in
            ["👍", "👍🏽", "❤", "❤️", "😮", "🇩🇪", "1️⃣", "#️⃣", "👨‍👩‍👧‍👦", "🏳️‍🌈", "👩🏾‍❤️‍💋‍👨🏻", "☺️", "™️", scotland]
        {
            assert!(is_one_emoji(emoji), "{emoji}");
        }
    }

    #[test]
    fn letters_digits_and_several_emoji_are_none() {
        let family = "👨\u{200d}".repeat(30);
        for text in [
            "",
            "a",
            "1",
            "#",
            "ok",
            "👍👍",
            "👍 ",
            " 👍",
            "🇩",
            "🇩🇪🇫",
            "👍\u{200d}",
            "\u{200d}",
            "\u{fe0f}",
            ":)",
            "é",
            &family,
        ] {
            assert!(!is_one_emoji(text), "{text}");
        }
    }
}
