//! Changes of control of a conversation between its possible holders: the channel's own agent, the
//! organization, or another program.

use super::PartOutcome;
use channel::callback::HandoverReport;
use domain::time::Timestamp;
use persistence::Result;
use persistence::records::{Account, ChannelSummary, ThreadHandover};
use platform::Deps;

/// Stores a change of control.
pub async fn apply(
    deps: &Deps,
    account: &Account,
    report: HandoverReport,
    at: Timestamp,
) -> Result<PartOutcome> {
    let HandoverReport { person, owner, reason, summary } = report;
    let now = deps.clock.now();
    let handover = ThreadHandover {
        organization: account.organization_id,
        account: account.id,
        person,
        new_contact: deps.id(at),
        new_conversation: deps.id(at),
        owner,
        reason,
        summary: summary.map(|text| ChannelSummary { note: deps.id(now), text }),
        at,
        received_at: now,
    };
    deps.db.hand_over(handover).await?;
    Ok(PartOutcome::Done)
}
