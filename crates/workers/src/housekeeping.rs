//! Periodic maintenance: records counts, measures gauges and deletes old data.

use super::callbacks;
use super::contact_deletion;
use super::deferral::Deferral;
use super::gauges;
use super::heartbeat;
use super::inbox;
use super::message_retention;
use super::search;
use auth::session::MAX_IDLE;
use domain::callback::DEAD_LETTER_RETENTION;
use domain::id::{MediaId, OrganizationId};
use domain::plan::Meter;
use domain::time::{Period, Timestamp};
use futures_util::FutureExt as _;
use futures_util::future::join_all;
use persistence::Result;
use platform::Deps;
use platform::clock::Stopwatch;
use platform::error_chain::chain;
use platform::in_flight::ANSWERS_RETENTION;
use service::account_health;
use service::applications::HANDSHAKE_LOG_RETENTION;
use service::connections;
use service::forms::FLASH_RETENTION;
use service::turns::TURNS_RETENTION;
use std::panic::AssertUnwindSafe;
use std::sync::atomic::Ordering;
use std::time::Duration;

const ROUND_INTERVAL: Duration = Duration::from_secs(1);
/// The minimum pause after a measurement, as a multiple of the measurement's duration. With it,
/// measurements take at most a hundredth of the time.
const MIN_PAUSE: u32 = 100;
/// Number of rounds between two sweeps for old rows and idle rate limits.
const SWEEP_ROUNDS: u32 = 300;
/// Number of rounds between two measurements of the queue of callbacks, and between two warnings
/// about it.
const GAUGE_ROUNDS: u32 = 5;
const WARN_ROUNDS: u32 = 60;
/// Number of rounds between two measurements of gauges that change slowly. The time is about the
/// usual interval at which Prometheus reads them.
const SLOW_GAUGE_ROUNDS: u32 = 15;
/// Number of rounds between two searches for claims of dead instances.
const ORPHAN_ROUNDS: u32 = 3;
/// Number of rounds between two checks of held accounts, and of keys that expire soon.
const HEALTH_ROUNDS: u32 = 60;
/// Number of rounds between two listings of multipart uploads. The time is a day.
const ABORT_ROUNDS: u32 = 86_400;
/// The age from which an upload that is not marked as stored counts as abandoned.
const UPLOAD_TIMEOUT: Duration = Duration::from_hours(1);
/// How long consents and codes are kept. They are valid for minutes only. Their rows are kept
/// longer, so that the handshake log can record that a code was already used.
const CONSENT_RETENTION: Duration = Duration::from_hours(24);
/// How long events can be read (`docs/contract.md#events`).
const EVENTS_RETENTION: Duration = Duration::from_hours(30 * 24);
/// How long usage, verdicts, connections and the audit log are kept: thirteen months, so that a month can be
/// compared with the same month of the year before.
const HISTORY_RETENTION: Duration = Duration::from_hours(400 * 24);
/// How long submitted forms are remembered. After that a repeated form would be processed again,
/// but a session ends earlier than that.
const FORMS_RETENTION: Duration = Duration::from_hours(24);
/// Number of rows deleted with one statement, so that a large backlog does not block other writes.
const BATCH_SIZE: i64 = 1000;
/// The maximum number of orphaned files that one sweep removes, and the number that it removes at a
/// time.
const ORPHANS: i64 = 100;
const CONCURRENCY: usize = 10;

/// Runs the periodic maintenance until the server stops. The tasks run independently of each other:
/// while a sweep waits for an unavailable file store, counts are still recorded.
pub async fn run(deps: &Deps) {
    tokio::join!(
        rounds(deps, 1, flush),
        sparing_rounds(deps, 1, gauges::measure_outbox),
        sparing_rounds(deps, SLOW_GAUGE_ROUNDS, gauges::measure_webhooks),
        sparing_rounds(deps, SLOW_GAUGE_ROUNDS, gauges::measure_turns),
        sparing_rounds(deps, SLOW_GAUGE_ROUNDS, gauges::measure_sessions),
        sparing_rounds(deps, GAUGE_ROUNDS, callbacks::watch::gauge),
        yielding_rounds(deps, inbox::step),
        rounds(deps, 1, contact_deletion::run_until_idle),
        yielding_rounds(deps, search::step),
        rounds(deps, WARN_ROUNDS, callbacks::watch::warn),
        rounds(deps, ORPHAN_ROUNDS, heartbeat::release_orphans),
        rounds(deps, HEALTH_ROUNDS, account_health::maintain),
        rounds(deps, HEALTH_ROUNDS, connections::report_expiring),
        rounds(deps, SWEEP_ROUNDS, sweep),
        rounds(deps, ABORT_ROUNDS, abort_uploads),
    );
}

