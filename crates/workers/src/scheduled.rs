//! Sends scheduled messages when their time comes (`docs/contract.md#send-later`).

use crate::heartbeat;
use domain::id::OrganizationId;
use domain::instance::WorkKind;
use domain::time::Timestamp;
use persistence::Result;
use persistence::records::Claim;
use platform::Deps;
use service::sending::release_due;
use std::sync::atomic::Ordering;

/// Maximum number of organizations claimed at a time.
const CLAIMED_AT_ONCE: i64 = 16;
/// The number of commits for one organization before the next organization gets its turn.
const COMMITS_OF_ONE: usize = 20;

/// Sends the scheduled messages that are due. Returns how many were removed from the schedule.
pub async fn step(deps: &Deps) -> Result<usize> {
    let now = deps.clock.now();
    let found = deps.db.operator().unclaimed_work(WorkKind::Scheduled, CLAIMED_AT_ONCE).await?;
    let due: Vec<OrganizationId> =
        found.into_iter().filter(|(_, due)| *due <= now).map(|(id, _)| id).collect();
    if due.is_empty() {
        return Ok(0);
    }
    let Some((claim, claimed)) = claim(deps, &due).await? else { return Ok(0) };
    let (mut left, mut failed) = (0, None);
    for organization in &claimed {
        match release_some(deps, claim, *organization).await {
            Ok(some) => left += some,
            Err(error) => failed = Some(error),
        }
    }
    let claimed = claimed.into_iter().map(|organization| (organization, claim)).collect();
    deps.db.operator().release_work(WorkKind::Scheduled, claimed).await?;
    match failed {
        Some(error) if left == 0 => Err(error),
        _ => Ok(left),
    }
}

/// Claims organizations. Returns `None` if this instance may not hold claims at present.
async fn claim(
    deps: &Deps,
    due: &[OrganizationId],
) -> Result<Option<(Claim, Vec<OrganizationId>)>> {
    loop {
        let claim = deps.claims.next_claim();
        if !deps.claims.holds(claim) {
            return Ok(None);
        }
        let kind = WorkKind::Scheduled;
        match deps.db.operator().claim_work(claim, kind, due.to_vec()).await? {
            Some(claimed) => return Ok(Some((claim, claimed))),
            // The other instances consider this instance dead, so it registers under a new id.
            None => heartbeat::enter(deps).await?,
        }
    }
}

async fn release_some(deps: &Deps, claim: Claim, organization: OrganizationId) -> Result<usize> {
    let mut left = 0;
    for _ in 0..COMMITS_OF_ONE {
        if deps.stopping.load(Ordering::Relaxed) || !deps.claims.holds(claim) {
            break;
        }
        let some = release_due(deps, organization).await?;
        if some == 0 {
            break;
        }
        left += some;
    }
    Ok(left)
}

/// Returns the due time of the next scheduled message of any organization.
pub async fn next_due(deps: &Deps) -> Result<Option<Timestamp>> {
    let first = deps.db.operator().unclaimed_work(WorkKind::Scheduled, 1).await?;
    Ok(first.first().map(|(_, due)| *due))
}
