//! What a key may do.

use domain::scope::ScopeSet;
use persistence::rows::Caller;

/// What a key may do. A scope that this program no longer knows grants nothing.
#[must_use]
pub fn scopes(caller: &Caller) -> ScopeSet {
    scopes_of(&caller.key.scopes)
}

/// The scopes in a list with spaces between; what is none is left out.
#[must_use]
pub fn scopes_of(list: &str) -> ScopeSet {
    list.split(' ').filter_map(domain::word::Word::from_word).collect()
}
