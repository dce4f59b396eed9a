//! One of several instances on a database.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitStatus;
use std::time::Duration;

use anyhow::{Context, Result};
use rustix::process::Signal;

use bench::client::answers;
use bench::fill::Binary;
use servers::clock::Stopwatch;
use servers::{Running, free_port};

const START: Duration = Duration::from_mins(1);

/// The configuration that all instances share.
#[derive(Clone)]
pub struct Shared {
    /// The working directory, which also holds the instances' files.
    pub folder: PathBuf,
    /// The folder of the logs.
    pub logs: PathBuf,
    pub database: String,
    /// Further settings.
    pub settings: Vec<(&'static str, String)>,
    /// The URL of a stand-in for Meta's Graph API. Each instance adds its number to it.
    pub graph: Option<String>,
}

/// An instance: running, stopped or killed.
pub struct Instance {
    shared: Shared,
    number: usize,
    starts: u32,
    running: Option<Running>,
    /// The port of the API. It stays the same when the instance is started again.
    pub port: u16,
    /// The port of the metrics. It stays the same when the instance is started again.
    pub metrics: u16,
}

impl Instance {
    /// Creates an instance that is not running yet.
    pub fn new(shared: &Shared, number: usize) -> Result<Self> {
        let (port, metrics) = (free_port()?, free_port()?);
        Ok(Self { shared: shared.clone(), number, starts: 0, running: None, port, metrics })
    }

    /// Starts the instance and returns the time until it was ready.
    pub fn start(&mut self, binary: &Path) -> Result<Duration> {
        let watch = Stopwatch::start();
        self.launch(binary)?;
        self.until_ready()?;
        Ok(watch.elapsed())
    }

    /// Starts the instance without waiting until it is ready.
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

    pub fn until_ready(&mut self) -> Result<()> {
        let (port, number) = (self.port, self.number);
        let running = self.running.as_mut().context("the instance does not run")?;
        running
            .until_ready(START, || answers(port, "/readyz", &[], 200))
            .with_context(|| format!("instance {number} does not start"))
    }

    /// Asks the instance to stop. Returns its exit status and the time that this took.
    pub fn stop(&mut self) -> Result<(ExitStatus, Duration)> {
        let watch = Stopwatch::start();
        let mut running = self.running.take().context("the instance does not run")?;
        Ok((running.end()?, watch.elapsed()))
    }

    pub fn kill(&mut self) {
        if let Some(mut running) = self.running.take() {
            running.kill();
        }
    }

    /// Whether the process has ended without being stopped.
    pub fn has_ended(&mut self) -> Result<bool> {
        match &mut self.running {
            Some(running) => Ok(running.ended()?.is_some()),
            None => Ok(true),
        }
    }

    /// Sends a signal to the instance if it is running.
    pub fn signal(&self, signal: Signal) {
        if let Some(running) = &self.running {
            running.signal(signal);
        }
    }

    /// Changes an environment variable for the next start.
    pub fn set(&mut self, name: &'static str, value: String) {
        self.shared.settings.retain(|(its, _)| *its != name);
        self.shared.settings.push((name, value));
    }

    /// Returns the log since the last start.
    pub fn log(&self) -> Result<String> {
        let log = self.log_file();
        fs::read_to_string(&log).with_context(|| format!("cannot read {}", log.display()))
    }

    fn log_file(&self) -> PathBuf {
        self.shared.logs.join(format!("instance-{}-start-{}.log", self.number, self.starts))
    }

    /// Returns the id of the process. Fails if it is not running.
    pub fn process(&self) -> Result<u32> {
        Ok(self.running.as_ref().context("the instance does not run")?.id())
    }
}
