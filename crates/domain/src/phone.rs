//! Phone numbers, in E.164.

use std::fmt;
use std::ops::RangeInclusive;

/// A number as the channel knows it: `+`, then 7 to 15 digits of which the first is not 0.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PhoneNumber(String);

/// A text that is no phone number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a phone number has a country code and 7 to 15 digits in all, such as +12025550100")]
pub struct InvalidPhoneNumber;

impl PhoneNumber {
    /// Reads a number; spaces, dashes and a missing `+` are tolerated (`docs/contract.md#conventions`).
    pub fn parse(text: &str) -> Result<Self, InvalidPhoneNumber> {
        let bare = text.trim();
        let bare = bare.strip_prefix('+').unwrap_or(bare);
        let mut number = String::with_capacity(16);
        number.push('+');
        for letter in bare.chars() {
            match letter {
                '0'..='9' if number.len() < 16 => number.push(letter),
                ' ' | '-' => {}
                _ => return Err(InvalidPhoneNumber),
            }
        }
        if number.len() < 8 || number.starts_with("+0") {
            return Err(InvalidPhoneNumber);
        }
        Ok(Self(number))
    }

    /// With its `+`.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The other form of the same mobile number, in countries whose numbers have two: Brazil with and without the ninth
    /// digit, Mexico with and without the `1` after the country code, Argentina with and without the `9`. Channels and
    /// people use either. Nothing for other numbers, nor for those whose other form would be somebody's landline.
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

    /// Without the `+`, as Meta's channel writes it.
    #[must_use]
    pub fn digits(&self) -> &str {
        self.0.trim_start_matches('+')
    }
}

/// Whether the digit at that place is one of these.
fn begins(digits: &str, place: usize, with: RangeInclusive<u8>) -> bool {
    digits.as_bytes().get(place).is_some_and(|digit| with.contains(digit))
}

/// Whether the eight digits from that place on are a mobile number: landlines begin with 2 to 5. No area code has a 0.
fn is_brazilian_mobile(digits: &str, place: usize) -> bool {
    let area = begins(digits, 2, b'1'..=b'9') && begins(digits, 3, b'1'..=b'9');
    area && !begins(digits, place, b'2'..=b'5')
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

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn tolerates_how_people_write() {
        for text in ["+12025550100", "12025550100", "+1 202-555-0100", " 1-202 555 0100 "] {
            assert_eq!(PhoneNumber::parse(text).unwrap().as_str(), "+12025550100");
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
            assert_eq!(PhoneNumber::parse(text), Err(InvalidPhoneNumber), "{text}");
        }
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
            // Landlines, and mobile numbers whose eight digits could be one.
            "+551132345678",
            "+5511945678901",
            "+551155554444",
            // No area code, too long, too short, other countries.
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
