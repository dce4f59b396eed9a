//! Adds the words of messages to the search index. The inbox uses the index to find conversations.

use domain::id::OrganizationId;
use domain::number::saturating;
use persistence::Result;
use platform::Deps;
use std::sync::atomic::Ordering;

/// Number of organizations that are read at a time.
const ORGANIZATIONS: i64 = 64;
/// The number of events, and of older messages, whose words are added in one transaction.
const EVENTS: i64 = 200;
const MESSAGES: i64 = 100;
/// Maximum number of transactions for one organization in a step, because the other organizations
/// wait for them.
const PORTIONS: usize = 5;

/// Runs one step. Returns whether there may be more to do. If one organization fails, the others
/// continue.
pub async fn step(deps: &Deps) -> Result<bool> {
    let (mut after, mut has_more) = (None, false);
    loop {
        let lagging = deps.db.operator().lagging_words(after, ORGANIZATIONS).await?;
        for organization in &lagging {
            match advance(deps, *organization).await {
                Ok(more) => has_more |= more,
                Err(error) => {
                    tracing::error!(%error, %organization, "words were not added to the search index");
                }
            }
        }
        match lagging.last() {
            Some(last) if lagging.len() >= saturating(ORGANIZATIONS, usize::MAX) => {
                after = Some(*last);
            }
            _ => return Ok(has_more),
        }
    }
}

/// Adds the next words of an organization. Returns whether there may be more.
async fn advance(deps: &Deps, organization: OrganizationId) -> Result<bool> {
    for _ in 0..PORTIONS {
        if !deps.db.organization(organization).advance_words(EVENTS, MESSAGES).await? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Runs steps until nothing is left to do at the present time.
pub async fn run_until_idle(deps: &Deps) -> Result<()> {
    while step(deps).await? {
        if deps.stopping.load(Ordering::Relaxed) {
            break;
        }
    }
    Ok(())
}
