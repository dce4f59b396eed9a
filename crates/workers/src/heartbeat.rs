//! Renews the claims of this instance, and takes over the claims of dead instances. Runs only on
//! PostgreSQL, which several instances may share.

use domain::instance::{HEARTBEAT_INTERVAL, Peers};
use persistence::{Db, Result};
use platform::Deps;
use platform::clock::Stopwatch;
use platform::deps::Wakeups;
use std::time::Duration;
use tokio::sync::Notify;

/// Time after which a failed heartbeat is retried.
const RETRY_DELAY: Duration = Duration::from_millis(250);

/// Sends heartbeats until this future is dropped, also while a stopping server finishes its work.
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

/// Sends one heartbeat, and checks the heartbeats of the other instances.
pub async fn step(deps: &Deps, peers: &mut Peers) -> Result<()> {
    let begun = Stopwatch::start();
    let Some(beats) = deps.db.operator().beat(deps.claims.instance()).await? else {
        tracing::warn!("the other instances considered this instance dead; it registers again");
        peers.forget();
        return enter(deps).await;
    };
    deps.claims.renewed(begun);
    let dead = peers.observe(&beats);
    if !dead.is_empty() {
        let freed = deps.db.operator().release_dead_instances(dead, deps.clock.now()).await?;
        tracing::warn!(conversations = freed, "took over the claims of dead instances");
        let Wakeups { accepted, reported, proposed, arrived, .. } = &deps.wakeups;
        [accepted, reported, proposed, arrived].into_iter().for_each(Notify::notify_one);
        deps.wakeups.delivering.notify_waiters();
    }
    Ok(())
}

/// Releases the claims of dead instances. With several nodes, a claim may be stored after the other
/// instances have declared its instance dead. This step is separate from the heartbeat, which must
/// not wait for other work.
pub async fn release_orphans(deps: &Deps) -> Result<()> {
    let freed = deps.db.operator().release_orphans().await?;
    if freed > 0 {
        tracing::warn!(organizations = freed, "took over the claims of instances that are gone");
        deps.wakeups.accepted.notify_one();
    }
    Ok(())
}

/// Registers this instance under a new id. Its earlier claims are lost.
pub async fn enter(deps: &Deps) -> Result<()> {
    let instance = deps.id::<domain::id::Instance>(deps.clock.now());
    deps.db.operator().enter(instance).await?;
    deps.claims.replace(instance);
    Ok(())
}
