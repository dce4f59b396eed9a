//! Proof Key for Code Exchange (RFC 7636), with the method `S256` only.

use crate::digest::Digest;
use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, STANDARD_NO_PAD, URL_SAFE, URL_SAFE_NO_PAD};
use subtle::ConstantTimeEq as _;

/// The challenge of an authorize request: 43 to 128 unreserved characters. A digest in the wrong
/// encoding, such as hex, is accepted here. The exchange then fails, and the handshake log names
/// the mistake (`docs/contract.md#exchange`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Challenge(String);

/// The verifier of a code exchange: 43 to 128 unreserved characters.
#[derive(Clone)]
pub struct Verifier(String);

/// The likely reason why a verifier does not match a challenge, for the handshake log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VerifierMismatch {
    /// The challenge is the digest in hex.
    Hex,
    /// The challenge is the base64 of the digest's hex text.
    OfHex,
    /// The challenge is the verifier itself.
    Plain,
    /// The challenge is the digest in standard base64, or with padding.
    OtherBase64,
    /// The challenge belongs to another verifier.
    Other,
}

fn is_unreserved(text: &str) -> bool {
    (43..=128).contains(&text.len())
        && text.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'.' | b'_' | b'~'))
}

impl Challenge {
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        is_unreserved(text).then(|| Self(text.to_owned()))
    }

    /// Wraps a stored challenge without validation.
    #[must_use]
    pub const fn from_stored(text: String) -> Self {
        Self(text)
    }

    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether this is the challenge of `verifier`. Takes constant time.
    #[must_use]
    pub fn matches(&self, verifier: &Verifier) -> bool {
        let made = URL_SAFE_NO_PAD.encode(verifier.digest().as_bytes());
        self.0.as_bytes().ct_eq(made.as_bytes()).into()
    }

    /// Returns the likely mistake, for a verifier that does not match.
    #[must_use]
    pub fn mistake(&self, verifier: &Verifier) -> VerifierMismatch {
        let digest = verifier.digest();
        let hex = digest.hex();
        let looks = |texts: &[String]| texts.contains(&self.0);
        if self.0.eq_ignore_ascii_case(&hex) {
            VerifierMismatch::Hex
        } else if self.0 == verifier.0 {
            VerifierMismatch::Plain
        } else if looks(&[URL_SAFE_NO_PAD.encode(&hex), STANDARD_NO_PAD.encode(&hex)]) {
            VerifierMismatch::OfHex
        } else if looks(&[
            STANDARD.encode(digest.as_bytes()),
            STANDARD_NO_PAD.encode(digest.as_bytes()),
            URL_SAFE.encode(digest.as_bytes()),
        ]) {
            VerifierMismatch::OtherBase64
        } else {
            VerifierMismatch::Other
        }
    }
}

impl Verifier {
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        is_unreserved(text).then(|| Self(text.to_owned()))
    }

    /// Returns a verifier that stands in for a malformed one, so that checking both takes the same
    /// time.
    #[must_use]
    pub fn placeholder() -> Self {
        Self("~".repeat(43))
    }

    fn digest(&self) -> Digest {
        Digest::new(self.0.as_bytes())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The example of RFC 7636, appendix B.
    const VERIFIER: &str = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
    const CHALLENGE: &str = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";

    fn challenge(text: &str) -> Challenge {
        Challenge::parse(text).unwrap()
    }

    #[test]
    fn the_rfcs_example_holds() {
        let verifier = Verifier::parse(VERIFIER).unwrap();
        assert!(challenge(CHALLENGE).matches(&verifier));
        assert!(!challenge(VERIFIER).matches(&verifier));
        assert_eq!(challenge(CHALLENGE).as_str(), CHALLENGE);
    }

    #[test]
    fn common_mistakes_are_known() {
        let verifier = Verifier::parse(VERIFIER).unwrap();
        let hex = Digest::new(VERIFIER.as_bytes()).hex();
        assert_eq!(challenge(&hex).mistake(&verifier), VerifierMismatch::Hex);
        assert_eq!(challenge(VERIFIER).mistake(&verifier), VerifierMismatch::Plain);
        let of_hex = URL_SAFE_NO_PAD.encode(&hex);
        assert_eq!(challenge(&of_hex).mistake(&verifier), VerifierMismatch::OfHex);
        assert_eq!(challenge(&"a".repeat(43)).mistake(&verifier), VerifierMismatch::Other);
    }

    proptest::proptest! {
        #[test]
        fn what_is_unreserved_is_read_and_nothing_else(text in "[a-zA-Z0-9._~-]{40,131}|\\PC{43,50}") {
            let letters = text.bytes().all(|it| it.is_ascii_alphanumeric() || b"-._~".contains(&it));
            let right = letters && (43..=128).contains(&text.len());
            proptest::prop_assert_eq!(Challenge::parse(&text).is_some(), right);
            proptest::prop_assert_eq!(Verifier::parse(&text).is_some(), right);
            if let Some(verifier) = Verifier::parse(&text) {
                let challenge = Challenge::from_stored(URL_SAFE_NO_PAD.encode(Digest::new(text.as_bytes()).as_bytes()));
                proptest::prop_assert!(challenge.matches(&verifier));
                proptest::prop_assert!(!challenge.matches(&Verifier::placeholder()));
            }
        }
    }

    #[test]
    fn lengths_and_letters_are_those_of_the_rfc() {
        assert!(Verifier::parse(&"a".repeat(42)).is_none());
        assert!(Verifier::parse(&"a".repeat(128)).is_some());
        assert!(Verifier::parse(&"a".repeat(129)).is_none());
        assert!(Challenge::parse(&format!("{}=", "a".repeat(43))).is_none());
    }
}
