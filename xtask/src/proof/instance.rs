//! One of several servers on a database.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitStatus;
use std::time::Duration;

use anyhow::{Context, Result};
use rustix::process::Signal;

use crate::clock::Stopwatch;
use crate::fill::Binary;
use crate::servers::{Running, answers, free_port};

const START: Duration = Duration::from_mins(1);

/// What all instances have in common.
#[derive(Clone)]
pub struct Shared {
    /// Where they run and keep files.
    pub folder: PathBuf,
    /// Where they log.
    pub logs: PathBuf,
    /// The database.
    pub database: String,
    /// What their settings say besides.
    pub settings: Vec<(&'static str, String)>,
    /// What stands in for Meta's Graph API, and wants to know who asks.
    pub graph: Option<String>,
}

/// It: running, stopped or killed.
pub struct Instance {
    shared: Shared,
    number: usize,
    starts: u32,
    running: Option<Running>,
    /// Where it serves HTTP, at each start the same.
    pub port: u16,
    /// Where it serves metrics, at each start the same.
    pub metrics: u16,
}

impl Instance {
    /// One that does not run yet.
    pub fn new(shared: &Shared, number: usize) -> Result<Self> {
        let (port, metrics) = (free_port()?, free_port()?);
        Ok(Self { shared: shared.clone(), number, starts: 0, running: None, port, metrics })
    }

    /// Starts it; returns how long it took until it was ready.
    pub fn start(&mut self, binary: &Path) -> Result<Duration> {
        let watch = Stopwatch::start();
        self.launch(binary)?;
        self.until_ready()?;
        Ok(watch.elapsed())
    }

    /// Starts it, and does not wait until it is ready.
    pub fn launch(&mut self, binary: &Path) -> Result<()> {
        self.starts += 1;
        let log = self.log_file();
        let Shared { folder, database, settings, graph, .. } = &self.shared;
        let program = Binary { file: binary, url: database, folder: folder.clone() };
        let mut command = program.command(&["serve"]);
        command
            .env("SWITCHBOARD_BIND", format!("127.0.0.1:{}", self.port))
            .env("SWITCHBOARD_METRICS_BIND", format!("127.0.0.1:{}", self.metrics))
            .env("SWITCHBOARD_LOG", "info")
            .envs(settings.iter().map(|(name, value)| (name, value)))
            .envs(
                graph.iter().map(|url| ("SWITCHBOARD_GRAPH_URL", format!("{url}/{}", self.number))),
            );
        self.running = Some(Running::spawn("switchboard", &mut command, log, Signal::TERM)?);
        Ok(())
    }

    /// Waits until it is ready.
    pub fn until_ready(&mut self) -> Result<()> {
        let (port, number) = (self.port, self.number);
        let running = self.running.as_mut().context("the instance does not run")?;
        running
            .until_ready(START, || answers(port, "/readyz", &[], 200))
            .with_context(|| format!("instance {number} does not start"))
    }

    /// Asks it to stop; returns how it ended and how long that took.
    pub fn stop(&mut self) -> Result<(ExitStatus, Duration)> {
        let watch = Stopwatch::start();
        let mut running = self.running.take().context("the instance does not run")?;
        Ok((running.end()?, watch.elapsed()))
    }

    /// Kills it.
    pub fn kill(&mut self) {
        if let Some(mut running) = self.running.take() {
            running.kill();
        }
    }

    /// Whether its process has ended by itself.
    pub fn has_ended(&mut self) -> Result<bool> {
        match &mut self.running {
            Some(running) => Ok(running.ended()?.is_some()),
            None => Ok(true),
        }
    }

    /// Sends it a signal, if it runs.
    pub fn signal(&self, signal: Signal) {
        if let Some(running) = &self.running {
            running.signal(signal);
        }
    }

    /// Changes a variable of its environment, from the next start on.
    pub fn set(&mut self, name: &'static str, value: String) {
        self.shared.settings.retain(|(its, _)| *its != name);
        self.shared.settings.push((name, value));
    }

    /// What it has logged since it was started.
    pub fn log(&self) -> Result<String> {
        let log = self.log_file();
        fs::read_to_string(&log).with_context(|| format!("cannot read {}", log.display()))
    }

    fn log_file(&self) -> PathBuf {
        self.shared.logs.join(format!("instance-{}-start-{}.log", self.number, self.starts))
    }

    /// Its process, if it runs.
    pub fn process(&self) -> Result<u32> {
        Ok(self.running.as_ref().context("the instance does not run")?.id())
    }
}
