//! Authorization codes: issued, then consumed by the first exchange (`docs/contract.md#authorization-codes`).

use crate::digest::Digest;
use crate::secret::base62;
use domain::time::Timestamp;
use std::time::Duration;

/// How long a code is good.
pub const CODE_TTL: Duration = Duration::from_mins(1);
const DIGITS: usize = 43;

/// A fresh code of 256 random bits.
#[must_use]
pub fn code(entropy: [u8; 32]) -> String {
    base62(&entropy, DIGITS)
}

/// What is kept of a code.
#[must_use]
pub fn digest(code: &str) -> Digest {
    Digest::of(code.as_bytes())
}

/// Whether a code that was issued then is still good.
#[must_use]
pub fn is_good(issued_at: Timestamp, now: Timestamp) -> bool {
    now.since(issued_at) <= CODE_TTL
}
