//! What other processes may see of this one.

use rustix::process::{DumpableBehavior, set_dumpable_behavior};

/// From here on no other process of the same user reads the memory and the environment of this one, in which keys and passwords are:
/// no debugger, not by `/proc`, and not from a core file, of which Linux then makes none. Root still may.
pub fn close_memory() -> rustix::io::Result<()> {
    set_dumpable_behavior(DumpableBehavior::NotDumpable)
}
