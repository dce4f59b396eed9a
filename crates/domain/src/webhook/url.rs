//! The URL of a webhook endpoint.

use crate::media::{InvalidWebAddress, MAX_URL_LENGTH, WebAddress};
use std::fmt;

/// The URL of a webhook endpoint, as it was entered. The IP address of the host is not checked
/// here. It is checked each time that a connection to the host is opened (`docs/security.md` 34).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EndpointUrl(String);

/// The reason why a text is not the URL of a webhook endpoint.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvalidEndpointUrl {
    /// The text is not an `http` or `https` URL.
    #[error("an endpoint's URL is an http or https URL of at most {MAX_URL_LENGTH} characters")]
    NoAddress,
    /// The URL contains a user, and possibly a password (`user@…`).
    #[error(
        "an endpoint's URL has no user and no password: requests are authenticated by their signature"
    )]
    User,
    /// The URL contains a fragment (`#…`).
    #[error("an endpoint's URL has no fragment (#…)")]
    Fragment,
}

impl From<InvalidWebAddress> for InvalidEndpointUrl {
    fn from(_: InvalidWebAddress) -> Self {
        Self::NoAddress
    }
}

impl EndpointUrl {
    pub fn parse(text: &str) -> Result<Self, InvalidEndpointUrl> {
        let text = text.trim();
        let address = WebAddress::parse(text)?;
        if text.contains('\\') {
            return Err(InvalidEndpointUrl::NoAddress);
        }
        if text.contains('#') {
            return Err(InvalidEndpointUrl::Fragment);
        }
        let (_, rest) = address.as_str().split_once("://").unwrap_or_default();
        let authority = rest.split(['/', '?']).next().unwrap_or_default();
        if authority.contains('@') {
            return Err(InvalidEndpointUrl::User);
        }
        Ok(Self(text.to_owned()))
    }

    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for EndpointUrl {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn an_endpoint_is_an_address_and_nothing_beside_it() {
        let read = |text: &str| EndpointUrl::parse(text).map(|url| url.to_string());
        let right = "https://example.com:8443/hooks?team=1@2";
        assert_eq!(read(right), Ok(right.to_owned()));
        assert_eq!(read(" http://example.com "), Ok("http://example.com".to_owned()));
        for (text, wrong) in [
            ("", InvalidEndpointUrl::NoAddress),
            ("example.com/hooks", InvalidEndpointUrl::NoAddress),
            ("ftp://example.com", InvalidEndpointUrl::NoAddress),
            ("javascript:alert(1)", InvalidEndpointUrl::NoAddress),
            ("https://example.com\\@127.0.0.1/", InvalidEndpointUrl::NoAddress),
            ("https://me@example.com", InvalidEndpointUrl::User),
            ("https://me:secret@example.com/hooks", InvalidEndpointUrl::User),
            ("https://example.com/#here", InvalidEndpointUrl::Fragment),
        ] {
            assert_eq!(read(text), Err(wrong), "{text}");
        }
        let long = |letters: usize| format!("https://a/{}", "b".repeat(letters));
        assert!(read(&long(2038)).is_ok());
        assert_eq!(read(&long(2039)), Err(InvalidEndpointUrl::NoAddress));
    }

    proptest! {
        #[test]
        fn whatever_is_written_is_read_or_refused(text in ".*") {
            if let Ok(url) = EndpointUrl::parse(&text) {
                prop_assert_eq!(EndpointUrl::parse(url.as_str()), Ok(url.clone()));
                prop_assert!(url.as_str().len() <= 2048);
            }
        }
    }
}
