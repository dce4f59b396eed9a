//! Numbers that the channel refuses, as this process knows them.

use domain::id::AccountId;
use std::collections::HashMap;
use std::sync::{PoisonError, RwLock};

/// Numbers that this process knows to be held, each with the last claim of conversations that does not know it: of those
/// no message is sent.
#[derive(Debug, Default)]
pub struct HeldNumbers(RwLock<HashMap<AccountId, i64>>);

impl HeldNumbers {
    /// Whether the number is held, as far as the claim of that number does not know it.
    pub fn holds(&self, account: AccountId, claim: i64) -> bool {
        let held = self.0.read().unwrap_or_else(PoisonError::into_inner);
        held.get(&account).is_some_and(|last| claim <= *last)
    }

    /// From now on it is held, as far as claims up to that one do not know it; or it is held no longer.
    pub fn note(&self, account: AccountId, last_claim: Option<i64>) {
        let mut held = self.0.write().unwrap_or_else(PoisonError::into_inner);
        match last_claim {
            Some(last) => drop(held.insert(account, last)),
            None => drop(held.remove(&account)),
        }
    }
}
