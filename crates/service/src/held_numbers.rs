//! Numbers that the channel refuses, as this process knows them.

use domain::id::{AccountId, OrganizationId};
use persistence::{Db, Result};
use std::collections::HashMap;
use std::sync::{PoisonError, RwLock};
use std::time::Duration;

/// Conversations that are let go at a time: few enough that each transaction is short, however many wait.
const BATCH: i64 = 1000;
/// Conversations that somebody else works on are looked for again after so long, and at most so often; then it is left to
/// the house's keeping.
const WAIT: Duration = Duration::from_millis(20);
const ROUNDS: usize = 20;

/// One of an organization's numbers.
pub type Number = (OrganizationId, AccountId);

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

/// Lets the messages go that wait for a number which is held no longer, portion by portion. Whoever is broken off in this
/// leaves the rest to the house's keeping.
pub async fn let_go(db: &Db, (organization, account): Number) -> Result<()> {
    let mut waited = 0;
    loop {
        let done = db.organization(organization).release_waiting(account, BATCH).await?;
        if !done.left || waited == ROUNDS {
            return Ok(());
        }
        if done.released == 0 {
            waited += 1;
            tokio::time::sleep(WAIT).await;
        }
    }
}
