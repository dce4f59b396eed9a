//! Callers of operations, and the checks that admit them (`docs/contract.md#order-of-checks`).

mod caller;
mod gates;
pub mod pair;

pub use caller::{
    Admit, ApplicationHolder, EventReader, KeyHolder, KeyOrApplicationHolder, KeyOverview,
};
pub use gates::{FurtherCalls, LimitStatus};

use domain::keyword::Keyword as _;
use domain::scope::{Scope, ScopeSet};
use std::fmt;
use std::marker::PhantomData;

/// The kind of caller that may call an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// A key with this scope.
    Key(Scope),
    /// A key with one of these scopes. Most requests need the first scope. The second one is for
    /// the requests that the operation names.
    KeyWithEither(Scope, Scope),
    AnyKey,
    /// An application, with its own credentials.
    Application,
    /// A key with this scope that is not bound to an account, or an application with its own
    /// credentials.
    KeyOrApplication(Scope),
    /// A key with this scope, or an application with its own credentials.
    AnyKeyOrApplication(Scope),
}

impl Access {
    /// Returns the scope that the key needs for most requests, if it needs one.
    #[must_use]
    pub const fn scope(self) -> Option<Scope> {
        match self {
            Self::Key(scope)
            | Self::KeyWithEither(scope, _)
            | Self::KeyOrApplication(scope)
            | Self::AnyKeyOrApplication(scope) => Some(scope),
            Self::AnyKey | Self::Application => None,
        }
    }

    /// Returns the scope that the key needs for the other requests, if there is one.
    #[must_use]
    pub const fn other_scope(self) -> Option<Scope> {
        match self {
            Self::KeyWithEither(_, scope) => Some(scope),
            _ => None,
        }
    }

    /// Returns the scopes. The key needs one of them.
    pub fn scopes(self) -> impl Iterator<Item = Scope> {
        self.scope().into_iter().chain(self.other_scope())
    }

    /// Whether an application may call the operation with its own credentials.
    #[must_use]
    pub const fn admits_application(self) -> bool {
        match self {
            Self::Application | Self::KeyOrApplication(_) | Self::AnyKeyOrApplication(_) => true,
            Self::Key(_) | Self::KeyWithEither(..) | Self::AnyKey => false,
        }
    }

    /// Whether a key with these scopes may call the operation at all. The request itself is not
    /// considered.
    #[must_use]
    pub fn admits(self, granted: ScopeSet) -> bool {
        self.scope().is_none() || self.scopes().any(|it| granted.contains(it))
    }
}

impl fmt::Display for Access {
    /// Writes the requirement as a sentence for the reference.
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Key(scope) => write!(out, "Scope: `{}`.", scope.as_str()),
            Self::KeyWithEither(scope, other) => write!(
                out,
                "Scope: `{}`. For the requests that the description names, `{}` instead.",
                scope.as_str(),
                other.as_str()
            ),
            Self::AnyKey => out.write_str("Scope: none (any key)."),
            Self::KeyOrApplication(scope) | Self::AnyKeyOrApplication(scope) => write!(
                out,
                "Scope: `{}`. Or authenticate with an application's own client id and secret.",
                scope.as_str()
            ),
            Self::Application => out.write_str(
                "Authentication: the application's own client id and secret, in the two headers or by HTTP Basic.",
            ),
        }
    }
}

/// The requirement on a caller of type `C`. Each type of caller creates its own requirement. So an
/// operation cannot accept a key without naming a scope, or name a scope and accept an application.
pub struct Required<C> {
    access: Access,
    caller: PhantomData<fn() -> C>,
}

impl<C> Required<C> {
    const fn new(access: Access) -> Self {
        Self { access, caller: PhantomData }
    }

    #[must_use]
    pub const fn access(&self) -> Access {
        self.access
    }
}

impl KeyHolder {
    /// Requires a key with this scope.
    #[must_use]
    pub const fn with(scope: Scope) -> Required<Self> {
        Required::new(Access::Key(scope))
    }

    /// Requires a key with one of these scopes. The operation checks which one the request needs.
    #[must_use]
    pub const fn with_either(scope: Scope, other: Scope) -> Required<Self> {
        Required::new(Access::KeyWithEither(scope, other))
    }

    /// Accepts any key.
    #[must_use]
    pub const fn any() -> Required<Self> {
        Required::new(Access::AnyKey)
    }
}

impl KeyOverview {
    /// Accepts any key.
    #[must_use]
    pub const fn any() -> Required<Self> {
        Required::new(Access::AnyKey)
    }
}

impl KeyOrApplicationHolder {
    /// Requires a key with this scope, or an application's own credentials.
    #[must_use]
    pub const fn with(scope: Scope) -> Required<Self> {
        Required::new(Access::KeyOrApplication(scope))
    }
}

impl EventReader {
    /// Requires a key with this scope, or an application's own credentials.
    #[must_use]
    pub const fn with(scope: Scope) -> Required<Self> {
        Required::new(Access::AnyKeyOrApplication(scope))
    }
}

impl ApplicationHolder {
    /// Requires the application's own credentials.
    #[must_use]
    pub const fn own_pair() -> Required<Self> {
        Required::new(Access::Application)
    }
}
