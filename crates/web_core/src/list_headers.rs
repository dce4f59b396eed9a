//! Headers that are lists. Anybody can send a list of tens of thousands, so only a short one is read.

use actix_web::HttpRequest;
use actix_web::http::header::{self, EntityTag, Header as _, HeaderMap, HeaderName, IfNoneMatch};

/// Maximum number of bytes in a header that is a list: a longer one is as good as none.
pub const MAX_LIST_HEADER_BYTES: usize = 4 * 1024;

/// Whether a header is short enough to be read, all its values together.
pub fn is_short(headers: &HeaderMap, name: HeaderName) -> bool {
    headers.get_all(name).map(header::HeaderValue::len).sum::<usize>() <= MAX_LIST_HEADER_BYTES
}

/// Whether the client has what this tag names (RFC 9110 13.1.2).
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
