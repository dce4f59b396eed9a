//! Names that members and applications choose, and that other people read.

use crate::invisible::hides;
use std::fmt;
use unicode_normalization::UnicodeNormalization as _;
use unicode_properties::{GeneralCategory, UnicodeGeneralCategory as _};
use unicode_security::{MixedScript as _, RestrictionLevel, RestrictionLevelDetection as _};

/// A name of 1 to 100 characters, without surrounding spaces and without deceptive characters
/// (`docs/security.md` 15).
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Name(String);

/// Maximum number of characters in a name.
pub const MAX_NAME_LENGTH: usize = 100;
/// Maximum number of nonspacing marks, such as accents, on one character (UTS 39, section 5.4). No
/// orthography needs more, and more marks would cover the lines above and below.
const MAX_MARKS: usize = 4;

/// The reason why a text cannot be a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvalidName {
    /// The text is empty, or has only white space.
    #[error("a name needs at least one character")]
    Empty,
    /// The text has more than [`MAX_NAME_LENGTH`] characters.
    #[error("a name has at most {MAX_NAME_LENGTH} characters")]
    TooLong,
    /// The text has a control character, a bidirectional character, or a zero-width character that
    /// its script does not need.
    #[error(
        "a name has no control or bidirectional characters, and zero-width ones only where its script needs them"
    )]
    Unreadable,
    /// A character has more than `MAX_MARKS` nonspacing marks, or the same mark twice.
    #[error("a name has at most {MAX_MARKS} different marks on one character")]
    Stacked,
    /// A word has letters of different scripts.
    #[error("a word of a name is written in one alphabet")]
    Mixed,
}

impl Name {
    pub fn parse(text: &str) -> Result<Self, InvalidName> {
        let text = text.trim();
        if text.is_empty() {
            return Err(InvalidName::Empty);
        }
        if text.chars().count() > MAX_NAME_LENGTH {
            return Err(InvalidName::TooLong);
        }
        check_characters(text)?;
        Ok(Self(text.to_owned()))
    }

    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Checks that a text has no characters that could deceive a reader (`docs/security.md` 15). The
/// length of the text is not checked.
pub fn check_characters(text: &str) -> Result<(), InvalidName> {
    if is_deceptive(text) {
        return Err(InvalidName::Unreadable);
    }
    if stacks_marks(text) {
        return Err(InvalidName::Stacked);
    }
    if mixes_alphabets(text) {
        return Err(InvalidName::Mixed);
    }
    Ok(())
}

/// Whether a text contains a character that is invisible or changes how its neighbors are shown.
/// Such characters are control characters, line separators, annotations and blank characters.
/// Characters with Unicode's property `Default_Ignorable_Code_Point` are such characters too,
/// unless a neighbor needs them.
fn is_deceptive(text: &str) -> bool {
    let all: Vec<char> = text.chars().collect();
    let is_deceptive = |letter: char| {
        letter.is_control()
            || matches!(letter, '\u{2028}' | '\u{2029}' | '\u{2800}' | '\u{fff9}'..='\u{fffb}')
    };
    all.iter().enumerate().any(|(at, letter)| is_deceptive(*letter) || hides(&all, at))
}

fn is_mark(letter: char) -> bool {
    use GeneralCategory::{EnclosingMark, NonspacingMark};
    matches!(letter.general_category(), NonspacingMark | EnclosingMark)
}

fn stacks_marks(text: &str) -> bool {
    let (mut marks, mut last) = (0, None);
    for letter in text.nfd() {
        marks = if is_mark(letter) { marks + 1 } else { 0 };
        if marks > MAX_MARKS || (marks > 1 && last == Some(letter)) {
            return true;
        }
        last = Some(letter);
    }
    false
}

/// Whether a word mixes scripts more than the level Moderately Restrictive of UTS 39 allows. The
/// level allows Latin together with Chinese, Japanese or Korean, or together with one other script.
/// That other script must not be Cyrillic or Greek.
fn mixes_alphabets(text: &str) -> bool {
    let between = |letter: char| !letter.is_alphanumeric() && !is_mark(letter);
    let mixed = |word: &str| {
        !word.is_single_script()
            && !word.check_restriction_level(RestrictionLevel::ModeratelyRestrictive)
    };
    // Full-width and circled letters stand for plain letters. A text is therefore rejected only if
    // its compatibility form, in which they are plain letters, has a mixed word too.
    let read: String = text.nfkc().collect();
    text.split(between).any(mixed) && read.split(between).any(mixed)
}

impl fmt::Display for Name {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_name_is_short_and_honest() {
        assert_eq!(Name::parse("  Café Zürich ").unwrap().as_str(), "Café Zürich");
        assert_eq!(Name::parse(" \t"), Err(InvalidName::Empty));
        assert_eq!(Name::parse(&"é".repeat(101)), Err(InvalidName::TooLong));
        assert!(Name::parse(&"é".repeat(100)).is_ok());
        for trick in [
            "a\u{202e}b",
            "a\u{200b}b",
            "a\0b",
            "a\nb",
            "pay\u{200c}pal",
            "pay\u{200d}pal",
            "می\u{200c}",
            "👨\u{200d}a",
            "Pizza\u{fe0f}",
        ] {
            assert_eq!(Name::parse(trick), Err(InvalidName::Unreadable));
        }
    }

