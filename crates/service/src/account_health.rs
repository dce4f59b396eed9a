//! Records the health of accounts (`docs/contract.md#health-of-a-number`).

use domain::account::HealthReport;
use domain::id::{AccountId, OrganizationId};
use domain::message::MessageError;
use domain::time::Timestamp;
use persistence::Result;
use platform::Deps;
use platform::held_accounts::release_waiting;

/// Number of accounts handled at a time.
const NUMBERS: i64 = 100;

/// Records a report about one of the organization's accounts. Holds or releases its messages if the
/// report says so.
pub async fn report(
    deps: &Deps,
    organization: OrganizationId,
    account: AccountId,
    report: HealthReport,
    at: Timestamp,
) -> Result<()> {
    let holds = matches!(report, HealthReport::Refused(..));
    if holds {
        // Recorded in memory before the database write as well, because workers have read the
        // account's state already for the conversations that they have claimed.
        deps.held_accounts.record(account, Some(deps.claims.last_claim()));
    }
    let organization_db = deps.db.organization(organization);
    let outcome = organization_db.report_health(account, report, None, at).await?;
    if holds {
        deps.held_accounts.record(account, Some(deps.claims.last_claim()));
    }
    if outcome.lets_go {
        deps.held_accounts.record(account, None);
        release_waiting(&deps.db, organization, account).await?;
        tracing::info!(%account, "the channel accepts messages of a number again");
    } else if holds && outcome.changed {
        tracing::error!(%account, "the channel refuses a number; its messages wait");
    }
    if outcome.changed {
        deps.messages_due_of(organization);
        deps.events_recorded_of([organization]);
    }
    Ok(())
}

/// Returns the channel's explanation of an error with its code.
pub fn sentence(error: &MessageError) -> String {
    let code = error.channel_code.map_or_else(String::new, |code| format!(" ({code})"));
    format!("{}{code}", error.message)
}

/// Maintains accounts: releases messages that were left waiting, lets held accounts try a message,
/// and ends restrictions that have expired.
pub async fn maintain(deps: &Deps) -> Result<()> {
    let (db, now) = (&deps.db, deps.clock.now());
    for (organization, account) in db.operator().unreleased_accounts(NUMBERS).await? {
        release_waiting(db, organization, account).await?;
        deps.messages_due_of(organization);
    }
    for (organization, account) in db.operator().untried_accounts(now, NUMBERS).await? {
        if db.organization(organization).rearm_probe(account, now).await? {
            deps.messages_due_of(organization);
        }
    }
    for (organization, account) in db.operator().ended_restrictions(now, NUMBERS).await? {
        report(deps, organization, account, HealthReport::RestrictionEnded, now).await?;
    }
    Ok(())
}
