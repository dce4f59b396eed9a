//! Sealing: encryption of secrets in the database (`docs/security.md` 35) and of state that
//! browsers carry. The cipher is AES-256-GCM. The owner of a secret is authenticated with the
//! ciphertext (associated data), so a ciphertext that is moved to another owner cannot be opened.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ring::aead::{AES_256_GCM, Aad, LessSafeKey, NONCE_LEN, Nonce, UnboundKey};
use ring::hmac;
use std::fmt;
use std::sync::Arc;

/// The length of a key in bytes.
pub const KEY_BYTES: usize = 32;
/// The number of random bytes that each call of [`SealingKey::seal`] needs.
pub const NONCE_BYTES: usize = NONCE_LEN;

/// The key from the configuration, which encrypts secrets for storage. Cheap to clone.
#[derive(Clone)]
pub struct SealingKey(Arc<LessSafeKey>);

/// The error for data that was not sealed with this key for this owner.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a secret cannot be decrypted: it was encrypted with another key or for another owner")]
pub struct UnsealError;

/// The error for data that the cipher does not encrypt, because it is too long.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a secret cannot be encrypted: it is too long")]
pub struct SealError;

impl SealingKey {
    #[must_use]
    pub fn new(bytes: &[u8; KEY_BYTES]) -> Option<Self> {
        let key = UnboundKey::new(&AES_256_GCM, bytes).ok()?;
        Some(Self(Arc::new(LessSafeKey::new(key))))
    }

    /// Encrypts `secret` for `owner`. `nonce` must never have been used with this key.
    pub fn seal(
        &self,
        secret: &[u8],
        owner: &str,
        nonce: [u8; NONCE_BYTES],
    ) -> Result<Vec<u8>, SealError> {
        let mut sealed = secret.to_vec();
        let aad = Aad::from(owner.as_bytes());
        let nonce_used = Nonce::assume_unique_for_key(nonce);
        self.0.seal_in_place_append_tag(nonce_used, aad, &mut sealed).map_err(|_| SealError)?;
        Ok([nonce.as_slice(), &sealed].concat())
    }

    /// Decrypts data that was sealed for `owner`.
    pub fn open(&self, sealed: &[u8], owner: &str) -> Result<Vec<u8>, UnsealError> {
        let (nonce, rest) = sealed.split_first_chunk::<NONCE_BYTES>().ok_or(UnsealError)?;
        let mut rest = rest.to_vec();
        let nonce = Nonce::assume_unique_for_key(*nonce);
        let opened = self.0.open_in_place(nonce, Aad::from(owner.as_bytes()), &mut rest);
        opened.map(|bytes| bytes.to_vec()).map_err(|_| UnsealError)
    }
}

impl fmt::Debug for SealingKey {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("SealingKey(…)")
    }
}

/// The number of random bytes for sealing client state: the key is derived from one half, and the
/// other half is the nonce.
pub const CLIENT_STATE_ENTROPY: usize = 2 * NONCE_BYTES;
/// Maximum number of characters in sealed client state. A longer text is rejected before it is
/// decoded.
const MAX_CLIENT_STATE_LENGTH: usize = 8 * 1024;

/// The key that encrypts state for clients to carry in a form field, a cookie or a parameter. The
/// server then stores nothing for visitors who have not signed in.
///
/// A visitor can make the server seal state any number of times, and AES-GCM with random nonces is
/// safe for only 2^32 uses of a key. Each call therefore uses its own key, derived from random
/// bytes that are stored at the start of the result.
#[derive(Clone)]
pub struct ClientStateKey(hmac::Key);

impl ClientStateKey {
    #[must_use]
    pub fn new(bytes: &[u8]) -> Self {
        Self(hmac::Key::new(hmac::HMAC_SHA256, bytes))
    }

    /// Encrypts `state` for a `purpose`. The result is text for a URL, a form or a cookie.
    pub fn seal(
        &self,
        state: &[u8],
        purpose: &str,
        entropy: [u8; CLIENT_STATE_ENTROPY],
    ) -> Result<String, SealError> {
        let (salt, nonce) = entropy.split_first_chunk::<NONCE_BYTES>().ok_or(SealError)?;
        let nonce = nonce.try_into().map_err(|_| SealError)?;
        let key = self.derive(salt).ok_or(SealError)?;
        let sealed = key.seal(state, purpose, nonce)?;
        Ok(URL_SAFE_NO_PAD.encode([salt.as_slice(), &sealed].concat()))
    }

