//! The result of one measurement, and its subject.

use std::fmt::{self, Display, Formatter};

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Subject {
    /// The handler that does nothing.
    Bare,
    Sqlite,
    #[serde(rename = "postgresql")]
    Postgres,
}

impl Subject {
    pub const DATABASES: [Self; 2] = [Self::Sqlite, Self::Postgres];

    /// Returns the name that reports show.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Bare => "bare",
            Self::Sqlite => "SQLite",
            Self::Postgres => "PostgreSQL",
        }
    }
}

/// The measured version of the server lacks something that a row needs. The field names it.
#[derive(Debug)]
pub struct Unsupported(pub &'static str);

impl Display for Unsupported {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "this version of the server has no {}", self.0)
    }
}

impl std::error::Error for Unsupported {}

#[derive(Clone, Debug, PartialEq)]
pub struct Measured {
    /// The value of the row, in the row's unit.
    pub value: f64,
    /// Further values by name. The name ends with the unit.
    pub details: Map<String, Value>,
}

impl Measured {
    pub fn of(value: f64) -> Self {
        Self { value, details: Map::new() }
    }

    pub fn with(mut self, name: &str, value: f64) -> Self {
        self.details.insert(name.to_owned(), rounded(value).into());
        self
    }
}

/// Rounds to three decimals.
pub fn rounded(number: f64) -> f64 {
    (number * 1000.0).round() / 1000.0
}

/// Converts a count to a floating-point number.
#[expect(clippy::cast_precision_loss, reason = "all counts are far below 2^52")]
pub fn float(count: u64) -> f64 {
    count as f64
}

/// Rounds a number up to a count.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the numbers are far below 2^52 and not negative"
)]
pub fn count(number: f64) -> u64 {
    number.max(0.0).ceil() as u64
}

/// Returns the measurement with the median value, including its details.
pub fn median(rounds: &[Measured]) -> Option<&Measured> {
    let mut sorted: Vec<&Measured> = rounds.iter().collect();
    sorted.sort_by(|a, b| a.value.total_cmp(&b.value));
    sorted.get(sorted.len() / 2).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_has_its_own_details() {
        let rounds = [
            Measured::of(900.0).with("p99_ms", 9.0),
            Measured::of(5000.0).with("p99_ms", 1.0),
            Measured::of(1000.0).with("p99_ms", 5.00049),
        ];
        let middle = median(&rounds).unwrap();
        assert_eq!(middle, &rounds[2]);
        assert_eq!(middle.details["p99_ms"], Value::from(5.0));
        assert_eq!(median(&[]), None);
    }

    #[test]
    fn counts_are_rounded_up() {
        assert_eq!([count(0.2), count(3.0), count(-1.0)], [1, 3, 0]);
    }
}
