//! What the measurements of a run share, and new servers for each measurement.

use std::cell::Cell;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use tempfile::TempDir;

use super::companions::{Bare, Sink};
use super::database::{Database, Temporary};
use super::measured::Subject;
use super::switchboard::{Site, Switchboard};
use servers::workspace::Workspace;
use servers::{Durability, Postgres, Proxy, free_port};

/// A directory that is on disk on every Debian. `/tmp` may be in memory, where an fsync takes no
/// time.
const FILES: &str = "/var/tmp";

/// The programs beside the measured server.
pub struct Companions {
    /// The handler that does nothing.
    pub bare: PathBuf,
    /// The receiver of webhooks, and the stand-in for a slow channel.
    pub sink: PathBuf,
}

/// What all measurements of a run share.
pub struct Environment<'a> {
    workspace: &'a Workspace,
    programs: Companions,
    postgres: Postgres,
    files: TempDir,
    connections: u32,
    made: Cell<u32>,
}

impl<'a> Environment<'a> {
    /// Starts a `PostgreSQL` whose commits are as durable as in production.
    pub fn new(workspace: &'a Workspace, programs: Companions, connections: u32) -> Result<Self> {
        let disk = Path::new(FILES);
        let postgres = Postgres::start(Durability::Durable, disk)?;
        let files = tempfile::Builder::new()
            .prefix("switchboard-bench-")
            .tempdir_in(disk)
            .with_context(|| format!("cannot create a directory in {FILES}"))?;
        Ok(Self { workspace, programs, postgres, files, connections, made: Cell::new(0) })
    }

    /// Returns the stage on which a program of Switchboard is measured.
    pub fn stage<'s>(&'s self, program: &'s Path) -> Stage<'s> {
        Stage { environment: self, program }
    }
}

/// The environment of the measurements of one program.
pub struct Stage<'a> {
    environment: &'a Environment<'a>,
    program: &'a Path,
}

impl Stage<'_> {
    /// Returns the workspace, which holds the scripts.
    pub fn workspace(&self) -> &Workspace {
        self.environment.workspace
    }

    /// Returns the number of connections that the load keeps busy.
    pub fn connections(&self) -> u32 {
        self.environment.connections
    }

    /// Returns the directory for a measurement's files.
    pub fn files(&self) -> &Path {
        self.environment.files.path()
    }

    /// Starts a new server on a new database, with these additional settings.
    pub fn switchboard(
        &self,
        subject: Subject,
        settings: &[(&'static str, String)],
    ) -> Result<Switchboard> {
        let made = &self.environment.made;
        let number = made.get() + 1;
        made.set(number);
        let files = tempfile::Builder::new()
            .prefix(&format!("server-{number}-"))
            .tempdir_in(self.files())
            .context("no directory for a server")?;
        let (database, dropped) = match subject {
            Subject::Bare => bail!("the bare handler is not a Switchboard server"),
            Subject::Sqlite => (Database::Sqlite(files.path().join("switchboard.db")), None),
            Subject::Postgres => {
                let postgres = &self.environment.postgres;
                let made = Temporary::make(postgres, format!("bench_{number}"))?;
                (Database::Postgres(postgres.database_url(made.name())), Some(made))
            }
        };
        let site = Site::new(self.program, files.path(), database, settings);
        Switchboard::start(site, files, dropped)
    }

    pub fn bare(&self) -> Result<Bare> {
        Bare::start(&self.environment.programs.bare, self.files())
    }

    /// Starts a sink that answers after `delay` milliseconds.
    pub fn sink(&self, delay: u32) -> Result<Sink> {
        Sink::start(&self.environment.programs.sink, self.files(), delay)
    }

    /// Starts HAProxy in front of the server on this port.
    pub fn proxy(&self, port: u16) -> Result<Proxy> {
        Proxy::start(self.workspace().root(), self.files(), free_port()?, &[port])
    }
}
