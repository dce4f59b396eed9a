//! Starts of a server on an existing database.

use anyhow::{Context, Result};

use super::super::measured::{Measured, Subject, median};
use super::super::stage::Stage;

/// Measures the time from the start of the process until `GET /readyz` answers 200: the median of
/// `seconds` starts.
pub fn ready(stage: &Stage, subject: Subject, seconds: u32) -> Result<Measured> {
    let mut server = stage.switchboard(subject, &[])?;
    let mut starts = Vec::new();
    for _ in 0..seconds {
        starts.push(Measured::of(server.restart()?.as_secs_f64() * 1e3));
    }
    let most = starts.iter().map(|start| start.value).fold(0.0, f64::max);
    let median = median(&starts).context("not one start")?;
    Ok(median.clone().with("most_ms", most))
}
