//! Delivers what is on its way. Endpoints that are failing have a lane of their own and are tried with one
//! delivery at a time, so that those which never answer take no place from the others.

use super::attempt::{attempt, secrets_of};
use crate::Deps;
use crate::clock::Stopwatch;
use crate::worker::{GATHER, MAX_IDLE_WAIT, MIN_IDLE, let_sends_pass};
use domain::number::saturating;
use domain::time::Timestamp;
use domain::webhook::EndpointState;
use futures_util::StreamExt as _;
use futures_util::stream::FuturesUnordered;
use persistence::Result;
use persistence::records::{DeliverySettlement, DeliveryUpdate, Endpoint};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;
use tokio::task::{JoinError, JoinSet};

/// A group of endpoints with the same limits.
#[derive(Clone, Copy, Debug)]
pub struct Lane {
    /// Whether it is those whose last attempt failed.
    failing: bool,
    /// How many are processed at a time.
    endpoints: usize,
    /// Deliveries to one of them at a time.
    each: usize,
}

/// The two lanes.
pub const LANES: [Lane; 2] = [
    Lane { failing: false, endpoints: 256, each: 16 },
    Lane { failing: true, endpoints: 128, each: 1 },
];

/// Endpoints claimed at a time.
const MAX_CLAIMED_ENDPOINTS: usize = 64;
/// How long a claim holds: longer than an attempt may take.
const LEASE: Duration = Duration::from_secs(30);
/// How long a settlement that failed is retried, and after how long each time.
const SETTLE_TIMEOUT: Duration = Duration::from_secs(10);
const SETTLE_RETRY_DELAY: Duration = Duration::from_millis(500);

/// Works in a lane until the server stops, and then ends what it has begun.
pub async fn run(deps: &Arc<Deps>, lane: Lane) {
    let mut in_progress = JoinSet::new();
    while !deps.stopping.load(Ordering::Relaxed) {
        while let Some(ended) = in_progress.try_join_next() {
            note(ended);
        }
        let room = lane.endpoints.saturating_sub(in_progress.len()).min(MAX_CLAIMED_ENDPOINTS);
        if room == 0 {
            if let Some(ended) = in_progress.join_next().await {
                note(ended);
            }
            continue;
        }
        let_sends_pass(deps).await;
        let bell = deps.wakeups.delivering.notified();
        let claimed = claim(deps, lane, room).await.unwrap_or_else(|error| {
            tracing::error!(%error, worker = "webhook", "a step failed; it is retried");
            None
        });
        let Some((endpoints, until)) = claimed else {
            let wait = wait(deps, lane).await;
            // Whichever comes first; neither outcome says anything.
            drop(tokio::time::timeout(wait, bell).await);
            continue;
        };
        let found = endpoints.len();
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
        note(ended);
    }
}

async fn wait(deps: &Deps, lane: Lane) -> Duration {
    let now = deps.clock.now();
    let due = deps.db.operator().next_delivery_due(lane.failing, now).await;
    let due = due.unwrap_or_else(|error| {
        tracing::error!(%error, "when the next delivery is due is not known");
        None
    });
    due.map_or(MAX_IDLE_WAIT, |due| due.since(now)).clamp(MIN_IDLE, MAX_IDLE_WAIT)
}

/// An endpoint that could not be settled is claimed again when its claim has run out.
fn note(ended: Result<Result<()>, JoinError>) {
    match ended {
        Ok(Ok(())) => {}
        Ok(Err(error)) => tracing::error!(%error, "an endpoint was not settled"),
        Err(error) => tracing::error!(%error, "delivering to an endpoint was cancelled"),
    }
}

/// Delivers what is due; returns how many endpoints it processed.
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
    if deps.db.operator().next_delivery_due(lane.failing, now).await?.is_none_or(|due| due > now) {
        return Ok(None);
    }
    let (most, until) = (saturating(most, i64::MAX), now.plus(LEASE));
    let by = deps.lease.instance();
    let claimed = deps.db.operator().claim_endpoints(lane.failing, most, now, until, by).await?;
    Ok((!claimed.is_empty()).then_some((claimed, until)))
}

/// One endpoint's deliveries, all that are due or as many as its lane allows; returns whether more may be
/// due. What has been answered is recorded while the rest is still waited for.
async fn work_on(deps: &Deps, lane: Lane, endpoint: Endpoint, until: Timestamp) -> Result<bool> {
    let now = deps.clock.now();
    let settled = |tried: Vec<DeliveryUpdate>, release: bool| DeliverySettlement {
        endpoint: endpoint.id,
        until,
        at: deps.clock.now(),
        tried,
        release,
    };
    if endpoint.health().at(now).state() == EndpointState::Disabled {
        settle(deps, settled(Vec::new(), true)).await?;
        return Ok(false);
    }
    let secrets = match secrets_of(deps, &endpoint, now) {
        Ok(secrets) => secrets,
        Err(error) => {
            // No fault of the endpoint's: its claim runs out, and then it is retried.
            tracing::error!(%error, endpoint = %endpoint.id, "a webhook secret cannot be opened");
            return Ok(false);
        }
    };
    let each = saturating(lane.each, i64::MAX);
    let due = deps.db.operator().due_deliveries(endpoint.id, now, each).await?;
    let (mut left, more) = (due.len(), due.len() == lane.each);
    if left == 0 {
        settle(deps, settled(Vec::new(), true)).await?;
        return Ok(false);
    }
    let attempts: FuturesUnordered<_> =
        due.into_iter().map(|due| attempt(deps, &endpoint, &secrets, due)).collect();
    let mut answered = attempts.ready_chunks(lane.each);
    while let Some(tried) = answered.next().await {
        left = left.saturating_sub(tried.len());
        settle(deps, settled(tried, left == 0)).await?;
    }
    Ok(more)
}

/// Records the result of deliveries, again and again as long as the claim holds: what was delivered
/// would be delivered once more.
async fn settle(deps: &Deps, settled: DeliverySettlement) -> Result<()> {
    let watch = Stopwatch::start();
    loop {
        match deps.db.operator().settle_deliveries(settled.clone()).await {
            Err(error) if watch.elapsed() < SETTLE_TIMEOUT => {
                let endpoint = settled.endpoint;
                tracing::warn!(%error, %endpoint, "a settlement failed; it is retried");
                tokio::time::sleep(SETTLE_RETRY_DELAY).await;
            }
            done => return done,
        }
    }
}
