//! Background workers. Each has a function `step` that a test can call.

pub mod agents;
pub mod callbacks;

pub mod contact_deletion;
mod deferral;
pub mod fetch;
mod gauges;
pub mod heartbeat;
pub mod housekeeping;
pub mod inbox;
pub mod listener;
pub mod message_retention;
pub mod review;
pub mod scheduled;
pub mod search;
pub mod send;
pub mod transcripts;
pub mod webhook;

use deferral::Deferral;
use domain::time::Timestamp;
use futures_util::FutureExt as _;
use persistence::Result;
use platform::Deps;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;
use tokio::sync::Notify;
use tokio::task::JoinHandle;

/// Maximum time that an idle worker waits. Two kinds of work may be late by this time: retries at a
/// time that the worker does not know, and work that another instance left unfinished.
const MAX_IDLE_WAIT: Duration = Duration::from_secs(1);
/// The maximum time that an idle worker waits if nearly all of its work is announced within this
/// process.
const SELDOM_IDLE_WAIT: Duration = Duration::from_secs(5);
/// Time after which a failed step is retried.
const RETRY_DELAY: Duration = Duration::from_millis(500);
/// The number of items from which a step counts as full. After a smaller step the worker waits for
/// more work, because the round trips of a step cost the same whatever their number of items.
const FULL_STEP: usize = 64;
const GATHER: Duration = Duration::from_millis(10);
/// Minimum wait between two steps.
const MIN_IDLE: Duration = Duration::from_millis(10);

/// Starts all workers. They end after `deps.stopping` is set.
pub fn start(deps: &Arc<Deps>) -> Vec<JoinHandle<()>> {
    let (sending, reading, reviewing) = (deps.clone(), deps.clone(), deps.clone());
    let (fetching, keeping) = (deps.clone(), deps.clone());
    let (looking, scheduling, asking) = (deps.clone(), deps.clone(), deps.clone());
    let transcribing = deps.clone();
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
            let bell = &transcribing.wakeups.fetched;
            let step = transcripts::step;
            run_seldom(&transcribing, "transcripts", bell, step).await;
        }),
        tokio::spawn(async move {
            let bell = &looking.wakeups.events_recorded;
            run(&looking, "fan_out", bell, webhook::fan_out_round, unknown).await;
        }),
        tokio::spawn(async move {
            let bell = &scheduling.wakeups.scheduled;
            run(&scheduling, "scheduled", bell, scheduled::step, scheduled::next_due).await;
        }),
        tokio::spawn(async move { Box::pin(housekeeping::run(&keeping)).await }),
        tokio::spawn(async move { agents::run(&asking).await }),
    ];
    lanes.into_iter().chain(others).collect()
}

async fn next_report(deps: &Deps) -> Result<Option<Timestamp>> {
    Ok(callbacks::next_due(deps).await?.1)
}

/// Returns `None`, because the time of the next work is not known in advance.
async fn unknown(_: &Deps) -> Result<Option<Timestamp>> {
    Ok(None)
}

/// Runs steps as [`run`] does, for work that nearly always starts when it is announced in this
/// process.
async fn run_seldom(
    deps: &Deps,
    name: &str,
    bell: &Notify,
    step: impl AsyncFn(&Deps) -> Result<usize>,
) {
    run_within(deps, name, bell, step, unknown, SELDOM_IDLE_WAIT).await;
}

/// Runs steps while there is work. Otherwise waits until `next` says that something is due, or
/// until `bell` is notified. A step that fails or panics is retried. Rows that it had claimed can
/// be claimed again when the claim expires.
async fn run(
    deps: &Deps,
    name: &str,
    bell: &Notify,
    step: impl AsyncFn(&Deps) -> Result<usize>,
    next: impl AsyncFn(&Deps) -> Result<Option<Timestamp>>,
) {
    run_within(deps, name, bell, step, next, MAX_IDLE_WAIT).await;
}

async fn run_within(
    deps: &Deps,
    name: &str,
    bell: &Notify,
    step: impl AsyncFn(&Deps) -> Result<usize>,
    next: impl AsyncFn(&Deps) -> Result<Option<Timestamp>>,
    max_idle_wait: Duration,
) {
    let mut deferral = Deferral::default();
    while !deps.stopping.load(Ordering::Relaxed) {
        deferral.wait(deps).await;
        let outcome = AssertUnwindSafe(step(deps)).catch_unwind().await;
        deferral.record(matches!(outcome, Ok(Ok(worked)) if worked >= FULL_STEP));
        match outcome {
            Ok(Ok(0)) => {
                let due = next(deps).await.unwrap_or_else(|error| {
                    tracing::error!(%error, worker = name, "the time of the next step could not be read");
                    None
                });
                rest(deps, bell, due, max_idle_wait).await;
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

async fn rest(deps: &Deps, bell: &Notify, due: Option<Timestamp>, max_idle_wait: Duration) {
    let wait = due.map_or(max_idle_wait, |due| idle_wait(Some(due), deps.clock.now()));
    // The caller continues after whichever of the two comes first.
    drop(tokio::time::timeout(wait, bell.notified()).await);
}

/// Returns how long an idle worker waits. `due` is the time of its next work, if that is known.
fn idle_wait(due: Option<Timestamp>, now: Timestamp) -> Duration {
    due.map_or(MAX_IDLE_WAIT, |due| due.since(now)).clamp(MIN_IDLE, MAX_IDLE_WAIT)
}

/// Runs all steps until nothing is left to do at the present time. Tests that move the clock call
/// this function.
pub async fn run_until_idle(deps: &Deps) -> Result<()> {
    loop {
        let due = scheduled::step(deps).await?;
        let handed = due + send::step(deps).await? + review::step(deps).await?;
        let received = callbacks::step(deps).await? + fetch::step(deps).await?;
        let transcribed = transcripts::step(deps).await?;
        let delivered = webhook::fan_out(deps).await? + webhook::send(deps).await?;
        if handed + received + transcribed + delivered == 0 {
            break;
        }
    }
    deps.usage_counter.flush(&deps.db).await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_idle_worker_wakes_when_work_is_due_and_looks_now_and_then() {
        let now = Timestamp::from_seconds(1_000_000);
        let after = |wait| Some(now.plus(Duration::from_millis(wait)));
        assert_eq!(idle_wait(after(300), now), Duration::from_millis(300));
        // Work that is overdue may be claimed by another worker, so this one still waits a little.
        assert_eq!(idle_wait(Some(now.minus(MIN_IDLE)), now), MIN_IDLE);
        assert_eq!(idle_wait(None, now), MAX_IDLE_WAIT);
        assert_eq!(idle_wait(after(60_000), now), MAX_IDLE_WAIT);
    }
}
