//! What the small servers of `cargo xtask bench` have in common: their arguments.

use std::str::FromStr;

/// The word after `name` on the command line.
#[must_use]
pub fn argument(name: &str) -> Option<String> {
    let mut arguments = std::env::args().skip_while(|argument| argument != name);
    arguments.nth(1)
}

/// The number after `name` on the command line.
#[must_use]
pub fn number<T: FromStr>(name: &str, otherwise: T) -> T {
    argument(name).and_then(|text| text.parse().ok()).unwrap_or(otherwise)
}
