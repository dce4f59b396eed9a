//! The hash of a certificate's signature.

use crate::der::{FIRST, OBJECT_ID, SEQUENCE, element, expect};

/// The hash function of a signature.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SignatureHash {
    /// MD5 or SHA-1, which are not secure.
    Broken,
    Sha256,
    Sha384,
    Sha512,
}

/// The object ids of signature algorithms: RSA (PKCS #1), ECDSA, and the hashes in the parameters
/// of RSA-PSS.
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
/// The object id of RSA-PSS. Its hash is in the parameters, and SHA-1 if they name none.
const RSA_PSS: &[u8] = &[0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x01, 0x0A];

/// Returns the hash of a certificate's signature, or nothing for an unknown hash and for an
/// algorithm without a separate hash (Ed25519).
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
