//! The words with which a contact opts out of an organization's marketing or opts in again: a
//! message that is only `STOP` or `START`, for example (`docs/contract.md#opting-out`).

use crate::invisible::is_ignorable;
use std::collections::BTreeSet;
use unicode_normalization::UnicodeNormalization as _;
use unicode_properties::{GeneralCategoryGroup, UnicodeGeneralCategory as _};

/// The opt-out words of an organization that has not set its own words.
pub const DEFAULT_WORDS: [&str; 5] = ["STOP", "UNSUBSCRIBE", "STOPP", "BAJA", "ARRET"];
/// The word with which a contact ends an opt-out. It is the same for every organization.
pub const OPT_IN_WORD: &str = "START";
/// Maximum number of opt-out words of an organization.
pub const MAX_WORDS: usize = 50;
/// Maximum number of characters in an opt-out word.
pub const MAX_WORD_LENGTH: usize = 40;
/// Maximum number of bytes of a message that is compared with the opt-out words. A longer message
/// cannot be one of the words.
const MAX_TEXT_BYTES: usize = 1024;

/// The words with which contacts opt out of an organization's marketing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OptOutWords {
    /// The words as they were set: in that order and spelling.
    words: Vec<String>,
    folded: BTreeSet<String>,
}

/// The reason why a list of words cannot be set.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvalidOptOutWords {
    #[error("{0} words are too many; at most {MAX_WORDS} are allowed")]
    TooMany(usize),
    #[error("the word {0:?} has no letter, digit or symbol")]
    Empty(String),
    #[error("the word {0:?} is too long; at most {MAX_WORD_LENGTH} characters are allowed")]
    TooLong(String),
    #[error("the word {0:?} is the one that ends an opt-out")]
    OptIn(String),
}

impl Default for OptOutWords {
    fn default() -> Self {
        let words: Vec<String> = DEFAULT_WORDS.map(str::to_owned).into();
        let folded = words.iter().map(|word| fold(word)).collect();
        Self { words, folded }
    }
}

impl OptOutWords {
    /// Parses the opt-out words that an operator sets. A word that counts as the same as an earlier
    /// word is dropped. If the list is empty, nobody can opt out with a word.
    ///
    /// # Errors
    ///
    /// [`InvalidOptOutWords`], for the first word that cannot be an opt-out word, or if there are
    /// too many.
    pub fn parse<'a>(words: impl IntoIterator<Item = &'a str>) -> Result<Self, InvalidOptOutWords> {
        let mut parsed = Self { words: Vec::new(), folded: BTreeSet::new() };
        for word in words {
            let word = word.trim();
            let length = word.chars().count();
            if length > MAX_WORD_LENGTH {
                return Err(InvalidOptOutWords::TooLong(word.to_owned()));
            }
            let folded = fold(word);
            if folded.is_empty() {
                return Err(InvalidOptOutWords::Empty(word.to_owned()));
            }
            if folded == fold(OPT_IN_WORD) {
                return Err(InvalidOptOutWords::OptIn(word.to_owned()));
            }
            if parsed.folded.insert(folded) {
                parsed.words.push(word.to_owned());
            }
        }
        if parsed.words.len() > MAX_WORDS {
            return Err(InvalidOptOutWords::TooMany(parsed.words.len()));
        }
        Ok(parsed)
    }

    /// Returns the words as they were set: in that order and spelling.
    #[must_use]
    pub fn as_written(&self) -> &[String] {
        &self.words
    }

    /// Whether a message is one of the organization's opt-out words.
    #[must_use]
    pub fn contains(&self, text: &MarketingWord) -> bool {
        matches!(text, MarketingWord::Other(folded) if self.folded.contains(folded))
    }
}

/// A message of a contact that may be a word about marketing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MarketingWord {
    /// The message is the word that ends an opt-out.
    OptIn,
    /// Any other message, in the form in which messages and opt-out words are compared.
    Other(String),
}

impl MarketingWord {
    /// Parses the text of a contact's message. Returns `None` if the text is too long to be a word
    /// about marketing.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        if text.len() > MAX_TEXT_BYTES || text.trim().chars().count() > 2 * MAX_WORD_LENGTH {
            return None;
        }
        let folded = fold(text);
        if folded == fold(OPT_IN_WORD) {
            return Some(Self::OptIn);
        }
        Some(Self::Other(folded))
    }
}

