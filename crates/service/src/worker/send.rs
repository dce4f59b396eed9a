//! Hands accepted messages to the channel: in order within a conversation, each at least once.

mod claims;
mod held;
mod submit;

use super::{GATHER, MAX_IDLE_WAIT, let_sends_pass, rest};
use crate::Deps;
use claims::Claims;
use futures_util::StreamExt as _;
use persistence::Result;
use persistence::records::Claimed;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use submit::work_on;
use tokio::task::{JoinError, JoinSet};

/// Conversations claimed at a time.
const CONVERSATIONS: usize = 64;
/// Conversations processed at a time: those that the channel lets wait do not hold up the others.
const MAX_CONCURRENT_CONVERSATIONS: usize = 512;

/// Works until the server stops, and then ends what it has begun.
pub async fn run(deps: &Arc<Deps>) {
    let mut in_progress = JoinSet::new();
    let mut claims = Claims::default();
    while !deps.stopping.load(Ordering::Relaxed) {
        while let Some(ended) = in_progress.try_join_next() {
            note(ended);
        }
        if in_progress.len() + CONVERSATIONS > MAX_CONCURRENT_CONVERSATIONS {
            if let Some(ended) = in_progress.join_next().await {
                note(ended);
            }
            continue;
        }
        let_sends_pass(deps).await;
        match claims.next(deps, CONVERSATIONS).await {
            Ok(Ok(claimed)) => {
                let found = claimed.len();
                for conversation in claimed {
                    let deps = deps.clone();
                    in_progress.spawn(async move { work_on(&deps, conversation).await });
                }
                if found < CONVERSATIONS {
                    tokio::time::sleep(GATHER).await;
                }
            }
            Ok(Err(due)) => rest(deps, &deps.wakeups.accepted, due).await,
            Err(error) => {
                tracing::error!(%error, worker = "send", "a step failed; it is retried");
                tokio::time::sleep(MAX_IDLE_WAIT).await;
            }
        }
    }
    while let Some(ended) = in_progress.join_next().await {
        note(ended);
    }
}

fn note(ended: Result<(), JoinError>) {
    if let Err(error) = ended {
        tracing::error!(%error, "sending in a conversation was cancelled");
    }
}

/// Hands over what is due; returns how many conversations it processed.
pub async fn step(deps: &Deps) -> Result<usize> {
    let Ok(claimed) = Claims::default().next(deps, CONVERSATIONS).await? else { return Ok(0) };
    let worked = claimed.len();
    let done = futures_util::stream::iter(claimed)
        .map(|conversation: Claimed| work_on(deps, conversation))
        .buffer_unordered(CONVERSATIONS);
    done.collect::<()>().await;
    Ok(worked)
}
