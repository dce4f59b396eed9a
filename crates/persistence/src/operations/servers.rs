//! The servers that share the database.
use super::operations;
use crate::Db;
use crate::operations::OperatorDb;
use domain::id::{self, InstanceId, OrganizationId};
use domain::instance::WorkKind;
use domain::time::Timestamp;

operations! {
    Db;
    /// A key that all servers of this database share: the kept one, or else the fresh one.
    write server_keys::server_key(name: &'static str, fresh: Vec<u8>, at: Timestamp) -> Vec<u8>;
    /// Writes something, to find out whether that works.
    write write_checks::check_write(at: Timestamp) -> ();
    /// A key that all servers of this database share, if it has been made.
    read server_keys::stored_server_key(name: &'static str) -> Option<Vec<u8>>;
}

operations! {
    OperatorDb;
    /// Lets go of all claims of servers that are gone: for a server that has the database to itself.
    write instances::release_all(now: Timestamp) -> usize;
    /// Enters a server that starts.
    write instances::enter(id: InstanceId) -> ();
    /// Counts a server's beat up, and gives the beats of the others; nothing if it is taken for dead.
    write instances::beat(id: InstanceId) -> Option<Vec<(InstanceId, i64)>>;
    /// Lets go of what servers had claimed that are dead, each if its beat still stands there; gives of
    /// how many organizations they sent the messages.
    write instances::release_dead_instances(dead: Vec<(InstanceId, i64)>, now: Timestamp) -> usize;
    /// A server ends: lets go of what it had claimed.
    write instances::leave(id: InstanceId, now: Timestamp) -> usize;
    /// The beats of all servers that are entered.
    read instances::beats() -> Vec<(id::InstanceId, i64)>;
}

operations! {
    OperatorDb anywhere;
    /// Unclaimed organizations, with the times at which something is due for them, in the order of those.
    read work::unclaimed_work(kind: WorkKind, most: i64) -> Vec<(OrganizationId, Timestamp)>;
}
