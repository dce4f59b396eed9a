//! With which hash a certificate was signed.

use crate::der::{FIRST, OBJECT_ID, SEQUENCE, element, expect};

/// A hash.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SignatureHash {
    /// MD5 or SHA-1, which nothing should be built on any more.
    Broken,
    /// SHA-256.
    Sha256,
    /// SHA-384.
    Sha384,
    /// SHA-512.
    Sha512,
}

/// Algorithms by their object ids: RSA (PKCS #1), ECDSA, and the hashes that are named beside RSA-PSS.
const KNOWN: [(&[u8], SignatureHash); 13] = [
    (&[0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x01, 0x04], SignatureHash::Broken),
    (&[0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x01, 0x05], SignatureHash::Broken),
    (&[0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x01, 0x0B], SignatureHash::Sha256),
    (&[0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x01, 0x0C], SignatureHash::Sha384),
    (&[0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x01, 0x0D], SignatureHash::Sha512),
    (&[0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x04, 0x01], SignatureHash::Broken),
    (&[0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x04, 0x03, 0x02], SignatureHash::Sha256),
    (&[0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x04, 0x03, 0x03], SignatureHash::Sha384),
    (&[0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x04, 0x03, 0x04], SignatureHash::Sha512),
    (&[0x2B, 0x0E, 0x03, 0x02, 0x1A], SignatureHash::Broken),
    (&[0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x02, 0x01], SignatureHash::Sha256),
    (&[0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x02, 0x02], SignatureHash::Sha384),
    (&[0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x02, 0x03], SignatureHash::Sha512),
];
/// RSA-PSS, whose hash stands in what goes with it; SHA-1 where none does.
const RSA_PSS: &[u8] = &[0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x01, 0x0A];

/// The hash that a certificate was signed with; none where that is another, or where the algorithm has none of its own (Ed25519).
#[must_use]
pub fn signature_hash(certificate: &[u8]) -> Option<SignatureHash> {
    let (certificate, _) = expect(certificate, SEQUENCE)?;
    let (_, after_fields) = expect(certificate, SEQUENCE)?;
    let (algorithm, _) = expect(after_fields, SEQUENCE)?;
    let (id, parameters) = expect(algorithm, OBJECT_ID)?;
    if id != RSA_PSS {
        return known(id);
    }
    let (parameters, _) = expect(parameters, SEQUENCE)?;
    match element(parameters) {
        Some((FIRST, hash, _)) => {
            let (hash, _) = expect(hash, SEQUENCE)?;
            known(expect(hash, OBJECT_ID)?.0)
        }
        _ => Some(SignatureHash::Broken),
    }
}

fn known(id: &[u8]) -> Option<SignatureHash> {
    KNOWN.iter().find(|(it, _)| *it == id).map(|(_, hash)| *hash)
}
