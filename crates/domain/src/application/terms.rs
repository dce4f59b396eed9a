//! The registered terms of an application: its name, redirect URIs, scopes, description and start
//! URL (`docs/contract.md#applications`). [`Terms::parse`] accepts only valid terms.

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
    /// The URL of the application's page at which Connect starts.
    pub start_url: Option<String>,
}

/// The terms of an application as they were entered, before they are checked.
#[derive(Clone, Copy, Debug)]
pub struct TermsInput<'a> {
    pub name: &'a str,
    pub redirect_uris: &'a [String],
    pub scopes: ScopeSet,
    /// The description. The text may be empty.
    pub description: &'a str,
    /// The URL of the application's page at which Connect starts. The text may be empty.
    pub start_url: &'a str,
}

/// An error in one part of an application's terms.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TermsFault {
    #[error(transparent)]
    Name(#[from] InvalidApplicationName),
    #[error(transparent)]
    Description(#[from] InvalidDescription),
    #[error(
        "a start URL is an https URL, or an http URL on localhost, 127.0.0.1 or [::1], without a fragment (#…) and a user"
    )]
    StartUrl,
    /// A redirect URI is not valid.
    #[error("{0:?} is not valid: {1}")]
    RedirectUri(String, InvalidRedirectUri),
    /// There are too few or too many redirect URIs.
    #[error("an application has 1 to {MAX_REDIRECT_URIS} redirect URIs")]
    HowManyRedirectUris,
    #[error(transparent)]
    NoScope(#[from] NoScope),
}

/// All errors of an application's terms, in the order of the fields of the form.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}", .0.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "))]
pub struct InvalidTerms(pub Vec<TermsFault>);

impl Terms {
    /// Checks the terms, and returns all errors that they have.
    pub fn parse(written: TermsInput<'_>) -> Result<Self, InvalidTerms> {
        let mut faults = Vec::new();
        let name = collect(name(written.name), &mut faults);
        let description = collect(description(written.description), &mut faults);
        let start_url = match written.start_url.trim() {
            "" => Some(None),
            text => {
                collect(start_url(text).map_err(|_| TermsFault::StartUrl), &mut faults).map(Some)
            }
        };
        let redirect_uris = redirect_uris(written.redirect_uris, &mut faults);
        let scopes = collect(grant(written.scopes), &mut faults);
        match (name, description, start_url, scopes) {
            (Some(name), Some(description), Some(start_url), Some(scopes)) if faults.is_empty() => {
                Ok(Self { name, redirect_uris, scopes, description, start_url })
            }
            _ => Err(InvalidTerms(faults)),
        }
    }
}

/// Returns the parsed value. If `read` is an error, adds the error to `faults` and returns `None`.
fn collect<T, E: Into<TermsFault>>(read: Result<T, E>, faults: &mut Vec<TermsFault>) -> Option<T> {
    read.map_err(|fault| faults.push(fault.into())).ok()
}

fn redirect_uris(written: &[String], faults: &mut Vec<TermsFault>) -> Vec<RedirectUri> {
    if written.is_empty() || written.len() > MAX_REDIRECT_URIS {
        faults.push(TermsFault::HowManyRedirectUris);
    }
    let read = |text: &String| {
        RedirectUri::parse(text).map_err(|why| TermsFault::RedirectUri(text.clone(), why))
    };
    // Only the first [`MAX_REDIRECT_URIS`] URIs are checked, which limits the number of errors.
    let judged = written.iter().take(MAX_REDIRECT_URIS);
    judged.filter_map(|text| collect(read(text), faults)).collect()
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
        let right = TermsInput {
            name: "CRM",
            redirect_uris: &good,
            scopes,
            description: "",
            start_url: " ",
        };
        let terms = Terms::parse(right).unwrap();
        assert_eq!(terms.description, None);
        assert_eq!(terms.start_url, None);

        let wrong = |written| Terms::parse(written).unwrap_err().to_string();
        assert!(
            wrong(TermsInput { redirect_uris: &bad, ..right }).contains("http://partner.example/")
        );
        assert!(wrong(TermsInput { redirect_uris: &[], ..right }).contains("1 to 10"));
        assert!(wrong(TermsInput { scopes: ScopeSet::default(), ..right }).contains("permission"));
        assert!(wrong(TermsInput { name: "Verified", ..right }).contains("badge"));
        assert!(wrong(TermsInput { start_url: "javascript:x", ..right }).contains("start"));
        assert!(wrong(TermsInput { description: "a\u{202e}b", ..right }).contains("description"));
        let all_wrong = TermsInput {
            name: "",
            redirect_uris: &bad,
            scopes: ScopeSet::default(),
            description: "a\u{202e}b",
            start_url: "javascript:x",
        };
        let InvalidTerms(faults) = Terms::parse(all_wrong).unwrap_err();
        assert_eq!(faults.len(), 5, "{faults:?}");
        let long = "a ".repeat(101);
        assert!(wrong(TermsInput { description: &long, ..right }).contains("200 characters"));
    }
}
