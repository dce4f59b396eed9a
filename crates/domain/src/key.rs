//! API keys (`docs/contract.md#api-keys`).

use crate::keyword::keywords;
use crate::number::with_commas;
use crate::scope::ScopeSet;

keywords! {
    /// The state of a key, which decides whether the key can be used. A removed key has no row in
    /// the database, so there is no state for it.
    pub enum KeyState {
        /// The key can be used for API calls.
        Active = "active",
        /// Calls with the key are answered with 401 until the key is enabled again.
        Inactive = "inactive",
    }
}

keywords! {
    /// The way in which a key was created.
    pub enum KeyKind {
        /// A member created the key on the dashboard.
        Manual = "manual",
        /// The key was created when an application was connected.
        Connection = "connection",
    }
}

/// The error for a set of scopes that is empty.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("choose at least one permission")]
pub struct NoScope;

/// Checks that a set of scopes is not empty, before it is given to a key or registered for an
/// application.
pub fn grant(scopes: ScopeSet) -> Result<ScopeSet, NoScope> {
    if scopes.is_empty() { Err(NoScope) } else { Ok(scopes) }
}

/// Maximum number of API calls per minute. Zero means that there is no limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RateLimit(u32);

/// Maximum value of a rate limit.
pub const MAX_RATE_LIMIT: u32 = 100_000;

/// The error for a number that cannot be a rate limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a rate limit is 0 to {most} requests/min; 0 = unlimited", most = with_commas(MAX_RATE_LIMIT.into()))]
pub struct InvalidRateLimit;

impl RateLimit {
    pub fn parse(per_minute: i64) -> Result<Self, InvalidRateLimit> {
        match u32::try_from(per_minute) {
            Ok(per_minute) if per_minute <= MAX_RATE_LIMIT => Ok(Self(per_minute)),
            _ => Err(InvalidRateLimit),
        }
    }

    /// Returns the maximum number of calls per minute, or `None` if there is no limit.
    #[must_use]
    pub const fn per_minute(self) -> Option<u32> {
        match self.0 {
            0 => None,
            limit => Some(limit),
        }
    }

    /// Returns the number that is stored: the calls per minute, or 0 for no limit.
    #[must_use]
    pub const fn number(self) -> u32 {
        self.0
    }
}

impl Default for RateLimit {
    fn default() -> Self {
        Self(100)
    }
}

/// The filters of a list of keys. A filter that is not set excludes no key.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KeyFilter {
    /// A part of the name of the key, in upper or lower case, or a part of the client ID. Empty for
    /// no filter.
    pub search: String,
    pub state: Option<KeyState>,
    pub kind: Option<KeyKind>,
}

impl KeyFilter {
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Whether a key with these properties passes all filters.
    #[must_use]
    pub fn includes(&self, name: &str, client_id: &str, state: KeyState, kind: KeyKind) -> bool {
        let search = self.search.as_str();
        self.state.is_none_or(|it| it == state)
            && self.kind.is_none_or(|it| it == kind)
            && (client_id.contains(search) || name.to_lowercase().contains(&search.to_lowercase()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scope::Scope;

    #[test]
    fn a_key_is_found_by_a_part_of_its_name_or_client_id() {
        let is_found = |search: &str| {
            let filter = KeyFilter { search: search.to_owned(), ..KeyFilter::default() };
            filter.includes("Café checkout", "swk_Ab12", KeyState::Active, KeyKind::Manual)
        };
        for search in ["", "CAFÉ", "check", "swk_Ab", "Ab12"] {
            assert!(is_found(search), "{search}");
        }
        for search in ["cafe", "ab12", "till"] {
            assert!(!is_found(search), "{search}");
        }
        let disabled = KeyFilter { state: Some(KeyState::Inactive), ..KeyFilter::default() };
        assert!(!disabled.includes("Till", "swk_1", KeyState::Active, KeyKind::Manual));
        let connected = KeyFilter { kind: Some(KeyKind::Connection), ..KeyFilter::default() };
        assert!(connected.includes("Till", "swk_1", KeyState::Active, KeyKind::Connection));
        assert!(KeyFilter::default().is_empty() && !connected.is_empty());
    }

    #[test]
    fn a_key_is_granted_something() {
        let one: ScopeSet = [Scope::MediaWrite].into_iter().collect();
        assert_eq!(grant(one), Ok(one));
        assert_eq!(grant(ScopeSet::default()), Err(NoScope));
    }
}
