//! The latency of a send on a server at half load.

use anyhow::Result;

use super::super::measured::{Measured, Subject};
use super::super::paced::Sends;
use super::super::stage::Stage;
use super::sends;
use super::target::{Expected, Target};

/// The duration of the burst that determines the maximum.
const BURST_SECONDS: u32 = 10;

/// Measures the 99th percentile at a fixed rate: half of the burst's maximum.
pub fn half_of_maximum(stage: &Stage, subject: Subject, seconds: u32) -> Result<Measured> {
    let target = Target::start(stage, subject)?;
    let key = target.key();
    let requests = sends::requests(key.clone(), false);
    let burst = seconds.min(BURST_SECONDS);
    let maximum = target.measure(stage, &requests, burst, Expected::Success)?;
    if let Some(server) = target.switchboard() {
        server.drain()?;
    }
    let rate = maximum.value / 2.0;
    let sends = Sends { port: target.port(), key: &key, connections: stage.connections() };
    let latencies = sends.at_rate(rate, seconds)?;
    drop(target);
    // The latency that the machine and the client add. If it is not small, something else is
    // running.
    let bare = stage.bare()?;
    let floor = Sends { port: bare.port(), ..sends }.at_rate(rate, burst)?;
    Ok(Measured::of(latencies.percentile(99.0))
        .with("maximum_per_s", maximum.value)
        .with("rate_per_s", latencies.per_second)
        .with("p50_ms", latencies.percentile(50.0))
        .with("p99.9_ms", latencies.percentile(99.9))
        .with("most_ms", latencies.percentile(100.0))
        .with("bare_p99_ms", floor.percentile(99.0)))
}
