//! Whether the server can do its work.

use crate::Deps;
use persistence::Result;
use std::sync::atomic::Ordering;
use std::time::Duration;

/// How often it is tried whether the database takes a write, at most.
const WRITE_CHECK_INTERVAL: Duration = Duration::from_secs(1);

/// Whether the database answers a call's first question, who holds a key, and takes a write. A write costs more than
/// an unauthenticated client may make us spend with each request: it is tried once a second.
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
