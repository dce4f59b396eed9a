//! Numbers: conversion to smaller types, and formatting for people.

/// Converts `number` to another type. Returns `most` if the number is too large for that type. The
/// number must not be negative.
pub fn saturating<N, T: TryFrom<N>>(number: N, most: T) -> T {
    #[expect(clippy::disallowed_methods, reason = "being too large is all that can be wrong")]
    T::try_from(number).unwrap_or(most)
}

/// Formats a number with a comma between groups of three digits, such as `100,000`.
#[must_use]
pub fn with_commas(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (place, digit) in digits.char_indices() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thousands_are_separated() {
        let written = [0, 7, 999, 1000, 12_345, 100_000, 1_234_567].map(with_commas);
        assert_eq!(written, ["0", "7", "999", "1,000", "12,345", "100,000", "1,234,567"]);
    }
}
