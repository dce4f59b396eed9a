//! Third-party applications: what they register, and who may approve them (`docs/contract.md#applications`).

mod badge;
mod terms;

pub use terms::{InvalidTerms, Terms, TermsFault, Written};

use crate::id::OrganizationId;
use crate::media::{MAX_URL_LENGTH, WebAddress};
use crate::name::{InvalidName, Name};
use std::net::Ipv6Addr;

/// A URL that a member is sent back to. It is compared exactly, so it is kept as it was
/// written (`docs/security.md` 2 and 3).
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct RedirectUri(String);

/// Maximum number of redirect URLs of one application.
pub const MAX_REDIRECT_URIS: usize = 10;

/// Why a text is no redirect URL.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvalidRedirectUri {
    /// Not an address of the web.
    #[error(
        "a redirect URL is an https URL, or an http URL on localhost, 127.0.0.1 or [::1], of at most {MAX_URL_LENGTH} characters"
    )]
    NoAddress,
    /// Plain http to a host that is not this machine.
    #[error("a redirect URL is an https URL; http is for localhost, 127.0.0.1 and [::1] only")]
    NotSecure,
    /// `#…`.
    #[error("a redirect URL has no fragment (#…)")]
    Fragment,
    /// `user@…`.
    #[error("a redirect URL has no user")]
    User,
    /// `*`.
    #[error("a redirect URL has no wildcard: it must match exactly")]
    Wildcard,
}

impl RedirectUri {
    /// Reads an address at registration.
    pub fn parse(text: &str) -> Result<Self, InvalidRedirectUri> {
        let address = WebAddress::parse(text).map_err(|_| InvalidRedirectUri::NoAddress)?;
        if !text.is_ascii() || text.contains(['\\', '"', '<', '>']) {
            return Err(InvalidRedirectUri::NoAddress);
        }
        if text.contains('#') {
            return Err(InvalidRedirectUri::Fragment);
        }
        if text.contains('*') {
            return Err(InvalidRedirectUri::Wildcard);
        }
        let authority = authority(&address);
        if authority.contains('@') {
            return Err(InvalidRedirectUri::User);
        }
        let host = host(authority).ok_or(InvalidRedirectUri::NoAddress)?;
        if !is_https(text) && !matches!(host, "localhost" | "127.0.0.1" | "::1") {
            return Err(InvalidRedirectUri::NotSecure);
        }
        Ok(Self(text.to_owned()))
    }

