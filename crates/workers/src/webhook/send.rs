//! Sends pending deliveries: each lane processes several endpoints at a time.

use super::lane::{LANES, Lane};
use super::turn::{self, work_on};
use crate::deferral::Deferral;
use crate::{GATHER, idle_wait};
use domain::number::saturating;
use domain::time::Timestamp;
use futures_util::StreamExt as _;
use persistence::Result;
use persistence::records::Endpoint;
use platform::Deps;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;
use tokio::task::{JoinError, JoinSet};

/// Number of endpoints claimed at a time.
const MAX_CLAIMED_ENDPOINTS: usize = 64;

/// Sends the deliveries of a lane until the server stops, and then finishes the endpoints in
/// progress.
pub async fn run(deps: &Arc<Deps>, lane: Lane) {
    let mut in_progress = JoinSet::new();
    let mut deferral = Deferral::default();
    while !deps.stopping.load(Ordering::Relaxed) {
        while let Some(ended) = in_progress.try_join_next() {
            log_failure(ended);
        }
        let room = lane.endpoints.saturating_sub(in_progress.len()).min(MAX_CLAIMED_ENDPOINTS);
        if room == 0 {
            if let Some(ended) = in_progress.join_next().await {
                log_failure(ended);
            }
            continue;
        }
        deferral.wait(deps).await;
        let bell = deps.wakeups.delivering.notified();
        let claimed = claim(deps, lane, room).await.unwrap_or_else(|error| {
            tracing::error!(%error, worker = "webhook", "a step failed; it is retried");
            None
        });
        let Some((endpoints, until)) = claimed else {
            let wait = wait(deps, lane).await;
            // The loop continues after whichever of the two comes first.
            drop(tokio::time::timeout(wait, bell).await);
            continue;
        };
        let found = endpoints.len();
        deferral.record(found >= room);
        for endpoint in endpoints {
            let deps = deps.clone();
            in_progress.spawn(async move {
                let more = work_on(&deps, lane, endpoint, until).await?;
                if more {
                    deps.wakeups.delivering.notify_waiters();
                }
                Ok(())
            });
        }
        if found < room {
            tokio::time::sleep(GATHER).await;
        }
    }
    while let Some(ended) = in_progress.join_next().await {
        log_failure(ended);
    }
}

async fn wait(deps: &Deps, lane: Lane) -> Duration {
    let now = deps.clock.now();
    let due = deps.db.operator().next_delivery_due(lane.failing, now).await;
    let due = due.unwrap_or_else(|error| {
        tracing::error!(%error, "the time of the next delivery could not be read");
        None
    });
    idle_wait(due, now)
}

/// Logs a failure. The endpoint is claimed again when its claim has expired.
fn log_failure(ended: Result<Result<()>, JoinError>) {
    match ended {
        Ok(Ok(())) => {}
        Ok(Err(error)) => tracing::error!(%error, "an endpoint was not settled"),
        Err(error) => tracing::error!(%error, "delivering to an endpoint was cancelled"),
    }
}

/// Sends the deliveries that are due. Returns the number of endpoints processed.
pub async fn step(deps: &Deps) -> Result<usize> {
    let mut worked = 0;
    for lane in LANES {
        let Some((endpoints, until)) = claim(deps, lane, MAX_CLAIMED_ENDPOINTS).await? else {
            continue;
        };
        worked += endpoints.len();
        let settled = futures_util::stream::iter(endpoints)
            .map(|endpoint| work_on(deps, lane, endpoint, until))
            .buffer_unordered(MAX_CLAIMED_ENDPOINTS);
        let outcomes: Vec<Result<bool>> = settled.collect().await;
        outcomes.into_iter().collect::<Result<Vec<bool>>>()?;
    }
    Ok(worked)
}

async fn claim(deps: &Deps, lane: Lane, most: usize) -> Result<Option<(Vec<Endpoint>, Timestamp)>> {
    let now = deps.clock.now();
    let db = deps.db.operator();
    let mut due = db.due_endpoints(lane.failing, saturating(most, i64::MAX), now).await?;
    if due.is_empty() {
        return Ok(None);
    }
    let (until, by) = (now.plus(turn::lease(deps)), deps.claims.instance());
    let places = due.iter().map(|it| (it.owner_id, it.id)).collect();
    let claimed = db.claim_endpoints(places, lane.failing, now, until, by).await?;
    due.retain(|endpoint| claimed.contains(&endpoint.id));
    Ok((!due.is_empty()).then_some((due, until)))
}
