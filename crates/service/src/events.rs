//! The events of an organization, in order (`docs/contract.md#events`).

use persistence::records::{EventFilter, EventScan, EventWithSubject};
use persistence::{Db, Reader, Result};
use platform::Deps;

/// Maximum number of events that a read with a filter scans.
const MAX_SCANNED_EVENTS: i64 = 5_000;

/// A page of events.
pub struct EventPart {
    /// The matching events.
    pub found: Vec<EventWithSubject>,
    /// The last sequence scanned and the last sequence of all, for a read with a filter.
    pub looked: Option<(i64, i64)>,
}

/// Lists at most `limit` matching events after the sequence `after`.
pub async fn list(
    deps: &Deps,
    reader: Reader,
    wanted: EventFilter,
    after: i64,
    limit: i64,
) -> Result<EventPart> {
    // Without a filter, each event that is read is returned.
    if wanted.account.is_none() && wanted.kinds.is_none() {
        let found = deps.db.reads(reader).events_after(after, limit).await?;
        return Ok(EventPart { found, looked: None });
    }
    let read = move |db: Db| async move {
        db.reads(reader).scan_events(wanted, after, limit, MAX_SCANNED_EVENTS).await
    };
    let EventScan { found, until, last } =
        deps.read_limiter.run(reader.organization, &deps.db, read).await?;
    Ok(EventPart { found, looked: Some((until, last)) })
}
