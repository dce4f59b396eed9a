//! From when until when a certificate is valid.

use crate::der::element;
use crate::fields;
use domain::time::Timestamp;

const UTC_TIME: u8 = 0x17;
const GENERALIZED_TIME: u8 = 0x18;

/// From when until when, both included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Validity {
    /// `notBefore`.
    pub begins: Timestamp,
    /// `notAfter`.
    pub ends: Timestamp,
}

/// When a certificate is valid; none if that is not to be found.
#[must_use]
pub fn validity(certificate: &[u8]) -> Option<Validity> {
    let (begin, begins, rest) = element(fields(certificate)?.validity)?;
    let (end, ends, _) = element(rest)?;
    let time = |tag, text| time(tag, std::str::from_utf8(text).ok()?);
    Some(Validity { begins: time(begin, begins)?, ends: time(end, ends)? })
}

/// `YYMMDDHHMMSSZ`, in which 50 is 1950, or `YYYYMMDDHHMMSSZ`.
fn time(tag: u8, text: &str) -> Option<Timestamp> {
    let text = text.strip_suffix('Z').filter(|it| it.bytes().all(|it| it.is_ascii_digit()))?;
    let text = match tag {
        UTC_TIME if text < "50" => format!("20{text}"),
        UTC_TIME => format!("19{text}"),
        GENERALIZED_TIME => text.to_owned(),
        _ => return None,
    };
    let (year, text) = text.split_at_checked(4)?;
    let pairs: Vec<&str> =
        text.as_bytes().chunks(2).filter_map(|it| std::str::from_utf8(it).ok()).collect();
    let [month, day, hour, minute, second] = pairs.as_slice() else { return None };
    Timestamp::chosen(&format!("{year}-{month}-{day}T{hour}:{minute}:{second}"))
}