    proptest! {
        /// An accepted name is accepted again, unchanged, and has no invisible characters.
        #[test]
        fn a_name_is_read_as_it_was_or_refused(text in "\\PC{0,12}|[\\s\u{200b}\u{202e}aа\u{301}\u{302}é]{0,12}") {
            if let Ok(name) = Name::parse(&text) {
                prop_assert_eq!(name.as_str(), text.trim());
                prop_assert!(!is_deceptive(name.as_str()));
                prop_assert_eq!(Name::parse(name.as_str()), Ok(name));
            }
        }
    }

    #[test]
    fn what_cannot_be_seen_is_no_part_of_a_name() {
        let hidden = [
            '\u{ad}',
            '\u{34f}',
            '\u{61c}',
            '\u{115f}',
            '\u{17b4}',
            '\u{17b5}',
            '\u{180b}',
            '\u{180e}',
            '\u{180f}',
            '\u{200d}',
            '\u{2028}',
            '\u{2065}',
            '\u{2800}',
            '\u{3164}',
            '\u{fe0f}',
            '\u{feff}',
            '\u{ffa0}',
            '\u{fff0}',
            '\u{1bca0}',
            '\u{1d173}',
            '\u{1d17a}',
            '\u{e0001}',
            '\u{e01ef}',
            '\u{e0fff}',
        ];
        for hidden in hidden {
            let name = format!("Ac{hidden}me");
            assert_eq!(Name::parse(&name), Err(InvalidName::Unreadable), "{hidden:?}");
        }
    }

    #[test]
    fn marks_do_not_pile_up() {
        for trick in [
            format!("A{}cme", "\u{301}".repeat(40)),
            "Ae\u{301}\u{301}".to_owned(),
            "A\u{300}\u{301}\u{302}\u{303}\u{304}cme".to_owned(),
            format!("ก{}", "\u{e47}".repeat(40)),
            "A\u{20dd}\u{20de}\u{20df}\u{20e0}\u{20e2}".to_owned(),
            // The first letter has two marks already. With the three marks that follow, it has
            // five, one too many.
            "\u{1ead}\u{301}\u{303}\u{304}".to_owned(),
        ] {
            assert_eq!(Name::parse(&trick), Err(InvalidName::Stacked), "{trick}");
        }
    }

    #[test]
    fn a_word_is_written_in_one_alphabet() {
        for trick in ["Pаypal", "Αcme", "Аcme Shop", "Gооgle", "Acmе-Shop", "mіcrosoft"] {
            assert_eq!(Name::parse(trick), Err(InvalidName::Mixed), "{trick}");
        }
    }

    #[test]
    fn names_of_all_the_world_are_names() {
        for name in [
            "Müller & Söhne",
            "Acme CRM 2.0",
            "O’Brien’s",
            "Æthelred ehf.",
            "Nguyễn Thị Hằng",
            "株式会社",
            "ソニー",
            "ＮＴＴドコモ",
            "トヨタ自動車",
            "Acme株式会社",
            "삼성전자",
            "㈜카카오",
            "北京小米科技",
            "شركة",
            "شَرِكَة",
            "חברה",
            "חֶבְרָה",
            "Ελλάδα",
            "Ἀθῆναι",
            "Веранда",
            "Кафе Berlin",
            "IT-компания",
            "हिन्दी",
            "क्षेत्रीय",
            "বাংলা",
            "தமிழ்",
            "ไทย",
            "ร้านก๋วยเตี๋ยว",
            "ភាសាខ្មែរ",
            "မြန်မာ",
            "လျှို့ဝှက်",
            "བོད་སྐད",
            "ქართული",
            "Հայաստան",
            "አማርኛ",
            "ᏣᎳᎩ",
            "ᐃᓄᒃᑎᑐᑦ",
            "µTorrent",
            "Café 🍕",
            "🍕",
            "Acme™",
            "№ 5",
            "x² + y²",
            "Ｂａｒ",
            "کتاب\u{200c}فروشی می\u{200c}خواهم",
            "گفت\u{200c}و\u{200c}گو",
            "هه\u{200c}ولێر",
            "അവന്\u{200d} ക്\u{200c}ഷ",
            "ශ්\u{200d}රී ලංකා",
            "क्\u{200d}ष",
            "র\u{200d}্যাব",
            "Familie 👨\u{200d}👩\u{200d}👧\u{200d}👦",
            "I ❤\u{fe0f} Pizza",
            "Dr. 👩🏾\u{200d}⚕\u{fe0f}",
            "Bakery No. 1\u{fe0f}\u{20e3}",
            "葛\u{e0100}城市",
        ] {
            assert_eq!(Name::parse(name).map(|name| name.to_string()).as_deref(), Ok(name));
        }
    }
}
