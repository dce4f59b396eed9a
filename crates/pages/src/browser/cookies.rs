//! Reads cookies of a request.

use actix_web::http::header::{self, HeaderMap};

/// Maximum number of bytes of `Cookie` headers that are scanned. Browsers send a host's cookies to
/// all its ports, and the cookies of its parent domains too, so there may be many from other
/// programs.
const MAX_COOKIE_BYTES: usize = 16 * 1024;

/// Returns the values of the cookies with this name, in order.
///
/// Another program can set a cookie of the same name, so callers take the first value that they can
/// parse. Headers are read as bytes (RFC 6265 section 5.4), because other programs set cookies with
/// bytes that are not ASCII. Cookies with other names are skipped without decoding or storing them:
/// a header may contain tens of thousands.
pub fn cookies<'a>(headers: &'a HeaderMap, name: &str) -> impl Iterator<Item = &'a str> {
    let headers = headers.get_all(header::COOKIE).scan(MAX_COOKIE_BYTES, |left, value| {
        let bytes = value.as_bytes();
        let scanned = bytes.get(..*left).unwrap_or(bytes);
        *left -= scanned.len();
        Some(scanned)
    });
    headers.flat_map(|bytes| bytes.split(|byte| *byte == b';')).filter_map(move |pair| {
        let value = pair.trim_ascii().strip_prefix(name.as_bytes())?.strip_prefix(b"=")?;
        std::str::from_utf8(value).ok()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use actix_web::http::header::HeaderValue;
    use proptest::prelude::*;

    fn shown(values: &[&str]) -> HeaderMap {
        let mut headers = HeaderMap::new();
        for value in values {
            headers.append(header::COOKIE, HeaderValue::from_str(value).unwrap());
        }
        headers
    }

    fn cookie<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
        cookies(headers, name).next()
    }

    #[test]
    fn a_cookie_is_found_by_its_whole_name() {
        let headers = shown(&["other=1; session-old=2;session=3 ; session=4", "last=5"]);
        assert_eq!(cookies(&headers, "session").collect::<Vec<_>>(), ["3", "4"]);
        assert_eq!(cookie(&headers, "last"), Some("5"));
        assert_eq!(cookie(&headers, "essio"), None);
    }

    #[test]
    fn bytes_that_are_not_ascii_hide_no_other_cookie() {
        let foreign: [&[u8]; 5] = [
            "name=Café".as_bytes(),
            b"name=Caf\xe9",
            b"\xff\xfe",
            b"session=\xe9",
            b"\xe9session=1",
        ];
        for foreign in foreign {
            for header in [
                [foreign, b"; session=3"].concat(),
                [b"session=3; ", foreign].concat(),
                [b"a=1; ", foreign, b";session=3;", foreign].concat(),
            ] {
                let mut headers = HeaderMap::new();
                headers.append(header::COOKIE, HeaderValue::from_bytes(&header).unwrap());
                assert_eq!(cookie(&headers, "session"), Some("3"), "{header:?}");
                // A second header with such bytes does not hide it either, before or after it.
                headers.append(header::COOKIE, HeaderValue::from_bytes(foreign).unwrap());
                headers.append(header::COOKIE, HeaderValue::from_static("last=5"));
                assert_eq!(cookie(&headers, "session"), Some("3"), "{header:?}");
                assert_eq!(cookie(&headers, "last"), Some("5"), "{header:?}");
            }
        }
    }

    proptest! {
        #[test]
        fn a_cookie_is_found_among_whatever_others(others in "([a-z=]{1,9}; ?){0,6}", value in "[a-z0-9=]{0,9}") {
            prop_assume!(!others.split(';').any(|it| it.trim().starts_with("session=")));
            let headers = shown(&[&format!("{others}session={value}; more=1")]);
            prop_assert_eq!(cookie(&headers, "session"), Some(value.as_str()));
        }

        #[test]
        fn whatever_is_shown_a_value_stands_behind_its_name(text in "[ -~]{0,60}|(session[-=; ]{0,3}){0,9}") {
            if let Some(value) = cookie(&shown(&[&text]), "session") {
                let pair = format!("session={value}");
                prop_assert!(text.contains(&pair) && !value.contains(';'));
            }
        }
    }

    #[test]
    fn no_more_bytes_are_scanned_than_the_maximum() {
        let many = "c=1; ".repeat(MAX_COOKIE_BYTES);
        assert_eq!(cookie(&shown(&[&format!("{many}session=3")]), "session"), None);
        assert_eq!(cookie(&shown(&[&many, "session=3"]), "session"), None);
        assert_eq!(cookie(&shown(&[&format!("session=3; {many}")]), "session"), Some("3"));
    }
}
