//! The registered terms of an application. The value exists only if all parts are valid
//! (`docs/contract.md#applications`).

use super::{
    InvalidApplicationName, InvalidDescription, InvalidRedirectUri, MAX_REDIRECT_URIS, RedirectUri,
};
use super::{description, name, start_url};
use crate::key::{NoScope, grant};
use crate::name::Name;
use crate::scope::ScopeSet;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Terms {
    pub name: Name,
    /// The redirect URIs, at least one.
    pub redirect_uris: Vec<RedirectUri>,
    /// The scopes that the application may request, at least one.
    pub scopes: ScopeSet,
    pub description: Option<String>,
    /// The URL of the application's page that starts Connect.
    pub start_url: Option<String>,
}

/// The terms as they were entered, not yet checked.
#[derive(Clone, Copy, Debug)]
pub struct Written<'a> {
    pub name: &'a str,
    pub redirect_uris: &'a [String],
    pub scopes: ScopeSet,
    /// The description; may be empty.
    pub description: &'a str,
    /// The URL of the application's page that starts Connect; may be empty.
    pub start_url: &'a str,
}

/// The reason why terms are not valid.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvalidTerms {
    #[error(transparent)]
    Name(#[from] InvalidApplicationName),
    #[error(transparent)]
    Description(#[from] InvalidDescription),
    #[error("the start URL is not valid: it is https, or http on this machine, without # and user")]
    StartUrl,
    /// A redirect URI is not valid.
    #[error("{0:?} is not valid: {1}")]
    RedirectUri(String, InvalidRedirectUri),
    /// There are no redirect URIs, or more than [`MAX_REDIRECT_URIS`].
    #[error("an application has 1 to {MAX_REDIRECT_URIS} redirect URIs")]
    HowManyRedirectUris,
    #[error(transparent)]
    NoScope(#[from] NoScope),
}

impl Terms {
    /// Checks the terms.
    pub fn parse(written: Written<'_>) -> Result<Self, InvalidTerms> {
        let start_url = match written.start_url.trim() {
            "" => None,
            text => Some(start_url(text).map_err(|_| InvalidTerms::StartUrl)?),
        };
        let addresses = written.redirect_uris;
        if addresses.is_empty() || addresses.len() > MAX_REDIRECT_URIS {
            return Err(InvalidTerms::HowManyRedirectUris);
        }
        let read = |text: &String| {
            RedirectUri::parse(text).map_err(|why| InvalidTerms::RedirectUri(text.clone(), why))
        };
        let scopes = grant(written.scopes)?;
        Ok(Self {
            name: name(written.name)?,
            redirect_uris: addresses.iter().map(read).collect::<Result<_, _>>()?,
            scopes,
            description: description(written.description)?,
            start_url,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scope::Scope;

    #[test]
    fn every_part_has_to_be_right() {
        let good = ["https://partner.example/callback".to_owned()];
        let bad = ["http://partner.example/".to_owned()];
        let scopes: ScopeSet = [Scope::MessagesSend].into_iter().collect();
        let right =
            Written { name: "CRM", redirect_uris: &good, scopes, description: "", start_url: " " };
        let terms = Terms::parse(right).unwrap();
        assert_eq!((terms.description, terms.start_url), (None, None));

        let wrong = |written| Terms::parse(written).unwrap_err().to_string();
        assert!(
            wrong(Written { redirect_uris: &bad, ..right }).contains("http://partner.example/")
        );
        assert!(wrong(Written { redirect_uris: &[], ..right }).contains("1 to 10"));
        assert!(wrong(Written { scopes: ScopeSet::default(), ..right }).contains("scope"));
        assert!(wrong(Written { name: "Verified", ..right }).contains("badge"));
        assert!(wrong(Written { start_url: "javascript:x", ..right }).contains("start"));
        assert!(wrong(Written { description: "a\u{202e}b", ..right }).contains("description"));
        let long = "a ".repeat(101);
        assert!(wrong(Written { description: &long, ..right }).contains("200 characters"));
    }
}
