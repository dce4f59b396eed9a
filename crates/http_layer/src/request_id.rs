//! The id of each request. The response and the log lines of the request contain it.

use crate::deps::ServerDeps;
use actix_web::dev::ServiceRequest;
use actix_web::http::header::HeaderMap;
use actix_web::{HttpMessage as _, HttpRequest};
use domain::id::RequestId;

#[derive(Clone)]
struct CarriedId(String);

/// Returns the id of a request, which [`attach`] has stored, or an empty text.
#[must_use]
pub fn request_id(request: &HttpRequest) -> String {
    request.extensions().get::<CarriedId>().map_or_else(String::new, |id| id.0.clone())
}

/// Chooses the id of a request and stores it in the request.
#[must_use]
pub fn attach(request: &ServiceRequest, deps: Option<&ServerDeps>) -> String {
    let id = from_headers(request.headers(), deps);
    request.extensions_mut().insert(CarriedId(id.clone()));
    id
}

/// Returns the client's id if exactly one header contains it and it has 1 to 128 printable ASCII
/// characters without spaces. Otherwise returns a new id, or an empty text without `deps`.
#[must_use]
pub fn from_headers(headers: &HeaderMap, deps: Option<&ServerDeps>) -> String {
    let mut given = headers.get_all("x-request-id");
    if let (Some(value), None) = (given.next(), given.next())
        && let Ok(text) = value.to_str()
        && (1..=128).contains(&text.len())
        && text.bytes().all(|byte| byte.is_ascii_graphic())
    {
        return text.to_owned();
    }
    deps.map_or_else(String::new, |deps| {
        let id: RequestId = deps.id(deps.clock.now());
        id.to_string()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use actix_web::http::header::{HeaderName, HeaderValue};
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn no_id_is_shown_again_but_one_that_is_fit_for_it(bytes in prop::collection::vec(b'\t'..=255, 0..140), twice: bool) {
            let Ok(value) = HeaderValue::from_bytes(&bytes) else { return Ok(()) };
            let mut headers = HeaderMap::new();
            for _ in 0..=usize::from(twice) {
                headers.append(HeaderName::from_static("x-request-id"), value.clone());
            }
            let fit = (1..=128).contains(&bytes.len()) && bytes.iter().all(u8::is_ascii_graphic);
            let expected = if fit && !twice { String::from_utf8(bytes).unwrap() } else { String::new() };
            prop_assert_eq!(from_headers(&headers, None), expected);
        }
    }
}
