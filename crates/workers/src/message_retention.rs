//! Erases the texts of old messages, and old files that contacts sent, after the number of days
//! that an organization has set (`docs/contract.md#contacts`).

use super::contact_deletion::remove_file;
use domain::number::saturating;
use domain::time::Timestamp;
use persistence::Result;
use persistence::records::RetentionRule;
use platform::Deps;
use std::time::Duration;

/// Number of rules that are read at a time.
const RULES: i64 = 100;
/// Number of messages that are looked at in one transaction.
const MESSAGES: i64 = 100;

/// Erases all texts and files that are older than their organization keeps them. If one
/// organization fails, the others continue, and the last error is returned.
pub async fn sweep(deps: &Deps) -> Result<()> {
    let (mut after, mut outcome) = (None, Ok(()));
    loop {
        let rules = deps.db.operator().list_retention_rules(after, RULES).await?;
        for rule in &rules {
            if let Err(error) = apply(deps, rule).await {
                let organization = rule.organization_id;
                tracing::error!(%error, %organization, "old messages were not erased; it is retried");
                outcome = Err(error);
            }
        }
        match rules.last() {
            Some(last) if rules.len() >= saturating(RULES, usize::MAX) => {
                after = Some(last.organization_id);
            }
            _ => return outcome,
        }
    }
}

async fn apply(deps: &Deps, rule: &RetentionRule) -> Result<()> {
    let organization_db = deps.db.organization(rule.organization_id);
    let now = deps.clock.now();
    if let Some(days) = rule.text_days {
        while organization_db.erase_old_texts(cutoff(now, days), MESSAGES).await? > 0 {}
        // The row of a turn contains texts of the contact and the agent.
        while organization_db.delete_old_turns(cutoff(now, days), MESSAGES).await? > 0 {}
    }
    let Some(days) = rule.file_days else { return Ok(()) };
    let cutoff = cutoff(now, days);
    while let Some((files, last)) = organization_db.old_received_files(cutoff, MESSAGES).await? {
        for file in files {
            remove_file(deps, rule.organization_id, file).await?;
        }
        organization_db.erase_received_files(last, cutoff, MESSAGES).await?;
    }
    Ok(())
}

fn cutoff(now: Timestamp, days: u32) -> Timestamp {
    now.minus(Duration::from_hours(24 * u64::from(days)))
}
