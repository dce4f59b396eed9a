//! The events of an organization, in order (`docs/contract.md#events`).

use crate::Deps;
use persistence::records::{EventFilter, EventScan, EventWithSubject};
use persistence::{Db, Reader, Result};

/// Maximum number of events that a read with a filter looks at.
const MAX_SCANNED_EVENTS: i64 = 5_000;

/// A part of the events.
pub struct EventPart {
    /// Those that were found.
    pub found: Vec<EventWithSubject>,
    /// With a filter: up to which sequence was looked, and the sequence of the last event.
    pub looked: Option<(i64, i64)>,
}

/// At most `limit` of the wanted events after a sequence.
pub async fn list(
    deps: &Deps,
    reader: Reader,
    wanted: EventFilter,
    (after, limit): (i64, i64),
) -> Result<EventPart> {
    // Without a filter no more is looked at than is given.
    if wanted.account.is_none() && wanted.kinds.is_none() {
        let found = deps.db.reads(reader).events_after(after, limit).await?;
        return Ok(EventPart { found, looked: None });
    }
    let read = move |db: Db| async move {
        db.reads(reader).wanted_events(wanted, after, limit, MAX_SCANNED_EVENTS).await
    };
    let EventScan { found, until, last } =
        deps.reads.run(reader.organization, &deps.db, read).await?;
    Ok(EventPart { found, looked: Some((until, last)) })
}
