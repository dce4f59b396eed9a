//! A measured server, and the operator's commands for it.

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
use super::measured::Unsupported;
use crate::client::{Answer, answers, request};
use servers::clock::Stopwatch;
use servers::{Running, free_port, interrupt, process};

const START: Duration = Duration::from_mins(1);
const POLL: Duration = Duration::from_millis(100);
/// The time limit for processing all accepted messages.
const DRAIN: Duration = Duration::from_mins(10);
/// The time limit until the metrics report the outbox. They do so once a second.
const METRICS: Duration = Duration::from_secs(30);
/// The names of the metric with the number of messages in the outbox. Versions without an inbox use
/// the second name.
const OUTBOX_METRICS: [&str; 2] = ["switchboard_outbox_messages ", "outbox_depth "];

/// A query that returns 1 for each of the two queues that is not empty. It does not count all rows,
/// because that would slow down the workers.
const WAITING: &str = "SELECT (SELECT count(*) FROM (SELECT 1 FROM outbox LIMIT 1) AS message), \
     (SELECT count(*) FROM (SELECT 1 FROM callbacks LIMIT 1) AS callback)";

/// The plan of every organization. It has no limits.
pub const PLAN: &str = "bench";

/// The credentials of a key or application.
#[derive(Clone)]
pub struct Credentials {
    pub client_id: String,
    pub client_secret: String,
}

impl Credentials {
    /// Returns values of the real length for the bare handler, which ignores them.
    pub fn placeholder() -> Self {
        let (id, secret) = ("x".repeat(22), "x".repeat(49));
        Self { client_id: format!("swk_{id}"), client_secret: format!("sws_{secret}") }
    }

    /// Returns the headers of a call.
    pub fn headers(&self) -> [(&str, &str); 2] {
        [("x-client-id", &self.client_id), ("x-client-secret", &self.client_secret)]
    }
}

/// A server binary with its database, files and settings.
pub struct Site {
    binary: PathBuf,
    files: PathBuf,
    database: Database,
    settings: Vec<(&'static str, String)>,
}

impl Site {
    /// Describes a server with its files in the directory `files`.
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
        // `SWITCHBOARD_*` variables of the shell must not apply to this server.
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

    /// Starts the server without waiting until it is ready. Returns the process, the port of the
    /// API and the port of the metrics.
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

/// A server with one organization on a plan without limits, a sandbox account, and a key without a
/// rate limit.
pub struct Switchboard {
    // Fields are dropped in this order: the server before its database and its files.
    running: Running,
    _database: Option<Temporary>,
    _files: TempDir,
    site: Site,
    port: u16,
    metrics: u16,
    pub organization: String,
    pub key: Credentials,
}

impl Switchboard {
    /// Starts the server and creates the organization, account and key.
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
            .context("the new key is refused at GET /api/v1/me")?;
        Ok(made)
    }

    /// Restarts the server on the same database. Returns the time until it was ready.
    pub fn restart(&mut self) -> Result<Duration> {
        self.stop();
        self.start_again()
    }

    /// Stops the server. [`Self::start_again`] starts it again.
    pub fn stop(&mut self) {
        self.running.stop();
    }

    /// Starts the server on the same database. Returns the time until it was ready.
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

    /// Creates an organization with a sandbox account, and returns its id.
    pub fn new_organization(&self, name: &str, number: &str) -> Result<String> {
        let made = self.admin(&["organization", "create", "--name", name, "--plan", PLAN])?;
        let id = text(&made, "id")?;
        let of = ["account", "connect", "--organization", id.as_str(), "--channel", "sandbox"];
        let number = ["--phone-number", number, "--display-name", name, "--default"];
        self.admin(&[&of[..], &number].concat())?;
        Ok(id)
    }

    /// Creates a key of an organization with all scopes.
    pub fn new_key(&self, organization: &str, more: &[&str]) -> Result<Credentials> {
        let scopes = "messages.send,conversations.read,templates.read,templates.write";
        let key = ["key", "create", "--organization", organization, "--name", "bench"];
        let made = self.admin(&[&key[..], &["--scopes", scopes], more].concat())?;
        Credentials::of(&made)
    }

    /// Runs `switchboard admin …` and returns its output.
    pub fn admin(&self, arguments: &[&str]) -> Result<Value> {
        let mut command = self.site.command(&[&["admin"], arguments, &["--json"]].concat());
        parsed(&process::stdout(&mut command)?, arguments)
    }

