//! Elements of DER: tag, length and content.

pub const SEQUENCE: u8 = 0x30;
pub const INTEGER: u8 = 0x02;
pub const OBJECT_ID: u8 = 0x06;
/// The tags `[0]` of a certificate's version, and of the hash in the parameters of RSA-PSS.
pub const VERSION: u8 = 0xA0;
pub const FIRST: u8 = 0xA0;

/// Returns the content of an element with this tag, and the bytes after it.
pub fn expect(bytes: &[u8], wanted: u8) -> Option<(&[u8], &[u8])> {
    let (tag, content, rest) = element(bytes)?;
    (tag == wanted).then_some((content, rest))
}

/// Returns an element with this tag, including its tag and length.
pub fn whole(bytes: &[u8], wanted: u8) -> Option<&[u8]> {
    let (_, rest) = expect(bytes, wanted)?;
    bytes.get(..bytes.len() - rest.len())
}

/// Returns the tag and content of the first element, and the bytes after it.
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
