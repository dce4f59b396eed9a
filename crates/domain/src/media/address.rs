//! Web addresses of files.

use std::fmt;

/// An `http` or `https` URL of at most 2048 characters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WebAddress(String);

/// Maximum number of characters in a URL.
pub const MAX_URL_LENGTH: usize = 2048;

/// The error for a text that is not a web address.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("must be an http or https address of at most {MAX_URL_LENGTH} characters")]
pub struct InvalidWebAddress;

impl WebAddress {
    /// Wraps a stored address, which is not checked.
    #[must_use]
    pub const fn stored(address: String) -> Self {
        Self(address)
    }

    pub fn parse(text: &str) -> Result<Self, InvalidWebAddress> {
        let rest = ["https://", "http://"].iter().find_map(|scheme| {
            let (start, rest) = text.split_at_checked(scheme.len())?;
            start.eq_ignore_ascii_case(scheme).then_some(rest)
        });
        let host =
            rest.and_then(|rest| rest.split(['/', '?', '#']).next()).ok_or(InvalidWebAddress)?;
        let host = host.rsplit('@').next().unwrap_or(host);
        let readable = !text.chars().any(|c| c.is_control() || c.is_whitespace());
        if host.is_empty() || host.starts_with(':') || !readable || text.len() > MAX_URL_LENGTH {
            return Err(InvalidWebAddress);
        }
        Ok(Self(text.to_owned()))
    }

    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns the path, without the leading slash.
    pub(super) fn path(&self) -> &str {
        let (_, rest) = self.0.split_once("://").unwrap_or_default();
        let rest = rest.split(['?', '#']).next().unwrap_or_default();
        rest.split_once('/').map_or("", |(_, path)| path)
    }
}

impl fmt::Display for WebAddress {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn whatever_is_written_is_an_address_of_the_web_or_refused(text in "(https?://|HTTP://)?\\PC{0,30}") {
            if let Ok(address) = WebAddress::parse(&text) {
                prop_assert_eq!(address.as_str(), text.as_str());
                prop_assert!(text.to_ascii_lowercase().starts_with("http") && !text.contains(char::is_whitespace));
                prop_assert!(!address.path().contains(['?', '#']));
            }
        }
    }

    #[test]
    fn addresses_are_http_and_whole() {
        for text in ["https://example.com/a.jpg", "HTTP://localhost:8080", "http://a@b/c?d#e"] {
            assert!(WebAddress::parse(text).is_ok(), "{text}");
        }
        for text in [
            "",
            "ftp://a",
            "https://",
            "https:///a",
            "http://:80/",
            "javascript:alert(1)",
            "https://a b",
            "//a",
            "http://a\n",
        ] {
            assert!(WebAddress::parse(text).is_err(), "{text}");
        }
        assert!(WebAddress::parse(&format!("https://a/{}", "b".repeat(2038))).is_ok());
        assert!(WebAddress::parse(&format!("https://a/{}", "b".repeat(2039))).is_err());
    }
}
