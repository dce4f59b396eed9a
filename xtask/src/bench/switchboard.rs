//! A measured server, and what is told and asked of it.

use std::env;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread;
use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};
use rustix::process::Signal;
use serde_json::Value;
use tempfile::TempDir;

use super::database::{Database, Temporary};
use crate::clock::Stopwatch;
use crate::interrupt;
use crate::process;
use crate::servers::{Answer, Running, answers, free_port, request};

const START: Duration = Duration::from_mins(1);
const POLL: Duration = Duration::from_millis(100);
/// How long what was accepted may take until it is worked off.
const DRAIN: Duration = Duration::from_mins(10);

/// The plan of every organization, which has no limits.
pub const PLAN: &str = "bench";

/// A pair.
#[derive(Clone)]
pub struct Credentials {
    /// The public part.
    pub client_id: String,
    /// The secret.
    pub client_secret: String,
}

impl Credentials {
    /// What the bare handler gets: it looks at nothing, and the bytes are as many.
    pub fn placeholder() -> Self {
        let (id, secret) = ("x".repeat(22), "x".repeat(49));
        Self { client_id: format!("swk_{id}"), client_secret: format!("sws_{secret}") }
    }

    /// As a call carries them.
    pub fn headers(&self) -> [(&str, &str); 2] {
        [("x-client-id", &self.client_id), ("x-client-secret", &self.client_secret)]
    }
}

