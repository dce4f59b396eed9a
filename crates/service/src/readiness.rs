//! Readiness: whether the instance can do its work.

use persistence::Result;
use platform::Deps;
use std::sync::atomic::Ordering;
use std::time::Duration;

/// Minimum time between two test writes.
const WRITE_CHECK_INTERVAL: Duration = Duration::from_secs(1);

/// Checks that the database answers the query that every call begins with, and that it accepts a
/// write. A write costs more than an unauthenticated client may cause with each request, so the
/// write is done at most once a second.
pub async fn check_database(deps: &Deps) -> Result<()> {
    deps.db.caller(Vec::new()).await?;
    let now = deps.clock.now();
    let since = now.micros().abs_diff(deps.written_at.load(Ordering::Relaxed));
    if u128::from(since) >= WRITE_CHECK_INTERVAL.as_micros() {
        deps.db.check_write(now).await?;
        deps.written_at.store(now.micros(), Ordering::Relaxed);
    }
    Ok(())
}
