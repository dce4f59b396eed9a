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

/// Returns the first words of a text that have the form of a code, at most `most` of them.
#[must_use]
pub fn in_text(text: &[u8], most: usize) -> Vec<String> {
    // A part of a longer word is not a code. The word may be a verifier, for example.
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || b"-._~".contains(byte);
    let words = text.split(|byte| !is_part(byte)).filter(|word| word.len() == DIGITS);
    let codes = words.filter(|word| word.iter().all(u8::is_ascii_alphanumeric));
    codes.take(most).map(|code| String::from_utf8_lossy(code).into_owned()).collect()
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
    fn a_code_is_found_in_any_text() {
        let (one, other) = (code([1; 32]), code([2; 32]));
        for text in [
            one.clone(),
            format!("{{\"code\": \"{one}\""),
            format!("{{\"code\":\"{one}"),
            format!("[{{'code': '{one}'}}]"),
            format!("grant_type=authorization_code&code={one}&redirect_uri=x"),
            format!("Content-Disposition: form-data; name=\"code\"\r\n\r\n{one}\r\n--x--"),
            format!("<code>{one}</code>"),
            format!("\u{fffd}{one}\u{fffd}"),
        ] {
            assert_eq!(in_text(text.as_bytes(), 9), [one.as_str()], "{text}");
        }
        for text in [
            String::new(),
            one.chars().skip(1).collect(),
            format!("x{one}"),
            format!("{one}-_"),
            format!("sws_{one}123456"),
        ] {
            assert!(in_text(text.as_bytes(), 9).is_empty(), "{text}");
        }
        let many = format!("{one},{other},{one}");
        assert_eq!(in_text(many.as_bytes(), 2), [one, other]);
    }

    #[test]
    fn a_code_is_good_for_a_minute() {
        let issued = Timestamp::from_seconds(1_800_000_000);
        let is_good = |millis| is_good(issued, issued.plus(Duration::from_millis(millis)));
        assert!(is_good(0) && is_good(59_000) && is_good(60_000));
        assert!(!is_good(60_001) && !is_good(61_000));
    }
}
