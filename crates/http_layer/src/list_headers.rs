//! Headers that contain lists. Only a short list is parsed, because any client can send a list with
//! tens of thousands of elements.

use actix_web::HttpRequest;
use actix_web::http::header::{self, EntityTag, Header as _, HeaderMap, HeaderName, IfNoneMatch};

/// Maximum number of bytes in a header with a list. A longer header is ignored.
pub const MAX_LIST_HEADER_BYTES: usize = 4 * 1024;

/// Whether the values of a header are together short enough to be parsed.
pub fn is_short(headers: &HeaderMap, name: HeaderName) -> bool {
    headers.get_all(name).map(header::HeaderValue::len).sum::<usize>() <= MAX_LIST_HEADER_BYTES
}

/// Whether the client already has the version with this entity tag (RFC 9110 section 13.1.2).
pub fn is_known(request: &HttpRequest, tag: &EntityTag) -> bool {
    if !is_short(request.headers(), header::IF_NONE_MATCH) {
        return false;
    }
    match IfNoneMatch::parse(request) {
        Ok(IfNoneMatch::Any) => true,
        Ok(IfNoneMatch::Items(known)) => known.iter().any(|it| it.weak_eq(tag)),
        Err(_) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use actix_web::test::TestRequest;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn only_a_tag_that_is_named_is_known(list in "((W/)?\"[a-c]{0,3}\",? ?){0,6}|\\*|[ -~]{0,60}") {
            let request = TestRequest::default().insert_header((header::IF_NONE_MATCH, list.clone()));
            let tag = EntityTag::new_strong("abc".to_owned());
            if is_known(&request.to_http_request(), &tag) {
                prop_assert!(list.contains("\"abc\"") || list.trim() == "*", "{}", list);
            }
        }
    }
}
