//! The account that a server runs as: `PostgreSQL` refuses to run as root.

use std::os::unix::fs::chown;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};
use rustix::process::geteuid;

use crate::process;

/// Unprivileged accounts. Debian's package of `PostgreSQL` creates the first one. The second one
/// exists on every system.
const ORDINARY: [&str; 2] = ["postgres", "nobody"];

/// The operating system's account that a private server runs as.
#[derive(Clone, Copy)]
pub enum Account {
    /// The current user, which is not root.
    Ourselves,
    /// An unprivileged account. It is used if the current user is root.
    Ordinary { user: u32, group: u32 },
}

impl Account {
    /// Returns the current user's account, or an unprivileged one if the current user is root.
    pub fn ordinary() -> Result<Self> {
        if !geteuid().is_root() {
            return Ok(Self::Ourselves);
        }
        match ORDINARY.iter().find_map(|name| Some((number("-u", name)?, number("-g", name)?))) {
            Some((user, group)) => Ok(Self::Ordinary { user, group }),
            None => bail!(
                "PostgreSQL refuses to run as root, and there is neither the account {}",
                ORDINARY.join(" nor ")
            ),
        }
    }

    /// Makes `command` run as this account.
    pub fn apply(self, command: &mut Command) -> &mut Command {
        match self {
            Self::Ourselves => command,
            Self::Ordinary { user, group } => command.uid(user).gid(group),
        }
    }

    /// Makes this account the owner of `directory`.
    pub fn own(self, directory: &Path) -> Result<()> {
        match self {
            Self::Ourselves => Ok(()),
            Self::Ordinary { user, group } => chown(directory, Some(user), Some(group))
                .with_context(|| {
                    format!("cannot hand {} to an ordinary account", directory.display())
                }),
        }
    }
}

fn number(which: &str, name: &str) -> Option<u32> {
    process::stdout(Command::new("id").args([which, name]).stderr(Stdio::null()))
        .ok()?
        .trim()
        .parse()
        .ok()
}
