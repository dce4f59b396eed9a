//! Runs reads that may scan many rows. Each organization may run a limited number of them at a
//! time, and its other reads wait. So no organization can slow down the database for the rest.

use domain::id::OrganizationId;
use parking_lot::Mutex;
use persistence::{Db, Error, Result, deadline};
use std::collections::HashMap;
use std::sync::{Arc, Weak};
use tokio::runtime::Handle;
use tokio::sync::Semaphore;
use tracing::Instrument as _;

/// Number of long reads of one organization at a time.
const CONCURRENCY: usize = 1;

/// Limits the number of long reads that each organization runs at a time.
pub struct ReadLimiter {
    turns: Mutex<HashMap<OrganizationId, Weak<Semaphore>>>,
    runtime: Handle,
}

impl ReadLimiter {
    /// Creates a limiter whose reads run on this runtime.
    #[must_use]
    pub fn new(runtime: Handle) -> Self {
        Self { turns: Mutex::default(), runtime }
    }

    /// Runs a read when it is the organization's turn. A read that has begun keeps its turn until
    /// it ends, even if the caller has stopped waiting.
    pub async fn run<R, F>(
        &self,
        organization: OrganizationId,
        db: &Db,
        read: impl FnOnce(Db) -> F + Send + 'static,
    ) -> Result<R>
    where
        R: Send + 'static,
        F: Future<Output = Result<R>> + Send,
    {
        let stopped = |_| Error::Unknown("the server is shutting down".to_owned());
        let late = || Error::Unknown("the request's time for the database is over".to_owned());
        let (turns, db) = (self.organization_limit(organization), db.clone());
        let work = async {
            let turn = turns.acquire_owned().await.map_err(stopped)?;
            let read = async move {
                let outcome = read(db).await;
                drop(turn);
                outcome
            };
            self.runtime
                .spawn(read.in_current_span())
                .await
                .map_err(|error| Error::Unknown(error.to_string()))?
        };
        deadline::within_request(work).await.ok_or_else(late)?
    }

    fn organization_limit(&self, organization: OrganizationId) -> Arc<Semaphore> {
        let mut all = self.turns.lock();
        if let Some(turns) = all.get(&organization).and_then(Weak::upgrade) {
            return turns;
        }
        all.retain(|_, turns| turns.strong_count() > 0);
        let turns = Arc::new(Semaphore::new(CONCURRENCY));
        all.insert(organization, Arc::downgrade(&turns));
        turns
    }
}
