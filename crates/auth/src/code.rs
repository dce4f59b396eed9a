//! Authorization codes: issued once, then consumed by the first exchange
//! (`docs/contract.md#authorization-codes`).

use crate::digest::Digest;
use crate::secret::base62;
use domain::time::Timestamp;
use std::time::Duration;

/// The lifetime of a code.
pub const CODE_TTL: Duration = Duration::from_mins(1);
const DIGITS: usize = 43;

/// Creates a code of 256 random bits.
#[must_use]
pub fn code(entropy: [u8; 32]) -> String {
    base62(&entropy, DIGITS)
}

/// Returns the digest of a code, which is what the server stores.
#[must_use]
pub fn digest(code: &str) -> Digest {
    Digest::new(code.as_bytes())
}

/// Whether a code issued at `issued_at` has not expired.
#[must_use]
pub fn is_good(issued_at: Timestamp, now: Timestamp) -> bool {
    now.since(issued_at) <= CODE_TTL
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_code_is_43_letters_and_digits_and_another_each_time() {
        let one = code([1; 32]);
        assert_eq!(one.len(), DIGITS);
        assert!(one.bytes().all(|byte| byte.is_ascii_alphanumeric()));
        assert_ne!(one, code([2; 32]));
        assert_eq!(digest(&one).as_bytes(), Digest::new(one.as_bytes()).as_bytes());
    }

    #[test]
    fn a_code_is_good_for_a_minute() {
        let issued = Timestamp::from_seconds(1_800_000_000);
        let is_good = |millis| is_good(issued, issued.plus(Duration::from_millis(millis)));
        assert!(is_good(0) && is_good(59_000) && is_good(60_000));
        assert!(!is_good(60_001) && !is_good(61_000));
    }
}
