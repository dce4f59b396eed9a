//! Hands accepted messages to the channel: in order within a conversation, each at least once.

mod claims;
mod hand_over;

use super::{GATHER, LOOK_EVERY, rest};
use crate::Deps;
use claims::Claims;
use futures_util::StreamExt as _;
use hand_over::work_on;
use persistence::Result;
use persistence::rows::Claimed;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use tokio::task::{JoinError, JoinSet};

/// Conversations claimed at a time.
const CONVERSATIONS: usize = 64;
/// Conversations worked on at a time: those that the channel lets wait do not hold up the others.
const AT_WORK_MOST: usize = 512;

/// Works until the server stops, and then ends what it has begun.
pub async fn run(deps: &Arc<Deps>) {
    let mut at_work = JoinSet::new();
    let mut claims = Claims::default();
    while !deps.stopping.load(Ordering::Relaxed) {
        while let Some(ended) = at_work.try_join_next() {
            note(ended);
        }
        if at_work.len() + CONVERSATIONS > AT_WORK_MOST {
            if let Some(ended) = at_work.join_next().await {
                note(ended);
            }
            continue;
        }
        match claims.next(deps, CONVERSATIONS).await {
            Ok(Ok(claimed)) => {
                let found = claimed.len();
                for conversation in claimed {
                    let deps = deps.clone();
                    at_work.spawn(async move { work_on(&deps, conversation).await });
                }
                if found < CONVERSATIONS {
                    tokio::time::sleep(GATHER).await;
                }
            }
            Ok(Err(due)) => rest(deps, &deps.wakeups.accepted, due).await,
            Err(error) => {
                tracing::error!(%error, worker = "send", "a step failed; it is tried again");
                tokio::time::sleep(LOOK_EVERY).await;
            }
        }
    }
    while let Some(ended) = at_work.join_next().await {
        note(ended);
    }
}

fn note(ended: Result<(), JoinError>) {
    if let Err(error) = ended {
        tracing::error!(%error, "the work on a conversation was broken off");
    }
}

/// Hands over what is due; gives how many conversations it worked on.
pub async fn step(deps: &Deps) -> Result<usize> {
    let Ok(claimed) = Claims::default().next(deps, CONVERSATIONS).await? else { return Ok(0) };
    let worked = claimed.len();
    let done = futures_util::stream::iter(claimed)
        .map(|conversation: Claimed| work_on(deps, conversation))
        .buffer_unordered(CONVERSATIONS);
    done.collect::<()>().await;
    Ok(worked)
}
