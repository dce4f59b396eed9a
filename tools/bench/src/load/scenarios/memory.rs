//! The memory of the server's process, without the database's processes.

use std::time::Duration;

use anyhow::Result;

use super::super::measured::{Measured, Subject};
use super::super::stage::Stage;
use super::super::usage::Memory;
use super::sends;
use super::target::{Expected, Target};
use servers::interrupt;

/// Measures a server that has been idle since its start.
pub fn idle(stage: &Stage, subject: Subject, seconds: u32) -> Result<Measured> {
    let server = stage.switchboard(subject, &[])?;
    interrupt::sleep(Duration::from_secs(seconds.into()))?;
    let memory = Memory::of(server.process())?;
    Ok(with_parts(Measured::of(memory.resident), memory))
}

/// Measures the peak while messages are sent as fast as they are accepted.
pub fn under_load(stage: &Stage, subject: Subject, seconds: u32) -> Result<Measured> {
    let target = Target::start(stage, subject)?;
    let requests = sends::requests(target.key(), false);
    let outcome = target.only_load(stage, &requests, seconds, Expected::Success)?;
    let Some(server) = target.switchboard() else { return Ok(Measured::of(0.0)) };
    let memory = Memory::of(server.process())?;
    let measured = with_parts(Measured::of(memory.most), memory);
    let drained = server.drain()?;
    let after = Memory::of(server.process())?;
    Ok(measured
        .with("sends_per_s", outcome.per_second)
        .with("drain_s", drained.as_secs_f64())
        .with("after_mb", after.resident))
}

fn with_parts(measured: Measured, memory: Memory) -> Measured {
    measured.with("resident_mb", memory.resident).with("anonymous_mb", memory.anonymous)
}