/// Returns the form in which a message and a word are compared: Unicode's compatibility form with
/// full case folding. Invisible characters are removed. White space and punctuation are removed at
/// both ends, except for a question mark, because "STOP?" is a question. A text that has nothing
/// but punctuation keeps it.
fn fold(text: &str) -> String {
    let visible = text.nfkc().filter(|it| !is_ignorable(*it));
    // Together, these three conversions are full case folding. They also unite letters that have
    // several lowercase or uppercase forms: "ẞ", "ß" and "SS" become "ss", and "ς" and "σ" become
    // "σ".
    let folded = visible
        .flat_map(char::to_lowercase)
        .flat_map(char::to_uppercase)
        .flat_map(char::to_lowercase);
    let folded: String = folded.nfkc().collect();
    let whole = folded.trim();
    let word = whole.trim_matches(is_around_a_word);
    (if word.is_empty() { whole } else { word }).to_owned()
}

fn is_around_a_word(letter: char) -> bool {
    if matches!(letter, '?' | '؟' | ';' | '՞' | '፧' | '⁇' | '⁉') {
        return false;
    }
    let group = letter.general_category_group();
    letter.is_whitespace() || group == GeneralCategoryGroup::Punctuation
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn opts_out(words: &OptOutWords, text: &str) -> bool {
        MarketingWord::parse(text).is_some_and(|word| words.contains(&word))
    }

    #[test]
    fn the_default_words_count_in_every_case_and_width() {
        let words = OptOutWords::default();
        for text in [
            "STOP",
            "stop",
            "Stop",
            " stop \n",
            "stop.",
            "STOP!!",
            "\"stop\"",
            "*STOP*",
            "ＳＴＯＰ",
            "sToPp",
            "Unsubscribe",
            "baja",
            "ARRET",
            "\u{200e}STOP\u{200f}",
            "𝐒𝐓𝐎𝐏",
            "“Stop”",
            "¡baja!",
        ] {
            assert!(opts_out(&words, text), "{text}");
        }
        for text in [
            "please stop sending",
            "STOP?",
            "don't stop",
            "stop it",
            "STOPS",
            "",
            " ",
            "...",
            "S T O P",
            "arrêt",
        ] {
            assert!(!opts_out(&words, text), "{text}");
        }
    }

    #[test]
    fn words_of_any_script_count() {
        let written = [
            "СТОП",
            "توقف",
            "停止",
            "やめて",
            "그만",
            "ΣΤΟΠΣ",
            "STRASSE",
            "हटाओ",
            "עצור",
            "หยุด",
            "ARRÊT",
            "🛑",
        ];
        let words = OptOutWords::parse(written).unwrap();
        for text in [
            "стоп",
            "Стоп.",
            "توقف",
            "停止。",
            "やめて!",
            "그만",
            "στοπς",
            "straße",
            "STRAẞE",
            "हटाओ।",
            "עצור",
            "หยุด",
            "arre\u{302}t",
            "🛑",
        ] {
            assert!(opts_out(&words, text), "{text}");
        }
        assert!(!opts_out(&words, "STOP"), "the organization's words replace the default ones");
    }

    #[test]
    fn start_ends_an_opt_out() {
        for text in ["START", "start", " Start! ", "ＳＴＡＲＴ"] {
            assert_eq!(MarketingWord::parse(text), Some(MarketingWord::OptIn), "{text}");
        }
        assert_ne!(MarketingWord::parse("start now"), Some(MarketingWord::OptIn));
        assert_eq!(MarketingWord::parse(&"stop ".repeat(300)), None);
    }

    #[test]
    fn words_have_bounds() {
        let parse = |words: &[&str]| OptOutWords::parse(words.iter().copied());
        assert_eq!(parse(&["Stop", " STOP", "end"]).unwrap().as_written(), ["Stop", "end"]);
        assert!(parse(&[]).unwrap().as_written().is_empty());
        assert_eq!(parse(&[" "]), Err(InvalidOptOutWords::Empty(String::new())));
        assert_eq!(parse(&["start"]), Err(InvalidOptOutWords::OptIn("start".to_owned())));
        let long = "x".repeat(MAX_WORD_LENGTH + 1);
        assert_eq!(parse(&[&long]), Err(InvalidOptOutWords::TooLong(long.clone())));
        let many: Vec<String> = (0..=MAX_WORDS).map(|it| format!("word{it}")).collect();
        let many: Vec<&str> = many.iter().map(String::as_str).collect();
        assert_eq!(parse(&many), Err(InvalidOptOutWords::TooMany(MAX_WORDS + 1)));
        assert!(parse(&many[1..]).is_ok());
    }

    proptest! {
        #[test]
        fn a_word_is_found_in_any_case(word in "[\\p{Latin}\\p{Greek}\\p{Cyrillic}\\p{Arabic}]{1,20}") {
            if let Ok(words) = OptOutWords::parse([word.as_str()]) {
                prop_assert!(opts_out(&words, &word));
                let lower = format!(" {}\n", word.to_lowercase());
                prop_assert!(opts_out(&words, &lower));
            }
        }
    }
}
