//! The words by which a search finds a contact: its names, and the parts of its phone number.

use crate::words::{MAX_WORD_LENGTH, words};
use std::collections::BTreeSet;

/// The character before the words of contacts. It distinguishes them from the words of messages,
/// which consist of letters and digits.
const MARK: char = '@';
/// The characters before the parts of phone numbers. Words of names contain no space, so a search
/// for a name finds no number.
const NUMBER_MARK: &str = "@ ";
/// Minimum number of digits in a search for a part of a phone number.
const MIN_DIGITS: usize = 3;

/// Whether a search text matches a contact. If the text is a number of at least three digits, its
/// digits must be a part of the phone number. Otherwise, each word of the text must be the
/// beginning of a word in one of the names.
#[must_use]
pub fn is_named_by<'a>(
    names: impl IntoIterator<Item = &'a str>,
    phone_number: Option<&str>,
    search: &str,
) -> bool {
    if let Some(digits) = digits_of(search) {
        return phone_number.is_some_and(|number| number.contains(&digits));
    }
    let search = search.to_lowercase();
    let names: Vec<String> = names.into_iter().map(str::to_lowercase).collect();
    let mut words = search.split_whitespace().peekable();
    words.peek().is_some()
        && words.all(|word| {
            names.iter().flat_map(|it| it.split_whitespace()).any(|it| it.starts_with(word))
        })
}

/// Returns the words that are stored for a contact. A search finds the contact if one of these words
/// begins with each of the [`sought_words`]. They are the words of the names, and the phone number
/// from each of its digits on, so that each part of the number is the beginning of a word.
#[must_use]
pub fn contact_words<'a>(
    names: impl IntoIterator<Item = &'a str>,
    phone_number: Option<&str>,
) -> BTreeSet<String> {
    let (mut found, mut numbers) = (BTreeSet::new(), Vec::new());
    for name in names {
        found.extend(name_words(name));
        found.extend(words(name));
    }
    let digits: String =
        phone_number.unwrap_or_default().chars().filter(char::is_ascii_digit).collect();
    for first in 0..digits.len().saturating_sub(MIN_DIGITS - 1) {
        numbers.extend(digits.get(first..).map(|part| format!("{NUMBER_MARK}{part}")));
    }
    found.iter().map(|it| marked(it)).chain(numbers).collect()
}

/// Returns the beginnings of words by which a search text finds contacts.
#[must_use]
pub fn sought_words(search: &str) -> BTreeSet<String> {
    if let Some(digits) = digits_of(search) {
        return BTreeSet::from([format!("{NUMBER_MARK}{digits}")]);
    }
    name_words(search).iter().map(|it| marked(it)).collect()
}

/// Returns the digits of a search text that is a part of a phone number.
fn digits_of(search: &str) -> Option<String> {
    let digits: String = search.chars().filter(char::is_ascii_digit).collect();
    let is_number = search.chars().all(|it| it.is_ascii_digit() || " +-().".contains(it));
    (is_number && digits.len() >= MIN_DIGITS).then_some(digits)
}

/// Returns the words of a name that are separated by spaces, in lowercase.
fn name_words(name: &str) -> BTreeSet<String> {
    let shortened = |word: &str| word.chars().take(MAX_WORD_LENGTH).collect();
    name.to_lowercase().split_whitespace().map(shortened).collect()
}

fn marked(word: &str) -> String {
    format!("{MARK}{word}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_contact_is_found_by_the_beginnings_of_words_and_by_digits() {
        let is_found =
            |search| is_named_by(["Hannah Weiß", "hannah.w"], Some("+12025550110"), search);
        for search in ["han", "WEI", "weiß hannah", "hannah.w", "555 0110", "+1 (202) 555"] {
            assert!(is_found(search), "{search}");
        }
        for search in ["", "  ", "annah", "hannah x", "0111", "11", "+"] {
            assert!(!is_found(search), "{search}");
        }
        assert!(!is_named_by([], None, "202"));
    }
    #[test]
    fn the_stored_words_find_what_the_comparison_finds() {
        let names = ["Hannah Weiß-O'Brien", "hannah.w"];
        let stored = contact_words(names, Some("+12025550110"));
        let is_found = |search: &str| {
            let sought = sought_words(search);
            !sought.is_empty()
                && sought.iter().all(|it| stored.iter().any(|word| word.starts_with(it.as_str())))
        };
        for search in [
            "han",
            "WEI",
            "weiß hannah",
            "hannah.w",
            "555 0110",
            "+1 (202) 555",
            "110",
            "",
            " ",
            "annah",
            "hannah x",
            "0111",
            "11",
            "+",
        ] {
            let expected = is_named_by(names, Some("+12025550110"), search);
            assert_eq!(is_found(search), expected, "{search}");
        }
        // A part of a word after a sign of punctuation is stored, too.
        assert!(is_found("brien"));
        assert!(stored.iter().all(|word| word.starts_with('@')));
    }
}