/// Aborts multipart uploads that count as abandoned because they were begun long ago.
pub async fn abort_uploads(deps: &Deps) -> Result<()> {
    let Some(uploads) = deps.files.uploads() else { return Ok(()) };
    let found = match uploads.list(None).await {
        Ok(found) => found,
        Err(error) => {
            let error = chain(&error);
            tracing::error!(error, "incomplete uploads cannot be listed");
            return Ok(());
        }
    };
    let cutoff = deps.clock.now().minus(UPLOAD_TIMEOUT);
    for upload in found.into_iter().filter(|upload| upload.media.made_at() < cutoff) {
        match uploads.abort(&upload).await {
            Ok(()) => {
                tracing::info!(media = %upload.media, "an incomplete upload was aborted");
            }
            Err(error) => {
                let error = chain(&error);
                tracing::error!(error, media = %upload.media, "an upload was not aborted; it is retried in a day");
            }
        }
    }
    Ok(())
}

/// Runs `work` every `once_in` rounds.
async fn rounds(deps: &Deps, once_in: u32, work: impl AsyncFn(&Deps) -> Result<()>) {
    let mut round: u32 = 0;
    while !deps.stopping.load(Ordering::Relaxed) {
        tokio::time::sleep(ROUND_INTERVAL).await;
        if round.is_multiple_of(once_in) {
            guarded(work(deps)).await;
        }
        round = round.wrapping_add(1);
    }
}

/// Runs `work` as [`rounds`] does, but with a pause that grows with the duration of `work`, so that
/// measuring a long queue does not take much of the database's time.
async fn sparing_rounds(deps: &Deps, once_in: u32, work: impl AsyncFn(&Deps) -> Result<()>) {
    let mut next = Duration::ZERO;
    let watch = Stopwatch::start();
    while !deps.stopping.load(Ordering::Relaxed) {
        tokio::time::sleep(ROUND_INTERVAL).await;
        let begun = watch.elapsed();
        if begun >= next {
            guarded(work(deps)).await;
            let took = watch.elapsed().saturating_sub(begun);
            next = begun + (took * MIN_PAUSE).max(ROUND_INTERVAL * once_in);
        }
    }
}

/// Runs steps of a worker that applies events to the inbox or to the search index. When nothing is
/// left to do, waits for a second. Each step waits while many messages and callbacks are being
/// accepted.
async fn yielding_rounds(deps: &Deps, step: impl AsyncFn(&Deps) -> Result<bool>) {
    let mut deferral = Deferral::of_follower();
    while !deps.stopping.load(Ordering::Relaxed) {
        deferral.wait(deps).await;
        let has_more = guarded(step(deps)).await.unwrap_or(false);
        deferral.record(has_more);
        if !has_more {
            tokio::time::sleep(ROUND_INTERVAL).await;
        }
    }
}

/// Returns the result of the work, or `None` if it failed.
async fn guarded<T>(work: impl Future<Output = Result<T>>) -> Option<T> {
    match AssertUnwindSafe(work).catch_unwind().await {
        Ok(Ok(outcome)) => return Some(outcome),
        Ok(Err(error)) => tracing::error!(%error, "housekeeping failed; it is retried"),
        Err(_) => tracing::error!("housekeeping panicked; it is retried"),
    }
    None
}

/// Runs one round. Tests call this.
pub async fn step(deps: &Deps, with_sweep: bool) -> Result<()> {
    flush(deps).await?;
    inbox::run_until_idle(deps).await?;
    search::run_until_idle(deps).await?;
    contact_deletion::run_until_idle(deps).await?;
    gauges::measure_outbox(deps).await?;
    gauges::measure_webhooks(deps).await?;
    gauges::measure_turns(deps).await?;
    gauges::measure_sessions(deps).await?;
    account_health::maintain(deps).await?;
    connections::report_expiring(deps).await?;
    if with_sweep {
        sweep(deps).await?;
    }
    Ok(())
}

async fn flush(deps: &Deps) -> Result<()> {
    deps.usage_counter.flush(&deps.db).await
}

