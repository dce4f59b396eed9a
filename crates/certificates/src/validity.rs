//! The validity of a certificate.

use crate::der::element;
use crate::fields;
use domain::time::Timestamp;

const UTC_TIME: u8 = 0x17;
const GENERALIZED_TIME: u8 = 0x18;

/// The validity period, including both ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Validity {
    /// The `notBefore` time.
    pub begins: Timestamp,
    /// The `notAfter` time.
    pub ends: Timestamp,
}

/// Returns a certificate's validity, or nothing if the certificate cannot be parsed.
#[must_use]
pub fn validity(certificate: &[u8]) -> Option<Validity> {
    let (begin, begins, rest) = element(fields(certificate)?.validity)?;
    let (end, ends, _) = element(rest)?;
    let time = |tag, text| time(tag, std::str::from_utf8(text).ok()?);
    Some(Validity { begins: time(begin, begins)?, ends: time(end, ends)? })
}

/// Parses `YYMMDDHHMMSSZ`, where 50 to 99 are 1950 to 1999, or `YYYYMMDDHHMMSSZ`.
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
