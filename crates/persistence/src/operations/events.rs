//! Operations on events.
use super::{DbFuture, OperatorDb, OrganizationDb, all_tenants_query, tenant_query};
use crate::records::{EventFilter, EventScan, EventWithSubject};
use domain::time::Timestamp;

impl<'a> OrganizationDb<'a> {
    /// Returns an organization's events after a sequence, in order.
    pub fn events_after(self, after: i64, limit: i64) -> DbFuture<'a, Vec<EventWithSubject>> {
        tenant_query!(self.organization, read, events::events_after(after, limit))
    }

    /// Reads the first `most` of the organization's events after a sequence. Returns the events
    /// that match, in order.
    pub fn scan_events(
        self,
        wanted: EventFilter,
        after: i64,
        limit: i64,
        most: i64,
    ) -> DbFuture<'a, EventScan> {
        tenant_query!(self.organization, long_read, events::scan_events(wanted, after, limit, most))
    }
}

impl<'a> OperatorDb<'a> {
    /// Deletes up to `limit` of the events from before `cutoff`, and returns how many.
    pub fn delete_expired_events(self, cutoff: Timestamp, limit: i64) -> DbFuture<'a, usize> {
        all_tenants_query!(self, write_after, events::delete_expired_events(cutoff, limit))
    }
}
