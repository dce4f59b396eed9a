//! Reports of the channel about accounts.

use super::PartOutcome;
use domain::account::HealthReport;
use persistence::Result;
use persistence::records::Account;
use platform::Deps;
use service::account_health;

/// Records a channel's report about the health of these accounts.
pub async fn record(
    deps: &Deps,
    numbers: &[Account],
    report: &HealthReport,
) -> Result<PartOutcome> {
    // The report gets the current time, because it may be late. If that holds an account wrongly, a
    // test message shows so within a minute.
    let now = deps.clock.now();
    for number in numbers {
        let organization = number.organization_id;
        account_health::report(deps, organization, number.id, report.clone(), now).await?;
    }
    Ok(PartOutcome::Done)
}
