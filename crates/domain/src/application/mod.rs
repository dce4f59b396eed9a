//! Applications of third parties: the data that is registered, and the rules for who may approve an
//! application (`docs/contract.md#applications`).

mod badge;
mod terms;

pub use terms::{InvalidTerms, Terms, TermsFault, TermsInput};

use crate::id::OrganizationId;
use crate::media::{MAX_URL_LENGTH, WebAddress, host_of};
use crate::name::{InvalidName, Name};

/// A URL to which a member's browser is sent back after Connect. Redirect URIs are compared
/// character by character, so the text is kept as it was written (`docs/security.md` 2 and 3).
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct RedirectUri(String);

/// Maximum number of redirect URIs of one application.
pub const MAX_REDIRECT_URIS: usize = 10;

/// The reason why a text is not a redirect URI.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvalidRedirectUri {
    /// The text is not a web address.
    #[error(
        "a redirect URI is an https URL, or an http URL on localhost, 127.0.0.1 or [::1], of at most {MAX_URL_LENGTH} characters"
    )]
    NoAddress,
    /// The address uses plain `http` for a host other than the member's own machine.
    #[error("a redirect URI is an https URL; http is for localhost, 127.0.0.1 and [::1] only")]
    NotSecure,
    /// The address has a fragment (the part from `#`).
    #[error("a redirect URI has no fragment (#…)")]
    Fragment,
    /// The address contains a user (`user@…`).
    #[error("a redirect URI has no user")]
    User,
    /// The address contains `*`.
    #[error("a redirect URI has no wildcard: it must match exactly")]
    Wildcard,
}

impl RedirectUri {
    /// Parses a redirect URI that is being registered.
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

    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

fn is_https(text: &str) -> bool {
    text.get(..8).is_some_and(|start| start.eq_ignore_ascii_case("https://"))
}

/// Returns the authority of an address: the part between `//` and the path.
fn authority(address: &WebAddress) -> &str {
    let (_, rest) = address.as_str().split_once("://").unwrap_or_default();
    rest.split(['/', '?', '#']).next().unwrap_or_default()
}

/// Returns the host of an authority, or `None` if the authority is not accepted. The host must be
/// ASCII. After a colon, there must be a port.
fn host(authority: &str) -> Option<&str> {
    let host = host_of(authority).filter(|_| !authority.ends_with(':'))?;
    let is_named = host.bytes().all(|it| it.is_ascii_alphanumeric() || b"-._:".contains(&it));
    is_named.then_some(host)
}

/// Returns the origin of an address (scheme, host and port) as browsers write it: in lowercase, and
/// without a default port.
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

/// Parses the URL of the application's page at which Connect starts. The rules are those of a
/// redirect URI: `https`, or `http` on the member's own machine.
pub fn start_url(text: &str) -> Result<String, InvalidRedirectUri> {
    RedirectUri::parse(text).map(|address| address.0)
}

/// Maximum number of characters in the description of an application.
pub const MAX_DESCRIPTION_LENGTH: usize = 200;

/// Parses the description of an application, which is one line: line breaks and other white space
/// become single spaces. Returns `None` for an empty text.
pub fn description(text: &str) -> Result<Option<String>, InvalidDescription> {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if text.is_empty() {
        return Ok(None);
    }
    if text.chars().count() > MAX_DESCRIPTION_LENGTH {
        return Err(InvalidDescription::TooLong);
    }
    // Each word of a description must follow the rules of a name.
    let words = text.split(' ').map(Name::parse);
    words.collect::<Result<Vec<_>, _>>()?;
    // Pages show the description right below the badge, so the description must not look like a
    // badge.
    if badge::resembles_badge(&text) {
        return Err(InvalidDescription::LikeTheBadge);
    }
    Ok(Some(text))
}

/// The reason why a text cannot be the description of an application.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvalidDescription {
    /// The text has more than [`MAX_DESCRIPTION_LENGTH`] characters.
    #[error("a description has at most {MAX_DESCRIPTION_LENGTH} characters")]
    TooLong,
    /// A word of the description breaks the rules of a name.
    #[error("each word of a description follows the rules of a name: {0}")]
    Word(#[from] InvalidName),
    /// The description resembles the Verified badge.
    #[error("a description must not look like the Verified badge")]
    LikeTheBadge,
}

/// The reason why a text cannot be the name of an application.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvalidApplicationName {
    /// The text breaks the rules of a name.
    #[error(transparent)]
    NoName(#[from] InvalidName),
    /// The text resembles the Verified badge.
    #[error("the name of an application must not look like the Verified badge")]
    LikeTheBadge,
}

/// Parses the name of an application. Members read the name before they decide whether to trust the
/// application, so it must not look like the Verified badge (`docs/security.md` 15).
pub fn name(text: &str) -> Result<Name, InvalidApplicationName> {
    let name = Name::parse(text)?;
    if badge::resembles_badge(name.as_str()) {
        return Err(InvalidApplicationName::LikeTheBadge);
    }
    Ok(name)
}

/// The data that decides who may approve an application.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Publication {
    /// The organization that registered the application. A platform application has none.
    pub owner: Option<OrganizationId>,
    /// Whether the application is published: listed for every organization.
    pub published: bool,
    /// Whether an operator verified the application.
    pub verified: bool,
}

/// The reason why the members of an organization may not approve an application.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ApprovalError {
    /// The application is a platform application that no operator has verified yet.
    #[error("this application is not approved yet")]
    NotApprovedYet,
    /// The application is not published and belongs to another organization.
    #[error("this application belongs to another organization")]
    OfAnotherOrganization,
}

impl Publication {
    /// Checks whether a member of `organization` may approve the application
    /// (`docs/contract.md#applications`).
    ///
    /// # Errors
    ///
    /// The reason why a member of `organization` may not approve it.
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
