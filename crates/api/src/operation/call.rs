//! Calls, as operations receive them.

use crate::admission::KeyHolder;
use crate::operation::{IdempotencySlot, Operation};
use domain::id::{AccountId, KeyId, OrganizationId};
use domain::scope::{Scope, ScopeSet};
use domain::time::Timestamp;
use domain::violation::Violations;
use http_layer::deps::ServerDeps;
use http_layer::problem::Problem;
use std::sync::Arc;

/// A call that may proceed: authenticated, paid for, within its limits, and decoded.
pub struct Call<O: Operation> {
    /// The dependencies of the server.
    pub deps: Arc<ServerDeps>,
    /// When the call arrived. All checks use this time; a message is dated when it is accepted.
    pub now: Timestamp,
    /// The authenticated caller.
    pub caller: O::Caller,
    /// The path parameters.
    pub path: O::Path,
    /// The slot that stores the answer, if the caller sent an `Idempotency-Key`.
    pub slot: Option<IdempotencySlot>,
    pub(crate) input: O::Input,
    pub(crate) faults: Violations,
}

impl<O: Operation> Call<O> {
    /// Parses the input as a domain value.
    ///
    /// # Errors
    ///
    /// `validation_failed` with every violation, including those that decoding found.
    pub fn parse<T>(
        &mut self,
        read: impl FnOnce(&O::Input, &mut Violations) -> Option<T>,
    ) -> Result<T, Problem> {
        let mut faults = std::mem::take(&mut self.faults);
        let value = read(&self.input, &mut faults);
        Ok(faults.finish(value)?)
    }
}

impl<O: Operation<Caller = KeyHolder>> Call<O> {
    /// Returns the id of the key that authenticated the request.
    #[must_use]
    pub fn key(&self) -> KeyId {
        self.caller.key.id
    }

    /// Returns the id of the organization that the key belongs to.
    #[must_use]
    pub fn organization(&self) -> OrganizationId {
        self.caller.organization.id
    }

    /// Returns the account that the key is bound to, if any.
    #[must_use]
    pub fn bound_account(&self) -> Option<AccountId> {
        self.caller.key.account_id
    }

    /// Returns the account that the key sends from: its own account, or otherwise the
    /// organization's default.
    ///
    /// # Errors
    ///
    /// `no_messaging_account` if there is neither.
    pub fn sending_account(&self) -> Result<AccountId, Problem> {
        let default = self.caller.organization.default_account_id;
        self.bound_account().or(default).ok_or_else(Problem::no_messaging_account)
    }

    /// Returns the scopes that the key was granted.
    #[must_use]
    pub fn scopes(&self) -> ScopeSet {
        self.caller.scopes()
    }

    /// Checks that the key has the scope that this request needs, if the operation admits keys with
    /// either of two scopes.
    ///
    /// # Errors
    ///
    /// `insufficient_scope` if the key does not have the scope.
    pub fn require(&self, scope: Scope) -> Result<(), Problem> {
        let granted = self.scopes();
        if granted.contains(scope) {
            Ok(())
        } else {
            Err(Problem::insufficient_scope(scope, granted))
        }
    }
}
