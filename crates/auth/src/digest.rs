//! SHA-256 digests, and their comparison in constant time.

use subtle::ConstantTimeEq;

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Digest([u8; 32]);

impl Digest {
    /// Computes the digest of `bytes`.
    #[must_use]
    pub fn new(bytes: &[u8]) -> Self {
        let digest = ring::digest::digest(&ring::digest::SHA256, bytes);
        let mut out = [0; 32];
        out.copy_from_slice(digest.as_ref());
        Self(out)
    }

    /// Compares stored bytes with this digest, in constant time.
    #[must_use]
    pub fn matches(&self, stored: &[u8]) -> bool {
        self.0.as_slice().ct_eq(stored).into()
    }

    /// Returns the digest in hex.
    #[must_use]
    pub fn hex(&self) -> String {
        hex(&self.0)
    }

    #[must_use]
    pub const fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

/// Computes a digest piece by piece.
#[derive(Clone)]
pub struct DigestBuilder(ring::digest::Context);

impl Default for DigestBuilder {
    fn default() -> Self {
        Self(ring::digest::Context::new(&ring::digest::SHA256))
    }
}

impl DigestBuilder {
    /// Adds the next piece.
    pub fn update(&mut self, piece: &[u8]) {
        self.0.update(piece);
    }

    /// Returns the digest of all pieces.
    #[must_use]
    pub fn finish(self) -> Digest {
        let mut out = [0; 32];
        out.copy_from_slice(self.0.finish().as_ref());
        Digest(out)
    }
}

impl std::fmt::Debug for Digest {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str("Digest(…)")
    }
}

#[must_use]
pub fn hex(bytes: &[u8]) -> String {
    let digits = bytes.iter().flat_map(|byte| [byte >> 4, byte & 15]);
    digits.filter_map(|digit| char::from_digit(digit.into(), 16)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_digest_matches_its_own_bytes_only() {
        let digest = Digest::new(b"abc");
        // FIPS 180-2, appendix B.1.
        let known = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(digest.hex(), known);
        assert_eq!(hex(digest.as_bytes()), known);
        assert!(digest.matches(digest.as_bytes()));
        let mut other = *digest.as_bytes();
        other[31] ^= 1;
        assert!(!digest.matches(&other) && !digest.matches(&other[..31]) && !digest.matches(&[]));
        assert_eq!(format!("{digest:?}"), "Digest(…)");
    }

    #[test]
    fn pieces_have_the_digest_of_the_whole() {
        let mut pieces = DigestBuilder::default();
        for piece in [&b"a"[..], b"", b"bc"] {
            pieces.update(piece);
        }
        assert!(pieces.finish() == Digest::new(b"abc"));
    }
}
