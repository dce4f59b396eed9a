//! Certificates: what one says of itself, read from its DER (RFC 5280 4.1) as far as no library here tells, and files of a
//! certificate with its key. Nothing is verified.

mod der;
pub mod pair;
mod signature;
mod validity;

pub use signature::{SignatureHash, signature_hash};
pub use validity::{Validity, validity};

use der::{INTEGER, SEQUENCE, VERSION, expect, whole};

/// Where in a certificate something is that is asked for.
struct Fields<'a> {
    validity: &'a [u8],
    after_validity: &'a [u8],
}

/// The fields of a certificate that is to be signed.
fn fields(certificate: &[u8]) -> Option<Fields<'_>> {
    let (certificate, _) = expect(certificate, SEQUENCE)?;
    let (mut rest, _) = expect(certificate, SEQUENCE)?;
    if let Some((_, after)) = expect(rest, VERSION) {
        rest = after;
    }
    // Serial number, algorithm, issuer.
    for tag in [INTEGER, SEQUENCE, SEQUENCE] {
        (_, rest) = expect(rest, tag)?;
    }
    let (validity, after_validity) = expect(rest, SEQUENCE)?;
    Some(Fields { validity, after_validity })
}

/// The public key with its algorithm (`SubjectPublicKeyInfo`), as it stands there; none if it is not to be found.
#[must_use]
pub fn public_key(certificate: &[u8]) -> Option<&[u8]> {
    let (_, rest) = expect(fields(certificate)?.after_validity, SEQUENCE)?;
    whole(rest, SEQUENCE)
}

#[cfg(test)]
mod tests;
