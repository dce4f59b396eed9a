//! The scopes of a form, as boxes to be ticked.

use crate::browser::Form;
use domain::keyword::Keyword as _;
use domain::scope::{Scope, ScopeSet};

/// A box.
pub struct ScopeChoice {
    /// The scope's name.
    pub name: &'static str,
    /// The permission in plain words.
    pub about: &'static str,
    /// Whether it is ticked.
    pub ticked: bool,
}

/// A box for every scope.
pub fn choices(scopes: ScopeSet) -> Vec<ScopeChoice> {
    let choice = |it: &Scope| ScopeChoice {
        name: it.as_str(),
        about: it.plain_description(),
        ticked: scopes.contains(*it),
    };
    Scope::ALL.iter().map(choice).collect()
}

/// The scopes that are ticked in a form.
pub fn ticked(form: &Form) -> ScopeSet {
    form.values("scope").filter_map(Scope::from_keyword).collect()
}
