//! The measured server: in Callgrind, on its own `SQLite`, with one organization.

use std::path::Path;
use std::thread;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use rustix::process::Signal;
use tempfile::TempDir;

use super::counter::Counter;
use crate::client::{Client, answers};
use crate::fill::{Binary, Database, text};
use servers::clock::Stopwatch;
use servers::{Running, free_port, interrupt};

const START: Duration = Duration::from_mins(3);
/// The time limit for delivering a message.
const DELIVERY: Duration = Duration::from_mins(1);
const POLL: Duration = Duration::from_millis(20);

const PLAN: &str = "instructions";

/// Fixed numbers of threads. By default they depend on the number of cores. With more threads, the
/// cost of threads that wake each other changes.
const THREADS: [(&str, &str); 2] = [("SWITCHBOARD_WORKERS", "1"), ("TOKIO_WORKER_THREADS", "1")];

/// A running server whose instructions can be counted.
pub struct Server {
    // Fields are dropped in this order: the server before its files.
    running: Running,
    files: TempDir,
    database: Database,
    port: u16,
    key: (String, String),
}

impl Server {
    /// Creates the organization on `SQLite` and starts the server. Nothing is counted yet.
    pub fn start(binary: &Path) -> Result<Self> {
        Self::start_with(binary, None, &[])
    }

    /// Starts the server like [`Self::start`], but on `PostgreSQL` if a URL is given. `arguments`
    /// are passed to Callgrind.
    pub fn start_with(binary: &Path, postgres: Option<String>, arguments: &[&str]) -> Result<Self> {
        let files = tempfile::Builder::new()
            .prefix("switchboard-instructions-")
            .tempdir()
            .context("cannot make a directory")?;
        let sqlite = || Database::Sqlite(files.path().join("switchboard.db"));
        let database = postgres.map_or_else(sqlite, Database::Postgres);
        let url = database.url();
        let program = Binary { file: binary, url: &url, folder: files.path().to_owned() };
        program.migrate()?;
        let key = key(&program)?;
        let (port, metrics) = (free_port()?, free_port()?);
        let mut command = Counter::around(&program.command(&["serve"]), files.path(), arguments)?;
        command
            .env("SWITCHBOARD_BIND", format!("127.0.0.1:{port}"))
            .env("SWITCHBOARD_BASE_URL", format!("http://127.0.0.1:{port}"))
            .env("SWITCHBOARD_METRICS_BIND", format!("127.0.0.1:{metrics}"))
            // `vgdb` uses `ptrace` to wake the server.
            .env("SWITCHBOARD_ALLOW_DEBUGGER", "true")
            .envs(THREADS);
        let log = files.path().join("log");
        let mut running = Running::spawn("switchboard", &mut command, log, Signal::TERM)?;
        running.until_ready(START, || answers(port, "/readyz", &[], 200))?;
        Ok(Self { running, files, database, port, key })
    }

    pub fn counter(&self) -> Counter {
        Counter::new(self.files.path(), self.running.id())
    }

    /// Returns a client with the organization's key.
    pub fn client(&self) -> Client {
        let (id, secret) = &self.key;
        let json = ("Content-Type", "application/json");
        Client::new(self.port, &[("x-client-id", id), ("x-client-secret", secret), json])
    }

    /// Waits until every message is delivered and every callback is processed.
    ///
    /// The state is read from the database, because a request to the server would be counted.
    pub fn settle(&self) -> Result<()> {
        let watch = Stopwatch::start();
        let waiting = "SELECT (SELECT count(*) FROM messages WHERE delivered_at IS NULL) \
                       + (SELECT count(*) FROM outbox) + (SELECT count(*) FROM callbacks)";
        while self.database.number(waiting)? != 0 {
            interrupt::check()?;
            ensure!(
                watch.elapsed() < DELIVERY,
                "messages are not delivered after {} s; the server said:\n{}",
                DELIVERY.as_secs(),
                self.running.last_words()
            );
            thread::sleep(POLL);
        }
        Ok(())
    }
}

/// Creates an organization on a plan without limits, with a sandbox account. Returns its key.
fn key(program: &Binary<'_>) -> Result<(String, String)> {
    let limits = ["--api-calls-per-day", "none", "--messages-per-month", "none"];
    let plan = ["plan", "set", "--name", PLAN, "--api-access", "true"];
    program.admin(&[&plan[..], &limits].concat())?;
    let organization = ["organization", "create", "--name", "Instructions", "--plan", PLAN];
    let id = text(&program.admin(&organization)?, "id")?;
    let of = ["--organization", id.as_str()];
    let number = ["--channel", "sandbox", "--phone-number", "+12025550199"];
    let named = ["--display-name", "Instructions", "--default"];
    program.admin(&[&["account", "connect"], &of[..], &number, &named].concat())?;
    let scopes = ["--scopes", "messages.send,conversations.read", "--rate-limit", "0"];
    let key = [&["key", "create"], &of[..], &["--name", "instructions"], &scopes].concat();
    let key = program.admin(&key)?;
    Ok((text(&key, "client_id")?, text(&key, "client_secret")?))
}