    /// The address, exactly.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

fn is_https(text: &str) -> bool {
    text.get(..8).is_some_and(|start| start.eq_ignore_ascii_case("https://"))
}

/// What stands between `//` and the path.
fn authority(address: &WebAddress) -> &str {
    let (_, rest) = address.as_str().split_once("://").unwrap_or_default();
    rest.split(['/', '?', '#']).next().unwrap_or_default()
}

/// The host of an authority that is a host with an optional port, and nothing else: `[::1].evil.com` only begins with one.
fn host(authority: &str) -> Option<&str> {
    let (host, port) = match authority.strip_prefix('[') {
        Some(rest) => rest.split_once(']').filter(|(host, _)| host.parse::<Ipv6Addr>().is_ok())?,
        None => authority.split_at(authority.find(':').unwrap_or(authority.len())),
    };
    let is_port =
        |text: &str| text.bytes().all(|it| it.is_ascii_digit()) && text.parse::<u16>().is_ok();
    let is_named = host.bytes().all(|it| it.is_ascii_alphanumeric() || b"-._:".contains(&it));
    let is_whole = port.is_empty() || port.strip_prefix(':').is_some_and(is_port);
    (is_whole && is_named && !host.is_empty()).then_some(host)
}

/// The origin of an address: scheme, host and port, in the browser's spelling of it as far as a
/// registered address can differ from that.
#[must_use]
pub fn origin(address: &RedirectUri) -> String {
    let text = address.as_str();
    let (scheme, rest) = text.split_once("://").unwrap_or_default();
    let authority = rest.split(['/', '?']).next().unwrap_or_default();
    let (scheme, authority) = (scheme.to_ascii_lowercase(), authority.to_ascii_lowercase());
    let default = if scheme == "https" { ":443" } else { ":80" };
    let authority = authority.strip_suffix(default).unwrap_or(&authority);
    format!("{scheme}://{authority}")
}

/// The page of an application that builds the authorize address: https, or on this machine.
pub fn start_url(text: &str) -> Result<String, InvalidRedirectUri> {
    RedirectUri::parse(text).map(|address| address.0)
}

/// Maximum number of characters in a description.
pub const MAX_DESCRIPTION_LENGTH: usize = 200;

/// A line that describes an application; an empty one is none.
pub fn description(text: &str) -> Result<Option<String>, InvalidDescription> {
    let text = text.trim();
    if text.is_empty() {
        return Ok(None);
    }
    if text.chars().count() > MAX_DESCRIPTION_LENGTH {
        return Err(InvalidDescription::TooLong);
    }
    // A line is as honest as each of its words.
    let words = text.split_whitespace().map(Name::parse);
    words.collect::<Result<Vec<_>, _>>()?;
    // It stands right below the badge.
    if badge::resembles_badge(text) {
        return Err(InvalidDescription::LikeTheBadge);
    }
    Ok(Some(text.to_owned()))
}

/// Why a text is no description.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvalidDescription {
    /// More than [`MAX_DESCRIPTION_LENGTH`] characters.
    #[error("a description has at most {MAX_DESCRIPTION_LENGTH} characters")]
    TooLong,
    /// A word that could not be a name.
    #[error("each word of a description follows the rules of a name: {0}")]
    Word(#[from] InvalidName),
    /// It looks like the badge.
    #[error("a description must not look like the Verified badge")]
    LikeTheBadge,
}

/// Why a name is none for an application.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvalidApplicationName {
    /// No name at all.
    #[error(transparent)]
    NoName(#[from] InvalidName),
    /// It looks like the badge.
    #[error("the name of an application must not look like the Verified badge")]
    LikeTheBadge,
}

/// The name of an application, which a member reads when deciding whether to trust it: it cannot imitate
/// the badge (`docs/security.md` 15).
pub fn name(text: &str) -> Result<Name, InvalidApplicationName> {
    let name = Name::parse(text)?;
    if badge::resembles_badge(name.as_str()) {
        return Err(InvalidApplicationName::LikeTheBadge);
    }
    Ok(name)
}

/// What decides who may approve an application.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Publication {
    /// The organization that registered it; none of a platform application.
    pub owner: Option<OrganizationId>,
    /// Whether it is listed for every business.
    pub published: bool,
    /// Whether it was verified by hand.
    pub verified: bool,
}

/// Why an organization may not approve an application.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ApprovalError {
    /// A platform application that nobody has verified.
    #[error("this application is not approved yet")]
    NotApprovedYet,
    /// Unpublished, and of another organization.
    #[error("this application belongs to another organization")]
    OfAnotherOrganization,
}

