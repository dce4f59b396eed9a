//! Claims conversations, and keeps none that nobody works on.

use crate::Deps;
use crate::clock::Stopwatch;
use crate::worker::heartbeat;
use domain::number::saturating;
use domain::time::Timestamp;
use persistence::Result;
use persistence::records::{Claim, Claimed};
use std::time::Duration;

/// A claim that failed may still come to be for so long: the database may finish what it was asked after
/// nobody waits for its answer any more.
const MAY_COME_TO_BE: Duration = Duration::from_mins(1);

/// What is due and was claimed, or else when something is.
pub type Next = Result<Vec<Claimed>, Option<Timestamp>>;

/// Claims of this server.
#[derive(Debug, Default)]
pub struct Claims {
    /// Those of which nobody knows whether they came to be, and since when.
    failed: Vec<(Claim, Stopwatch)>,
    /// Whether the last claim found something: then there is probably more, and it is not asked when something is due.
    found: bool,
}

impl Claims {
    /// Claims what is due.
    pub async fn next(&mut self, deps: &Deps, most: usize) -> Result<Next> {
        self.release(deps).await?;
        let now = deps.clock.now();
        if !std::mem::replace(&mut self.found, false) {
            let due = deps.db.operator().next_message_due().await?;
            if due.is_none_or(|due| due > now) {
                return Ok(Err(due));
            }
        }
        let most = saturating(most, i64::MAX);
        loop {
            let claim = deps.lease.next_claim();
            if !deps.lease.holds(claim) {
                return Ok(Err(None));
            }
            match deps.db.operator().claim(claim, most, now).await {
                Ok(Some(claimed)) if claimed.is_empty() => {
                    return Ok(Err(deps.db.operator().next_message_due().await?));
                }
                Ok(Some(claimed)) => {
                    self.found = true;
                    return Ok(Ok(claimed));
                }
                Ok(None) => heartbeat::enter(deps).await?,
                Err(error) => {
                    self.failed.push((claim, Stopwatch::start()));
                    return Err(error);
                }
            }
        }
    }

    async fn release(&mut self, deps: &Deps) -> Result<()> {
        for (claim, _) in &self.failed {
            deps.db.operator().release_claim(*claim).await?;
        }
        self.failed.retain(|(_, since)| since.elapsed() < MAY_COME_TO_BE);
        Ok(())
    }
}
