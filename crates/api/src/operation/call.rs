//! A call, as an operation gets it.

use crate::admission::KeyHolder;
use crate::operation::{Operation, Slot};
use domain::id::{AccountId, KeyId, OrganizationId};
use domain::scope::ScopeSet;
use domain::time::Timestamp;
use domain::violation::Violations;
use std::sync::Arc;
use web_core::deps::Deps;
use web_core::problem::Problem;

/// A call that may go on: authenticated, paid for, within its limits, and decoded.
pub struct Call<O: Operation> {
    /// What the server has.
    pub deps: Arc<Deps>,
    /// When it came in: the time of all checks. A message is dated when it is accepted.
    pub now: Timestamp,
    /// Who calls.
    pub caller: O::Caller,
    /// The parameters in its path.
    pub path: O::Path,
    /// Where its answer is kept, if the caller asked for that.
    pub slot: Option<Slot>,
    pub(crate) input: O::Input,
    pub(crate) faults: Violations,
}

impl<O: Operation> Call<O> {
    /// Makes a domain value of the input: all faults at once, those of decoding included.
    pub fn parse<T>(
        &mut self,
        read: impl FnOnce(&O::Input, &mut Violations) -> Option<T>,
    ) -> Result<T, Problem> {
        let mut faults = std::mem::take(&mut self.faults);
        let value = read(&self.input, &mut faults);
        Ok(faults.settle(value)?)
    }
}

impl<O: Operation<Caller = KeyHolder>> Call<O> {
    /// The key that authenticated the request.
    #[must_use]
    pub fn key(&self) -> KeyId {
        self.caller.key.id
    }

    /// The organization it calls for.
    #[must_use]
    pub fn organization(&self) -> OrganizationId {
        self.caller.organization.id
    }

    /// The number that the key is bound to.
    #[must_use]
    pub fn bound_account(&self) -> Option<AccountId> {
        self.caller.key.account_id
    }

    /// The number that the key sends from: its own, or else the organization's default.
    pub fn sending_account(&self) -> Result<AccountId, Problem> {
        let default = self.caller.organization.default_account_id;
        self.bound_account().or(default).ok_or_else(Problem::no_messaging_account)
    }

    /// What the key may do.
    #[must_use]
    pub fn scopes(&self) -> ScopeSet {
        self.caller.scopes()
    }
}
