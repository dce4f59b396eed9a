//! Phone numbers in the format E.164.

use crate::invisible::is_ignorable;
use std::fmt;
use std::ops::RangeInclusive;
use unicode_properties::{GeneralCategory, UnicodeGeneralCategory as _};

/// A phone number: a `+`, followed by 7 to 15 digits. The first digit is not 0.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PhoneNumber(String);

/// The reason why a text is not a phone number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvalidPhoneNumber {
    /// The number has too few or too many digits, or its country code begins with 0.
    #[error("a phone number has a country code and 7 to 15 digits in all, such as +12025550100")]
    Digits,
    /// The number has a character that is not allowed.
    #[error(
        "a phone number has a country code and 7 to 15 digits in all, such as +12025550100; {0:?} (U+{code:04X}) has no place in it",
        code = u32::from(*.0)
    )]
    Character(char),
}

impl PhoneNumber {
    /// Parses a phone number as people write and paste it. Spaces and dashes of any kind are
    /// accepted, and so are invisible characters for the direction of text and a missing `+`
    /// (`docs/contract.md#conventions`).
    pub fn parse(text: &str) -> Result<Self, InvalidPhoneNumber> {
        let mut number = String::with_capacity(16);
        number.push('+');
        let mut has_plus = false;
        for letter in text.chars() {
            match letter {
                '0'..='9' if number.len() < 16 => number.push(letter),
                '0'..='9' => return Err(InvalidPhoneNumber::Digits),
                '+' | '\u{ff0b}' | '\u{fe62}' if !has_plus && number.len() == 1 => has_plus = true,
                _ if is_between(letter) => {}
                _ => return Err(InvalidPhoneNumber::Character(letter)),
            }
        }
        if number.len() < 8 || number.starts_with("+0") {
            return Err(InvalidPhoneNumber::Digits);
        }
        Ok(Self(number))
    }

    /// Returns the phone number with its `+`.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns the other form of a mobile number. In some countries, the same mobile number can be
    /// written in two forms, and channels and people use both. In Brazil the forms differ in the
    /// ninth digit, in Mexico in the `1` after the country code, and in Argentina in the `9`.
    /// Returns `None` for all other numbers, and if the other form could be a landline number.
    #[must_use]
    pub fn other_form(&self) -> Option<Self> {
        let digits = self.digits();
        let other = match (digits.get(..2)?, digits.len()) {
            ("55", 12) => insert(digits, 4, '9').filter(|_| is_brazilian_mobile(digits, 4)),
            ("55", 13) => remove(digits, 4, '9').filter(|_| is_brazilian_mobile(digits, 5)),
            ("52", 12) => insert(digits, 2, '1').filter(|_| begins(digits, 2, b'2'..=b'9')),
            ("52", 13) => remove(digits, 2, '1').filter(|_| begins(digits, 3, b'2'..=b'9')),
            ("54", 12) => insert(digits, 2, '9').filter(|_| begins(digits, 2, b'1'..=b'3')),
            ("54", 13) => remove(digits, 2, '9').filter(|_| begins(digits, 3, b'1'..=b'3')),
            _ => None,
        };
        other.map(|digits| Self(format!("+{digits}")))
    }

    /// Whether two numbers have the same last seven digits. The two forms of a number differ only
    /// in digits before the last seven.
    #[must_use]
    pub fn has_same_subscriber(&self, other: &Self) -> bool {
        fn last_seven(number: &PhoneNumber) -> impl Iterator<Item = u8> {
            number.digits().bytes().rev().take(7)
        }
        last_seven(self).eq(last_seven(other))
    }

    /// Returns the phone number without the `+`, as Meta's Cloud API writes it.
    #[must_use]
    pub fn digits(&self) -> &str {
        self.0.trim_start_matches('+')
    }
}

/// Whether the digit at the index `place` is in the range `with`.
fn begins(digits: &str, place: usize, with: RangeInclusive<u8>) -> bool {
    digits.as_bytes().get(place).is_some_and(|digit| with.contains(digit))
}

/// Whether the eight digits from the index `place` can be those of a Brazilian mobile number. In
/// landline numbers, the first of the eight digits is 2 to 5, so it must be another digit. The area
/// code must have no 0.
fn is_brazilian_mobile(digits: &str, place: usize) -> bool {
    let area = begins(digits, 2, b'1'..=b'9') && begins(digits, 3, b'1'..=b'9');
    area && !begins(digits, place, b'2'..=b'5')
}

/// Returns the digits of a phone number after its country code (ITU-T E.164).
pub(crate) fn without_country_code(digits: &str) -> &str {
    let length = match digits.as_bytes() {
        [b'1' | b'7', ..] => 1,
        [b'2', b'0' | b'7', ..]
        | [b'3', b'0'..=b'4' | b'6' | b'9', ..]
        | [b'4', b'0' | b'1' | b'3'..=b'9', ..]
        | [b'5', b'1'..=b'8', ..]
        | [b'6', b'0'..=b'6', ..]
        | [b'8', b'1' | b'2' | b'4' | b'6', ..]
        | [b'9', b'0'..=b'5' | b'8', ..] => 2,
        _ => 3,
    };
    digits.get(length..).unwrap_or_default()
}

fn insert(digits: &str, place: usize, digit: char) -> Option<String> {
    let (before, after) = digits.split_at_checked(place)?;
    Some(format!("{before}{digit}{after}"))
}

