//! The content of an application's form. Rejected input is kept, so that nobody has to type it
//! again.

use crate::browser::{FieldErrors, Form, ScopeChoice, scope_choices, selected_scopes};
use crate::dashboard::fields::{DESCRIPTION, NAME, REDIRECT_URIS, SCOPE, START_URL};
use domain::application::{InvalidTerms, RedirectUri, Terms, TermsFault, TermsInput};
use domain::scope::{Scope, ScopeSet};
use persistence::records::{Application, UnreadableRow};

/// The content of the form.
pub struct ApplicationFields {
    pub name: String,
    pub description: String,
    pub start_url: String,
    /// One URI per line.
    pub redirect_uris: String,
    pub scopes: ScopeSet,
}

impl ApplicationFields {
    pub fn empty() -> Self {
        Self {
            name: String::new(),
            description: String::new(),
            start_url: String::new(),
            redirect_uris: String::new(),
            scopes: ScopeSet::default(),
        }
    }

    pub fn of(form: &Form) -> Self {
        let text = |value: &str| value.trim().to_owned();
        Self {
            name: text(NAME.of(form)),
            description: text(DESCRIPTION.of(form)),
            start_url: text(START_URL.of(form)),
            redirect_uris: text(form.value(REDIRECT_URIS)),
            scopes: selected_scopes(form),
        }
    }

    /// Fills the form with an application's current terms.
    pub fn from_application(application: &Application) -> Result<Self, UnreadableRow> {
        let addresses = application.registered_redirect_uris()?;
        let addresses: Vec<&str> = addresses.iter().map(RedirectUri::as_str).collect();
        Ok(Self {
            name: application.name.clone(),
            description: application.description.clone().unwrap_or_default(),
            start_url: application.start_url.clone().unwrap_or_default(),
            redirect_uris: addresses.join("\n"),
            scopes: application.registered_scopes()?,
        })
    }

    /// Validates the form.
    pub fn terms(&self) -> Result<Terms, FieldErrors> {
        let lines = self.redirect_uris.lines().map(str::trim).filter(|line| !line.is_empty());
        let redirect_uris: Vec<String> = lines.map(str::to_owned).collect();
        Terms::parse(TermsInput {
            name: &self.name,
            redirect_uris: &redirect_uris,
            scopes: self.scopes,
            description: &self.description,
            start_url: &self.start_url,
        })
        .map_err(|InvalidTerms(faults)| {
            let mut errors = FieldErrors::default();
            for fault in faults {
                errors.add(field_of(&fault), fault);
            }
            errors
        })
    }

    /// Returns a checkbox for every scope.
    pub fn choices(&self) -> Vec<ScopeChoice> {
        scope_choices(self.scopes, Scope::developer_description)
    }
}

const fn field_of(fault: &TermsFault) -> &'static str {
    match fault {
        TermsFault::Name(_) => NAME.name,
        TermsFault::Description(_) => DESCRIPTION.name,
        TermsFault::StartUrl => START_URL.name,
        TermsFault::RedirectUri(..) | TermsFault::HowManyRedirectUris => REDIRECT_URIS,
        TermsFault::NoScope(_) => SCOPE,
    }
}
