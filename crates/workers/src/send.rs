//! Hands accepted messages to the channel, in order within a conversation and each at least once.

mod held;
mod organizations;
mod submit;

use super::deferral::Deferral;
use super::{GATHER, MAX_IDLE_WAIT, RETRY_DELAY, rest};
use futures_util::StreamExt as _;
use organizations::Organizations;
use persistence::Result;
use platform::Deps;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use submit::work_on;
use tokio::task::{JoinError, JoinSet};

/// Number of conversations begun in one step.
const CONVERSATIONS: usize = 64;
/// Maximum number of conversations processed at the same time. Conversations with a slow channel do
/// not delay the others.
const MAX_CONCURRENT_CONVERSATIONS: usize = 512;

/// Hands messages over until the server stops, and then finishes the conversations in progress.
pub async fn run(deps: &Arc<Deps>) {
    let mut in_progress = JoinSet::new();
    let mut organizations = Organizations::default();
    let mut deferral = Deferral::default();
    while !deps.stopping.load(Ordering::Relaxed) {
        while let Some(ended) = in_progress.try_join_next() {
            log_failure(ended);
        }
        if in_progress.len() + CONVERSATIONS > MAX_CONCURRENT_CONVERSATIONS {
            if let Some(ended) = in_progress.join_next().await {
                log_failure(ended);
            }
            continue;
        }
        deferral.wait(deps).await;
        let found = organizations.next(deps, CONVERSATIONS).await;
        deferral.record(found.as_ref().is_ok_and(|found| found.len() >= CONVERSATIONS / 2));
        match found {
            Ok(found) if found.is_empty() => {
                rest(deps, &deps.wakeups.accepted, organizations.next_due(deps), MAX_IDLE_WAIT)
                    .await;
            }
            Ok(found) => {
                let is_full = found.len() >= CONVERSATIONS / 2;
                for work in found {
                    let deps = deps.clone();
                    in_progress.spawn(async move { work_on(&deps, work).await });
                }
                if !is_full {
                    tokio::time::sleep(GATHER).await;
                }
            }
            Err(error) => {
                tracing::error!(%error, worker = "send", "a step failed; it is retried");
                tokio::time::sleep(RETRY_DELAY).await;
            }
        }
    }
    while let Some(ended) = in_progress.join_next().await {
        log_failure(ended);
    }
}

fn log_failure(ended: Result<(), JoinError>) {
    if let Err(error) = ended {
        tracing::error!(%error, "sending in a conversation was cancelled");
    }
}

/// Hands over the messages that are due. Returns the number of conversations processed.
pub async fn step(deps: &Deps) -> Result<usize> {
    let mut organizations = Organizations::default();
    let found = organizations.next(deps, CONVERSATIONS).await?;
    let worked = found.len();
    let done = futures_util::stream::iter(found)
        .map(|work| work_on(deps, work))
        .buffer_unordered(CONVERSATIONS);
    done.collect::<()>().await;
    organizations.release(deps).await;
    Ok(worked)
}
