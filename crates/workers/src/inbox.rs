//! Applies events to the entries of inboxes, ends snoozes of conversations and pauses of agents that
//! are over, and unassigns the conversations of members who may no longer use the inbox.

use domain::number::saturating;
use persistence::Result;
use platform::Deps;
use service::inbox;

/// The number of organizations, and of inbox entries, that are read at a time.
const STEP: i64 = 64;

/// Runs one step. Returns whether there may be more to do. If one organization fails, the others
/// continue.
pub async fn step(deps: &Deps) -> Result<bool> {
    let most = saturating(STEP, usize::MAX);
    let (mut has_more, mut has_failed) = (false, false);
    let mut after = None;
    loop {
        let lagging = deps.db.operator().lagging_inboxes(after, STEP).await?;
        for organization in &lagging {
            match inbox::catch_up(deps, *organization).await {
                Ok(is_current) => has_more |= !is_current,
                Err(error) => {
                    has_failed = true;
                    tracing::error!(%error, %organization, "events could not be applied to the inbox");
                }
            }
        }
        // The loop reads all pages of organizations, so that every organization gets its turn, even
        // if many before it always have new events.
        match lagging.last() {
            Some(last) if lagging.len() >= most => after = Some(*last),
            _ => break,
        }
    }
    let now = deps.clock.now();
    let due = deps.db.operator().due_inbox_entries(now, STEP).await?;
    has_more |= due.len() >= most;
    for (organization, conversation) in due {
        let woken = deps.db.organization(organization).wake_inbox_entry(conversation, now).await;
        if let Err(error) = woken {
            has_failed = true;
            tracing::error!(%error, %organization, %conversation, "a snooze or a pause could not be ended");
        }
    }
    let former = deps.db.operator().list_former_assignees(STEP).await?;
    has_more |= former.len() >= most;
    for (organization, member) in former {
        match deps.db.organization(organization).unassign_conversations(member, now).await {
            Ok(may_have_more) => {
                has_more |= may_have_more;
                deps.events_recorded_of([organization]);
            }
            Err(error) => {
                has_failed = true;
                tracing::error!(%error, %organization, %member, "conversations could not be unassigned");
            }
        }
    }
    // If something failed, the caller waits for a second before the next step.
    Ok(has_more && !has_failed)
}

/// Runs steps until nothing is left to do at the present time.
pub async fn run_until_idle(deps: &Deps) -> Result<()> {
    while step(deps).await? {}
    Ok(())
}
