//! The base URL: the public address of the server.

use domain::media::WebAddress;
use url::Url;

/// The description of a valid base URL, for the error message.
pub(super) const EXPECTED: &str = "an http or https address without a path, user, query or fragment, such as \
                                   https://api.example.com (Switchboard is served from the root of its host)";

/// Parses a base URL: an http or https origin. The result has no trailing slash and no default
/// port.
///
/// A path is rejected: pages, cookies, redirects and the button's script use addresses at the root
/// of the host, so a server below a path would only partly work. A user, a password, a query or a
/// fragment is rejected too, because it has no meaning here and would be in every URL that is built
/// from the base URL.
pub(super) fn parse(text: &str) -> Option<String> {
    let url = Url::parse(WebAddress::parse(text).ok()?.as_str()).ok()?;
    let bare = url.username().is_empty()
        && url.password().is_none()
        && url.query().is_none()
        && url.fragment().is_none()
        && url.path() == "/";
    bare.then(|| url.origin().ascii_serialization())
}

#[cfg(test)]
mod tests {
    use super::parse;

    #[test]
    fn an_origin_is_kept_in_its_one_spelling() {
        for (text, origin) in [
            ("https://api.example.com", "https://api.example.com"),
            ("https://api.example.com/", "https://api.example.com"),
            ("HTTPS://API.Example.com:443", "https://api.example.com"),
            ("http://localhost:8080", "http://localhost:8080"),
            ("http://[::1]:8080/", "http://[::1]:8080"),
        ] {
            assert_eq!(parse(text).as_deref(), Some(origin), "{text}");
        }
    }

    #[test]
    fn whatever_is_more_than_an_origin_is_refused() {
        for text in [
            "https://example.com/sb",
            "https://example.com/sb/",
            "https://example.com//",
            "https://user@example.com",
            "https://user:secret@example.com",
            "https://example.com?a=b",
            "https://example.com/?",
            "https://example.com#top",
            "https://example.com:99999",
            "ftp://example.com",
            "example.com",
        ] {
            assert_eq!(parse(text), None, "{text}");
        }
    }
}
