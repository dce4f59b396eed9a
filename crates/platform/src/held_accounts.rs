//! Accounts that this instance has found to be held, because the channel refuses them.

use domain::id::{AccountId, OrganizationId};
use parking_lot::RwLock;
use persistence::{Db, Result};
use std::collections::HashMap;
use std::time::Duration;

/// Number of conversations released in one transaction. The limit keeps each transaction short.
const BATCH: i64 = 1000;
/// The wait before retrying conversations that another worker has claimed.
const RETRY_INTERVAL: Duration = Duration::from_millis(20);
/// Number of retries after which `workers::housekeeping` releases the rest.
const MAX_RETRIES: usize = 20;

/// The accounts that this instance has found to be held, each with a claim number. A worker may
/// have read the claims up to this number from the database before the hold was recorded. Under
/// those claims no message of the account is sent.
#[derive(Debug, Default)]
pub struct HeldAccounts(RwLock<HashMap<AccountId, i64>>);

impl HeldAccounts {
    /// Whether the account is held, and a worker may have read the claim with this number before
    /// the hold was recorded.
    pub fn holds(&self, account: AccountId, claim: i64) -> bool {
        let held = self.0.read();
        held.get(&account).is_some_and(|last| claim <= *last)
    }

    /// Records that the account is held. `last_claim` is the number of the last claim that a worker
    /// may have read before that. `None` records that the account is not held.
    pub fn record(&self, account: AccountId, last_claim: Option<i64>) {
        let mut held = self.0.write();
        match last_claim {
            Some(last) => drop(held.insert(account, last)),
            None => drop(held.remove(&account)),
        }
    }
}

/// Releases the messages that wait for an account that is not held, in batches. If this future is
/// dropped or runs out of retries, `workers::housekeeping` releases the rest.
pub async fn release_waiting(
    db: &Db,
    organization: OrganizationId,
    account: AccountId,
) -> Result<()> {
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
