//! The temperature of a model: how random its answers are.

use std::fmt;

/// Number of hundredths in one.
const HUNDREDTHS: u32 = 100;
/// Number of decimal digits in [`HUNDREDTHS`].
const DECIMALS: usize = 2;
/// The largest temperature, in hundredths. OpenAI's API has the same bound.
const MAX: u32 = 200;

/// The temperature of a model, stored in hundredths. It is from 0 to 2.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Temperature(u32);

/// The error for a text that is not a temperature.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("enter a number from 0 to 2 with at most 2 decimals, such as 0.7")]
pub struct InvalidTemperature;

impl Temperature {
    /// Parses a number such as `0.7`.
    pub fn parse(text: &str) -> Result<Self, InvalidTemperature> {
        let text = text.trim();
        let (whole, decimals) = text.split_once('.').unwrap_or((text, ""));
        let are_digits = |part: &str| part.bytes().all(|it| it.is_ascii_digit());
        if !are_digits(whole) || !are_digits(decimals) || decimals.len() > DECIMALS {
            return Err(InvalidTemperature);
        }
        let whole: u8 = whole.parse().map_err(|_| InvalidTemperature)?;
        let decimals: u8 =
            format!("{decimals:0<DECIMALS$}").parse().map_err(|_| InvalidTemperature)?;
        let hundredths = u32::from(whole) * HUNDREDTHS + u32::from(decimals);
        if hundredths > MAX { Err(InvalidTemperature) } else { Ok(Self(hundredths)) }
    }

    /// Creates a temperature from hundredths: 70 is 0.7. A number above 200 becomes 200.
    #[must_use]
    pub fn from_hundredths(hundredths: u32) -> Self {
        Self(hundredths.min(MAX))
    }

    #[must_use]
    pub const fn hundredths(self) -> u32 {
        self.0
    }

    /// Returns the number that is sent to the model's server.
    #[must_use]
    pub fn number(self) -> f64 {
        f64::from(self.0) / f64::from(HUNDREDTHS)
    }
}

impl fmt::Display for Temperature {
    /// Writes the temperature without zeros at the end, such as `0.7` or `1`.
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}", self.number())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn temperatures_are_read_and_written() {
        for (text, hundredths, written) in
            [("0", 0, "0"), ("0.7", 70, "0.7"), (" 1.25 ", 125, "1.25"), ("2.00", 200, "2")]
        {
            let read = Temperature::parse(text).unwrap();
            assert_eq!(read.hundredths(), hundredths);
            assert_eq!(read.to_string(), written);
        }
        for text in ["", ".", ".5", "-1", "0,7", "1e1", "2.01", "0.125", "3", "300", "1.2.3"] {
            assert_eq!(Temperature::parse(text), Err(InvalidTemperature), "{text}");
        }
        assert_eq!(Temperature::from_hundredths(201), Temperature::from_hundredths(200));
    }
}