impl Publication {
    /// Whether a member of `organization` may approve it (`docs/contract.md#applications`).
    pub fn admits(&self, organization: OrganizationId) -> Result<(), ApprovalError> {
        match self.owner {
            None if self.verified => Ok(()),
            None => Err(ApprovalError::NotApprovedYet),
            Some(owner) if self.published || owner == organization => Ok(()),
            Some(_) => Err(ApprovalError::OfAnotherOrganization),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::time::Timestamp;
    use proptest::prelude::*;

    #[test]
    fn a_redirect_address_is_https_and_plain() {
        for good in [
            "https://example.com/callback",
            "https://example.com/callback?a=b",
            "HTTPS://Example.com",
            "http://localhost:3000/x",
            "http://127.0.0.1/x",
            "http://[::1]:8080/x",
        ] {
            assert!(RedirectUri::parse(good).is_ok(), "{good}");
        }
        for (bad, why) in [
            ("http://example.com/", InvalidRedirectUri::NotSecure),
            ("http://localhost.evil.com/", InvalidRedirectUri::NotSecure),
            ("http://127.0.0.1.evil.com/", InvalidRedirectUri::NotSecure),
            ("https://example.com/#x", InvalidRedirectUri::Fragment),
            ("https://user@example.com/", InvalidRedirectUri::User),
            ("https://*.example.com/", InvalidRedirectUri::Wildcard),
            ("javascript:alert(1)", InvalidRedirectUri::NoAddress),
            ("https://exa\nmple.com/", InvalidRedirectUri::NoAddress),
            ("https://example.com\\@evil.com/", InvalidRedirectUri::NoAddress),
            ("http://[::1].evil.com/", InvalidRedirectUri::NoAddress),
            ("http://[::1/", InvalidRedirectUri::NoAddress),
            ("http://localhost:80.evil.com/", InvalidRedirectUri::NoAddress),
            ("https://example.com:x/", InvalidRedirectUri::NoAddress),
            ("https://example.com:99999/", InvalidRedirectUri::NoAddress),
            ("https://a%2eb/", InvalidRedirectUri::NoAddress),
            ("/callback", InvalidRedirectUri::NoAddress),
            ("", InvalidRedirectUri::NoAddress),
        ] {
            assert_eq!(RedirectUri::parse(bad), Err(why), "{bad}");
        }
    }

    proptest! {
        #[test]
        fn an_address_is_taken_as_it_is_or_not_at_all(text: String) {
            if let Ok(address) = RedirectUri::parse(&text) {
                prop_assert_eq!(address.as_str(), text);
            }
        }

        #[test]
        fn plain_http_leads_to_this_machine_only(
            authority in r"(localhost|127\.0\.0\.1|\[::1\]|[a-z]{1,3})?[a-z0-9.:@%\[\]_-]{0,8}",
            path in "([/?][a-z@:.?/]{0,6})?",
        ) {
            if RedirectUri::parse(&format!("http://{authority}{path}")).is_ok() {
                let (host, port) = match authority.rsplit_once(':') {
                    Some((host, port)) if !port.ends_with(']') => (host, port),
                    _ => (authority.as_str(), ""),
                };
                prop_assert!(["localhost", "127.0.0.1", "[::1]"].contains(&host), "{}", authority);
                prop_assert!(port.bytes().all(|it| it.is_ascii_digit()), "{}", authority);
            }
        }
    }

    #[test]
    fn an_origin_is_spelt_as_browsers_do() {
        let of = |text| origin(&RedirectUri::parse(text).unwrap());
        assert_eq!(of("HTTPS://Example.COM:443/a?b"), "https://example.com");
        assert_eq!(of("http://localhost:3000"), "http://localhost:3000");
        assert_eq!(of("https://example.com?x=/"), "https://example.com");
    }

    #[test]
    fn no_name_imitates_the_badge() {
        assert!(name("Acme CRM").is_ok());
        for trick in ["Acme ✓", "Acme (Verified)", "V e r i f i e d", "VERIFIED Acme"] {
            assert_eq!(name(trick), Err(InvalidApplicationName::LikeTheBadge), "{trick}");
        }
        assert!(matches!(name("a\u{202e}b"), Err(InvalidApplicationName::NoName(_))));
    }

    #[test]
    fn who_may_approve() {
        let one = OrganizationId::new(Timestamp::from_micros(0), [1; 10]);
        let other = OrganizationId::new(Timestamp::from_micros(0), [2; 10]);
        let application = |owner, published, verified| Publication { owner, published, verified };
        assert!(application(Some(one), false, false).admits(one).is_ok());
        let refused = application(Some(one), false, true).admits(other);
        assert_eq!(refused, Err(ApprovalError::OfAnotherOrganization));
        assert!(application(Some(one), true, false).admits(other).is_ok());
        assert_eq!(application(None, true, false).admits(one), Err(ApprovalError::NotApprovedYet));
        assert!(application(None, false, true).admits(one).is_ok());
    }
}