fn remove(digits: &str, place: usize, digit: char) -> Option<String> {
    let (before, after) = digits.split_at_checked(place)?;
    Some(format!("{before}{}", after.strip_prefix(digit)?))
}

impl fmt::Display for PhoneNumber {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.0)
    }
}

/// Whether the character may be between two digits of a phone number: white space, a dash, a minus
/// sign, or an invisible character.
fn is_between(letter: char) -> bool {
    letter == ' '
        || letter == '-'
        || letter.is_whitespace()
        || letter.general_category() == GeneralCategory::DashPunctuation
        || matches!(letter, '\u{2043}' | '\u{2212}')
        || is_ignorable(letter)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_country_code_has_one_to_three_digits() {
        for (number, expected) in [
            ("12025550110", "2025550110"),
            ("79123456789", "9123456789"),
            ("4917155501", "17155501"),
            ("5511987654321", "11987654321"),
            ("351912345678", "912345678"),
            ("971501234567", "501234567"),
            ("97", ""),
        ] {
            assert_eq!(without_country_code(number), expected, "{number}");
        }
    }

    #[test]
    fn tolerates_how_people_write() {
        for text in [
            "+12025550100",
            "12025550100",
            "+1 202-555-0100",
            " 1-202 555 0100 ",
            "\u{ff0b}12025550100",
        ] {
            assert_eq!(PhoneNumber::parse(text).unwrap().as_str(), "+12025550100");
        }
        // These kinds of white space, dashes and invisible characters are common in pasted numbers.
        for between in [
            '\u{a0}', '\u{202f}', '\u{2007}', '\u{2009}', '\u{3000}', '\t', '\u{2010}', '\u{2011}',
            '\u{2012}', '\u{2013}', '\u{2014}', '\u{2015}', '\u{2212}', '\u{2043}', '\u{fe58}',
            '\u{fe63}', '\u{ff0d}', '\u{ad}', '\u{200b}', '\u{200e}', '\u{200f}', '\u{202a}',
            '\u{202b}', '\u{202c}', '\u{202d}', '\u{202e}', '\u{2060}', '\u{2066}', '\u{2067}',
            '\u{2068}', '\u{2069}', '\u{feff}',
        ] {
            let text =
                format!("{between}+{between}1{between}202{between}555{between}0100{between}");
            assert_eq!(PhoneNumber::parse(&text).unwrap().as_str(), "+12025550100", "{between:?}");
        }
        for text in [
            "",
            "+",
            "123456",
            "+0123456789",
            "++12025550100",
            "1234567890123456",
            "+1(202)5550100",
            "+1202555010a",
            "１２０２５５５０１００",
        ] {
            assert!(PhoneNumber::parse(text).is_err(), "{text}");
        }
        // The text of the error names the character that is not allowed.
        for (text, named) in [
            ("+1(202)5550100", "'(' (U+0028)"),
            ("+1 202 555 0100x", "'x' (U+0078)"),
            ("++12025550100", "'+' (U+002B)"),
            ("+1+2025550100", "'+' (U+002B)"),
            ("+1.202.555.0100", "'.' (U+002E)"),
            ("+１2025550100", "'１' (U+FF11)"),
            ("+1\u{0}2025550100", "'\\0' (U+0000)"),
        ] {
            let error = PhoneNumber::parse(text).unwrap_err().to_string();
            assert!(error.contains(named), "{text}: {error}");
        }
        let short = PhoneNumber::parse("123456").unwrap_err().to_string();
        assert!(!short.contains("U+"), "{short}");
    }

    #[test]
    fn some_countries_write_a_mobile_number_in_two_forms() {
        let number = |text: &str| PhoneNumber::parse(text).unwrap();
        for (one, other) in [
            ("+5511987654321", "+551187654321"),
            ("+5585912345678", "+558512345678"),
            ("+5215512345678", "+525512345678"),
            ("+5491123456789", "+541123456789"),
            ("+5492944123456", "+542944123456"),
        ] {
            assert_eq!(number(one).other_form(), Some(number(other)), "{one}");
            assert_eq!(number(other).other_form(), Some(number(one)), "{other}");
        }
        for text in [
            // Landline numbers, and mobile numbers whose last eight digits could be a landline
            // number.
            "+551132345678",
            "+5511945678901",
            "+551155554444",
            // Numbers without an area code, too long, too short, or of other countries.
            "+550187654321",
            "+551087654321",
            "+55119876543210",
            "+55118765432",
            "+521155123456",
            "+52551234567",
            "+549412345678",
            "+12025550100",
            "+4915112345678",
            "+598912345678",
        ] {
            assert_eq!(number(text).other_form(), None, "{text}");
        }
    }

    proptest! {
        #[test]
        fn two_forms_are_each_others(digits in "5[245][0-9]{9,12}") {
            let number = PhoneNumber::parse(&digits).unwrap();
            if let Some(other) = number.other_form() {
                prop_assert_ne!(&other, &number);
                prop_assert_eq!(other.other_form(), Some(number));
            }
        }

        #[test]
        fn what_it_writes_it_reads_again(text in ".*") {
            if let Ok(number) = PhoneNumber::parse(&text) {
                prop_assert_eq!(PhoneNumber::parse(number.as_str()), Ok(number));
            }
        }
    }
}
