//! What has to be done now and then: counts written down, old answers forgotten.

use crate::deps::Deps;
use crate::operation::KEPT;
use auth::session::IDLE_MOST;
use domain::id::MediaId;
use futures_util::FutureExt as _;
use futures_util::future::join_all;
use persistence::Result;
use std::panic::AssertUnwindSafe;
use std::sync::atomic::Ordering;
use std::time::Duration;

const EVERY: Duration = Duration::from_secs(1);
/// Old answers and idle windows are looked for once in so many rounds.
const SWEEP_EVERY: u32 = 300;
/// A file that was announced longer ago than this will not come any more.
const ARRIVES_WITHIN: Duration = Duration::from_hours(1);
/// What was asked of a member, and codes, are of no use after minutes; a while longer they tell the log
/// that a code had been used.
const ASKED_KEPT: Duration = Duration::from_hours(24);
/// How long the handshake log goes back (`contract.md` 3).
pub const LOG_KEPT: Duration = Duration::from_hours(30 * 24);
/// How long events can be read (`contract.md` 4).
const EVENTS_KEPT: Duration = Duration::from_hours(30 * 24);
/// Events forgotten at a time.
const EVENTS: i64 = 1000;
/// Deliveries forgotten in one transaction.
const DELIVERIES: i64 = 1000;
/// How long what a page shows once waits for the browser to ask for it.
pub const NOTICE_KEPT: Duration = Duration::from_mins(10);
/// A form that is submitted again after this long does its work again: no page stays open longer than its
/// session lives.
const FORMS_KEPT: Duration = Duration::from_hours(24);
/// Forms forgotten in one transaction.
const FORMS: i64 = 1000;
/// Orphans removed in one sweep, and so many of them at a time.
const ORPHANS: i64 = 100;
const AT_A_TIME: usize = 10;

/// Keeps house until the server stops. A sweep may wait for a file store that is away, and counting
/// does not wait for it.
pub async fn run(deps: &Deps) {
    tokio::join!(rounds(deps, 1, count), rounds(deps, SWEEP_EVERY, sweep));
}

/// Works once in so many rounds.
async fn rounds(deps: &Deps, once_in: u32, work: impl AsyncFn(&Deps) -> Result<()>) {
    let mut round: u32 = 0;
    while !deps.stopping.load(Ordering::Relaxed) {
        tokio::time::sleep(EVERY).await;
        if round.is_multiple_of(once_in) {
            match AssertUnwindSafe(work(deps)).catch_unwind().await {
                Ok(Ok(())) => {}
                Ok(Err(error)) => tracing::error!(%error, "housekeeping failed; it is tried again"),
                Err(_) => tracing::error!("housekeeping panicked; it is tried again"),
            }
        }
        round = round.wrapping_add(1);
    }
}

/// One round.
pub async fn step(deps: &Deps, with_sweep: bool) -> Result<()> {
    count(deps).await?;
    if with_sweep {
        sweep(deps).await?;
    }
    Ok(())
}

async fn count(deps: &Deps) -> Result<()> {
    deps.ledger.write_down(&deps.db).await?;
    #[expect(clippy::cast_precision_loss, reason = "a gauge is a float")]
    metrics::gauge!("outbox_depth").set(deps.db.outbox_depth().await? as f64);
    Ok(())
}

async fn sweep(deps: &Deps) -> Result<()> {
    let now = deps.clock.now();
    deps.windows.forget_idle(now);
    deps.db.forget_answers(now.minus(KEPT)).await?;
    deps.db.forget_sessions(now.minus(IDLE_MOST)).await?;
    deps.db.forget_handshakes(now.minus(ASKED_KEPT), now.minus(LOG_KEPT)).await?;
    deps.doorkeeper.forget_idle();
    forget_events(deps).await?;
    forget_deliveries(deps).await?;
    forget_forms(deps).await?;
    remove_orphans(deps).await
}

/// In portions, lest a long backlog holds up the writes behind it.
async fn forget_events(deps: &Deps) -> Result<()> {
    let cutoff = deps.clock.now().minus(EVENTS_KEPT);
    while deps.db.forget_events(cutoff, EVENTS).await? > 0 {}
    Ok(())
}

/// In portions as well.
async fn forget_forms(deps: &Deps) -> Result<()> {
    let now = deps.clock.now();
    let (unread, cutoff) = (now.minus(NOTICE_KEPT), now.minus(FORMS_KEPT));
    while deps.db.forget_forms(unread, cutoff, FORMS).await? > 0 {}
    Ok(())
}

/// In portions too: the log of webhooks, and what deleted endpoints leave behind.
async fn forget_deliveries(deps: &Deps) -> Result<()> {
    let cutoff = deps.clock.now().minus(EVENTS_KEPT);
    while deps.db.forget_deliveries(cutoff, DELIVERIES).await? > 0 {}
    while deps.db.remove_endpoints(DELIVERIES).await? > 0 {}
    Ok(())
}

/// Removes files that were announced and never kept: whoever stored them is gone, or failed.
async fn remove_orphans(deps: &Deps) -> Result<()> {
    let cutoff = deps.clock.now().minus(ARRIVES_WITHIN);
    let orphans = deps.db.orphaned_media(cutoff, ORPHANS).await?;
    for some in orphans.chunks(AT_A_TIME) {
        let removed = join_all(some.iter().map(|id| remove_orphan(deps, *id))).await;
        let removed = removed.into_iter().collect::<Result<Vec<bool>>>()?;
        // A store that is away has none of them removed: the rest waits until it is back.
        if !removed.contains(&true) {
            break;
        }
    }
    Ok(())
}

/// Whether it could be removed.
async fn remove_orphan(deps: &Deps, id: MediaId) -> Result<bool> {
    // The file first: a row without a file is found again, a file without a row never.
    if let Err(error) = deps.files.remove(id).await {
        tracing::error!(%error, media = %id, "an orphaned file was not removed");
        return Ok(false);
    }
    deps.db.forget_media(id).await?;
    tracing::info!(media = %id, "an orphaned file was removed");
    Ok(true)
}
