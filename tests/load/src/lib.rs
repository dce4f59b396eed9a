//! Command line arguments of the small servers of `cargo xtask bench`.

use std::str::FromStr;

/// Returns the argument after `name`.
#[must_use]
pub fn argument(name: &str) -> Option<String> {
    let mut arguments = std::env::args().skip_while(|argument| argument != name);
    arguments.nth(1)
}

/// Returns the number after `name`, or `otherwise` if there is none.
#[must_use]
pub fn number<T: FromStr>(name: &str, otherwise: T) -> T {
    argument(name).and_then(|text| text.parse().ok()).unwrap_or(otherwise)
}