    /// Decrypts state that was sealed for this `purpose`.
    pub fn open(&self, text: &str, purpose: &str) -> Result<Vec<u8>, UnsealError> {
        if text.len() > MAX_CLIENT_STATE_LENGTH {
            return Err(UnsealError);
        }
        let bytes = URL_SAFE_NO_PAD.decode(text).map_err(|_| UnsealError)?;
        let (salt, sealed) = bytes.split_first_chunk::<NONCE_BYTES>().ok_or(UnsealError)?;
        self.derive(salt).ok_or(UnsealError)?.open(sealed, purpose)
    }

    fn derive(&self, salt: &[u8; NONCE_BYTES]) -> Option<SealingKey> {
        let derived = hmac::sign(&self.0, salt);
        SealingKey::new(derived.as_ref().try_into().ok()?)
    }
}

impl fmt::Debug for ClientStateKey {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("ClientStateKey(…)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clients_state_opens_for_its_purpose_and_unchanged() {
        let key = ClientStateKey::new(&[7; 32]);
        let sealed = key.seal(b"state", "authorize", [1; CLIENT_STATE_ENTROPY]).unwrap();
        assert_eq!(key.open(&sealed, "authorize").unwrap(), b"state");
        assert_eq!(key.open(&sealed, "device"), Err(UnsealError));
        assert_eq!(ClientStateKey::new(&[8; 32]).open(&sealed, "authorize"), Err(UnsealError));
        for place in 0..sealed.len() {
            let mut changed = sealed.clone();
            let letter = if sealed.as_bytes()[place] == b'A' { "B" } else { "A" };
            changed.replace_range(place..=place, letter);
            assert_eq!(key.open(&changed, "authorize"), Err(UnsealError), "{place}");
        }
        for other in ["", "A", "é", &"A".repeat(20_000)] {
            assert_eq!(key.open(other, "authorize"), Err(UnsealError));
        }
    }

    #[test]
    fn keys_are_never_printed() {
        let key = SealingKey::new(&[7; KEY_BYTES]).unwrap();
        assert_eq!(format!("{key:?}"), "SealingKey(…)");
        assert_eq!(format!("{:?}", ClientStateKey::new(&[7; 32])), "ClientStateKey(…)");
    }

    #[test]
    fn a_state_is_looked_at_up_to_its_bound() {
        let key = ClientStateKey::new(&[7; 32]);
        let sealed = |bytes| key.seal(&vec![1; bytes], "form", [1; CLIENT_STATE_ENTROPY]).unwrap();
        // Salt, nonce and tag take 40 bytes, and 6,144 bytes are 8,192 characters.
        assert_eq!(sealed(6_104).len(), MAX_CLIENT_STATE_LENGTH);
        assert_eq!(key.open(&sealed(6_104), "form").unwrap().len(), 6_104);
        assert_eq!(key.open(&sealed(6_105), "form"), Err(UnsealError));
    }

    proptest::proptest! {
        #[test]
        fn whatever_is_shown_opens_nothing(text in "[A-Za-z0-9_-]{0,120}|\\PC{0,40}", bytes: Vec<u8>) {
            proptest::prop_assert!(ClientStateKey::new(&[7; 32]).open(&text, "form").is_err());
            proptest::prop_assert!(SealingKey::new(&[7; 32]).unwrap().open(&bytes, "acc_1").is_err());
        }
    }

    #[test]
    fn a_secret_opens_for_its_owner_only() {
        let key = SealingKey::new(&[7; KEY_BYTES]).unwrap();
        let sealed = key.seal(b"EAAG", "acc_1", [1; NONCE_BYTES]).unwrap();
        assert!(!sealed.windows(4).any(|window| window == b"EAAG"));
        assert_eq!(key.open(&sealed, "acc_1").unwrap(), b"EAAG");
        assert_eq!(key.open(&sealed, "acc_2"), Err(UnsealError));
        let other = SealingKey::new(&[8; KEY_BYTES]).unwrap();
        assert_eq!(other.open(&sealed, "acc_1"), Err(UnsealError));
        let mut changed = sealed;
        *changed.last_mut().unwrap() ^= 1;
        assert_eq!(key.open(&changed, "acc_1"), Err(UnsealError));
        assert_eq!(key.open(&[1, 2], "acc_1"), Err(UnsealError));
    }
}
