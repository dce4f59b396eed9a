//! What an application registers, as one value: it exists only when all of it is right (`docs/contract.md#applications`).

use super::{
    InvalidApplicationName, InvalidDescription, InvalidRedirectUri, MAX_REDIRECT_URIS, RedirectUri,
};
use super::{description, name, start_url};
use crate::key::{NoScope, grant};
use crate::name::Name;
use crate::scope::ScopeSet;

/// What an application registers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Terms {
    /// Its name.
    pub name: Name,
    /// Where members are sent back to: at least one address.
    pub redirect_uris: Vec<RedirectUri>,
    /// What it may ask for: at least one scope.
    pub scopes: ScopeSet,
    /// A line about it.
    pub description: Option<String>,
    /// Its page that begins a handshake.
    pub start_url: Option<String>,
}

/// The same as it was written.
#[derive(Clone, Copy, Debug)]
pub struct Written<'a> {
    /// Its name.
    pub name: &'a str,
    /// Where members are sent back to.
    pub redirect_uris: &'a [String],
    /// What it may ask for.
    pub scopes: ScopeSet,
    /// A line about it, or nothing.
    pub description: &'a str,
    /// Its page that begins a handshake, or nothing.
    pub start_url: &'a str,
}

/// What is wrong with it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvalidTerms {
    /// The name.
    #[error(transparent)]
    Name(#[from] InvalidApplicationName),
    /// The description.
    #[error(transparent)]
    Description(#[from] InvalidDescription),
    /// The start address.
    #[error("the start URL is not valid: it is https, or http on this machine, without # and user")]
    StartUrl,
    /// A redirect address.
    #[error("{0:?} is not valid: {1}")]
    RedirectUri(String, InvalidRedirectUri),
    /// The number of redirect addresses.
    #[error("an application has 1 to {MAX_REDIRECT_URIS} redirect URLs")]
    HowManyRedirectUris,
    /// No scope.
    #[error(transparent)]
    NoScope(#[from] NoScope),
}

impl Terms {
    /// Reads what is to be registered.
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
