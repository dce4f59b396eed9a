//! Operations on events.
use super::operations;
use crate::operations::{OperatorDb, OrganizationDb};
use crate::records::{EventFilter, EventScan, EventWithSubject};
use domain::time::Timestamp;

operations! {
    OrganizationDb<organization>;
    /// Returns an organization's events after a sequence, in order.
    read events::events_after(after: i64, limit: i64) -> Vec<EventWithSubject>;
    /// Returns the matching ones among the first `most` of the organization's events after a
    /// sequence, in order.
    long_read events::scan_events(wanted: EventFilter, after: i64, limit: i64, most: i64) -> EventScan;
}

operations! {
    OperatorDb;
    /// Deletes some of the events from before `cutoff`, and returns how many.
    write_after events::delete_expired_events(cutoff: Timestamp, limit: i64) -> usize;
}
