//! Everything that a measurement needs around the server, and fresh servers for each.

use std::cell::Cell;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use tempfile::TempDir;

use super::companions::{Bare, Sink};
use super::database::{Database, Temporary};
use super::measured::Subject;
use super::switchboard::{Site, Switchboard};
use crate::servers::{Durability, Postgres};
use crate::workspace::Workspace;

/// On disk on every Debian, where `/tmp` may be in memory and an fsync worth nothing.
const FILES: &str = "/var/tmp";

/// The programs that are measured, and those beside them.
pub struct Programs {
    /// The server.
    pub switchboard: PathBuf,
    /// The handler that does nothing.
    pub bare: PathBuf,
    /// The other side of webhooks and of a slow channel.
    pub sink: PathBuf,
}

/// Where measurements take place.
pub struct Stage<'a> {
    workspace: &'a Workspace,
    programs: Programs,
    postgres: Postgres,
    files: TempDir,
    connections: u32,
    made: Cell<u32>,
}

impl<'a> Stage<'a> {
    /// With a `PostgreSQL` of its own, whose commits are as durable as in production.
    pub fn new(workspace: &'a Workspace, programs: Programs, connections: u32) -> Result<Self> {
        let disk = Path::new(FILES);
        let postgres = Postgres::start(Durability::Durable, disk)?;
        let files = tempfile::Builder::new()
            .prefix("switchboard-bench-")
            .tempdir_in(disk)
            .with_context(|| format!("cannot make a directory in {FILES}"))?;
        Ok(Self { workspace, programs, postgres, files, connections, made: Cell::new(0) })
    }

    /// Where the scripts are.
    pub fn workspace(&self) -> &Workspace {
        self.workspace
    }

    /// How many connections the load keeps busy.
    pub fn connections(&self) -> u32 {
        self.connections
    }

    /// Where a measurement may write.
    pub fn files(&self) -> &Path {
        self.files.path()
    }

    /// A new server on a new database, with `settings` besides those that every one has.
    pub fn switchboard(
        &self,
        subject: Subject,
        settings: &[(&'static str, String)],
    ) -> Result<Switchboard> {
        let number = self.made.get() + 1;
        self.made.set(number);
        let files = tempfile::Builder::new()
            .prefix(&format!("server-{number}-"))
            .tempdir_in(self.files())
            .context("no directory for a server")?;
        let (database, dropped) = match subject {
            Subject::Bare => bail!("the bare handler is no server of ours"),
            Subject::Sqlite => (Database::Sqlite(files.path().join("switchboard.db")), None),
            Subject::Postgres => {
                let made = Temporary::make(&self.postgres, format!("bench_{number}"))?;
                (Database::Postgres(self.postgres.database_url(made.name())), Some(made))
            }
        };
        let site = Site::new(&self.programs.switchboard, files.path(), database, settings);
        Switchboard::start(site, files, dropped)
    }

    /// The bare handler, with as many workers as the server has.
    pub fn bare(&self) -> Result<Bare> {
        Bare::start(&self.programs.bare, self.files())
    }

    /// A server that takes what Switchboard sends, and answers after so many milliseconds.
    pub fn sink(&self, delay: u32) -> Result<Sink> {
        Sink::start(&self.programs.sink, self.files(), delay)
    }
}