/// The binary on one database.
pub struct Site {
    binary: PathBuf,
    files: PathBuf,
    database: Database,
    settings: Vec<(&'static str, String)>,
}

impl Site {
    /// With its files in the directory `files`.
    pub fn new(
        binary: &Path,
        files: &Path,
        database: Database,
        settings: &[(&'static str, String)],
    ) -> Self {
        let (binary, files) = (binary.to_owned(), files.to_owned());
        Self { binary, files, database, settings: settings.to_vec() }
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(&self.binary);
        // Whatever the shell configures for a server of its own is not meant for this one.
        for (name, _) in env::vars_os() {
            if name.to_string_lossy().starts_with("SWITCHBOARD_") {
                command.env_remove(&name);
            }
        }
        command
            .args(arguments)
            .current_dir(&self.files)
            .env("SWITCHBOARD_DATABASE_URL", self.database.url())
            .env("SWITCHBOARD_MEDIA_URL", format!("file:{}", self.files.join("media").display()))
            .env("SWITCHBOARD_LOG", "warn")
            .envs(self.settings.iter().map(|(name, value)| (name, value)));
        command
    }

    /// Starts the server; it need not be ready yet.
    fn serve(&self) -> Result<(Running, u16, u16)> {
        let (port, metrics) = (free_port()?, free_port()?);
        let mut command = self.command(&["serve"]);
        command
            .env("SWITCHBOARD_BIND", format!("127.0.0.1:{port}"))
            .env("SWITCHBOARD_METRICS_BIND", format!("127.0.0.1:{metrics}"));
        let log = self.files.join("log");
        Ok((Running::spawn("switchboard", &mut command, log, Signal::TERM)?, port, metrics))
    }
}

/// A server with one organization on a plan without limits, a number in the sandbox, and a key that is not throttled.
pub struct Switchboard {
    // In this order: the server goes before its database and its files do.
    running: Running,
    _database: Option<Temporary>,
    _files: TempDir,
    site: Site,
    port: u16,
    metrics: u16,
    /// The organization's id.
    pub organization: String,
    /// The key.
    pub key: Credentials,
}

impl Switchboard {
    /// Starts it, and makes what it has.
    pub fn start(site: Site, files: TempDir, database: Option<Temporary>) -> Result<Self> {
        let (mut running, port, metrics) = site.serve()?;
        running.until_ready(START, || answers(port, "/readyz", &[], 200))?;
        let (organization, key) = (String::new(), Credentials::placeholder());
        let mut made = Self {
            running,
            _database: database,
            _files: files,
            site,
            port,
            metrics,
            organization,
            key,
        };
        let limits = ["--api-calls-per-day", "none", "--messages-per-month", "none"];
        made.admin(
            &[&["plan", "set", "--name", PLAN, "--api-access", "true"], &limits[..]].concat(),
        )?;
        made.organization = made.new_organization("Bench", "+12025550199")?;
        made.key = made.new_key(&made.organization, &["--rate-limit", "0"])?;
        let (port, headers) = (made.port, made.key.headers());
        made.running
            .until_ready(START, || answers(port, "/api/v1/me", &headers, 200))
            .context("the new key is not let in at GET /api/v1/me")?;
        Ok(made)
    }

    /// Stops it, starts it again on the same database, and says how long it took until it was ready.
    pub fn restart(&mut self) -> Result<Duration> {
        self.stop();
        self.start_again()
    }

    /// Stops it; [`Self::start_again`] is for afterwards.
    pub fn stop(&mut self) {
        self.running.stop();
    }

    /// Starts it on the same database, and says how long it took until it was ready.
    pub fn start_again(&mut self) -> Result<Duration> {
        let watch = Stopwatch::start();
        let (running, port, metrics) = self.site.serve()?;
        (self.running, self.port, self.metrics) = (running, port, metrics);
        while !answers(port, "/readyz", &[], 200) {
            interrupt::check()?;
            ensure!(watch.elapsed() < START, "it is not ready:\n{}", self.last_words());
            thread::sleep(Duration::from_millis(1));
        }
        Ok(watch.elapsed())
    }

    /// An organization with a number in the sandbox; returns its id.
    pub fn new_organization(&self, name: &str, number: &str) -> Result<String> {
        let made = self.admin(&["organization", "create", "--name", name, "--plan", PLAN])?;
        let id = text(&made, "id")?;
        let of = ["account", "connect", "--organization", id.as_str(), "--channel", "sandbox"];
        let number = ["--phone-number", number, "--display-name", name, "--default"];
        self.admin(&[&of[..], &number].concat())?;
        Ok(id)
    }

    /// A key of an organization's that may do everything.
    pub fn new_key(&self, organization: &str, more: &[&str]) -> Result<Credentials> {
        let scopes = "messages.send,conversations.read,templates.read,templates.write";
        let key = ["key", "create", "--organization", organization, "--name", "bench"];
        let made = self.admin(&[&key[..], &["--scopes", scopes], more].concat())?;
        Credentials::of(&made)
    }

    /// What `switchboard admin …` prints.
    pub fn admin(&self, arguments: &[&str]) -> Result<Value> {
        let mut command = self.site.command(&[&["admin"], arguments, &["--json"]].concat());
        parsed(&process::stdout(&mut command)?, arguments)
    }

    /// What `switchboard admin …` prints that reads a secret from its standard input.
    pub fn admin_with_secret(&self, arguments: &[&str], secret: &str) -> Result<Value> {
        let file = self.site.files.join("secret");
        fs::write(&file, secret).context("cannot write a secret")?;
        let mut command = self.site.command(&[&["admin"], arguments, &["--json"]].concat());
        let printed = process::stdout_of_input(&mut command, File::open(&file)?)?;
        parsed(&printed, arguments)
    }

    /// A call of the API with the organization's key, which has to succeed.
    pub fn call(&self, method: &str, path: &str, body: &str) -> Result<Answer> {
        let [id, secret] = self.key.headers();
        let headers = [id, secret, ("content-type", "application/json")];
        let answer = request(self.port, method, path, &headers, body)?;
        match answer.status {
            200..300 => Ok(answer),
            status => bail!("{method} {path} is answered {status}: {}", answer.body),
        }
    }

    /// How many messages wait for the channel, as the metrics say once a second; nothing in the first second.
    pub fn outbox_depth(&self) -> Result<Option<u64>> {
        let metrics = request(self.metrics, "GET", "/metrics", &[], "")?;
        let depth = metrics.body.lines().find_map(|line| line.strip_prefix("outbox_depth "));
        depth.map(|depth| depth.trim().parse().context("outbox_depth is no number")).transpose()
    }

    /// Waits until everything is handed over and everything reported is worked on; returns how long that took.
    pub fn drain(&self) -> Result<Duration> {
        let watch = Stopwatch::start();
        loop {
            interrupt::check()?;
            // Counting rows takes processor time from the workers, so the metrics are asked first.
            let waiting = "SELECT (SELECT count(*) FROM outbox), (SELECT count(*) FROM callbacks)";
            if self.outbox_depth()? == Some(0) && self.database().numbers(waiting)? == [0, 0] {
                return Ok(watch.elapsed());
            }
            ensure!(
                watch.elapsed() < DRAIN,
                "messages or callbacks are still waiting after {} s; logged last:\n{}",
                DRAIN.as_secs(),
                self.last_words()
            );
            thread::sleep(POLL);
        }
    }

    /// Its database.
    pub fn database(&self) -> &Database {
        &self.site.database
    }

    /// Where it listens, on the loopback address.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// Its process.
    pub fn process(&self) -> u32 {
        self.running.id()
    }

    /// What it has logged lately.
    pub fn last_words(&self) -> String {
        self.running.last_words()
    }
}

impl Credentials {
    /// Those that `--json` has printed.
    pub fn of(made: &Value) -> Result<Self> {
        Ok(Self {
            client_id: text(made, "client_id")?,
            client_secret: text(made, "client_secret")?,
        })
    }
}

fn parsed(printed: &str, arguments: &[&str]) -> Result<Value> {
    serde_json::from_str(printed)
        .with_context(|| format!("`switchboard admin {}` printed no JSON", arguments.join(" ")))
}

fn text(value: &Value, name: &str) -> Result<String> {
    let found = value.get(name).and_then(Value::as_str).map(str::to_owned);
    found.with_context(|| format!("`--json` printed no `{name}`"))
}
