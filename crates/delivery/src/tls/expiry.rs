//! When a certificate ends, read from its DER (RFC 5280 4.1).

use domain::time::Timestamp;

const SEQUENCE: u8 = 0x30;
const INTEGER: u8 = 0x02;
const VERSION: u8 = 0xA0;
const UTC_TIME: u8 = 0x17;
const GENERALIZED_TIME: u8 = 0x18;

/// `notAfter` of a certificate; none if it is not to be found.
pub fn end_of(certificate: &[u8]) -> Option<Timestamp> {
    let (certificate, _) = expect(certificate, SEQUENCE)?;
    let (mut rest, _) = expect(certificate, SEQUENCE)?;
    if let Some((_, after)) = expect(rest, VERSION) {
        rest = after;
    }
    // Serial number, algorithm, issuer.
    for tag in [INTEGER, SEQUENCE, SEQUENCE] {
        (_, rest) = expect(rest, tag)?;
    }
    let (validity, _) = expect(rest, SEQUENCE)?;
    let (_, _, rest) = element(validity)?;
    let (tag, text, _) = element(rest)?;
    time(tag, std::str::from_utf8(text).ok()?)
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

/// The content of an element with this tag, and what follows it.
fn expect(bytes: &[u8], wanted: u8) -> Option<(&[u8], &[u8])> {
    let (tag, content, rest) = element(bytes)?;
    (tag == wanted).then_some((content, rest))
}

/// An element: its tag, its content, and what follows it.
fn element(bytes: &[u8]) -> Option<(u8, &[u8], &[u8])> {
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

#[cfg(test)]
mod tests {
    use super::*;

    fn der(tag: u8, content: &[u8]) -> Vec<u8> {
        let length = u8::try_from(content.len()).unwrap();
        let long = if length < 128 { vec![length] } else { vec![0x81, length] };
        [&[tag], long.as_slice(), content].concat()
    }

    fn certificate(version: bool, end: &[u8]) -> Vec<u8> {
        let version = if version { der(VERSION, &der(INTEGER, &[2])) } else { Vec::new() };
        let validity = [der(UTC_TIME, b"250101000000Z"), end.to_vec()].concat();
        let about = [version, der(INTEGER, &[1]), der(SEQUENCE, &[]), der(SEQUENCE, &[0; 130])];
        let about = [about.concat(), der(SEQUENCE, &validity), der(SEQUENCE, &[])].concat();
        der(SEQUENCE, &der(SEQUENCE, &about))
    }

    #[test]
    fn the_end_is_read_in_both_notations() {
        let end = |end: &[u8]| end_of(&certificate(true, end)).map(|it| it.to_string());
        let short = end(&der(UTC_TIME, b"261124221530Z"));
        assert_eq!(short.as_deref(), Some("2026-11-24T22:15:30.000Z"));
        let long = end(&der(GENERALIZED_TIME, b"20511231235959Z"));
        assert_eq!(long.as_deref(), Some("2051-12-31T23:59:59.000Z"));
        assert!(end_of(&certificate(false, &der(UTC_TIME, b"261124221530Z"))).is_some());
    }

    #[test]
    fn what_is_no_certificate_has_no_end() {
        let whole = certificate(true, &der(UTC_TIME, b"261124221530Z"));
        for end in 0..whole.len() {
            assert_eq!(end_of(&whole[..end]), None, "{end}");
        }
        for at in 0..whole.len() {
            for byte in [0, 0x7F, 0x80, 0x84, 0xFF] {
                let mut other = whole.clone();
                other[at] = byte;
                // Whatever comes of it, it comes.
                let _ = end_of(&other);
            }
        }
        assert_eq!(end_of(&certificate(true, &der(UTC_TIME, b"2611242215Z"))), None);
        assert_eq!(end_of(&certificate(true, &der(INTEGER, b"261124221530Z"))), None);
    }
}