/// Deletes old data. A failure of one sweep does not stop the others. Returns the last error.
async fn sweep(deps: &Deps) -> Result<()> {
    let now = deps.clock.now();
    deps.rate_limiter.evict_idle(&deps.clock);
    deps.login_throttle.evict_idle();
    let (db, asked) = (&deps.db, now.minus(CONSENT_RETENTION));
    let (logged, events) = (now.minus(HANDSHAKE_LOG_RETENTION), now.minus(EVENTS_RETENTION));
    let (answers, sessions) = (now.minus(ANSWERS_RETENTION), now.minus(MAX_IDLE));
    let letters = now.minus(DEAD_LETTER_RETENTION);
    let (history, turns) = (now.minus(HISTORY_RETENTION), now.minus(TURNS_RETENTION));
    let month = Period::month(history).number;
    let (notices, forms) = (now.minus(FLASH_RETENTION), now.minus(FORMS_RETENTION));
    let swept = [
        ("answers", drain(move || db.operator().delete_expired_answers(answers, BATCH_SIZE)).await),
        (
            "sessions",
            drain(move || db.operator().delete_expired_sessions(sessions, BATCH_SIZE)).await,
        ),
        ("consents", drain(move || db.operator().delete_expired_consents(asked, BATCH_SIZE)).await),
        ("codes", drain(move || db.operator().delete_expired_codes(asked, BATCH_SIZE)).await),
        (
            "handshakes",
            drain(move || db.operator().delete_expired_handshakes(logged, BATCH_SIZE)).await,
        ),
        (
            "dead letters",
            drain(move || db.operator().delete_expired_dead_callbacks(letters, BATCH_SIZE)).await,
        ),
        (
            "forms",
            drain(move || db.operator().delete_expired_forms(notices, forms, BATCH_SIZE)).await,
        ),
        ("events", drain(move || db.operator().delete_expired_events(events, BATCH_SIZE)).await),
        ("logs", drain(move || db.operator().delete_expired_log_events(events, BATCH_SIZE)).await),
        (
            "deliveries",
            drain(move || db.operator().delete_expired_deliveries(events, BATCH_SIZE)).await,
        ),
        ("endpoints", drain(move || db.operator().remove_endpoints(BATCH_SIZE)).await),
        ("feeds", drain(move || db.operator().delete_ended_feeds(BATCH_SIZE)).await),
        (
            "verdicts",
            drain(move || db.operator().delete_expired_verdicts(history, BATCH_SIZE)).await,
        ),
        (
            "canceled messages",
            drain(move || db.operator().delete_expired_scheduled_messages(events, BATCH_SIZE))
                .await,
        ),
        (
            "audit log",
            drain(move || db.operator().delete_expired_audit_entries(history, BATCH_SIZE)).await,
        ),
        ("turns", drain(move || db.operator().delete_expired_turns(turns, BATCH_SIZE)).await),
        (
            "costs of agents",
            drain(move || db.operator().delete_expired_agent_costs(month, BATCH_SIZE)).await,
        ),
        ("calls", delete_expired_usage(deps, Meter::ApiCalls, history).await),
        ("messages", delete_expired_usage(deps, Meter::Messages, history).await),
        (
            "connections",
            drain(move || db.operator().delete_expired_connections(history, BATCH_SIZE)).await,
        ),
        (
            "applications",
            drain(move || db.operator().delete_expired_applications(history, BATCH_SIZE)).await,
        ),
        ("files", remove_orphans(deps).await),
        ("old messages", message_retention::sweep(deps).await),
    ];
    let mut outcome = Ok(());
    for (what, result) in swept {
        if let Err(error) = result {
            tracing::error!(%error, what, "a sweep failed; it is retried");
            outcome = Err(error);
        }
    }
    outcome
}

/// Deletes the usage of periods before `before`.
async fn delete_expired_usage(deps: &Deps, meter: Meter, before: Timestamp) -> Result<()> {
    let (db, period) = (&deps.db, meter.period(before).number);
    drain(move || db.operator().delete_expired_usage(meter, period, BATCH_SIZE)).await
}

/// Deletes one batch after the other until nothing is left.
async fn drain<F: Future<Output = Result<usize>>>(forget: impl Fn() -> F) -> Result<()> {
    while forget().await? > 0 {}
    Ok(())
}

/// Removes files that have a record but were never marked as stored, because the process that was
/// storing them has failed.
async fn remove_orphans(deps: &Deps) -> Result<()> {
    let cutoff = deps.clock.now().minus(UPLOAD_TIMEOUT);
    let orphans = deps.db.operator().orphaned_media(cutoff, ORPHANS).await?;
    for some in orphans.chunks(CONCURRENCY) {
        let removed =
            join_all(some.iter().map(|(organization, id)| remove_orphan(deps, *organization, *id)))
                .await;
        let removed = removed.into_iter().collect::<Result<Vec<bool>>>()?;
        // If no file of this group could be removed, the store is unavailable. The rest is left to
        // a later sweep.
        if !removed.contains(&true) {
            break;
        }
    }
    Ok(())
}

/// Removes an orphaned file. Returns whether it could be removed.
async fn remove_orphan(deps: &Deps, organization: OrganizationId, id: MediaId) -> Result<bool> {
    // The file is removed before its row. If the second step fails, the row leads a later sweep to
    // the file. A file without a row would never be found.
    if let Err(error) = deps.files.remove(id).await {
        let error = chain(&error);
        tracing::error!(error, media = %id, "an orphaned file was not removed");
        return Ok(false);
    }
    deps.db.organization(organization).delete_media(id).await?;
    tracing::info!(media = %id, "an orphaned file was removed");
    Ok(true)
}
