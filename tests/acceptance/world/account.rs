//! Whom a process runs as that must not be root: PostgreSQL refuses to, and root may read everything.

use rustix::process::geteuid;
use std::process::{Command, Stdio};

/// Accounts without privileges; Debian makes the first one with its PostgreSQL, the second one exists everywhere.
const ORDINARY: [&str; 2] = ["postgres", "nobody"];

/// The number of an account without privileges and that of its group, where we are root.
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
