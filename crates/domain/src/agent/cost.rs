//! The cost of requests to a model, at the prices that the organization entered.

use std::fmt;

/// Number of millionths in a dollar.
const MICROS: u64 = 1_000_000;
/// Number of decimal digits in [`MICROS`].
const DECIMALS: usize = 6;
/// The largest amount of money that is accepted, in dollars.
const MAX_DOLLARS: u64 = 1_000_000;

/// An amount of money in millionths of a US dollar.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct MicroDollars(pub u64);

/// The error for a text that is not an amount.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("enter an amount from 0 to 1000000 with at most 6 decimals")]
pub struct InvalidAmount;

impl MicroDollars {
    /// Parses an amount in dollars, such as `0.40`.
    pub fn parse(text: &str) -> Result<Self, InvalidAmount> {
        let text = text.trim();
        let (whole, decimals) = text.split_once('.').unwrap_or((text, ""));
        let are_digits = |part: &str| part.bytes().all(|it| it.is_ascii_digit());
        if whole.is_empty() || !are_digits(whole) || !are_digits(decimals) {
            return Err(InvalidAmount);
        }
        if decimals.len() > DECIMALS {
            return Err(InvalidAmount);
        }
        let whole: u64 = whole.parse().map_err(|_| InvalidAmount)?;
        let decimals: u64 = format!("{decimals:0<DECIMALS$}").parse().map_err(|_| InvalidAmount)?;
        if whole > MAX_DOLLARS {
            return Err(InvalidAmount);
        }
        Ok(Self(whole * MICROS + decimals))
    }

    #[must_use]
    pub const fn plus(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }
}

impl fmt::Display for MicroDollars {
    /// Writes the amount in dollars with at least two decimals, such as `0.40`. Further zeros at
    /// the end are left out.
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let decimals = format!("{:06}", self.0 % MICROS);
        let (two, rest) = decimals.split_at(2);
        write!(out, "{}.{two}{}", self.0 / MICROS, rest.trim_end_matches('0'))
    }
}

/// Whether the AI agents of an organization may cause more cost in this month. `spent` is their
/// cost in this month so far. Without a limit, they always may.
#[must_use]
pub fn has_room_for_cost(spent: MicroDollars, limit: Option<MicroDollars>) -> bool {
    limit.is_none_or(|most| spent < most)
}

/// The prices that an organization pays for one million tokens of a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TokenPrices {
    /// The price of one million input tokens, which the model is given.
    pub input: MicroDollars,
    /// The price of one million output tokens, which the model writes.
    pub output: MicroDollars,
}

impl TokenPrices {
    /// Returns the cost of `input` tokens that the model was given and `output` tokens that the
    /// model wrote, rounded up.
    #[must_use]
    pub fn cost(self, input: u64, output: u64) -> MicroDollars {
        let cost = u128::from(input) * u128::from(self.input.0)
            + u128::from(output) * u128::from(self.output.0);
        MicroDollars(crate::number::saturating(cost.div_ceil(u128::from(MICROS)), u64::MAX))
    }
}

/// The tokens and the cost of one or several requests to a model.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Spending {
    /// Number of tokens in total, or `None` if the model's server did not report it.
    pub tokens: Option<u64>,
    /// Number of tokens that the model was given.
    pub input_tokens: Option<u64>,
    /// Number of tokens that the model wrote.
    pub output_tokens: Option<u64>,
    /// The total cost of the requests whose cost is known.
    pub cost: Option<MicroDollars>,
    /// Number of requests whose cost is unknown.
    pub unpriced_requests: u32,
}

