//! Background workers. Each is a function `step(now)` that a test can call.

pub mod callbacks;
pub mod channel_client;
pub mod counters;
mod deferral;
pub mod fetch;
mod gauges;
pub mod heartbeat;
pub mod housekeeping;
pub mod listener;
pub mod review;
pub mod send;
pub mod webhook;

use crate::Deps;
use deferral::Deferral;
use domain::account::ChannelKind;
use domain::time::Timestamp;
use futures_util::FutureExt as _;
use persistence::Result;
use persistence::records::Callback;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;
use tokio::sync::Notify;
use tokio::task::JoinHandle;

/// The longest time that an idle worker waits: a retry whose time is not known in advance may be late by so much, and so
/// may work that another instance recorded and did not finish.
const MAX_IDLE_WAIT: Duration = Duration::from_secs(1);
/// When a step that failed is retried.
const RETRY_DELAY: Duration = Duration::from_millis(500);
/// A step that found less than this has caught up and waits for more: each step costs the same few round trips,
/// however much it finds.
const FULL_STEP: usize = 64;
const GATHER: Duration = Duration::from_millis(10);
/// The shortest wait between two steps.
const MIN_IDLE: Duration = Duration::from_millis(10);

/// Starts all workers; they end when `deps.stopping` is set.
pub fn start(deps: &Arc<Deps>) -> Vec<JoinHandle<()>> {
    let (sending, reading, reviewing) = (deps.clone(), deps.clone(), deps.clone());
    let (fetching, keeping) = (deps.clone(), deps.clone());
    let looking = deps.clone();
    let lanes = webhook::LANES.map(|lane| {
        let deps = deps.clone();
        tokio::spawn(async move { webhook::run(&deps, lane).await })
    });
    let others = [
        tokio::spawn(async move { send::run(&sending).await }),
        tokio::spawn(async move {
            run(&reading, "callbacks", &reading.wakeups.reported, callbacks::step, next_report)
                .await;
        }),
        tokio::spawn(async move {
            run(&reviewing, "review", &reviewing.wakeups.proposed, review::step, unknown).await;
        }),
        tokio::spawn(async move {
            run(&fetching, "fetch", &fetching.wakeups.arrived, fetch::step, unknown).await;
        }),
        tokio::spawn(async move {
            let bell = &looking.wakeups.events_recorded;
            run(&looking, "fan_out", bell, webhook::fan_out_round, unknown).await;
        }),
        tokio::spawn(async move { housekeeping::run(&keeping).await }),
    ];
    lanes.into_iter().chain(others).collect()
}

async fn next_report(deps: &Deps) -> Result<Option<Timestamp>> {
    Ok(callbacks::next_due(deps).await?.1)
}

/// When there is work next is not known in advance.
async fn unknown(_: &Deps) -> Result<Option<Timestamp>> {
    Ok(None)
}

/// Steps while there is work, and else waits until something is due, as `next` says, or a bell rings. A
/// step that fails or panics is retried: what it had claimed comes back when the claim has run out.
async fn run(
    deps: &Deps,
    name: &str,
    bell: &Notify,
    step: impl AsyncFn(&Deps) -> Result<usize>,
    next: impl AsyncFn(&Deps) -> Result<Option<Timestamp>>,
) {
    let mut deferral = Deferral::default();
    while !deps.stopping.load(Ordering::Relaxed) {
        deferral.wait(deps).await;
        let outcome = AssertUnwindSafe(step(deps)).catch_unwind().await;
        deferral.note(matches!(outcome, Ok(Ok(worked)) if worked >= FULL_STEP));
        match outcome {
            Ok(Ok(0)) => {
                let due = next(deps).await.unwrap_or_else(|error| {
                    tracing::error!(%error, worker = name, "when the next step is due is not known");
                    None
                });
                rest(deps, bell, due).await;
            }
            Ok(Ok(worked)) if worked < FULL_STEP => tokio::time::sleep(GATHER).await,
            Ok(Ok(_)) => {}
            Ok(Err(error)) => {
                tracing::error!(%error, worker = name, "a step failed; it is retried");
                tokio::time::sleep(RETRY_DELAY).await;
            }
            Err(_) => {
                tracing::error!(worker = name, "a step panicked; it is retried");
                tokio::time::sleep(RETRY_DELAY).await;
            }
        }
    }
}

async fn rest(deps: &Deps, bell: &Notify, due: Option<Timestamp>) {
    let wait = idle_wait(due, deps.clock.now());
    // Whichever comes first; neither outcome says anything.
    drop(tokio::time::timeout(wait, bell.notified()).await);
}

/// How long an idle worker waits whose next work is due at `due`, if that is known.
fn idle_wait(due: Option<Timestamp>, now: Timestamp) -> Duration {
    due.map_or(MAX_IDLE_WAIT, |due| due.since(now)).clamp(MIN_IDLE, MAX_IDLE_WAIT)
}

/// A report that the channel is going to make so much later.
fn report(
    deps: &Deps,
    channel: ChannelKind,
    (after, payload): (Duration, String),
    now: Timestamp,
) -> Callback {
    Callback {
        id: deps.id::<domain::id::Callback>(now),
        channel,
        payload,
        attempts: 0.into(),
        due_at: now.plus(after),
        received_at: now.plus(after),
        lookups: 0.into(),
    }
}

/// Steps until nothing is left to do at this time: for tests, which move the clock.
pub async fn settle(deps: &Deps) -> Result<()> {
    loop {
        let handed = send::step(deps).await? + review::step(deps).await?;
        let received = callbacks::step(deps).await? + fetch::step(deps).await?;
        let delivered = webhook::fan_out(deps).await? + webhook::send(deps).await?;
        if handed + received + delivered == 0 {
            break;
        }
    }
    deps.ledger.flush(&deps.db).await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_idle_worker_wakes_when_work_is_due_and_looks_now_and_then() {
        let now = Timestamp::from_seconds(1_000_000);
        let after = |wait| Some(now.plus(Duration::from_millis(wait)));
        assert_eq!(idle_wait(after(300), now), Duration::from_millis(300));
        // What was due before now may be held by another worker.
        assert_eq!(idle_wait(Some(now.minus(MIN_IDLE)), now), MIN_IDLE);
        assert_eq!(idle_wait(None, now), MAX_IDLE_WAIT);
        assert_eq!(idle_wait(after(60_000), now), MAX_IDLE_WAIT);
    }
}
