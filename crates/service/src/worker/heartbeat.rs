//! Renews what this server has claimed, and takes over what servers had claimed that are dead. Only on
//! PostgreSQL, which several servers may share.

use crate::Deps;
use crate::clock::Stopwatch;
use crate::deps::Wakeups;
use domain::instance::{HEARTBEAT_INTERVAL, Peers};
use persistence::{Db, Result};
use std::time::Duration;
use tokio::sync::Notify;

/// When a beat that failed is retried.
const RETRY_DELAY: Duration = Duration::from_millis(250);

/// Beats until it is dropped: also while a server that was asked to stop finishes what it has begun.
pub async fn run(deps: &Deps) {
    if matches!(deps.db, Db::Sqlite(_)) {
        return;
    }
    let mut peers = Peers::default();
    loop {
        let wait = match step(deps, &mut peers).await {
            Ok(()) => HEARTBEAT_INTERVAL,
            Err(error) => {
                tracing::warn!(%error, "the heartbeat failed; it is retried");
                peers.forget();
                RETRY_DELAY
            }
        };
        tokio::time::sleep(wait).await;
    }
}

/// One beat, and one look at the others.
pub async fn step(deps: &Deps, peers: &mut Peers) -> Result<()> {
    let begun = Stopwatch::start();
    let Some(beats) = deps.db.operator().beat(deps.lease.instance()).await? else {
        tracing::warn!("the other servers considered this server dead");
        peers.forget();
        return enter(deps).await;
    };
    deps.lease.renewed(begun);
    let dead = peers.observe(&beats);
    if !dead.is_empty() {
        let freed = deps.db.operator().release_dead_instances(dead, deps.clock.now()).await?;
        tracing::warn!(conversations = freed, "took over the claims of dead servers");
        let Wakeups { accepted, reported, proposed, arrived, .. } = &deps.wakeups;
        [accepted, reported, proposed, arrived].into_iter().for_each(Notify::notify_one);
        deps.wakeups.delivering.notify_waiters();
    }
    Ok(())
}

/// Lets go of what servers have claimed that are gone: where the database has several nodes it may have come after they were
/// taken for dead. Not with a beat, which waits for nothing.
pub async fn release_orphans(deps: &Deps) -> Result<()> {
    let freed = deps.db.operator().release_orphans().await?;
    if freed > 0 {
        tracing::warn!(organizations = freed, "took over what servers had claimed that are gone");
        deps.wakeups.accepted.notify_one();
    }
    Ok(())
}

/// Enters this server again, under another id: what it had claimed is not its own any more.
pub async fn enter(deps: &Deps) -> Result<()> {
    let instance = deps.id::<domain::id::Instance>(deps.clock.now());
    deps.db.operator().enter(instance).await?;
    deps.lease.replace(instance);
    Ok(())
}