impl Spending {
    /// Returns the spending of one request. Its cost is unknown if the organization entered no
    /// prices or if the model's server did not report the numbers of tokens.
    #[must_use]
    pub fn of_request(
        tokens: Option<u64>,
        input_tokens: Option<u64>,
        output_tokens: Option<u64>,
        prices: Option<TokenPrices>,
    ) -> Self {
        /// Maximum number of tokens that is counted for one request. A larger number is an error of
        /// the model's server.
        const MAX_TOKENS: u64 = 1_000_000_000;
        let [tokens, input_tokens, output_tokens] = [tokens, input_tokens, output_tokens]
            .map(|count| count.map(|count| count.min(MAX_TOKENS)));
        let both = input_tokens.zip(output_tokens);
        let cost = prices.zip(both).map(|(prices, (input, output))| prices.cost(input, output));
        let sum = both.map(|(input, output)| input.saturating_add(output));
        Self {
            tokens: tokens.or(sum),
            input_tokens,
            output_tokens,
            cost,
            unpriced_requests: u32::from(cost.is_none()),
        }
    }

    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        let sum = |one: Option<u64>, two: Option<u64>| match (one, two) {
            (Some(one), Some(two)) => Some(one.saturating_add(two)),
            (one, two) => one.or(two),
        };
        let cost = sum(self.cost.map(|it| it.0), other.cost.map(|it| it.0));
        Self {
            tokens: sum(self.tokens, other.tokens),
            input_tokens: sum(self.input_tokens, other.input_tokens),
            output_tokens: sum(self.output_tokens, other.output_tokens),
            cost: cost.map(MicroDollars),
            unpriced_requests: self.unpriced_requests.saturating_add(other.unpriced_requests),
        }
    }

    /// Returns the cost as a text for people, or `None` if no model was asked. An unknown cost is
    /// called unpriced, and is not shown as zero.
    #[must_use]
    pub fn cost_in_words(self) -> Option<String> {
        match (self.cost, self.unpriced_requests) {
            (None, 0) => None,
            (None, _) => Some("Unpriced".to_owned()),
            (Some(cost), 0) => Some(format!("${cost}")),
            (Some(cost), _) => Some(format!("${cost}, and a part unpriced")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_are_read_and_written() {
        for (text, micros) in [("0", 0), ("0.40", 400_000), ("15", 15_000_000), ("0.000001", 1)] {
            assert_eq!(MicroDollars::parse(text), Ok(MicroDollars(micros)), "{text}");
        }
        for text in ["", ".", ".5", "-1", "1,5", "1e3", "0.0000001", "1000001", "1.2.3"] {
            assert_eq!(MicroDollars::parse(text), Err(InvalidAmount), "{text}");
        }
        let written = [0, 2_100, 400_000, 15_000_001].map(|it| MicroDollars(it).to_string());
        assert_eq!(written, ["0.00", "0.0021", "0.40", "15.000001"]);
    }

    #[test]
    fn a_limit_is_reached_by_a_cost_as_high() {
        let limit = Some(MicroDollars(50));
        assert!(has_room_for_cost(MicroDollars(49), limit));
        assert!(!has_room_for_cost(MicroDollars(50), limit));
        assert!(!has_room_for_cost(MicroDollars(0), Some(MicroDollars(0))));
        assert!(has_room_for_cost(MicroDollars(u64::MAX), None));
    }

    #[test]
    fn a_cost_is_rounded_up_and_free_stays_free() {
        let prices = |input, output| TokenPrices {
            input: MicroDollars(input),
            output: MicroDollars(output),
        };
        assert_eq!(prices(400_000, 1_600_000).cost(1842, 212), MicroDollars(1076));
        assert_eq!(prices(1, 0).cost(1, 0), MicroDollars(1));
        assert_eq!(prices(0, 0).cost(u64::MAX, u64::MAX), MicroDollars(0));
        assert_eq!(prices(u64::MAX, 1).cost(u64::MAX, 1), MicroDollars(u64::MAX));
    }

    #[test]
    fn an_unknown_cost_is_not_a_zero() {
        let free = TokenPrices { input: MicroDollars(0), output: MicroDollars(0) };
        let words = |it: Spending| it.cost_in_words().unwrap_or_default();
        let request = Spending::of_request;
        assert_eq!(words(request(None, Some(1), Some(2), Some(free))), "$0.00");
        assert_eq!(words(request(Some(3), Some(1), Some(2), None)), "Unpriced");
        assert_eq!(words(request(Some(3), None, None, Some(free))), "Unpriced");
        assert_eq!(words(Spending::default()), "");
        let both =
            request(None, Some(1), Some(2), Some(free)).plus(request(None, None, None, None));
        assert_eq!(words(both), "$0.00, and a part unpriced");
        assert_eq!(both.tokens, Some(3));
        assert_eq!(both.unpriced_requests, 1);
    }
}
