//! Reads facts of X.509 certificates (RFC 5280) that rustls does not expose, and reads certificate
//! and key files. Nothing here verifies a certificate.

pub mod pair;

use domain::time::Timestamp;
use x509_parser::certificate::X509Certificate;
use x509_parser::der_parser::Oid;
use x509_parser::oid_registry::{
    OID_HASH_SHA1, OID_NIST_HASH_SHA256, OID_NIST_HASH_SHA384, OID_NIST_HASH_SHA512,
    OID_PKCS1_MD5WITHRSAENC, OID_PKCS1_RSASSAPSS, OID_PKCS1_SHA1WITHRSA, OID_PKCS1_SHA256WITHRSA,
    OID_PKCS1_SHA384WITHRSA, OID_PKCS1_SHA512WITHRSA, OID_SIG_ECDSA_WITH_SHA256,
    OID_SIG_ECDSA_WITH_SHA384, OID_SIG_ECDSA_WITH_SHA512,
};
use x509_parser::prelude::FromDer as _;
use x509_parser::signature_algorithm::RsaSsaPssParams;

/// The hash algorithm of a signature.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SignatureHash {
    /// MD5 or SHA-1.
    Broken,
    Sha256,
    Sha384,
    Sha512,
}

/// The first and the last moment at which a certificate is valid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Validity {
    /// `notBefore`.
    pub begins: Timestamp,
    /// `notAfter`.
    pub ends: Timestamp,
}

fn parse(certificate: &[u8]) -> Option<X509Certificate<'_>> {
    X509Certificate::from_der(certificate).ok().map(|(_, certificate)| certificate)
}

/// Returns the period in which a certificate is valid, or `None` if the certificate cannot be
/// parsed.
#[must_use]
pub fn validity(certificate: &[u8]) -> Option<Validity> {
    let certificate = parse(certificate)?;
    let validity = certificate.validity();
    Some(Validity {
        begins: Timestamp::from_seconds(validity.not_before.timestamp()),
        ends: Timestamp::from_seconds(validity.not_after.timestamp()),
    })
}

/// Returns the DER of the public key with its algorithm (`SubjectPublicKeyInfo`), or `None` if the
/// certificate cannot be parsed.
#[must_use]
pub fn public_key(certificate: &[u8]) -> Option<&[u8]> {
    Some(parse(certificate)?.tbs_certificate.subject_pki.raw)
}

/// Returns the hash algorithm of a certificate's signature. Returns `None` for a signature
/// algorithm without a separate hash, such as Ed25519, and for an unknown one.
#[must_use]
pub fn signature_hash(certificate: &[u8]) -> Option<SignatureHash> {
    let certificate = parse(certificate)?;
    let algorithm = &certificate.signature_algorithm;
    if algorithm.algorithm != OID_PKCS1_RSASSAPSS {
        return hash_of(&algorithm.algorithm);
    }
    let parameters = RsaSsaPssParams::try_from(algorithm.parameters.as_ref()?).ok()?;
    hash_of(parameters.hash_algorithm_oid())
}

/// Returns the hash algorithm that an object id names, alone or as part of a signature algorithm.
fn hash_of(id: &Oid<'_>) -> Option<SignatureHash> {
    let hash_algorithms = [
        (OID_PKCS1_MD5WITHRSAENC, SignatureHash::Broken),
        (OID_PKCS1_SHA1WITHRSA, SignatureHash::Broken),
        (OID_PKCS1_SHA256WITHRSA, SignatureHash::Sha256),
        (OID_PKCS1_SHA384WITHRSA, SignatureHash::Sha384),
        (OID_PKCS1_SHA512WITHRSA, SignatureHash::Sha512),
        (x509_parser::der_parser::oid!(1.2.840.10045.4.1), SignatureHash::Broken),
        (OID_SIG_ECDSA_WITH_SHA256, SignatureHash::Sha256),
        (OID_SIG_ECDSA_WITH_SHA384, SignatureHash::Sha384),
        (OID_SIG_ECDSA_WITH_SHA512, SignatureHash::Sha512),
        (OID_HASH_SHA1, SignatureHash::Broken),
        (OID_NIST_HASH_SHA256, SignatureHash::Sha256),
        (OID_NIST_HASH_SHA384, SignatureHash::Sha384),
        (OID_NIST_HASH_SHA512, SignatureHash::Sha512),
    ];
    hash_algorithms.into_iter().find(|(known, _)| known == id).map(|(_, hash)| hash)
}

#[cfg(test)]
mod tests {
    use super::*;

    const RSA: &[u8] = include_bytes!("fixtures/rsa_sha256.der");
    const VERSION_1: &[u8] = include_bytes!("fixtures/version1.der");
    const ECDSA: &[u8] = include_bytes!("fixtures/ecdsa_sha384.der");
    const ED25519: &[u8] = include_bytes!("fixtures/ed25519.der");
    const PSS: &[u8] = include_bytes!("fixtures/rsa_pss_sha384.der");
    const SHA512: &[u8] = include_bytes!("fixtures/rsa_sha512.der");
    const SHA1: &[u8] = include_bytes!("fixtures/rsa_sha1.der");

    #[test]
    fn validity_is_read_in_both_notations_of_time() {
        let ends = |certificate| validity(certificate).unwrap().ends.to_string();
        assert_eq!(ends(RSA), "2026-11-24T22:15:30.000Z");
        // From 2050 on, certificates write the year with four digits.
        assert_eq!(ends(ECDSA), "2051-12-31T23:59:59.000Z");
        assert_eq!(validity(RSA).unwrap().begins.to_string(), "2025-01-01T00:00:00.000Z");
        assert!(validity(VERSION_1).is_some());
    }

    #[test]
    fn the_public_key_is_part_of_the_certificate() {
        for certificate in [RSA, VERSION_1, ECDSA, ED25519] {
            let key = public_key(certificate).unwrap();
            assert!(certificate.windows(key.len()).any(|part| part == key) && key[0] == 0x30);
        }
    }

    #[test]
    fn the_hash_is_that_of_the_signature() {
        assert_eq!(signature_hash(RSA), Some(SignatureHash::Sha256));
        assert_eq!(signature_hash(VERSION_1), Some(SignatureHash::Sha256));
        assert_eq!(signature_hash(SHA512), Some(SignatureHash::Sha512));
        assert_eq!(signature_hash(ECDSA), Some(SignatureHash::Sha384));
        assert_eq!(signature_hash(PSS), Some(SignatureHash::Sha384));
        assert_eq!(signature_hash(SHA1), Some(SignatureHash::Broken));
        assert_eq!(signature_hash(ED25519), None);
    }

    #[test]
    fn bytes_that_are_no_certificate_give_nothing_and_do_not_panic() {
        for end in 0..RSA.len() {
            let part = &RSA[..end];
            assert_eq!(validity(part), None);
            assert_eq!(public_key(part), None);
            assert_eq!(signature_hash(part), None);
        }
        for at in 0..RSA.len() {
            for byte in [0, 0x7F, 0x80, 0x84, 0xFF] {
                let mut other = RSA.to_vec();
                other[at] = byte;
                let _ = (validity(&other), public_key(&other), signature_hash(&other));
            }
        }
    }
}
