//! What the channel reports of accounts.

use super::PartOutcome;
use crate::{Deps, account_health};
use domain::account::HealthReport;
use persistence::Result;
use persistence::records::Account;

/// Records what is reported of these numbers.
pub async fn take(deps: &Deps, numbers: &[Account], report: &HealthReport) -> Result<PartOutcome> {
    // A report may be late, and what is held is tried a minute from now.
    let now = deps.clock.now();
    for number in numbers {
        let of = (number.organization_id, number.id);
        account_health::report(deps, of, report.clone(), now).await?;
    }
    Ok(PartOutcome::Done)
}
