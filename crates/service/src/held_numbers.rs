//! Numbers that the channel refuses, as this process knows them.

use domain::id::{AccountId, OrganizationId};
use persistence::{Db, Result};
use std::collections::HashMap;
use std::sync::{PoisonError, RwLock};
use std::time::Duration;

/// Conversations that are let go at a time: few enough that each transaction is short, however many wait.
const BATCH: i64 = 1000;
/// How long to wait for conversations that another worker has claimed before they are tried again.
const RETRY_INTERVAL: Duration = Duration::from_millis(20);
/// Retries after which the rest is left to [`crate::worker::housekeeping`].
const MAX_RETRIES: usize = 20;

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

/// Releases the messages that wait for a number which is held no longer, in batches. What is left when this is cancelled
/// or runs out of retries, [`crate::worker::housekeeping`] releases.
pub async fn release_waiting(db: &Db, (organization, account): Number) -> Result<()> {
    let mut retries = 0;
    loop {
        let done = db.organization(organization).release_waiting(account, BATCH).await?;
        if !done.left || retries == MAX_RETRIES {
            return Ok(());
        }
        if done.released == 0 {
            retries += 1;
            tokio::time::sleep(RETRY_INTERVAL).await;
        }
    }
}
