//! `switchboard doctor`.

use crate::doctor::examine;
use crate::output;
use anyhow::{Result, bail};
use config::Effective;

/// Runs all checks and prints the findings.
///
/// # Errors
///
/// Fails if a check failed.
pub async fn run(flags: Vec<(&'static str, Option<String>)>, json: bool) -> Result<()> {
    let (effective, wrong) = Effective::collect(std::env::vars(), flags);
    let report = Box::pin(examine(&effective, &wrong)).await;
    if json {
        output::line(report.json())?;
    } else {
        output::print(&report.table())?;
    }
    match report.failed() {
        0 => Ok(()),
        1 => bail!("1 check failed"),
        failed => bail!("{failed} checks failed"),
    }
}
