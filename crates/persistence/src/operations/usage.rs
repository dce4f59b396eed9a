//! Operations on the usage that counts against the ceilings of plans.
use super::{DbFuture, OperatorDb, OrganizationDb, all_tenants_query, tenant_query};
use domain::id::OrganizationId;
use domain::plan::{Meter, Usage};
use domain::time::Timestamp;

impl<'a> OrganizationDb<'a> {
    pub fn used(self, meter: Meter, period: i32) -> DbFuture<'a, u32> {
        tenant_query!(self.organization, read, usage::used(meter, period))
    }

    /// Records the event that an organization has reached its ceiling of calls, once per period.
    pub fn record_reached_ceiling(
        self,
        period: i32,
        usage: Usage,
        at: Timestamp,
    ) -> DbFuture<'a, ()> {
        tenant_query!(self.organization, write, usage::record_reached_ceiling(period, usage, at))
    }
}

impl<'a> OperatorDb<'a> {
    /// Deletes about `portion` rows of usage from before a period, and returns how many.
    pub fn delete_expired_usage(
        self,
        meter: Meter,
        period: i32,
        portion: i64,
    ) -> DbFuture<'a, usize> {
        all_tenants_query!(
            self,
            write_after,
            retention::delete_expired_usage(meter, period, portion)
        )
    }

    /// Stores the calls that this instance has counted in memory, if it is the only instance on the
    /// database.
    pub fn write_calls(self, calls: Vec<(OrganizationId, i32, u32)>) -> DbFuture<'a, ()> {
        all_tenants_query!(self, write, usage::write_calls(calls))
    }
}
