//! The server on a filled database.

use std::path::Path;
use std::time::Duration;

use anyhow::{Context, Result};
use rustix::process::Signal;

use crate::client::{Client, answers};
use crate::fill::Filled;
use servers::{Running, free_port};

const START: Duration = Duration::from_mins(2);

/// The secret with which Meta's callbacks are signed.
pub const APP_SECRET: &str = "growth-app-secret";

pub struct Server {
    running: Running,
    /// The port of the API.
    pub port: u16,
    /// The port of the metrics.
    pub metrics: u16,
}

impl Server {
    /// Starts the server. Its log is in its folder.
    pub fn start(binary: &Path, filled: &Filled) -> Result<Self> {
        let (port, metrics) = (free_port()?, free_port()?);
        let url = filled.database.url();
        let mut command = filled.binary(binary, &url).command(&["serve"]);
        command
            .env("SWITCHBOARD_BIND", format!("127.0.0.1:{port}"))
            .env("SWITCHBOARD_BASE_URL", format!("http://127.0.0.1:{port}"))
            .env("SWITCHBOARD_METRICS_BIND", format!("127.0.0.1:{metrics}"))
            .env("SWITCHBOARD_WEBHOOK_ALLOW", "127.0.0.0/8")
            // Nothing listens on this port, so no call reaches Meta.
            .env("SWITCHBOARD_GRAPH_URL", "http://127.0.0.1:9")
            .env("SWITCHBOARD_GRAPH_APP_SECRET", APP_SECRET);
        let log = filled.folder.join("log");
        let mut running = Running::spawn("switchboard", &mut command, log, Signal::TERM)?;
        running
            .until_ready(START, || answers(port, "/readyz", &[], 200))
            .context("the server does not start on the filled database")?;
        Ok(Self { running, port, metrics })
    }

    pub fn process(&self) -> u32 {
        self.running.id()
    }

    /// Returns the last lines of the server's log.
    pub fn last_words(&self) -> String {
        self.running.last_words()
    }

    /// Returns a client with the organization's key.
    pub fn client(&self, filled: &Filled) -> Client {
        self.with_key(&filled.world.site.key)
    }

    /// Returns a client with the key of the organization without messages.
    pub fn client_of_empty(&self, filled: &Filled) -> Client {
        self.with_key(&filled.world.site.empty_key)
    }

    /// Returns a client with this client id and secret.
    pub fn with_key(&self, (id, secret): &(String, String)) -> Client {
        let json = ("Content-Type", "application/json");
        Client::new(self.port, &[("x-client-id", id), ("x-client-secret", secret), json])
    }

    /// Returns a client without credentials.
    pub fn anybody(&self) -> Client {
        Client::new(self.port, &[])
    }
}
