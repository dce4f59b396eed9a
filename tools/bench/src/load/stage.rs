//! The environment of the measurements, with new servers for each.

use std::cell::Cell;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use tempfile::TempDir;

use super::companions::{Bare, Sink};
use super::database::{Database, Temporary};
use super::measured::Subject;
use super::switchboard::{Site, Switchboard};
use servers::workspace::Workspace;
use servers::{Durability, Postgres};

/// A directory that is on disk on every Debian. `/tmp` may be in memory, where an fsync takes no
/// time.
const FILES: &str = "/var/tmp";

pub struct Programs {
    pub switchboard: PathBuf,
    /// The handler that does nothing.
    pub bare: PathBuf,
    /// The receiver of webhooks, and the stand-in for a slow channel.
    pub sink: PathBuf,
}

pub struct Stage<'a> {
    workspace: &'a Workspace,
    programs: Programs,
    postgres: Postgres,
    files: TempDir,
    connections: u32,
    made: Cell<u32>,
}

impl<'a> Stage<'a> {
    /// Starts a `PostgreSQL` whose commits are as durable as in production.
    pub fn new(workspace: &'a Workspace, programs: Programs, connections: u32) -> Result<Self> {
        let disk = Path::new(FILES);
        let postgres = Postgres::start(Durability::Durable, disk)?;
        let files = tempfile::Builder::new()
            .prefix("switchboard-bench-")
            .tempdir_in(disk)
            .with_context(|| format!("cannot create a directory in {FILES}"))?;
        Ok(Self { workspace, programs, postgres, files, connections, made: Cell::new(0) })
    }

    /// Returns the workspace, which holds the scripts.
    pub fn workspace(&self) -> &Workspace {
        self.workspace
    }

    /// Returns the number of connections that the load keeps busy.
    pub fn connections(&self) -> u32 {
        self.connections
    }

    /// Returns the directory for a measurement's files.
    pub fn files(&self) -> &Path {
        self.files.path()
    }

    /// Starts a new server on a new database, with these additional settings.
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
            Subject::Bare => bail!("the bare handler is not a Switchboard server"),
            Subject::Sqlite => (Database::Sqlite(files.path().join("switchboard.db")), None),
            Subject::Postgres => {
                let made = Temporary::make(&self.postgres, format!("bench_{number}"))?;
                (Database::Postgres(self.postgres.database_url(made.name())), Some(made))
            }
        };
        let site = Site::new(&self.programs.switchboard, files.path(), database, settings);
        Switchboard::start(site, files, dropped)
    }

    pub fn bare(&self) -> Result<Bare> {
        Bare::start(&self.programs.bare, self.files())
    }

    /// Starts a sink that answers after `delay` milliseconds.
    pub fn sink(&self, delay: u32) -> Result<Sink> {
        Sink::start(&self.programs.sink, self.files(), delay)
    }
}
