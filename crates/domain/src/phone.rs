//! Phone numbers, in E.164.

use std::fmt;

/// A phone number: `+`, then 7 to 15 digits of which the first is not 0.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PhoneNumber(String);

/// The error for a text that is not a phone number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a phone number has a country code and 7 to 15 digits in all, such as +12025550100")]
pub struct InvalidPhoneNumber;

impl PhoneNumber {
    /// Parses a phone number. Spaces, dashes and a missing `+` are tolerated
    /// (`docs/contract.md#conventions`).
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

    /// Returns the number with its `+`.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns the number without the `+`, as Meta's Cloud API writes it.
    #[must_use]
    pub fn digits(&self) -> &str {
        self.0.trim_start_matches('+')
    }
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

    proptest! {
        #[test]
        fn what_it_writes_it_reads_again(text in ".*") {
            if let Ok(number) = PhoneNumber::parse(&text) {
                prop_assert_eq!(PhoneNumber::parse(number.as_str()), Ok(number));
            }
        }
    }
}
