//! Who may call an operation, and by which checks they are let in (`docs/contract.md#order-of-checks`).

mod caller;
mod gates;
pub mod pair;

pub use caller::{Admit, ApplicationHolder, KeyHolder, KeyOverview};
pub use gates::LimitStatus;

use domain::keyword::Keyword as _;
use domain::scope::Scope;
use std::fmt;
use std::marker::PhantomData;

/// Who may call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// A key with this scope.
    Key(Scope),
    /// Any key.
    AnyKey,
    /// An application, by its own pair.
    Application,
}

impl Access {
    /// The scope that the key needs, if it needs one.
    #[must_use]
    pub const fn scope(self) -> Option<Scope> {
        match self {
            Self::Key(scope) => Some(scope),
            Self::AnyKey | Self::Application => None,
        }
    }
}

impl fmt::Display for Access {
    /// What the caller needs, in a sentence for the reference.
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Key(scope) => write!(out, "Scope: `{}`.", scope.as_str()),
            Self::AnyKey => out.write_str("Scope: none; any key."),
            Self::Application => out.write_str(
                "Credentials: the application's own pair, in the two headers or by HTTP Basic.",
            ),
        }
    }
}

/// What a caller of type `C` needs. Each such type makes its own, so that no operation can take a key and forget its
/// scope, or name a scope and take an application.
pub struct Required<C> {
    access: Access,
    caller: PhantomData<fn() -> C>,
}

impl<C> Required<C> {
    const fn new(access: Access) -> Self {
        Self { access, caller: PhantomData }
    }

    /// What that is.
    #[must_use]
    pub const fn access(&self) -> Access {
        self.access
    }
}

impl KeyHolder {
    /// A key with this scope.
    #[must_use]
    pub const fn with(scope: Scope) -> Required<Self> {
        Required::new(Access::Key(scope))
    }

    /// Any key.
    #[must_use]
    pub const fn any() -> Required<Self> {
        Required::new(Access::AnyKey)
    }
}

impl KeyOverview {
    /// Any key.
    #[must_use]
    pub const fn any() -> Required<Self> {
        Required::new(Access::AnyKey)
    }
}

impl ApplicationHolder {
    /// The application's own pair.
    #[must_use]
    pub const fn own_pair() -> Required<Self> {
        Required::new(Access::Application)
    }
}
