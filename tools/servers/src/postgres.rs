//! A private `PostgreSQL` cluster.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use rustix::process::Signal;
use tempfile::TempDir;

use crate::account::Account;
use crate::clock::Stopwatch;
use crate::{Running, interrupt, on_a_free_port, process, programs};

const START: Duration = Duration::from_mins(1);
/// The maximum number of connections. It is high, because every test has its own database and
/// connection pool.
const CONNECTIONS: u32 = 400;
/// The database that is copied for each test.
pub const TEMPLATE: &str = "switchboard_template";

/// How durable commits are.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Durability {
    /// Commits do not survive a crash of the machine. For tests, which kill Switchboard but never
    /// the database.
    Volatile,
    /// Commits are as durable as in production. For measurements.
    Durable,
}

impl Durability {
    fn settings(self) -> &'static [&'static str] {
        match self {
            // Autovacuum visits all databases in turn. There are hundreds, most of them left over
            // from finished tests, so it would start ten processes a second.
            Self::Volatile => &[
                "fsync=off",
                "synchronous_commit=off",
                "full_page_writes=off",
                "autovacuum_naptime=1d",
            ],
            Self::Durable => &["fsync=on", "synchronous_commit=on", "full_page_writes=on"],
        }
    }
}

/// A running cluster; dropping it stops it and removes its data.
pub struct Postgres {
    // Fields are dropped in this order, so the server stops before its files are removed.
    server: Running,
    files: TempDir,
    port: u16,
    durability: Durability,
    account: Account,
    connections: u32,
    settings: &'static [&'static str],
}

impl Postgres {
    /// Creates a cluster in a new directory under `base` and starts it.
    pub fn start(durability: Durability, base: &Path) -> Result<Self> {
        Self::start_with(durability, base, CONNECTIONS)
    }

    /// Starts a cluster like [`Self::start`], with this maximum number of connections.
    pub fn start_with(durability: Durability, base: &Path, connections: u32) -> Result<Self> {
        Self::start_set(durability, base, connections, &[])
    }

    /// Starts a cluster like [`Self::start_with`], with further settings such as
    /// `wal_level=logical`.
    pub fn start_set(
        durability: Durability,
        base: &Path,
        connections: u32,
        settings: &'static [&'static str],
    ) -> Result<Self> {
        let account = Account::ordinary()?;
        let files = tempfile::Builder::new()
            .prefix("switchboard-postgres-")
            .tempdir_in(base)
            .with_context(|| format!("cannot make a directory in {}", base.display()))?;
        account.own(files.path())?;
        let initdb = command("initdb", account, files.path())?
            .args([
                "--pgdata=data",
                "--username=postgres",
                "--auth=trust",
                "--encoding=UTF8",
                "--locale=C",
            ])
            .arg("--no-sync")
            .output();
        let initdb = initdb.context("cannot start initdb")?;
        if !initdb.status.success() {
            let said = String::from_utf8_lossy(&initdb.stderr);
            anyhow::bail!(
                "initdb could not make a cluster in {}: {}",
                files.path().display(),
                said.trim()
            );
        }
        let (server, port) = on_a_free_port(|port| {
            Ok((serve((durability, settings), account, files.path(), port, connections)?, port))
        })?;
        Ok(Self { server, files, port, durability, account, connections, settings })
    }

    /// Stops the cluster as an operator would, without waiting for clients to disconnect.
    pub fn stop(&mut self) -> Result<()> {
        self.server.signal(Signal::INT);
        let watch = Stopwatch::start();
        while self.server.ended()?.is_none() {
            ensure!(watch.elapsed() < START, "PostgreSQL does not stop");
            interrupt::sleep(Duration::from_millis(20))?;
        }
        self.server.stop();
        Ok(())
    }

    /// Kills all processes of the cluster.
    pub fn kill(&mut self) -> Result<()> {
        self.server.signal_family(Signal::KILL)?;
        self.server.kill();
        Ok(())
    }

    /// Whether the server has ended by itself.
    pub fn has_ended(&mut self) -> Result<bool> {
        Ok(self.server.ended()?.is_some())
    }

    /// Starts the cluster again with the same data and port.
    pub fn start_again(&mut self) -> Result<()> {
        let Self { durability, account, connections, settings, .. } = *self;
        // This file remains if the server was killed. It would say that the new server is ready.
        let _ = fs::remove_file(self.files.path().join("data/postmaster.pid"));
        let kind = (durability, settings);
        self.server = serve(kind, account, self.files.path(), self.port, connections)?;
        Ok(())
    }

    /// Sends a signal to all processes, for example to pause or continue them.
    pub fn signal(&self, signal: Signal) -> Result<()> {
        self.server.signal_family(signal)
    }

    /// Returns the id of the main process.
    pub fn process(&self) -> u32 {
        self.server.id()
    }

    pub fn port(&self) -> u16 {
        self.port
    }

    /// Returns the URL of the default database, for a superuser without a password.
    pub fn url(&self) -> String {
        self.database_url("postgres")
    }

    /// Returns the URL of another database.
    pub fn database_url(&self, name: &str) -> String {
        format!("postgres://postgres@127.0.0.1:{}/{name}", self.port)
    }

    /// Creates a database with all tables of Switchboard, which tests copy. PostgreSQL does not
    /// copy a database that has connections.
    pub fn make_template(&self, program: &Path) -> Result<()> {
        ask(&self.url(), &format!("CREATE DATABASE {TEMPLATE}"))?;
        let url = self.database_url(TEMPLATE);
        let mut migrate = Command::new(program);
        process::stdout(migrate.args(["migrate", "run", "--database-url", &url]).env_clear())?;
        ask(&self.url(), &format!("ALTER DATABASE {TEMPLATE} ALLOW_CONNECTIONS false"))
    }
}

