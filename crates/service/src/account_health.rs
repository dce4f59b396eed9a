//! Whether numbers can send (`docs/contract.md#health-of-a-number`).

use crate::Deps;
use domain::account::HealthReport;
use domain::id::{AccountId, OrganizationId};
use domain::time::Timestamp;
use persistence::Result;

/// Records what is reported of one of the organization's numbers, and lets its messages wait or go.
pub async fn report(
    deps: &Deps,
    (organization, account): (OrganizationId, AccountId),
    report: HealthReport,
    at: Timestamp,
) -> Result<()> {
    let holds = matches!(report, HealthReport::Refused(..));
    let releases = report == HealthReport::Reinstated;
    if holds {
        // At once: the conversations that are being worked on do not see what is recorded.
        deps.held_numbers.note(account, Some(deps.lease.last_claim()));
    }
    let theirs = deps.db.organization(organization);
    let changed = theirs.report_health(account, report, None, at).await?;
    if holds {
        deps.held_numbers.note(account, Some(deps.lease.last_claim()));
    }
    if releases {
        deps.held_numbers.note(account, None);
    }
    if changed {
        if holds {
            tracing::error!(%account, "the channel refuses a number; its messages wait");
        } else if releases {
            tracing::info!(%account, "the channel takes messages of a number again");
        }
        deps.wakeups.accepted.notify_one();
        deps.wakeups.events_recorded.notify_one();
    }
    Ok(())
}
