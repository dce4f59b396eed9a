//! The scopes of a form, as boxes to select.

use super::Form;
use domain::keyword::Keyword as _;
use domain::scope::{Scope, ScopeSet};

/// A box.
pub struct ScopeChoice {
    /// The scope's name.
    pub name: &'static str,
    /// The permission in plain words.
    pub about: &'static str,
    /// Whether it is selected.
    pub selected: bool,
}

/// A box for every scope.
#[must_use]
pub fn scope_choices(scopes: ScopeSet) -> Vec<ScopeChoice> {
    let choice = |it: &Scope| ScopeChoice {
        name: it.as_str(),
        about: it.plain_description(),
        selected: scopes.contains(*it),
    };
    Scope::ALL.iter().map(choice).collect()
}

/// The scopes that are selected in a form.
#[must_use]
pub fn selected_scopes(form: &Form) -> ScopeSet {
    form.values("scope").filter_map(Scope::from_keyword).collect()
}
