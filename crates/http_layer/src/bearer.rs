//! `Authorization: Bearer` (RFC 6750, 2.1).

use actix_web::http::header::{self, HeaderMap};

/// An `Authorization: Bearer` header that is not text, or not the only `Authorization` header.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the Authorization header is not one Bearer token")]
pub struct MalformedBearer;

/// Returns the token in these headers, if there is one. A header with another scheme is ignored.
pub fn token(headers: &HeaderMap) -> Result<Option<&str>, MalformedBearer> {
    let is_repeated = headers.get_all(header::AUTHORIZATION).nth(1).is_some();
    let mut found = None;
    for value in headers.get_all(header::AUTHORIZATION) {
        let Some(token) = credentials(value.as_bytes()) else { continue };
        if is_repeated {
            return Err(MalformedBearer);
        }
        found = Some(std::str::from_utf8(token).map_err(|_| MalformedBearer)?);
    }
    Ok(found)
}

/// Returns the value after the scheme name if the scheme is Bearer.
fn credentials(value: &[u8]) -> Option<&[u8]> {
    let value = value.trim_ascii();
    let (scheme, rest) = value.split_at_checked("bearer".len())?;
    let is_bearer = scheme.eq_ignore_ascii_case(b"bearer");
    let ends = rest.first().is_none_or(u8::is_ascii_whitespace);
    (is_bearer && ends).then(|| rest.trim_ascii())
}

#[cfg(test)]
mod tests {
    use super::*;
    use actix_web::http::header::HeaderValue;

    fn read(values: &[&str]) -> Result<Option<String>, MalformedBearer> {
        let mut headers = HeaderMap::new();
        for value in values {
            headers.append(header::AUTHORIZATION, HeaderValue::from_str(value).unwrap());
        }
        token(&headers).map(|token| token.map(str::to_owned))
    }

    #[test]
    fn one_token_is_read_whatever_the_case_of_the_scheme() {
        for value in ["Bearer a.b", "bearer a.b", "BEARER  a.b "] {
            assert_eq!(read(&[value]), Ok(Some("a.b".to_owned())), "{value}");
        }
        assert_eq!(read(&["Bearer"]), Ok(Some(String::new())));
        assert_eq!(read(&["Bearer a.b", "Bearer a.b"]), Err(MalformedBearer));
    }

    #[test]
    fn other_schemes_are_no_token() {
        for value in ["Basic YTpi", "Bearera.b", "a.b", ""] {
            assert_eq!(read(&[value]), Ok(None), "{value}");
        }
        // With two headers it would be unclear which one to use.
        for both in [["Basic YTpi", "Bearer a.b"], ["Bearer a.b", "Basic YTpi"]] {
            assert_eq!(read(&both), Err(MalformedBearer));
        }
    }
}
