//! Sends at half of the maximum rate, to compare two conditions of the same server.

use anyhow::{Context, Result};

use super::super::paced::{Latencies, Sends};
use super::super::stage::Stage;
use super::super::switchboard::Switchboard;
use super::super::usage::Processor;
use super::sends;
use super::target::{Expected, Target};

/// The longest duration of the burst that determines the maximum.
pub const BURST_SECONDS: u32 = 10;

/// Measures the maximum rate in a burst, and waits until nothing is left to do.
pub fn maximum(stage: &Stage, target: &Target, seconds: u32) -> Result<f64> {
    let requests = sends::requests(target.key(), false);
    let burst = seconds.min(BURST_SECONDS);
    let measured = target.measure(stage, &requests, burst, Expected::Success)?;
    if let Some(server) = target.switchboard() {
        server.drain()?;
    }
    Ok(measured.value)
}

/// Sends that can be repeated at the same rate.
pub struct Steady<'a> {
    pub server: &'a Switchboard,
    /// The number of sends per second.
    pub rate: f64,
    sends: Sends<'a>,
    seconds: u32,
}

/// The latencies of sends, and the CPU time of the server in percent of one core.
pub struct Observed {
    pub latencies: Latencies,
    pub cpu: f64,
}

impl<'a> Steady<'a> {
    /// Measures the maximum rate, and sets the rate of the sends to half of it.
    pub fn at_half(stage: &Stage, target: &'a Target, seconds: u32) -> Result<Self> {
        let server = target.switchboard().context("the bare handler is not compared")?;
        let rate = maximum(stage, target, seconds)? / 2.0;
        let (port, connections) = (server.port(), stage.connections());
        let sends = Sends { port, key: &server.key, connections };
        Ok(Self { server, rate, sends, seconds })
    }

    /// Sends, and waits until nothing is left to do.
    pub fn observe(&self) -> Result<Observed> {
        let processor = Processor::watch(self.server.process())?;
        let latencies = self.sends.at_rate(self.rate, self.seconds)?;
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
