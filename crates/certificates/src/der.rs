//! Elements of DER: a tag, a length, a content.

pub const SEQUENCE: u8 = 0x30;
pub const INTEGER: u8 = 0x02;
pub const OBJECT_ID: u8 = 0x06;
/// The version of a certificate, and the hash in what goes with an algorithm.
pub const VERSION: u8 = 0xA0;
pub const FIRST: u8 = 0xA0;

/// The content of an element with this tag, and what follows it.
pub fn expect(bytes: &[u8], wanted: u8) -> Option<(&[u8], &[u8])> {
    let (tag, content, rest) = element(bytes)?;
    (tag == wanted).then_some((content, rest))
}

/// The bytes of an element with this tag, with tag and length.
pub fn whole(bytes: &[u8], wanted: u8) -> Option<&[u8]> {
    let (_, rest) = expect(bytes, wanted)?;
    bytes.get(..bytes.len() - rest.len())
}

/// An element: its tag, its content, and what follows it.
pub fn element(bytes: &[u8]) -> Option<(u8, &[u8], &[u8])> {
    let (&tag, bytes) = bytes.split_first()?;
    let (&first, mut bytes) = bytes.split_first()?;
    let mut length = usize::from(first);
    if first & 0x80 != 0 {
        let (digits, rest) = bytes.split_at_checked(usize::from(first & 0x7F))?;
        if digits.len() > 4 {
            return None;
        }
        length = digits.iter().fold(0, |length, digit| length << 8 | usize::from(*digit));
        bytes = rest;
    }
    let (content, rest) = bytes.split_at_checked(length)?;
    Some((tag, content, rest))
}
