//! Reports of the channel about contacts that are not part of a message report.

use super::PartOutcome;
use channel::callback::PreferenceReport;
use domain::callback::DeadLetterReason;
use domain::contact::{Identity, IdentityChange, OutboundMatch, may_teach};
use domain::id::AccountId;
use domain::time::Timestamp;
use persistence::Result;
use persistence::records::{Account, Identification, MessageState, RecipientReport};
use platform::Deps;

/// Maximum number of reports that are applied in one transaction, which has to end within the time
/// limit of an operation.
const MAX_REPORTS: usize = 100;

/// Applies changes of contacts' identifiers.
pub async fn change(
    deps: &Deps,
    account: &Account,
    changes: Vec<IdentityChange>,
    at: Timestamp,
) -> Result<PartOutcome> {
    for change in changes {
        let identification = Identification {
            organization: account.organization_id,
            account: account.id,
            change,
            at,
            now: deps.clock.now(),
        };
        deps.db.identify(identification).await?;
    }
    Ok(PartOutcome::Done)
}

/// Records which contacts want marketing messages.
pub async fn prefer(
    deps: &Deps,
    account: &Account,
    said: Vec<PreferenceReport>,
    received_at: Timestamp,
) -> Result<PartOutcome> {
    let organization_db = deps.db.organization(account.organization_id);
    let mut unknown = 0;
    for PreferenceReport { who, wants, second } in said {
        // The channel's time is used if there is one, so that a repeated report has the same time
        // and changes nothing.
        let at = second.map_or(received_at, Timestamp::from_seconds);
        let is_known =
            organization_db.set_preference(account.id, who, wants, at, deps.clock.now()).await?;
        // An unknown person has not opted out, so an opt-in changes nothing.
        if !is_known && !wants {
            unknown += 1;
        }
    }
    if unknown == 0 {
        return Ok(PartOutcome::Done);
    }
    let detail = format!("{unknown} people who say what they want are not known");
    Ok(PartOutcome::dead_letter(DeadLetterReason::UnknownContact, detail))
}

/// Returns a report if it tells something new about the message's recipient. Most reports name only
/// known numbers and ids.
pub fn recipient_report(
    account: AccountId,
    message: &MessageState,
    named: Identity,
    at: Timestamp,
) -> Option<RecipientReport> {
    let contact = &message.contact;
    if contact.deleted_at.is_some() {
        return None;
    }
    match contact.identity() {
        Ok(known) => may_teach(&known, &named).then_some(RecipientReport {
            organization: contact.organization_id,
            account,
            contact: contact.id,
            named,
            sent: OutboundMatch::At(message.accepted_at),
            at,
        }),
        Err(error) => {
            tracing::error!(%error, "a contact cannot be read; the report on its identity is ignored");
            None
        }
    }
}

/// Applies reports on recipients. A failure is only logged, so that the status of the messages is
/// still updated. A later report or message tells the same about the recipient.
pub async fn apply_reports(deps: &Deps, reports: Vec<RecipientReport>) {
    for reports in reports.chunks(MAX_REPORTS) {
        if let Err(error) = apply_together(deps, reports.to_vec()).await {
            tracing::error!(%error, "the reports on the identity of recipients were not applied");
        }
    }
}

async fn apply_together(deps: &Deps, reports: Vec<RecipientReport>) -> Result<()> {
    let db = deps.db.operator();
    let reports = db.relevant_reports(reports).await?;
    if reports.is_empty() {
        return Ok(());
    }
    match db.apply_reports(reports.clone(), deps.clock.now()).await {
        Err(error) if error.is_refusal() => {
            for report in reports {
                let contact = report.contact;
                if let Err(error) = db.apply_reports(vec![report], deps.clock.now()).await {
                    tracing::error!(%error, %contact, "the report on the identity of a recipient was not applied");
                }
            }
            Ok(())
        }
        learned => learned.map(drop),
    }
}
