//! The user account for child processes that must not run as root: PostgreSQL refuses to, and root
//! may read every file.

use rustix::process::geteuid;
use std::process::{Command, Stdio};

/// Accounts without privileges. Debian's PostgreSQL package creates the first; the second exists on
/// every system.
const ORDINARY: [&str; 2] = ["postgres", "nobody"];

/// Returns the user id and group id of an unprivileged account if the test runs as root.
pub fn ordinary_account() -> Option<(u32, u32)> {
    if !geteuid().is_root() {
        return None;
    }
    let number = |which: &str, name: &str| -> Option<u32> {
        let asked = Command::new("id").args([which, name]).stderr(Stdio::null()).output().ok()?;
        String::from_utf8(asked.stdout).ok()?.trim().parse().ok()
    };
    ORDINARY.iter().find_map(|name| Some((number("-u", name)?, number("-g", name)?)))
}
