//! Ids like those of the program: `UUIDv7`s with the time of the row, and their text form in the
//! API.
//!
//! The random bits are derived from the row's kind and number, so a row that refers to another one
//! knows its id without reading it.

/// An id as it is stored: 16 bytes.
pub type Id = [u8; 16];

/// The kind of a row. Rows of different kinds never share their random bits.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// An organization other than the filled one.
    Organization = 1,
    Key,
    Application,
    Connection,
    ConnectionKey,
    Contact,
    Conversation,
    Message,
    Template,
    /// The review result of a template.
    Verdict,
    Endpoint,
    Delivery,
}

/// Microseconds in a millisecond, the resolution of the time in an id.
const MILLI: i64 = 1000;

/// Returns the id of row number `n` of a kind, created at the microsecond `at`.
pub fn id(kind: Kind, n: i64, at: i64) -> Id {
    let (high, low) = bits(kind, n);
    assemble(at, high, low)
}

/// Returns the id of an event like `domain::event::event_id`.
pub fn event_id(at: i64, subject: &Id, sequence: i64) -> Id {
    let subject = u128::from_be_bytes(*subject);
    let bits = subject ^ u128::from(sequence.cast_unsigned());
    let [.., high_0, high_1, l0, l1, l2, l3, l4, l5, l6, l7] = bits.to_be_bytes();
    let high = u64::from(u16::from_be_bytes([high_0, high_1]));
    assemble(at, high, u64::from_be_bytes([l0, l1, l2, l3, l4, l5, l6, l7]))
}

/// Returns pseudorandom bits for row number `n` of a kind.
pub fn bits(kind: Kind, n: i64) -> (u64, u64) {
    let seed = ((kind as u64) << 56) | n.cast_unsigned();
    (mix(seed), mix(seed ^ 0x5bd1_e995_0000_0000))
}

/// Returns 32 pseudorandom bytes in place of a digest for row number `n` of a kind.
pub fn digest(kind: Kind, n: i64) -> [u8; 32] {
    let (one, two) = bits(kind, n);
    let mut digest = [0; 32];
    let words = [one, two, mix(one), mix(two)];
    for (place, word) in digest.chunks_exact_mut(8).zip(words) {
        place.copy_from_slice(&word.to_be_bytes());
    }
    digest
}

/// Formats an id as the API shows it (a `TypeID`).
pub fn typed(prefix: &str, id: &Id) -> String {
    const ALPHABET: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";
    let value = u128::from_be_bytes(*id);
    let digits = (0..26).rev().map(|place| {
        let digit = usize::from((value >> (5 * place)).to_le_bytes()[0] & 31);
        char::from(ALPHABET.get(digit).copied().unwrap_or(b'0'))
    });
    std::iter::once(prefix).map(str::to_owned).chain(["_".to_owned()]).collect::<String>()
        + &digits.collect::<String>()
}

/// Parses an id in the API's form. Returns `None` if it is malformed.
pub fn parse(text: &str) -> Option<Id> {
    const ALPHABET: &str = "0123456789abcdefghjkmnpqrstvwxyz";
    let (_, digits) = text.rsplit_once('_')?;
    if digits.len() != 26 {
        return None;
    }
    let mut value: u128 = 0;
    for digit in digits.chars() {
        value = (value << 5) | u128::from(u32::try_from(ALPHABET.find(digit)?).ok()?);
    }
    Some(value.to_be_bytes())
}

/// Returns digits of base 62 in place of a client id's.
pub fn base62(kind: Kind, n: i64, digits: usize) -> String {
    const ALPHABET: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
    let (high, low) = bits(kind, n);
    let mut rest = (u128::from(high) << 64) | u128::from(low);
    let mut text = String::with_capacity(digits);
    for _ in 0..digits {
        let digit = usize::from((rest % 62).to_le_bytes()[0]);
        text.push(char::from(ALPHABET.get(digit).copied().unwrap_or(b'0')));
        rest /= 62;
    }
    text
}

/// Assembles a UUIDv7 (RFC 9562 section 5.7): 48 bits of milliseconds, the version, 12 bits, the
/// variant, 62 bits.
fn assemble(at: i64, high: u64, low: u64) -> Id {
    let millis = (at / MILLI).cast_unsigned();
    let high = (millis << 16) | 0x7000 | (high & 0x0fff);
    let low = (low & 0x3fff_ffff_ffff_ffff) | 0x8000_0000_0000_0000;
    ((u128::from(high) << 64) | u128::from(low)).to_be_bytes()
}

/// Mixes bits with `SplitMix64`'s finalizer: each input bit changes about half of the output bits.
const fn mix(seed: u64) -> u64 {
    let mut bits = seed.wrapping_add(0x9e37_79b9_7f4a_7c15);
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    bits ^ (bits >> 31)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    fn hex(id: &Id) -> String {
        format!("{:032X}", u128::from_be_bytes(*id))
    }

    #[test]
    fn an_event_has_the_id_that_the_program_gives_it() {
        // Rows that a server has written.
        let subject = 0x01A2_0886_AA81_7FC8_8471_7411_963F_57CC_u128.to_be_bytes();
        let at = i64::from_str_radix("01A20886AAF4", 16).unwrap() * 1000;
        assert_eq!(hex(&event_id(at, &subject, 6)), "01A20886AAF47FC884717411963F57CA");
    }

    #[test]
    fn ids_follow_the_specification_and_are_read_back() {
        let id = 0x0188_bac7_4afa_78aa_bc3b_bd1e_ef28_d881_u128.to_be_bytes();
        assert_eq!(typed("msg", &id), "msg_01h2xcejqtf2nbrexx3vqjhp41");
        assert_eq!(parse("msg_01h2xcejqtf2nbrexx3vqjhp41"), Some(id));
        assert_eq!(parse("msg_"), None);
        let id = super::id(Kind::Message, 7, 1_795_439_372_929_634);
        assert_eq!(&hex(&id)[..13], "01A20886AA817");
        assert!(matches!(id[8], 0x80..=0xbf));
    }

    #[test]
    fn ids_of_one_millisecond_differ() {
        let of = |kind| (0..10_000).map(move |n| id(kind, n, 1_000));
        let all: BTreeSet<Id> = of(Kind::Message).chain(of(Kind::Delivery)).collect();
        assert_eq!(all.len(), 20_000);
    }
}
