//! Operations on the usage that counts against the ceilings of plans.
use super::operations;
use crate::operations::{OperatorDb, OrganizationDb};
use domain::id::OrganizationId;
use domain::plan::{Meter, Usage};
use domain::time::Timestamp;

operations! {
    OrganizationDb<organization>;
    read usage::used(meter: Meter, period: i32) -> u32;
    /// Records the event that an organization has reached its ceiling of calls, once per period.
    write usage::record_reached_ceiling(period: i32, usage: Usage, at: Timestamp) -> ();
}

operations! {
    OperatorDb;
    /// Deletes some of the usage from before a period, and returns how many rows.
    write_after retention::delete_expired_usage(meter: Meter, period: i32, portion: i64) -> usize;
    /// Stores the calls that this instance, the only one, counted in memory.
    write usage::write_calls(calls: Vec<(OrganizationId, i32, u32)>) -> ();
}