/// Runs a statement on the database at this URL.
pub fn ask(url: &str, statement: &str) -> Result<()> {
    answer(url, statement).map(drop)
}

/// Runs a statement on the database at this URL, and returns its result as text.
pub fn answer(url: &str, statement: &str) -> Result<String> {
    let mut psql = Command::new(programs::require(&["psql"])?);
    psql.args(["--no-psqlrc", "-qAt", "-v", "ON_ERROR_STOP=1", url, "-c", statement]);
    process::stdout(&mut psql)
}

fn serve(
    (durability, settings): (Durability, &[&str]),
    account: Account,
    files: &Path,
    port: u16,
    connections: u32,
) -> Result<Running> {
    let mut command = command("postgres", account, files)?;
    command.args(["-D", "data", "-p", &port.to_string()]);
    let sockets = format!("unix_socket_directories={}", files.display());
    let connections = format!("max_connections={connections}");
    let ours =
        ["listen_addresses=127.0.0.1", &connections, "timezone=UTC", "log_timezone=UTC", &sockets];
    for setting in ours.iter().chain(durability.settings()).chain(settings) {
        command.args(["-c", setting]);
    }
    // SIGQUIT stops PostgreSQL at once, without writing its data. Nobody needs the data.
    let mut server = Running::spawn("PostgreSQL", &mut command, files.join("log"), Signal::QUIT)?;
    let state = files.join("data/postmaster.pid");
    server.until_ready(START, || fs::read_to_string(&state).is_ok_and(|state| is_ready(&state)))?;
    Ok(server)
}

/// Whether the server is ready, according to the last line of its `postmaster.pid`. Another server
/// could answer on the port, but the file belongs to this server.
fn is_ready(state: &str) -> bool {
    state.lines().last().is_some_and(|line| line.trim() == "ready")
}

fn command(program: &str, account: Account, files: &Path) -> Result<Command> {
    let mut command = Command::new(programs::require(&[program])?);
    account.apply(&mut command);
    // The server gets its own working directory, because its account may not read ours, and a
    // locale that every system has.
    command.current_dir(files).env("LC_ALL", "C").env_remove("PGDATA").env_remove("PGPORT");
    Ok(command)
}

#[cfg(test)]
mod tests {
    use std::net::{Ipv4Addr, TcpStream};

    use super::*;

    #[test]
    fn only_the_last_line_says_ready() {
        assert!(is_ready("123\n/data\n1\n5432\n/sockets\n127.0.0.1\n  1 2\nready   \n"));
        assert!(!is_ready("123\n/data\n1\n5432\n/sockets\n127.0.0.1\n  1 2\nstarting\n"));
        assert!(!is_ready("ready\n/data\n"));
        assert!(!is_ready(""));
    }

    #[test]
    fn a_cluster_starts_answers_and_leaves_nothing() {
        for durability in [Durability::Volatile, Durability::Durable] {
            let base = tempfile::tempdir_in("/tmp").unwrap();
            fs::set_permissions(base.path(), std::os::unix::fs::PermissionsExt::from_mode(0o755))
                .unwrap();
            let postgres = Postgres::start(durability, base.path()).unwrap();
            let asked = process::stdout(
                Command::new(programs::require(&["psql"]).unwrap()).args(["--no-psqlrc", "-At", &postgres.url()]).args(
                    ["-c", "SELECT current_setting('fsync'), current_setting('max_connections'), current_user"],
                ),
            );
            let fsync = if durability == Durability::Durable { "on" } else { "off" };
            assert_eq!(asked.unwrap(), format!("{fsync}|400|postgres\n"));
            let port = postgres.port;
            drop(postgres);
            assert!(
                TcpStream::connect((Ipv4Addr::LOCALHOST, port)).is_err(),
                "PostgreSQL still listens"
            );
            assert_eq!(fs::read_dir(base.path()).unwrap().count(), 0, "files are left");
        }
    }
}
