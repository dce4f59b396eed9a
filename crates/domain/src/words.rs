//! The words of a text. They are stored, so that a search for one of them finds the text.

use std::collections::BTreeSet;

/// Maximum number of characters that are stored of a word. A search finds a longer word by these
/// characters.
pub const MAX_WORD_LENGTH: usize = 40;
/// Maximum number of different words that are stored for one text.
pub const MAX_WORDS: usize = 500;

/// A part of a search. It finds the words that begin with one of these texts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SoughtWord {
    pub beginnings: Vec<String>,
}

impl SoughtWord {
    /// Returns the search for the words that begin with a text.
    #[must_use]
    pub fn beginning(text: String) -> Self {
        Self { beginnings: vec![text] }
    }

    /// Returns the number of characters of the longest text.
    #[must_use]
    pub fn longest(&self) -> usize {
        self.beginnings.iter().map(|it| it.chars().count()).max().unwrap_or_default()
    }
}

/// Returns the different words of a text, in lowercase. A word is a sequence of letters and digits.
/// In scripts without spaces between words, each character is a word.
#[must_use]
pub fn words(text: &str) -> BTreeSet<String> {
    let (mut words, mut word) = (BTreeSet::new(), String::new());
    for letter in text.chars().flat_map(char::to_lowercase).chain([' ']) {
        let is_alone = is_written_without_spaces(letter);
        if (is_alone || !letter.is_alphanumeric()) && !word.is_empty() {
            let whole = std::mem::take(&mut word);
            words.insert(whole.chars().take(MAX_WORD_LENGTH).collect());
        }
        if is_alone {
            words.insert(letter.to_string());
        } else if letter.is_alphanumeric() {
            word.push(letter);
        }
        if words.len() >= MAX_WORDS {
            break;
        }
    }
    words
}

/// Whether the character belongs to a script that is written without spaces between words: Han,
/// kana, Thai, Lao, Khmer or Burmese.
const fn is_written_without_spaces(letter: char) -> bool {
    matches!(
        letter as u32,
        0x0E00..=0x0EFF
            | 0x1000..=0x109F
            | 0x1780..=0x17FF
            | 0x3005..=0x3007
            | 0x3040..=0x30FF
            | 0x3400..=0x4DBF
            | 0x4E00..=0x9FFF
            | 0xF900..=0xFAFF
            | 0x2_0000..=0x3_FFFF
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Vec<String> {
        words(text).into_iter().collect()
    }

    #[test]
    fn words_are_letters_and_digits_in_lowercase() {
        assert_eq!(of("Hello, ORD-1042! hello"), ["1042", "hello", "ord"]);
        assert_eq!(of("Ça va?"), ["va", "ça"]);
        assert_eq!(of("% \" '"), [""; 0]);
        assert_eq!(of(&"a".repeat(50)), ["a".repeat(MAX_WORD_LENGTH)]);
    }

    #[test]
    fn each_character_of_a_script_without_spaces_is_a_word() {
        assert_eq!(of("退款order"), ["order", "款", "退"]);
        assert_eq!(of("ありがとう").len(), 5);
    }

    #[test]
    fn a_long_text_has_a_bounded_number_of_words() {
        let text: Vec<String> = (0..2 * MAX_WORDS).map(|it| format!("w{it}")).collect();
        assert_eq!(words(&text.join(" ")).len(), MAX_WORDS);
    }
}
