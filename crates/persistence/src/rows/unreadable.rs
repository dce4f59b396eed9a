//! Rows that hold what this version cannot read.
use super::{Application, Consent, Key};
use domain::scope::{ScopeSet, UnknownScope};
use std::fmt::Display;

/// A row that holds what this version cannot read: a later version wrote it, or somebody by hand.
#[derive(Debug, thiserror::Error)]
#[error("the scopes of {of} cannot be read: {why}")]
pub struct UnreadableRow {
    of: String,
    #[source]
    why: UnknownScope,
}

fn scopes(of: &impl Display, stored: &str) -> Result<ScopeSet, UnreadableRow> {
    ScopeSet::stored(stored).map_err(|why| UnreadableRow { of: of.to_string(), why })
}

impl Key {
    /// What it may do.
    pub fn granted_scopes(&self) -> Result<ScopeSet, UnreadableRow> {
        scopes(&*self.id, &self.scopes)
    }
}

impl Application {
    /// What it may ask for.
    pub fn registered_scopes(&self) -> Result<ScopeSet, UnreadableRow> {
        scopes(&*self.id, &self.scopes)
    }
}

impl Consent {
    /// What is asked; nothing of a request that is faulty.
    pub fn asked_scopes(&self) -> Result<ScopeSet, UnreadableRow> {
        scopes(&*self.id, self.scopes.as_deref().unwrap_or(""))
    }
}
