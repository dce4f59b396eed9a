//! Names that people give and other people read.

use std::fmt;

/// A name of 1 to 100 characters, trimmed, that cannot play tricks on a reader's eye
/// (`security.md` 15).
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Name(String);

/// The most characters of a name.
pub const NAME_MOST: usize = 100;

/// Why a text is no name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotAName {
    /// Nothing but white space.
    #[error("a name needs at least one character")]
    Empty,
    /// More than [`NAME_MOST`] characters.
    #[error("a name has at most {NAME_MOST} characters")]
    TooLong,
    /// A control, zero-width or bidirectional character.
    #[error("a name has no control, zero-width or bidirectional characters")]
    Unreadable,
}

impl Name {
    /// Reads a name.
    pub fn parse(text: &str) -> Result<Self, NotAName> {
        let text = text.trim();
        if text.is_empty() {
            return Err(NotAName::Empty);
        }
        if text.chars().count() > NAME_MOST {
            return Err(NotAName::TooLong);
        }
        if text.chars().any(deceives) {
            return Err(NotAName::Unreadable);
        }
        Ok(Self(text.to_owned()))
    }

    /// The name.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Whether a character is invisible, or changes how its neighbours are shown.
fn deceives(letter: char) -> bool {
    letter.is_control()
        || matches!(letter,
            '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
            | '\u{115f}' | '\u{1160}' | '\u{2800}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{ffa0}'
            | '\u{e0100}'..='\u{e01ef}' | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}')
}

impl fmt::Display for Name {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_short_and_honest() {
        assert_eq!(Name::parse("  Café Zürich ").unwrap().as_str(), "Café Zürich");
        assert_eq!(Name::parse(" \t"), Err(NotAName::Empty));
        assert_eq!(Name::parse(&"é".repeat(101)), Err(NotAName::TooLong));
        assert!(Name::parse(&"é".repeat(100)).is_ok());
        for trick in ["a\u{202e}b", "a\u{200b}b", "a\0b", "a\nb"] {
            assert_eq!(Name::parse(trick), Err(NotAName::Unreadable));
        }
    }
}
