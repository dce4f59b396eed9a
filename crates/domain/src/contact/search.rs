//! The words by which a search finds a contact: its names, and the beginning and the end of its
//! phone number.

use crate::phone::{PhoneNumber, without_country_code};
use crate::words::{MAX_WORD_LENGTH, SoughtWord, words};
use std::collections::BTreeSet;

/// The character before the words of contacts. It distinguishes them from the words of messages,
/// which consist of letters and digits.
const MARK: char = '@';
/// The characters before phone numbers. Words of names contain no space, so a search for a name
/// finds no number.
const NUMBER_MARK: &str = "@ ";
/// The characters before phone numbers whose digits are in reverse order.
const REVERSED_MARK: &str = "@ <";
/// Minimum number of digits in a search for a phone number.
const MIN_DIGITS: usize = 3;

/// Whether a search text matches a contact. If the text is a number of at least three digits, the
/// phone number must begin or end with its digits; the beginning may lack the country code or have
/// zeros before it. Otherwise, each word of the text must be the beginning of a word in one of the
/// names.
#[must_use]
pub fn is_named_by<'a>(
    names: impl IntoIterator<Item = &'a str>,
    phone_number: Option<&str>,
    search: &str,
) -> bool {
    if let Some(sought) = digits_of(search) {
        let Some(number) = phone_number else { return false };
        let written = beginnings(number);
        let begins = |first: &str| written.iter().any(|it| it.starts_with(first));
        return sought_beginnings(&sought).any(begins) || digits(number).ends_with(&sought);
    }
    let search = search.to_lowercase();
    let names: Vec<String> = names.into_iter().map(str::to_lowercase).collect();
    let mut words = search.split_whitespace().peekable();
    words.peek().is_some()
        && words.all(|word| {
            names.iter().flat_map(|it| it.split_whitespace()).any(|it| it.starts_with(word))
        })
}

/// Returns the words that are stored for a contact. A search finds the contact by its
/// [`sought_words`]. They are the words of the names, the phone number with and without its country
/// code, and its digits in reverse order, which are searched for the end of the number.
#[must_use]
pub fn contact_words<'a>(
    names: impl IntoIterator<Item = &'a str>,
    phone_number: Option<&str>,
) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for name in names {
        found.extend(name_words(name).iter().map(|it| marked(it)));
        found.extend(words(name).iter().map(|it| marked(it)));
    }
    if let Some(number) = phone_number {
        found.extend(beginnings(number).iter().map(|it| format!("{NUMBER_MARK}{it}")));
        found.insert(reversed(&digits(number)));
    }
    found
}

/// Returns the parts of a search text. A contact is found if it is found by each of them.
#[must_use]
pub fn sought_words(search: &str) -> Vec<SoughtWord> {
    if let Some(digits) = digits_of(search) {
        let begins = sought_beginnings(&digits).map(|first| format!("{NUMBER_MARK}{first}"));
        let beginnings = begins.chain([reversed(&digits)]).collect();
        return vec![SoughtWord { beginnings }];
    }
    let names = name_words(search);
    names.iter().map(|it| SoughtWord::beginning(marked(it))).collect()
}

/// Returns the digits of a search text that is a part of a phone number.
fn digits_of(search: &str) -> Option<String> {
    let digits = digits(search);
    let is_number = search.chars().all(|it| it.is_ascii_digit() || " +-().".contains(it));
    (is_number && digits.len() >= MIN_DIGITS).then_some(digits)
}

fn digits(text: &str) -> String {
    text.chars().filter(char::is_ascii_digit).collect()
}

/// Returns the digits with which a phone number may begin: as they are, because some national
/// numbers begin with a zero, and without the zeros that people write before a number in its own
/// country or before a country code, unless too few digits are left.
fn sought_beginnings(digits: &str) -> impl Iterator<Item = &str> {
    let rest = digits.trim_start_matches('0');
    let is_other = rest.len() < digits.len() && rest.len() >= MIN_DIGITS;
    [digits].into_iter().chain(is_other.then_some(rest))
}

/// Returns the forms in which the beginning of a phone number is written: with and without the
/// country code, and without the digit that some countries add to mobile numbers.
fn beginnings(number: &str) -> BTreeSet<String> {
    let digits = digits(number);
    let other = PhoneNumber::parse(number).ok().and_then(|it| it.other_form());
    let other = other.filter(|it| it.digits().len() < digits.len());
    let other = other.map(|it| without_country_code(it.digits()).to_owned());
    let own = without_country_code(&digits).to_owned();
    [digits, own].into_iter().chain(other).filter(|it| !it.is_empty()).collect()
}

fn reversed(digits: &str) -> String {
    REVERSED_MARK.chars().chain(digits.chars().rev()).collect()
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
        for search in [
            "han",
            "WEI",
            "weiß hannah",
            "hannah.w",
            "+1 (202) 555",
            "202 555",
            "0202 555",
            "001 202",
            "0110",
            "555 0110",
        ] {
            assert!(is_found(search), "{search}");
        }
        for search in ["", "  ", "annah", "hannah x", "0111", "11", "+", "000", "0012", "2555"] {
            assert!(!is_found(search), "{search}");
        }
        assert!(!is_named_by([], None, "202"));
        assert!(!is_named_by([], None, "000"));
    }

    #[test]
    fn the_stored_words_find_what_the_comparison_finds() {
        let names = ["Hannah Weiß-O'Brien", "hannah.w"];
        let stored = contact_words(names, Some("+12025550110"));
        let begins = |text: &String| stored.iter().any(|word| word.starts_with(text.as_str()));
        let is_found = |search: &str| {
            let sought = sought_words(search);
            !sought.is_empty() && sought.iter().all(|it| it.beginnings.iter().any(begins))
        };
        for search in [
            "han",
            "WEI",
            "weiß hannah",
            "hannah.w",
            "555 0110",
            "+1 (202) 555",
            "0202",
            "110",
            "",
            " ",
            "annah",
            "hannah x",
            "0111",
            "000",
            "0012",
            "2555",
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

    #[test]
    fn a_national_number_is_found_as_it_is_written_in_its_country() {
        for (number, written) in [
            ("+390612345678", "06 123"),
            ("+2250712345678", "07 12"),
            ("+5215512345678", "55 1234"),
            ("+5491112345678", "11 1234"),
            ("+4917155501100", "0171 555"),
        ] {
            assert!(is_named_by([], Some(number), written), "{number}: {written}");
            let stored = contact_words([], Some(number));
            let [sought] = &sought_words(written)[..] else { panic!("{written} is one word") };
            let begins = |text: &String| stored.iter().any(|word| word.starts_with(text.as_str()));
            assert!(sought.beginnings.iter().any(begins), "{number}: {written}");
        }
    }

    #[test]
    fn a_number_is_three_words() {
        let stored = contact_words([], Some("+491715550110"));
        let expected = ["@ 1715550110", "@ 491715550110", "@ <011055517194"];
        assert!(stored.iter().eq(expected));
        assert_eq!(contact_words([], None).len(), 0);
    }
}
