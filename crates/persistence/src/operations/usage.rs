//! What counts against the ceilings of plans.
use super::operations;
use crate::operations::{OperatorDb, OrganizationDb};
use domain::id::OrganizationId;
use domain::plan::{Meter, Usage};
use domain::time::Timestamp;

operations! {
    OrganizationDb<organization>;
    /// What counts against a ceiling in a period.
    read usage::used(meter: Meter, period: i32) -> u32;
    /// Tells an organization, once a period, that it has reached its ceiling of calls.
    write usage::record_reached_ceiling(period: i32, usage: Usage, at: Timestamp) -> ();
}

operations! {
    OperatorDb;
    /// Forgets a portion of what counted before a period; returns how many.
    write_after retention::forget_usage(meter: Meter, period: i32, portion: i64) -> usize;
    /// Records calls that the only process counted in memory.
    write usage::write_calls(calls: Vec<(OrganizationId, i32, u32)>) -> ();
}
