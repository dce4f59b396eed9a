//! Operations on the instances that share the database.
use super::operations;
use crate::Db;
use crate::operations::OperatorDb;
use domain::id::{self, InstanceId, OrganizationId};
use domain::instance::WorkKind;
use domain::time::Timestamp;

operations! {
    Db;
    /// Returns a key that all instances share: the stored one, or `fresh` if none is stored.
    write server_keys::server_key(name: &'static str, fresh: Vec<u8>, at: Timestamp) -> Vec<u8>;
    /// Writes a row, to find out whether writes work.
    write write_checks::check_write(at: Timestamp) -> ();
    /// Returns a key that all instances share, if it has been created.
    read server_keys::stored_server_key(name: &'static str) -> Option<Vec<u8>>;
}

operations! {
    OperatorDb;
    /// Releases all claims of earlier instances. Only for an instance that has the database to
    /// itself.
    write instances::release_all(now: Timestamp) -> usize;
    /// Registers an instance that starts.
    write instances::enter(id: InstanceId) -> ();
    /// Increments an instance's heartbeat and returns those of the others. Returns nothing if the
    /// others consider the instance dead.
    write instances::beat(id: InstanceId) -> Option<Vec<(InstanceId, i64)>>;
    /// Releases the claims of dead instances, each only if its heartbeat has not changed. Returns
    /// how many organizations they had claimed.
    write instances::release_dead_instances(dead: Vec<(InstanceId, i64)>, now: Timestamp) -> usize;
    /// Removes an instance that stops, and releases its claims.
    write instances::leave(id: InstanceId, now: Timestamp) -> usize;
    /// Returns the heartbeats of all registered instances.
    read instances::beats() -> Vec<(id::InstanceId, i64)>;
}

operations! {
    OperatorDb anywhere;
    /// Returns unclaimed organizations with the times at which something is due for them, in the
    /// order of these times.
    read work::unclaimed_work(kind: WorkKind, most: i64) -> Vec<(OrganizationId, Timestamp)>;
}