    /// Runs `switchboard admin …` with a secret on standard input, and returns its output.
    pub fn admin_with_secret(&self, arguments: &[&str], secret: &str) -> Result<Value> {
        let file = self.site.files.join("secret");
        fs::write(&file, secret).context("cannot write a secret")?;
        let mut command = self.site.command(&[&["admin"], arguments, &["--json"]].concat());
        let printed = process::stdout_of_input(&mut command, File::open(&file)?)?;
        parsed(&printed, arguments)
    }

    /// Fails with [`Unsupported`] if the program has no command `switchboard admin` of this name.
    /// `what` names what the command is for.
    pub fn require_admin(&self, command: &str, what: &'static str) -> Result<()> {
        let has_it = process::succeeds(&mut self.site.command(&["admin", command, "--help"]));
        if has_it { Ok(()) } else { Err(Unsupported(what).into()) }
    }

    /// Calls the API with the organization's key. The call has to succeed.
    pub fn call(&self, method: &str, path: &str, body: &str) -> Result<Answer> {
        let [id, secret] = self.key.headers();
        let headers = [id, secret, ("content-type", "application/json")];
        let answer = request(self.port, method, path, &headers, body)?;
        match answer.status {
            200..300 => Ok(answer),
            status => bail!("{method} {path} is answered {status}: {}", answer.body),
        }
    }

    /// Returns the number of messages in the outbox, which the metrics report once a second; `None`
    /// in the first second.
    pub fn outbox_depth(&self) -> Result<Option<u64>> {
        let metrics = request(self.metrics, "GET", "/metrics", &[], "")?;
        outbox_depth(&metrics.body)
    }

    /// Waits until all messages are sent and all callbacks are processed. Returns the time that
    /// this took.
    pub fn drain(&self) -> Result<Duration> {
        let watch = Stopwatch::start();
        loop {
            interrupt::check()?;
            let depth = self.outbox_depth()?;
            // The metrics are checked first, because each query takes CPU time from the workers.
            if depth == Some(0) && self.database().numbers(WAITING)? == [0, 0] {
                return Ok(watch.elapsed());
            }
            ensure!(
                depth.is_some() || watch.elapsed() < METRICS,
                "GET /metrics reports none of {OUTBOX_METRICS:?} after {} s",
                METRICS.as_secs()
            );
            ensure!(
                watch.elapsed() < DRAIN,
                "{} messages, or callbacks, are still waiting after {} s; logged last:\n{}",
                depth.unwrap_or_default(),
                DRAIN.as_secs(),
                self.last_words()
            );
            thread::sleep(POLL);
        }
    }

    pub fn database(&self) -> &Database {
        &self.site.database
    }

    pub fn port(&self) -> u16 {
        self.port
    }

    pub fn process(&self) -> u32 {
        self.running.id()
    }

    /// Returns the last lines of the server's log.
    pub fn last_words(&self) -> String {
        self.running.last_words()
    }
}

impl Credentials {
    /// Parses the credentials in an output of `--json`.
    pub fn of(made: &Value) -> Result<Self> {
        Ok(Self {
            client_id: text(made, "client_id")?,
            client_secret: text(made, "client_secret")?,
        })
    }
}

/// Parses the number of messages in the outbox; `None` if the metrics do not have it.
fn outbox_depth(metrics: &str) -> Result<Option<u64>> {
    let depth = metrics
        .lines()
        .find_map(|line| OUTBOX_METRICS.iter().find_map(|name| line.strip_prefix(name)))
        .map(|depth| depth.trim().parse::<u64>());
    depth.transpose().context("the number of messages in the outbox is not a number")
}

fn parsed(printed: &str, arguments: &[&str]) -> Result<Value> {
    serde_json::from_str(printed)
        .with_context(|| format!("`switchboard admin {}` printed no JSON", arguments.join(" ")))
}

fn text(value: &Value, name: &str) -> Result<String> {
    let found = value.get(name).and_then(Value::as_str).map(str::to_owned);
    found.with_context(|| format!("`--json` printed no `{name}`"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_outbox_is_read_under_the_names_of_all_versions() {
        let now = "# HELP switchboard_outbox_messages It\nswitchboard_outbox_messages 7\n";
        assert_eq!(outbox_depth(now).unwrap(), Some(7));
        assert_eq!(outbox_depth("outbox_depth 0\n").unwrap(), Some(0));
        assert_eq!(outbox_depth("switchboard_outbox_oldest_age_seconds 1\n").unwrap(), None);
        assert!(outbox_depth("outbox_depth many\n").is_err());
    }
}
