//! What a browser shows of its cookies.

use actix_web::http::header::{self, HeaderMap};

/// Maximum number of bytes in a `Cookie` header that are scanned. Browsers share the cookies of a host among all
/// its ports, so there may be many that are not ours.
const MAX_COOKIE_BYTES: usize = 16 * 1024;

/// The value of the first cookie of that name. Cookies of other names are passed over without being decoded or
/// kept: a header may hold tens of thousands.
pub fn cookie<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    let mut left = MAX_COOKIE_BYTES;
    headers.get_all(header::COOKIE).find_map(|value| {
        let text = value.to_str().ok()?;
        left = left.checked_sub(text.len())?;
        text.split(';').find_map(|pair| pair.trim().strip_prefix(name)?.strip_prefix('='))
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

    #[test]
    fn a_cookie_is_found_by_its_whole_name() {
        let headers = shown(&["other=1; session-old=2;session=3 ; session=4", "last=5"]);
        assert_eq!(cookie(&headers, "session"), Some("3"));
        assert_eq!(cookie(&headers, "last"), Some("5"));
        assert_eq!(cookie(&headers, "essio"), None);
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
    fn thousands_of_cookies_are_not_looked_through() {
        let many = "c=1; ".repeat(MAX_COOKIE_BYTES);
        assert_eq!(cookie(&shown(&[&format!("{many}session=3")]), "session"), None);
    }
}
