//! Keeps the inboxes up to date: applies events to their entries, and ends what has a time.

use persistence::Result;
use platform::Deps;
use service::inbox;

/// Number of organizations, and of entries, that one step handles.
const STEP: i64 = 64;

/// Runs one step. Returns whether there may be more to do.
pub async fn step(deps: &Deps) -> Result<bool> {
    let lagging = deps.db.operator().lagging_inboxes(STEP).await?;
    let mut has_more = false;
    for organization in &lagging {
        has_more |= !inbox::catch_up(deps, *organization).await?;
    }
    let now = deps.clock.now();
    let due = deps.db.operator().due_inbox_entries(now, STEP).await?;
    for (organization, conversation) in &due {
        deps.db.organization(*organization).wake_inbox_entry(*conversation, now).await?;
    }
    Ok(has_more)
}

/// Runs steps until nothing is left to do at the present time.
pub async fn run_until_idle(deps: &Deps) -> Result<()> {
    while step(deps).await? {}
    Ok(())
}
