//! HTTP Basic as OAuth clients send it (RFC 6749, 2.3.1): client id and secret are each
//! form-encoded, then joined with a colon and encoded in base64.

use actix_web::http::header::{self, HeaderMap};
use base64::Engine as _;
use base64::alphabet;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use percent_encoding::percent_decode_str;
use std::borrow::Cow;

/// The decoded client id and secret of a request. They may be empty or unknown.
pub struct BasicPair {
    pub client_id: String,
    pub client_secret: String,
}

/// An `Authorization: Basic` header that cannot be parsed, or that is not the only
/// `Authorization` header.
#[derive(Debug, thiserror::Error)]
#[error("the Authorization header is not one pair in HTTP Basic")]
pub struct MalformedBasic;

/// The encoding of the credentials. Padding is optional, because some clients leave it out.
const BASE64: GeneralPurpose = GeneralPurpose::new(
    &alphabet::STANDARD,
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

/// Returns the pair in these headers, if there is one. A header with another scheme is ignored.
pub fn pair(headers: &HeaderMap) -> Result<Option<BasicPair>, MalformedBasic> {
    let is_repeated = headers.get_all(header::AUTHORIZATION).nth(1).is_some();
    let mut found = None;
    for value in headers.get_all(header::AUTHORIZATION) {
        let Some(encoded) = credentials(value.as_bytes()) else { continue };
        if is_repeated {
            return Err(MalformedBasic);
        }
        found = Some(decode(encoded).ok_or(MalformedBasic)?);
    }
    Ok(found)
}

/// Returns the value after the scheme name if the scheme is Basic.
fn credentials(value: &[u8]) -> Option<&[u8]> {
    let value = value.trim_ascii();
    let (scheme, rest) = value.split_at_checked("basic".len())?;
    let is_basic = scheme.eq_ignore_ascii_case(b"basic");
    let ends = rest.first().is_none_or(u8::is_ascii_whitespace);
    (is_basic && ends).then(|| rest.trim_ascii())
}

fn decode(encoded: &[u8]) -> Option<BasicPair> {
    let text = String::from_utf8(BASE64.decode(encoded).ok()?).ok()?;
    let (client_id, client_secret) = text.split_once(':')?;
    let (client_id, client_secret) = (part(client_id)?, part(client_secret)?);
    Some(BasicPair { client_id, client_secret })
}

fn part(encoded: &str) -> Option<String> {
    let spaced = encoded.replace('+', " ");
    percent_decode_str(&spaced).decode_utf8().ok().map(Cow::into_owned)
}

#[cfg(test)]
mod tests {
    use super::*;
    use actix_web::http::header::HeaderValue;
    use base64::engine::general_purpose::{STANDARD, STANDARD_NO_PAD};
    use proptest::prelude::*;

    fn read(values: &[&str]) -> Result<Option<(String, String)>, MalformedBasic> {
        let mut headers = HeaderMap::new();
        for value in values {
            headers.append(header::AUTHORIZATION, HeaderValue::from_str(value).unwrap());
        }
        pair(&headers).map(|it| it.map(|it| (it.client_id, it.client_secret)))
    }

    fn form_encoded(text: &str) -> String {
        form_urlencoded::byte_serialize(text.as_bytes()).collect()
    }

    proptest! {
        #[test]
        fn a_pair_is_read_as_it_was_written(id in ".{0,12}", secret in ".{0,12}", scheme in "[bB][aA][sS][iI][cC] {1,2}") {
            let plain = format!("{}:{}", form_encoded(&id), form_encoded(&secret));
            for encoded in [STANDARD.encode(&plain), STANDARD_NO_PAD.encode(&plain)] {
                let read = read(&[&format!("{scheme}{encoded}")]);
                prop_assert_eq!(read.ok().flatten(), Some((id.clone(), secret.clone())));
            }
        }

        #[test]
        fn whatever_is_shown_is_read_or_refused(value in "(Basic )?[ -~]{0,40}") {
            let _ = read(&[&value]);
        }
    }

    #[test]
    fn a_header_that_is_no_pair_is_none_or_malformed() {
        let right = format!("Basic {}", STANDARD.encode("swa_1:sws_2"));
        let pair = ("swa_1".to_owned(), "sws_2".to_owned());
        assert_eq!(read(&[&right]).ok(), Some(Some(pair.clone())));
        let escaped = format!("basic {}", STANDARD.encode("swa%5F1:sws%5f2"));
        assert_eq!(read(&[&escaped]).ok(), Some(Some(pair)));
        for none in ["Bearer x", "Basics x", "", "Negotiate Basic"] {
            assert_eq!(read(&[none]).ok(), Some(None), "{none}");
        }
        assert!(read(&["Bearer x", &right]).is_err());
        let no_colon = format!("Basic {}", STANDARD.encode("swa_1"));
        let no_text = format!("Basic {}", STANDARD.encode(b"\xff:\xff"));
        let no_text_within = format!("Basic {}", STANDARD.encode("%ff:x"));
        for malformed in ["Basic", "Basic ", "Basic ?", &no_colon, &no_text, &no_text_within] {
            assert!(read(&[malformed]).is_err(), "{malformed}");
        }
        assert!(read(&[&right, &right]).is_err());
    }
}
