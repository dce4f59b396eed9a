//! Reports of the channel about accounts.

use super::PartOutcome;
use domain::account::HealthReport;
use persistence::Result;
use persistence::records::Account;
use platform::Deps;
use service::account_health;

/// Records a report about these accounts.
pub async fn record(
    deps: &Deps,
    numbers: &[Account],
    report: &HealthReport,
) -> Result<PartOutcome> {
    // The report may be late, so the present time counts. A wrongly held account is tried again in
    // a minute.
    let now = deps.clock.now();
    for number in numbers {
        let organization = number.organization_id;
        account_health::report(deps, organization, number.id, report.clone(), now).await?;
    }
    Ok(PartOutcome::Done)
}
