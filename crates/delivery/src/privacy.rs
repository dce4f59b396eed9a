//! Protection of this process's memory from other processes.

use rustix::process::{DumpableBehavior, set_dumpable_behavior};

/// Keeps other processes of the same user from reading this process's memory and environment, which
/// contain keys and passwords. This also blocks debuggers and `/proc`, and Linux writes no core
/// file. Root still has access.
pub fn close_memory() -> rustix::io::Result<()> {
    set_dumpable_behavior(DumpableBehavior::NotDumpable)
}
