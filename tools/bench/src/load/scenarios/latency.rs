//! The latency of a send on a server at half load.

use anyhow::Result;

use super::super::measured::{Measured, Subject};
use super::super::paced::Sends;
use super::super::stage::Stage;
use super::sends;
use super::steady::{BURST_SECONDS, maximum};
use super::target::Target;

/// Measures the 99th percentile of the latency at a fixed rate, which is half of the maximum rate
/// in a burst.
pub fn half_of_maximum(stage: &Stage, subject: Subject, seconds: u32) -> Result<Measured> {
    let target = Target::start(stage, subject)?;
    let key = target.key();
    let maximum = maximum(stage, &target, &sends::requests(key.clone(), false), seconds)?;
    let rate = maximum / 2.0;
    let sends = Sends { port: target.port(), key: &key, connections: stage.connections() };
    let latencies = sends.at_rate(rate, seconds)?;
    drop(target);
    // This latency is caused by the machine and the client. If it is not small, something else is
    // running.
    let bare = stage.bare()?;
    let floor = Sends { port: bare.port(), ..sends }.at_rate(rate, seconds.min(BURST_SECONDS))?;
    Ok(Measured::of(latencies.percentile(99.0))
        .with("maximum_per_s", maximum)
        .with("rate_per_s", latencies.per_second)
        .with("p50_ms", latencies.percentile(50.0))
        .with("p99.9_ms", latencies.percentile(99.9))
        .with("most_ms", latencies.percentile(100.0))
        .with("bare_p99_ms", floor.percentile(99.0)))
}
