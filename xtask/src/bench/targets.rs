//! The servers of a measurement, and the key that the load uses.

use std::env;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use rustix::process::Signal;
use serde_json::Value;

use super::callbacks;
use crate::process;
use crate::servers::{Running, answers, free_port};

const START: Duration = Duration::from_mins(1);

/// Where load goes, and with which credentials.
pub struct Target {
    /// On the loopback address.
    pub port: u16,
    /// The key.
    pub client_id: String,
    /// Its secret.
    pub client_secret: String,
}

/// The handler that does nothing.
pub struct Bare {
    running: Running,
    port: u16,
}

impl Bare {
    /// Starts it with as many workers as the server has.
    pub fn start(binary: &Path, workers: usize, files: &Path) -> Result<Self> {
        let port = free_port()?;
        let mut command = Command::new(binary);
        command.args(["--bind", &format!("127.0.0.1:{port}"), "--workers", &workers.to_string()]);
        let log = files.join("bare.log");
        let mut running = Running::spawn("the bare server", &mut command, log, Signal::TERM)?;
        running.until_ready(START, || answers(port, "/", &[], 200))?;
        Ok(Self { running, port })
    }

    /// With the credentials of `like`, which it does not look at.
    pub fn target(&self, like: &Switchboard) -> Target {
        Target { port: self.port, ..like.target() }
    }

    /// The process.
    pub fn running(&self) -> &Running {
        &self.running
    }
}

/// A server with one organization on a plan without limits, and a key that is not throttled.
pub struct Switchboard {
    running: Running,
    port: u16,
    client_id: String,
    client_secret: String,
}

impl Switchboard {
    /// Starts one on the database at `url`, with its files in the new directory `files`.
    pub fn start(binary: &Path, url: &str, files: &Path) -> Result<Self> {
        fs::create_dir_all(files).with_context(|| format!("cannot make {}", files.display()))?;
        let site =
            Site { binary: binary.to_owned(), files: files.to_owned(), database: url.to_owned() };
        let port = free_port()?;
        let mut command = site.command(&["serve"]);
        command
            .env("SWITCHBOARD_BIND", format!("127.0.0.1:{port}"))
            .env("SWITCHBOARD_METRICS_BIND", format!("127.0.0.1:{}", free_port()?));
        let mut running =
            Running::spawn("switchboard", &mut command, files.join("log"), Signal::TERM)?;
        running.until_ready(START, || answers(port, "/readyz", &[], 200))?;
        let (client_id, client_secret) = site.key()?;
        let headers =
            [("x-client-id", client_id.as_str()), ("x-client-secret", client_secret.as_str())];
        running
            .until_ready(START, || answers(port, "/api/v1/me", &headers, 200))
            .context("the new key is not let in at GET /api/v1/me")?;
        Ok(Self { running, port, client_id, client_secret })
    }

    /// Itself, with its key.
    pub fn target(&self) -> Target {
        Target {
            port: self.port,
            client_id: self.client_id.clone(),
            client_secret: self.client_secret.clone(),
        }
    }

    /// The process.
    pub fn running(&self) -> &Running {
        &self.running
    }

    /// What it has logged lately.
    pub fn last_words(&self) -> String {
        self.running.last_words()
    }
}

/// The binary on one database.
struct Site {
    binary: PathBuf,
    files: PathBuf,
    database: String,
}

impl Site {
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
            .env("SWITCHBOARD_DATABASE_URL", &self.database)
            .env("SWITCHBOARD_MEDIA_URL", format!("file:{}", self.files.join("media").display()))
            .env("SWITCHBOARD_GRAPH_APP_SECRET", callbacks::APP_SECRET)
            .env("SWITCHBOARD_LOG", "warn");
        command
    }

    /// Makes an organization and all that it needs, and returns its key's credentials.
    fn key(&self) -> Result<(String, String)> {
        self.admin(&[
            "plan",
            "set",
            "--name",
            "bench",
            "--api-access",
            "true",
            "--api-calls-per-day",
            "none",
            "--messages-per-month",
            "none",
        ])?;
        let organization =
            text(&self.admin(&["organization", "create", "--name", "Bench"])?, "id")?;
        let of = ["--organization", organization.as_str()];
        self.admin(
            &[&["subscription", "set"], &of[..], &["--plan", "bench", "--status", "active"]]
                .concat(),
        )?;
        let number = [
            "--phone-number",
            "+12025550199",
            "--display-name",
            "Bench",
            "--channel",
            "sandbox",
            "--default",
        ];
        self.admin(&[&["account", "connect"], &of[..], &number].concat())?;
        let meta = [
            "--phone-number",
            "+12025550198",
            "--display-name",
            "Bench at Meta",
            "--channel",
            "cloud-api",
            "--phone-number-id",
            callbacks::PHONE_NUMBER_ID,
            "--waba-id",
            callbacks::BUSINESS_ID,
            "--access-token-stdin",
        ];
        let token = self.files.join("token");
        fs::write(&token, "bench-token").context("cannot write the token")?;
        let mut connect =
            self.command(&[&["admin", "account", "connect"], &of[..], &meta].concat());
        let connected = connect.stdin(File::open(&token)?).output().context("cannot connect")?;
        if !connected.status.success() {
            bail!("no number: {}", String::from_utf8_lossy(&connected.stderr));
        }
        let key = [
            "--name",
            "bench",
            "--scopes",
            "messages.send,conversations.read",
            "--rate-limit",
            "0",
        ];
        let key = self.admin(&[&["key", "create"], &of[..], &key].concat())?;
        Ok((text(&key, "client_id")?, text(&key, "client_secret")?))
    }

    fn admin(&self, arguments: &[&str]) -> Result<Value> {
        let printed =
            process::stdout(&mut self.command(&[&["admin"], arguments, &["--json"]].concat()))?;
        serde_json::from_str(&printed)
            .with_context(|| format!("`switchboard admin {}` printed no JSON", arguments.join(" ")))
    }
}

fn text(value: &Value, name: &str) -> Result<String> {
    let found = value.get(name).and_then(Value::as_str).map(str::to_owned);
    found.with_context(|| format!("`--json` printed no `{name}`"))
}
