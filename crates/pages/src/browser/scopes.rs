//! Checkboxes for scopes.

use super::Form;
use domain::keyword::Keyword as _;
use domain::scope::{Scope, ScopeSet};

/// The checkbox of one scope.
pub struct ScopeChoice {
    pub name: &'static str,
    /// The description of the scope in plain words.
    pub about: &'static str,
    pub selected: bool,
}

/// Returns a checkbox for every scope, with the words of `description`. Those in `scopes` are
/// checked.
#[must_use]
pub fn scope_choices(scopes: ScopeSet, description: fn(Scope) -> &'static str) -> Vec<ScopeChoice> {
    let choice = |it: &Scope| ScopeChoice {
        name: it.as_str(),
        about: description(*it),
        selected: scopes.contains(*it),
    };
    Scope::ALL.iter().map(choice).collect()
}

/// Returns the scopes that are checked in a form.
#[must_use]
pub fn selected_scopes(form: &Form) -> ScopeSet {
    form.values("scope").filter_map(Scope::from_keyword).collect()
}
