//! Client ids and secrets (`docs/contract.md#credentials`).

use crate::digest::Digest;
use std::fmt;

const BASE62: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const CLIENT_ID_DIGITS: usize = 22;
const SECRET_PREFIX: &str = "sws_";
const SECRET_DIGITS: usize = 43;
const CHECKSUM_DIGITS: usize = 6;

/// The kind of object that a client id belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Holder {
    /// An API key; the prefix is `swk_`.
    Key,
    /// An application; the prefix is `swa_`.
    Application,
}

impl Holder {
    #[must_use]
    pub const fn prefix(self) -> &'static str {
        match self {
            Self::Key => "swk_",
            Self::Application => "swa_",
        }
    }
}

/// Creates a client id of 128 random bits.
#[must_use]
pub fn client_id(holder: Holder, entropy: [u8; 16]) -> String {
    let mut id = holder.prefix().to_owned();
    id.push_str(&base62(&entropy, CLIENT_ID_DIGITS));
    id
}

/// Whether `text` is a well-formed client id of `holder`. Others need not be looked up.
#[must_use]
pub fn is_client_id(holder: Holder, text: &str) -> bool {
    text.strip_prefix(holder.prefix()).is_some_and(|digits| {
        digits.len() == CLIENT_ID_DIGITS && digits.bytes().all(|b| b.is_ascii_alphanumeric())
    })
}

/// A client secret. It is shown once, and only its digest is stored. `Debug` does not print it.
///
/// The format is `sws_`, 43 base62 digits (256 bits), and 6 more digits with the CRC-32 of the
/// preceding characters, like GitHub's tokens. Secret scanners recognize the format, and a mistyped
/// secret is rejected without a lookup.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

/// The text is not a secret of this service.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not a secret of this service")]
pub struct InvalidSecret;

impl Secret {
    /// Creates the secret from 256 random bits.
    #[must_use]
    pub fn new(entropy: [u8; 32]) -> Self {
        let mut text = SECRET_PREFIX.to_owned();
        text.push_str(&base62(&entropy, SECRET_DIGITS));
        text.push_str(&checksum(&text));
        Self(text)
    }

    /// Parses a secret that a client sent.
    pub fn parse(text: &str) -> Result<Self, InvalidSecret> {
        let whole = SECRET_PREFIX.len() + SECRET_DIGITS;
        let (body, sum) = text.split_at_checked(whole).ok_or(InvalidSecret)?;
        let digits = body.strip_prefix(SECRET_PREFIX).ok_or(InvalidSecret)?;
        if digits.bytes().all(|b| b.is_ascii_alphanumeric()) && checksum(body) == sum {
            Ok(Self(text.to_owned()))
        } else {
            Err(InvalidSecret)
        }
    }

    /// Returns the digest, which is what the server stores.
    #[must_use]
    pub fn digest(&self) -> Digest {
        Digest::new(self.0.as_bytes())
    }

    /// Returns the secret in plain text, to show it once.
    #[must_use]
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("Secret(…)")
    }
}

fn checksum(text: &str) -> String {
    base62(&crc32fast::hash(text.as_bytes()).to_be_bytes(), CHECKSUM_DIGITS)
}

/// Encodes a big-endian number in a fixed number of base62 digits.
pub(crate) fn base62(number: &[u8], digits: usize) -> String {
    let mut rest = number.to_vec();
    let mut out = vec![b'0'; digits];
    for digit in out.iter_mut().rev() {
        let mut remainder = 0_u32;
        for byte in &mut rest {
            let dividend = remainder * 256 + u32::from(*byte);
            // The remainder is below 62, so the quotient is below 256.
            [*byte, ..] = (dividend / 62).to_le_bytes();
            remainder = dividend % 62;
        }
        #[expect(clippy::indexing_slicing, reason = "a remainder of 62 names one of 62 letters")]
        let letter = BASE62[remainder as usize];
        *digit = letter;
    }
    out.into_iter().map(char::from).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_looks_are_those_of_the_contract() {
        let secret = Secret::new([255; 32]);
        assert_eq!(secret.reveal().len(), 4 + 43 + 6);
        assert_eq!(client_id(Holder::Key, [255; 16]).len(), 4 + 22);
        assert!(is_client_id(Holder::Key, &client_id(Holder::Key, [7; 16])));
        assert!(!is_client_id(Holder::Application, &client_id(Holder::Key, [7; 16])));
        for other in [
            "swk_",
            "swk_0123456789012345678901-",
            "swk_012345678901234567890",
            "swk_01234567890123456789-_",
        ] {
            assert!(!is_client_id(Holder::Key, other), "{other}");
        }
        assert_eq!(format!("{secret:?}"), "Secret(…)");
    }

    #[test]
    fn base62_counts() {
        assert_eq!(base62(&[0], 3), "000");
        assert_eq!(base62(&[61], 2), "0z");
        assert_eq!(base62(&[1, 0], 2), "48");
    }

    proptest! {
        #[test]
        fn a_mistyped_secret_is_refused(entropy: [u8; 32], place in 4_usize..53, letter in "[0-9A-Za-z]") {
            let secret = Secret::new(entropy);
            prop_assert_eq!(Secret::parse(secret.reveal()), Ok(secret.clone()));
            let mut typed = secret.reveal().to_owned();
            typed.replace_range(place..=place, &letter);
            prop_assert_eq!(Secret::parse(&typed).is_ok(), typed == secret.reveal());
        }

        #[test]
        fn anything_else_is_refused_without_panic(text in "(sw[ska]_)?[0-9A-Za-z]{20,50}\\PC{0,3}|.*") {
            prop_assert!(Secret::parse(&text).is_err());
            for holder in [Holder::Key, Holder::Application] {
                let digits = text.strip_prefix(holder.prefix()).unwrap_or_default();
                let right = digits.len() == CLIENT_ID_DIGITS && digits.bytes().all(|it| it.is_ascii_alphanumeric());
                prop_assert_eq!(is_client_id(holder, &text), right);
            }
        }
    }
}
