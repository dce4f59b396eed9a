//! Certificates: fields that no library here exposes, parsed from DER (RFC 5280 section 4.1), and
//! files with a certificate and its key. Nothing is verified.

mod der;
pub mod pair;
mod signature;
mod validity;

pub use signature::{SignatureHash, signature_hash};
pub use validity::{Validity, validity};

use der::{INTEGER, SEQUENCE, VERSION, expect, whole};

/// The parts of a certificate that this crate parses.
struct Fields<'a> {
    validity: &'a [u8],
    after_validity: &'a [u8],
}

/// Parses the certificate's `TBSCertificate`.
fn fields(certificate: &[u8]) -> Option<Fields<'_>> {
    let (certificate, _) = expect(certificate, SEQUENCE)?;
    let (mut rest, _) = expect(certificate, SEQUENCE)?;
    if let Some((_, after)) = expect(rest, VERSION) {
        rest = after;
    }
    // Skip the serial number, the algorithm and the issuer.
    for tag in [INTEGER, SEQUENCE, SEQUENCE] {
        (_, rest) = expect(rest, tag)?;
    }
    let (validity, after_validity) = expect(rest, SEQUENCE)?;
    Some(Fields { validity, after_validity })
}

/// Returns the public key with its algorithm (`SubjectPublicKeyInfo`) in DER, or nothing if the
/// certificate cannot be parsed.
#[must_use]
pub fn public_key(certificate: &[u8]) -> Option<&[u8]> {
    let (_, rest) = expect(fields(certificate)?.after_validity, SEQUENCE)?;
    whole(rest, SEQUENCE)
}

#[cfg(test)]
mod tests;
