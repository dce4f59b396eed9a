//! The small servers beside the measured one.

use std::path::Path;
use std::process::Command;
use std::thread;
use std::time::Duration;

use anyhow::{Context, Result};
use rustix::process::Signal;

use crate::servers::{Running, answers, free_port, request};

const START: Duration = Duration::from_secs(20);

/// The handler that does nothing.
pub struct Bare {
    running: Running,
    port: u16,
}

impl Bare {
    /// Starts it with as many workers as the server has.
    pub fn start(program: &Path, files: &Path) -> Result<Self> {
        #[expect(
            clippy::disallowed_methods,
            reason = "one worker is right where nobody knows better"
        )]
        let workers = thread::available_parallelism().map_or(1, usize::from);
        let port = free_port()?;
        let mut command = Command::new(program);
        command.args(["--bind", &format!("127.0.0.1:{port}"), "--workers", &workers.to_string()]);
        let log = files.join("bare.log");
        let mut running = Running::spawn("the bare server", &mut command, log, Signal::TERM)?;
        running.until_ready(START, || answers(port, "/", &[], 200))?;
        Ok(Self { running, port })
    }

    /// Where it listens, on the loopback address.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// Its process.
    pub fn process(&self) -> u32 {
        self.running.id()
    }
}

/// The other side of what the server sends.
pub struct Sink {
    _running: Running,
    port: u16,
}

impl Sink {
    /// Starts one that answers after `delay` milliseconds: without a delay as an endpoint of webhooks, with one as
    /// Meta's Graph API.
    pub fn start(program: &Path, files: &Path, delay: u32) -> Result<Self> {
        let port = free_port()?;
        let mut command = Command::new(program);
        command.args(["--bind", &format!("127.0.0.1:{port}"), "--delay", &delay.to_string()]);
        let log = files.join("sink.log");
        let mut running = Running::spawn("the sink", &mut command, log, Signal::KILL)?;
        running.until_ready(START, || answers(port, "/count", &[], 200))?;
        Ok(Self { _running: running, port })
    }

    /// Its URL, without a path.
    pub fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    /// How many requests it has answered.
    pub fn count(&self) -> Result<u64> {
        let answer = request(self.port, "GET", "/count", &[], "")?;
        answer.body.trim().parse().context("the sink does not say how many")
    }
}
