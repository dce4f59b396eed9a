//! The handshake log: what became of each exchange, and how to mend it (`docs/contract.md#handshake-log`).

use crate::dashboard::frame::day;
use crate::deps::Deps;
use crate::problem::Problem;
use domain::id::{ApplicationId, OrganizationId};
use persistence::rows::Handshake;
use service::worker::housekeeping::LOG_KEPT;

/// The most entries that are shown.
const SHOWN_MOST: i64 = 100;

/// One exchange.
pub struct Entry {
    pub at: String,
    pub organization: String,
    /// Which check failed, if one did, and what to do about it.
    pub failure: Option<(&'static str, &'static str)>,
}

/// What became of the exchanges of one of the organization's applications, the newest first.
pub async fn entries(
    deps: &Deps,
    organization: OrganizationId,
    id: ApplicationId,
) -> Result<Vec<Entry>, Problem> {
    let since = deps.clock.now().minus(LOG_KEPT);
    let log = deps.db.organization(organization).handshakes(id, since, SHOWN_MOST).await?;
    Ok(log.into_iter().map(entry).collect())
}

fn entry((handshake, organization): (Handshake, Option<String>)) -> Entry {
    use domain::word::Word as _;
    Entry {
        at: day(*handshake.at),
        organization: organization.unwrap_or_else(|| "not known".to_owned()),
        failure: handshake.failure.map(|it| (it.as_str(), it.advice())),
    }
}
