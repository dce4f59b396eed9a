//! Operations on the instances that share the database.
use super::{DbFuture, OperatorDb, all_tenants_query, any_node_query, unscoped_query};
use crate::Db;
use domain::id::{self, InstanceId, OrganizationId};
use domain::instance::WorkKind;
use domain::time::Timestamp;

impl Db {
    /// Returns a key that all instances share: the stored one, or `fresh` if none is stored.
    pub fn server_key(
        &self,
        name: &'static str,
        fresh: Vec<u8>,
        at: Timestamp,
    ) -> DbFuture<'_, Vec<u8>> {
        unscoped_query!(self, write, server_keys::server_key(name, fresh, at))
    }

    /// Writes a row, to find out whether writes work.
    pub fn check_write(&self, at: Timestamp) -> DbFuture<'_, ()> {
        unscoped_query!(self, write, write_checks::check_write(at))
    }

    /// Returns a key that all instances share, if it has been created.
    pub fn stored_server_key(&self, name: &'static str) -> DbFuture<'_, Option<Vec<u8>>> {
        unscoped_query!(self, read, server_keys::stored_server_key(name))
    }
}

impl<'a> OperatorDb<'a> {
    /// Releases all claims of earlier instances. Must be called only by an instance that is the
    /// only one on the database.
    pub fn release_all(self, now: Timestamp) -> DbFuture<'a, usize> {
        all_tenants_query!(self, write, instances::release_all(now))
    }

    /// Registers an instance that starts.
    pub fn enter(self, id: InstanceId) -> DbFuture<'a, ()> {
        all_tenants_query!(self, write, instances::enter(id))
    }

    /// Increments an instance's heartbeat and returns the heartbeats of the other instances.
    /// Returns `None` if the others consider this instance dead and have removed it.
    pub fn beat(self, id: InstanceId) -> DbFuture<'a, Option<Vec<(InstanceId, i64)>>> {
        all_tenants_query!(self, write, instances::beat(id))
    }

    /// Releases the claims of dead instances, each only if its heartbeat has not changed. Returns
    /// how many organizations they had claimed.
    pub fn release_dead_instances(
        self,
        dead: Vec<(InstanceId, i64)>,
        now: Timestamp,
    ) -> DbFuture<'a, usize> {
        all_tenants_query!(self, write, instances::release_dead_instances(dead, now))
    }

    /// Removes an instance that stops, and releases its claims.
    pub fn leave(self, id: InstanceId, now: Timestamp) -> DbFuture<'a, usize> {
        all_tenants_query!(self, write, instances::leave(id, now))
    }

    /// Returns the heartbeats of all registered instances.
    pub fn beats(self) -> DbFuture<'a, Vec<(id::InstanceId, i64)>> {
        all_tenants_query!(self, read, instances::beats())
    }
}

impl<'a> OperatorDb<'a> {
    /// Returns unclaimed organizations with the times at which something is due for them, in the
    /// order of these times.
    pub fn unclaimed_work(
        self,
        kind: WorkKind,
        most: i64,
    ) -> DbFuture<'a, Vec<(OrganizationId, Timestamp)>> {
        any_node_query!(self, read, work::unclaimed_work(kind, most))
    }
}
