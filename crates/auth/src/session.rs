//! Sessions of the dashboard: a random token in a cookie, whose digest is stored, and the CSRF
//! tokens of forms (`docs/security.md` 9 and 12).

use crate::digest::Digest;
use crate::seal::{KEY_BYTES, SealingKey};
use crate::secret::base62;
use ring::hmac;
use std::fmt;
use std::time::Duration;
use subtle::ConstantTimeEq as _;

/// The time after which an unused session ends.
pub const MAX_IDLE: Duration = Duration::from_hours(12);
const DIGITS: usize = 43;

/// The token in a browser's session cookie. `Debug` does not print it.
#[derive(Clone, PartialEq, Eq)]
pub struct SessionToken(String);

impl SessionToken {
    /// Creates a token from 256 random bits.
    #[must_use]
    pub fn new(entropy: [u8; 32]) -> Self {
        Self(base62(&entropy, DIGITS))
    }

    /// Parses the token of a cookie.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let right = text.len() == DIGITS && text.bytes().all(|b| b.is_ascii_alphanumeric());
        right.then(|| Self(text.to_owned()))
    }

    /// Returns the digest, which is what the server stores.
    #[must_use]
    pub fn digest(&self) -> Digest {
        Digest::new(self.0.as_bytes())
    }

    /// Returns the token in plain text, for the cookie.
    #[must_use]
    pub fn reveal(&self) -> &str {
        &self.0
    }

    /// Returns a key for data that only this session may read. It is derived from the token. The
    /// server stores only the digest of the token, so nobody can decrypt this data with the
    /// contents of the database.
    #[must_use]
    pub fn sealing_key(&self) -> Option<SealingKey> {
        let key = hmac::Key::new(hmac::HMAC_SHA256, self.0.as_bytes());
        // This input can never be the purpose of a form, because no purpose begins with a zero
        // byte.
        let tag = hmac::sign(&key, b"\0sealing key");
        let bytes: &[u8; KEY_BYTES] = tag.as_ref().try_into().ok()?;
        SealingKey::new(bytes)
    }

    /// Returns the CSRF token of a form for this session and this `purpose`.
    #[must_use]
    pub fn form_token(&self, purpose: &str) -> String {
        let key = hmac::Key::new(hmac::HMAC_SHA256, self.0.as_bytes());
        let tag = hmac::sign(&key, purpose.as_bytes());
        base62(tag.as_ref(), DIGITS)
    }

    /// Whether `shown` is the CSRF token of a form for this session and `purpose`. Compares in
    /// constant time.
    #[must_use]
    pub fn is_form_token(&self, purpose: &str, shown: &str) -> bool {
        self.form_token(purpose).as_bytes().ct_eq(shown.as_bytes()).into()
    }
}

impl fmt::Debug for SessionToken {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("SessionToken(…)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_session_sealed_no_other_session_opens() {
        let (one, other) = (SessionToken::new([1; 32]), SessionToken::new([2; 32]));
        let sealed = one.sealing_key().unwrap().seal(b"sws_x", "form", [3; 12]).unwrap();
        assert_eq!(one.sealing_key().unwrap().open(&sealed, "form").unwrap(), b"sws_x");
        assert!(other.sealing_key().unwrap().open(&sealed, "form").is_err());
    }

    #[test]
    fn a_forms_proof_is_of_one_session_and_one_purpose() {
        let (one, other) = (SessionToken::new([1; 32]), SessionToken::new([2; 32]));
        let proof = one.form_token("cns_1");
        assert!(one.is_form_token("cns_1", &proof));
        assert!(!one.is_form_token("cns_2", &proof));
        assert!(!other.is_form_token("cns_1", &proof));
        assert!(!one.is_form_token("cns_1", ""));
        assert_eq!(format!("{one:?}"), "SessionToken(…)");
        assert_eq!(SessionToken::parse(one.reveal()), Some(one));
        for other in ["x", &"x".repeat(42), &"x".repeat(44), &"-".repeat(43)] {
            assert_eq!(SessionToken::parse(other), None);
        }
    }
}
