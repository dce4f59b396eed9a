//! The web addresses (URLs) of files.

use std::fmt;
use std::net::Ipv6Addr;

/// An `http` or `https` URL of at most 2048 characters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WebAddress(String);

/// Maximum number of characters in a URL.
pub const MAX_URL_LENGTH: usize = 2048;

/// The error for a text that is not an `http` or `https` URL.
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
        let authority =
            rest.and_then(|rest| rest.split(['/', '?', '#']).next()).ok_or(InvalidWebAddress)?;
        let after_user = authority.rsplit('@').next().unwrap_or(authority);
        let readable = !text.chars().any(|c| c.is_control() || c.is_whitespace());
        // Browsers treat a backslash like a slash, so for a browser the host would end at the
        // backslash.
        let has_host = host_of(after_user).is_some() && !authority.contains('\\');
        if !has_host || !readable || text.len() > MAX_URL_LENGTH {
            return Err(InvalidWebAddress);
        }
        Ok(Self(text.to_owned()))
    }

    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns the path of the URL, without the slash at its beginning.
    pub(super) fn path(&self) -> &str {
        let (_, rest) = self.0.split_once("://").unwrap_or_default();
        let rest = rest.split(['?', '#']).next().unwrap_or_default();
        rest.split_once('/').map_or("", |(_, path)| path)
    }
}

/// Returns the host of an authority. The authority must consist of a host and an optional port. The
/// host is a name, an IPv4 address, or an IPv6 address in brackets. `[::1].evil.com` is rejected,
/// because text other than a port follows the bracket.
pub(crate) fn host_of(authority: &str) -> Option<&str> {
    let (host, port) = match authority.strip_prefix('[') {
        Some(rest) => rest.split_once(']').filter(|(host, _)| host.parse::<Ipv6Addr>().is_ok())?,
        None => authority.split_at(authority.find(':').unwrap_or(authority.len())),
    };
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|it| it.is_ascii_digit());
    let is_port = |text: &str| is_number(text) && text.parse::<u16>().is_ok();
    // A colon without a port is allowed. It means the default port of the scheme.
    let is_whole = matches!(port, "" | ":") || port.strip_prefix(':').is_some_and(is_port);
    let is_named = !host.is_empty() && !host.contains(['<', '>', '[', ']', '^', '|']);
    let octets = || host.strip_suffix('.').unwrap_or(host).split('.');
    // Browsers read a number with a leading zero as octal, so such a number may be an octet too.
    let is_octet = |text: &str| text.starts_with('0') || text.parse::<u8>().is_ok();
    let is_dotted = octets().count() == 4 && octets().all(is_number);
    (is_whole && is_named && (!is_dotted || octets().all(is_octet))).then_some(host)
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
        for text in [
            "https://example.com/a.jpg",
            "HTTP://localhost:8080",
            "http://a@b/c?d#e",
            "https://bücher.example/a.jpg",
            "https://[::1]/a.jpg",
            "https://[2606:4700::1]:8443?a",
            "https://me:a[b@example.com/",
            "https://example.com:/a.jpg",
            "https://example.com:65535",
            "https://255.255.255.255/",
            "http://0177.0.0.1/",
            "http://127.1/",
        ] {
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
            "https://[::1/a.jpg",
            "https://::1/a.jpg",
            "https://[::1]x/a.jpg",
            "https://[example.com]/",
            "https://exam[ple.com/",
            "https://example.com:99999/",
            "https://example.com:65536/",
            "https://example.com:a/",
            "https://example.com:+80/",
            "https://example.com:80:80/",
            "https://256.1.1.1/",
            "https://example.com\\@127.0.0.1/",
            "https://a<b>/",
        ] {
            assert!(WebAddress::parse(text).is_err(), "{text}");
        }
        assert!(WebAddress::parse(&format!("https://a/{}", "b".repeat(2038))).is_ok());
        assert!(WebAddress::parse(&format!("https://a/{}", "b".repeat(2039))).is_err());
    }
}
