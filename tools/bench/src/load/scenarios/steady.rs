//! Requests at a fixed rate, to compare two conditions of the same server.

use anyhow::{Context, Result};

use super::super::paced::{Latencies, Paced, Sends};
use super::super::stage::Stage;
use super::super::switchboard::Switchboard;
use super::super::usage::Processor;
use super::super::wrk::Requests;
use super::sends;
use super::target::{Expected, Target};

/// The longest duration of the burst that determines the maximum.
pub const BURST_SECONDS: u32 = 10;

/// The number of contacts to whom [`Sends`] go.
const CONTACTS: u64 = 1000;

/// Measures the maximum rate in a burst, and waits until nothing is left to do.
pub fn maximum(stage: &Stage, target: &Target, requests: &Requests, seconds: u32) -> Result<f64> {
    let burst = seconds.min(BURST_SECONDS);
    let measured = target.measure(stage, requests, burst, Expected::Success)?;
    if let Some(server) = target.switchboard() {
        server.drain()?;
    }
    Ok(measured.value)
}

/// Requests that can be repeated at the same rate.
pub struct Steady<'a> {
    pub server: &'a Switchboard,
    /// The number of requests per second.
    pub rate: f64,
    pub requests: Paced<'a>,
    pub seconds: u32,
}

/// The latencies of requests, and the CPU time of the server in percent of one core.
pub struct Observed {
    pub latencies: Latencies,
    pub cpu: f64,
}

impl<'a> Steady<'a> {
    /// Measures the maximum rate of sends, and returns sends at half of it.
    pub fn at_half(stage: &Stage, target: &'a Target, seconds: u32) -> Result<Self> {
        let rate = maximum(stage, target, &sends::requests(target.key(), false), seconds)? / 2.0;
        Self::sends(stage, target, rate, seconds)
    }

    /// Returns sends at this rate, after one message to each contact.
    pub fn at(stage: &Stage, target: &'a Target, rate: f64, seconds: u32) -> Result<Self> {
        let steady = Self::sends(stage, target, rate, seconds)?;
        steady.requests.in_all(CONTACTS)?;
        steady.server.drain()?;
        Ok(steady)
    }

    fn sends(stage: &Stage, target: &'a Target, rate: f64, seconds: u32) -> Result<Self> {
        let server = target.switchboard().context("the bare handler is not compared")?;
        let (port, connections) = (server.port(), stage.connections());
        let requests = Sends { port, key: &server.key, connections }.paced();
        Ok(Self { server, rate, requests, seconds })
    }

    /// Makes the requests, and waits until nothing is left to do.
    pub fn observe(&self) -> Result<Observed> {
        let processor = Processor::watch(self.server.process())?;
        let latencies = self.requests.at_rate(self.rate, self.seconds)?;
        let cpu = processor.percent()?;
        self.server.drain()?;
        Ok(Observed { latencies, cpu })
    }
}

impl Observed {
    /// Returns the 99th percentile of the latencies in milliseconds.
    pub fn p99(&self) -> f64 {
        self.latencies.percentile(99.0)
    }
}
