//! A private `PostgreSQL` cluster.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use rustix::process::Signal;
use tempfile::TempDir;

use super::account::Account;
use super::{Running, on_a_free_port};
use crate::clock::Stopwatch;
use crate::{interrupt, programs};

const START: Duration = Duration::from_mins(1);
/// Every test has a database of its own and a pool of connections to it.
const CONNECTIONS: u32 = 400;

/// What a commit is worth.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Durability {
    /// Nothing survives a crash of the machine: for tests, which kill servers of ours but never the database.
    Volatile,
    /// As in production: for measurements.
    Durable,
}

impl Durability {
    fn settings(self) -> &'static [&'static str] {
        match self {
            Self::Volatile => &["fsync=off", "synchronous_commit=off", "full_page_writes=off"],
            Self::Durable => &["fsync=on", "synchronous_commit=on", "full_page_writes=on"],
        }
    }
}

/// A running cluster; dropping it stops it and removes its data.
pub struct Postgres {
    // In this order: the server goes before its files do.
    server: Running,
    files: TempDir,
    port: u16,
    durability: Durability,
    account: Account,
    connections: u32,
    settings: &'static [&'static str],
}

impl Postgres {
    /// Makes a cluster in a new directory under `base` and starts it.
    pub fn start(durability: Durability, base: &Path) -> Result<Self> {
        Self::start_with(durability, base, CONNECTIONS)
    }

    /// The same, with that many connections at most.
    pub fn start_with(durability: Durability, base: &Path, connections: u32) -> Result<Self> {
        Self::start_set(durability, base, connections, &[])
    }

    /// The same, with settings such as `wal_level=logical`.
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

    /// Stops it as an operator does, without waiting for those who are connected.
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

    /// Kills it with everything that belongs to it.
    pub fn kill(&mut self) -> Result<()> {
        self.server.signal_family(Signal::KILL)?;
        self.server.kill();
        Ok(())
    }

    /// Whether it has ended by itself.
    pub fn has_ended(&mut self) -> Result<bool> {
        Ok(self.server.ended()?.is_some())
    }

    /// Starts it again, where it was.
    pub fn start_again(&mut self) -> Result<()> {
        let Self { durability, account, connections, settings, .. } = *self;
        // One that was killed has left it, and says there that it is ready.
        let _ = fs::remove_file(self.files.path().join("data/postmaster.pid"));
        let kind = (durability, settings);
        self.server = serve(kind, account, self.files.path(), self.port, connections)?;
        Ok(())
    }

    /// Lets it stand still with everything that belongs to it, or go on.
    pub fn signal(&self, signal: Signal) -> Result<()> {
        self.server.signal_family(signal)
    }

    /// The number of its first process.
    pub fn process(&self) -> u32 {
        self.server.id()
    }

    /// Where it listens.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// The URL of its first database, for a superuser without a password.
    pub fn url(&self) -> String {
        self.database_url("postgres")
    }

    /// The URL of another of its databases.
    pub fn database_url(&self, name: &str) -> String {
        format!("postgres://postgres@127.0.0.1:{}/{name}", self.port)
    }
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
    // SIGQUIT is PostgreSQL's immediate stop: nobody needs what a clean one would still write.
    let mut server = Running::spawn("PostgreSQL", &mut command, files.join("log"), Signal::QUIT)?;
    let state = files.join("data/postmaster.pid");
    server.until_ready(START, || fs::read_to_string(&state).is_ok_and(|state| is_ready(&state)))?;
    Ok(server)
}

/// The last line of `postmaster.pid` is the server's state; unlike an answer on the port it is surely our server's.
fn is_ready(state: &str) -> bool {
    state.lines().last().is_some_and(|line| line.trim() == "ready")
}

fn command(program: &str, account: Account, files: &Path) -> Result<Command> {
    let mut command = Command::new(programs::require(&[program])?);
    account.apply(&mut command);
    // In its own directory, for ours may be closed to it; with a locale that exists everywhere.
    command.current_dir(files).env("LC_ALL", "C").env_remove("PGDATA").env_remove("PGPORT");
    Ok(command)
}

#[cfg(test)]
mod tests {
    use std::net::{Ipv4Addr, TcpStream};

    use super::*;
    use crate::process;

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
