//! Secrets that have to be used again, sealed for the database (`security.md` 35): AES-256-GCM, and
//! what a secret belongs to is part of the seal, so that none can be put in another's place.

use ring::aead::{AES_256_GCM, Aad, LessSafeKey, NONCE_LEN, Nonce, UnboundKey};
use std::fmt;
use std::sync::Arc;

/// The bytes of a key.
pub const KEY_BYTES: usize = 32;
/// The fresh entropy that each sealing takes.
pub const NONCE_BYTES: usize = NONCE_LEN;

/// The key that seals; from the configuration. Cheap to clone.
#[derive(Clone)]
pub struct SealingKey(Arc<LessSafeKey>);

/// Something that this key did not seal for this owner.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a secret cannot be opened: it was sealed with another key, or for something else")]
pub struct NotOurs;

impl SealingKey {
    /// The key with these bytes.
    #[must_use]
    pub fn new(bytes: &[u8; KEY_BYTES]) -> Option<Self> {
        let key = UnboundKey::new(&AES_256_GCM, bytes).ok()?;
        Some(Self(Arc::new(LessSafeKey::new(key))))
    }

    /// Seals `secret` for `owner`; `nonce` must never have been used before.
    pub fn seal(
        &self,
        secret: &[u8],
        owner: &str,
        nonce: [u8; NONCE_BYTES],
    ) -> Result<Vec<u8>, NotOurs> {
        let mut sealed = secret.to_vec();
        let aad = Aad::from(owner.as_bytes());
        let nonce_used = Nonce::assume_unique_for_key(nonce);
        self.0.seal_in_place_append_tag(nonce_used, aad, &mut sealed).map_err(|_| NotOurs)?;
        Ok([nonce.as_slice(), &sealed].concat())
    }

    /// Opens what was sealed for `owner`.
    pub fn open(&self, sealed: &[u8], owner: &str) -> Result<Vec<u8>, NotOurs> {
        let (nonce, rest) = sealed.split_first_chunk::<NONCE_BYTES>().ok_or(NotOurs)?;
        let mut rest = rest.to_vec();
        let nonce = Nonce::assume_unique_for_key(*nonce);
        let opened = self.0.open_in_place(nonce, Aad::from(owner.as_bytes()), &mut rest);
        opened.map(|bytes| bytes.to_vec()).map_err(|_| NotOurs)
    }
}

impl fmt::Debug for SealingKey {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("SealingKey(…)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_opens_for_its_owner_only() {
        let key = SealingKey::new(&[7; KEY_BYTES]).unwrap();
        let sealed = key.seal(b"EAAG", "acc_1", [1; NONCE_BYTES]).unwrap();
        assert!(!sealed.windows(4).any(|window| window == b"EAAG"));
        assert_eq!(key.open(&sealed, "acc_1").unwrap(), b"EAAG");
        assert_eq!(key.open(&sealed, "acc_2"), Err(NotOurs));
        let other = SealingKey::new(&[8; KEY_BYTES]).unwrap();
        assert_eq!(other.open(&sealed, "acc_1"), Err(NotOurs));
        let mut changed = sealed;
        *changed.last_mut().unwrap() ^= 1;
        assert_eq!(key.open(&changed, "acc_1"), Err(NotOurs));
        assert_eq!(key.open(&[1, 2], "acc_1"), Err(NotOurs));
    }
}
