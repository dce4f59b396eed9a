//! `switchboard doctor`.

use super::error::ErrorCode;
use super::results::Output;
use crate::doctor::examine;
use anyhow::Result;
use config::Effective;

/// Runs all checks and prints the findings.
///
/// # Errors
///
/// Fails if a check failed.
pub async fn run(flags: Vec<(&'static str, Option<String>)>, output: Output) -> Result<()> {
    let (effective, wrong) = Effective::collect(std::env::vars(), flags);
    let report = Box::pin(examine(&effective, &wrong)).await;
    output.report(&report.json(), || Ok(report.table()))?;
    match report.failed() {
        0 => Ok(()),
        1 => Err(ErrorCode::CheckFailed.error("1 check failed")),
        failed => Err(ErrorCode::CheckFailed.error(format!("{failed} checks failed"))),
    }
}
