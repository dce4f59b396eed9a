//! API keys (`docs/contract.md#api-keys`).

use crate::keyword::keywords;
use crate::number::with_commas;
use crate::scope::ScopeSet;

keywords! {
    /// Whether a key opens anything. A removed key has no row, so it has no state either.
    pub enum KeyState {
        /// It authenticates.
        Active = "active",
        /// It answers 401 until it is enabled again.
        Inactive = "inactive",
    }
}

keywords! {
    /// Where a key comes from.
    pub enum KeyKind {
        /// Made by a member.
        Manual = "manual",
        /// Made by Connect for an application.
        Connection = "connection",
    }
}

/// A key or an application without a permission.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("choose at least one permission")]
pub struct NoScope;

/// What members and operators grant a key, or let an application request: at least one scope.
pub fn grant(scopes: ScopeSet) -> Result<ScopeSet, NoScope> {
    if scopes.is_empty() { Err(NoScope) } else { Ok(scopes) }
}

/// Requests a minute; zero is no throttling.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RateLimit(u32);

/// The most a rate limit may be: beyond it "no throttling" is meant.
pub const MAX_RATE_LIMIT: u32 = 100_000;

/// A number that is no rate limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("enter 0 to {most} requests/min; 0 = unlimited", most = with_commas(MAX_RATE_LIMIT.into()))]
pub struct InvalidRateLimit;

impl RateLimit {
    /// Reads a limit.
    pub fn parse(per_minute: i64) -> Result<Self, InvalidRateLimit> {
        match u32::try_from(per_minute) {
            Ok(per_minute) if per_minute <= MAX_RATE_LIMIT => Ok(Self(per_minute)),
            _ => Err(InvalidRateLimit),
        }
    }

    /// Requests a minute, or `None` where there is no throttling.
    #[must_use]
    pub const fn per_minute(self) -> Option<u32> {
        match self.0 {
            0 => None,
            limit => Some(limit),
        }
    }

    /// As it is written: 0 for no throttling.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scope::Scope;

    #[test]
    fn a_key_is_granted_something() {
        let one: ScopeSet = [Scope::MediaWrite].into_iter().collect();
        assert_eq!(grant(one), Ok(one));
        assert_eq!(grant(ScopeSet::default()), Err(NoScope));
    }
}
