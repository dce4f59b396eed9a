//! The small servers that run beside the measured one.

use std::path::Path;
use std::process::Command;
use std::thread;
use std::time::Duration;

use anyhow::{Context, Result};
use rustix::process::Signal;

use crate::client::{answers, request};
use servers::{Running, free_port};

const START: Duration = Duration::from_secs(20);

/// A server whose handler does nothing.
pub struct Bare {
    running: Running,
    port: u16,
}

impl Bare {
    /// Starts the server with the default number of workers of the measured server: one per core.
    pub fn start(program: &Path, files: &Path) -> Result<Self> {
        #[expect(clippy::disallowed_methods, reason = "one worker is a safe default")]
        let workers = thread::available_parallelism().map_or(1, usize::from);
        let port = free_port()?;
        let mut command = Command::new(program);
        command.args(["--bind", &format!("127.0.0.1:{port}"), "--workers", &workers.to_string()]);
        let log = files.join("bare.log");
        let mut running = Running::spawn("the bare server", &mut command, log, Signal::TERM)?;
        running.until_ready(START, || answers(port, "/", &[], 200))?;
        Ok(Self { running, port })
    }

    pub fn port(&self) -> u16 {
        self.port
    }

    /// Returns the id of the server's process.
    pub fn process(&self) -> u32 {
        self.running.id()
    }
}

/// A server that receives the measured server's requests.
pub struct Sink {
    _running: Running,
    port: u16,
}

impl Sink {
    /// Starts a sink that answers after `delay` milliseconds. With 0 it acts as a webhook endpoint,
    /// else as Meta's Graph API.
    pub fn start(program: &Path, files: &Path, delay: u32) -> Result<Self> {
        let port = free_port()?;
        let mut command = Command::new(program);
        command.args(["--bind", &format!("127.0.0.1:{port}"), "--delay", &delay.to_string()]);
        let log = files.join("sink.log");
        let mut running = Running::spawn("the sink", &mut command, log, Signal::KILL)?;
        running.until_ready(START, || answers(port, "/count", &[], 200))?;
        Ok(Self { _running: running, port })
    }

    /// Returns the sink's URL without a path.
    pub fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    /// Returns the number of requests that the sink has answered.
    pub fn count(&self) -> Result<u64> {
        let answer = request(self.port, "GET", "/count", &[], "")?;
        answer.body.trim().parse().context("the sink did not return a count")
    }
}
