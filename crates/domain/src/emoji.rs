//! Recognizes a single emoji (UTS #51, `possible emoji`).

use unicode_properties::{EmojiStatus, UnicodeEmoji as _};

const JOINER: char = '\u{200d}';
const PRESENTATION: char = '\u{fe0f}';
const KEYCAP: char = '\u{20e3}';
const END_OF_TAGS: char = '\u{e007f}';
/// Maximum number of characters (code points) in one emoji. The longest emoji, those of families
/// and flags, have 10.
const MAX_CHARACTERS: usize = 20;

/// Whether `text` is exactly one emoji: a single character, a flag, a keycap, or several emoji
/// joined into one.
#[must_use]
pub fn is_one_emoji(text: &str) -> bool {
    canonical(text).is_some()
}

/// Returns the emoji in the form that Unicode recommends. In this form, the selector U+FE0F follows
/// each character that would otherwise be shown as text, and no other character. Some programs
/// leave out selectors or add unnecessary ones, and the emoji is still the same. Returns `None` if
/// `text` is not exactly one emoji.
#[must_use]
pub fn canonical(text: &str) -> Option<String> {
    let all: Vec<char> = text.chars().take(MAX_CHARACTERS + 1).collect();
    if all.len() > MAX_CHARACTERS {
        return None;
    }
    let mut written = String::with_capacity(text.len());
    let mut rest = all.as_slice();
    loop {
        match after_element(rest, &mut written)? {
            [] => return Some(written),
            [JOINER, more @ ..] => {
                written.push(JOINER);
                rest = more;
            }
            _ => return None,
        }
    }
}

/// Reads the first of the emoji that are joined into one. Appends its recommended form to
/// `written`, and returns the rest of the text. Returns `None` if the text does not begin with an
/// emoji.
fn after_element<'a>(text: &'a [char], written: &mut String) -> Option<&'a [char]> {
    match text {
        [first, second, rest @ ..] if is_regional(*first) && is_regional(*second) => {
            written.extend([first, second]);
            Some(rest)
        }
        // Digits, `#` and `*` are emoji only as keycaps.
        [first, PRESENTATION, KEYCAP, rest @ ..] if first.is_emoji_char() => {
            written.extend([*first, PRESENTATION, KEYCAP]);
            Some(rest)
        }
        [first, KEYCAP, rest @ ..] if first.is_ascii() && first.is_emoji_char() => {
            written.extend([*first, PRESENTATION, KEYCAP]);
            Some(rest)
        }
        [first, ..] if first.is_ascii() || is_regional(*first) => None,
        [first, rest @ ..] if first.is_emoji_char() => {
            written.push(*first);
            after_base(*first, rest, written)
        }
        _ => None,
    }
}

/// Appends the characters that modify an emoji's first character, such as a skin tone. Returns the
/// rest of the text.
fn after_base<'a>(first: char, rest: &'a [char], written: &mut String) -> Option<&'a [char]> {
    match rest {
        [modifier, rest @ ..] if is_skin_tone(*modifier) => {
            written.push(*modifier);
            Some(rest)
        }
        [tag, ..] if is_tag(*tag) => {
            let tags = rest.iter().take_while(|it| is_tag(**it)).count();
            let (tags, rest) = rest.split_at_checked(tags)?;
            let [END_OF_TAGS, rest @ ..] = rest else { return None };
            written.extend(tags);
            written.push(END_OF_TAGS);
            Some(rest)
        }
        _ => {
            if !is_shown_as_emoji(first) {
                written.push(PRESENTATION);
            }
            Some(rest.strip_prefix(&[PRESENTATION]).unwrap_or(rest))
        }
    }
}

/// Whether a character is shown as an emoji even without a selector (`Emoji_Presentation`).
fn is_shown_as_emoji(letter: char) -> bool {
    use EmojiStatus::{
        EmojiPresentation, EmojiPresentationAndEmojiComponent,
        EmojiPresentationAndModifierAndEmojiComponent, EmojiPresentationAndModifierBase,
    };
    matches!(
        letter.emoji_status(),
        EmojiPresentation
            | EmojiPresentationAndModifierBase
            | EmojiPresentationAndEmojiComponent
            | EmojiPresentationAndModifierAndEmojiComponent
    )
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
    use super::{PRESENTATION, canonical, is_one_emoji};
    use proptest::prelude::*;

    proptest! {
        /// Letters, digits and punctuation are never an emoji. Several emoji are one emoji if they
        /// are joined with U+200D, and only then.
        #[test]
        fn only_emoji_are_emoji(text in "[a-z0-9#*é ]{0,4}", parts in prop::collection::vec(prop::sample::select(&["👍🏽", "❤\u{fe0f}", "🇩🇪", "1\u{fe0f}\u{20e3}", "😮"][..]), 1..4)) {
            prop_assert!(!is_one_emoji(&text));
            let (joined, more) = (parts.join("\u{200d}"), format!("{}{text}x", parts.concat()));
            prop_assert!(is_one_emoji(&joined) && !is_one_emoji(&more));
        }

        #[test]
        fn whatever_is_written_is_judged(text in "[👍🏽❤\u{fe0f}\u{20e3}\u{200d}🇩1\u{e0067}\u{e007f}🏴]{0,24}|\\PC{0,24}") {
            if let Some(written) = canonical(&text) {
                prop_assert!((1..=20).contains(&text.chars().count()));
                let bare = |text: &str| text.replace(PRESENTATION, "");
                prop_assert_eq!(bare(&written), bare(&text));
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
    fn with_and_without_the_selector_it_is_the_same_emoji() {
        for emoji in [
            "❤\u{fe0f}",
            "☺\u{fe0f}",
            "™\u{fe0f}",
            "☝\u{fe0f}",
            "1\u{fe0f}\u{20e3}",
            "👍",
            "👍🏽",
            "😮",
            "🇩🇪",
            "🏳\u{fe0f}\u{200d}🌈",
            "❤\u{fe0f}\u{200d}🔥",
            "👁\u{fe0f}\u{200d}🗨\u{fe0f}",
            "👩🏾\u{200d}❤\u{fe0f}\u{200d}💋\u{200d}👨🏻",
            "⛹🏽\u{200d}♂\u{fe0f}",
            "👩\u{200d}⚕\u{fe0f}",
        ] {
            assert_eq!(canonical(emoji).as_deref(), Some(emoji));
            let bare = emoji.replace(PRESENTATION, "");
            assert_eq!(canonical(&bare).as_deref(), Some(emoji), "{bare}");
        }
        assert_eq!(canonical("👍\u{fe0f}").as_deref(), Some("👍"));
        assert_eq!(canonical("a"), None);
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
