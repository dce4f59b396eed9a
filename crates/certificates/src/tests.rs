//! Tests with certificates that are assembled here.

use super::der::{FIRST, INTEGER, OBJECT_ID, SEQUENCE, VERSION};
use super::{SignatureHash, public_key, signature_hash, validity};

const UTC_TIME: u8 = 0x17;
const GENERALIZED_TIME: u8 = 0x18;
const SHA256_WITH_RSA: [u8; 9] = [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x01, 0x0B];
const RSA_PSS: [u8; 9] = [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x01, 0x0A];
const SHA384: [u8; 9] = [0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x02, 0x02];
const ED25519: [u8; 3] = [0x2B, 0x65, 0x70];
const KEY: &[u8] = b"a key with its algorithm";

fn der(tag: u8, content: &[u8]) -> Vec<u8> {
    let length = content.len();
    let length = match u8::try_from(length) {
        Ok(length) if length < 128 => vec![length],
        Ok(length) => vec![0x81, length],
        Err(_) => vec![0x82, u8::try_from(length >> 8).unwrap(), length.to_le_bytes()[0]],
    };
    [&[tag], length.as_slice(), content].concat()
}

fn certificate(version: bool, end: &[u8], algorithm: &[u8]) -> Vec<u8> {
    let version = if version { der(VERSION, &der(INTEGER, &[2])) } else { Vec::new() };
    let validity = [der(UTC_TIME, b"250101000000Z"), end.to_vec()].concat();
    let about = [version, der(INTEGER, &[1]), der(SEQUENCE, &[]), der(SEQUENCE, &[0; 130])];
    let subject = [der(SEQUENCE, &validity), der(SEQUENCE, &[]), der(SEQUENCE, KEY)];
    let fields = [about.concat(), subject.concat()].concat();
    der(SEQUENCE, &[der(SEQUENCE, &fields), der(SEQUENCE, algorithm)].concat())
}

fn signed_with(algorithm: &[u8]) -> Vec<u8> {
    certificate(true, &der(UTC_TIME, b"261124221530Z"), algorithm)
}

fn end_of(certificate: &[u8]) -> Option<String> {
    validity(certificate).map(|it| it.ends.to_string())
}

#[test]
fn the_end_is_read_in_both_notations() {
    let end = |end: &[u8]| end_of(&certificate(true, end, &[]));
    let short = end(&der(UTC_TIME, b"261124221530Z"));
    assert_eq!(short.as_deref(), Some("2026-11-24T22:15:30.000Z"));
    let long = end(&der(GENERALIZED_TIME, b"20511231235959Z"));
    assert_eq!(long.as_deref(), Some("2051-12-31T23:59:59.000Z"));
    let first_version = certificate(false, &der(UTC_TIME, b"261124221530Z"), &[]);
    let validity = validity(&first_version).unwrap();
    assert_eq!(validity.begins.to_string(), "2025-01-01T00:00:00.000Z");
}

#[test]
fn the_key_is_taken_with_its_tag_and_length() {
    assert_eq!(public_key(&signed_with(&[])), Some(der(SEQUENCE, KEY).as_slice()));
}

#[test]
fn the_hash_is_that_of_the_signature() {
    let hash = |algorithm: &[u8]| signature_hash(&signed_with(algorithm));
    assert_eq!(hash(&der(OBJECT_ID, &SHA256_WITH_RSA)), Some(SignatureHash::Sha256));
    // An algorithm with a built-in hash, one with its hash in the parameters, and one with the
    // default hash.
    assert_eq!(hash(&der(OBJECT_ID, &ED25519)), None);
    let beside = der(SEQUENCE, &der(FIRST, &der(SEQUENCE, &der(OBJECT_ID, &SHA384))));
    let pss = |beside: &[u8]| [der(OBJECT_ID, &RSA_PSS), beside.to_vec()].concat();
    assert_eq!(hash(&pss(&beside)), Some(SignatureHash::Sha384));
    assert_eq!(hash(&pss(&der(SEQUENCE, &[]))), Some(SignatureHash::Broken));
}

#[test]
fn what_is_no_certificate_says_nothing() {
    let whole = signed_with(&der(OBJECT_ID, &SHA256_WITH_RSA));
    for end in 0..whole.len() {
        let part = &whole[..end];
        assert_eq!((validity(part), public_key(part), signature_hash(part)), (None, None, None));
    }
    for at in 0..whole.len() {
        for byte in [0, 0x7F, 0x80, 0x84, 0xFF] {
            let mut other = whole.clone();
            other[at] = byte;
            // Any result is fine, as long as nothing panics.
            let _ = (validity(&other), public_key(&other), signature_hash(&other));
        }
    }
    assert_eq!(end_of(&certificate(true, &der(UTC_TIME, b"2611242215Z"), &[])), None);
    assert_eq!(end_of(&certificate(true, &der(INTEGER, b"261124221530Z"), &[])), None);
}
