//! Connections of applications: how they end (`docs/contract.md#connections`).

use crate::Deps;
use crate::endpoints::MAX_COUNTED;
use domain::connection::EndReason;
use domain::id::{ApplicationId, KeyId, OrganizationId};
use domain::time::Timestamp;
use persistence::Reader;
use persistence::records::{Application, Connection, ListedConnection};
use std::num::TryFromIntError;
use std::sync::Arc;
use tokio::task::JoinError;
use tracing::Instrument as _;

type Result<T> = std::result::Result<T, ConnectionError>;

/// Why connections were not ended, or counted.
#[derive(Debug, thiserror::Error)]
pub enum ConnectionError {
    /// There are more than can be counted.
    #[error("the connections cannot be counted: {0}")]
    Count(#[from] TryFromIntError),
    /// The task was cut off.
    #[error("the task was cut off: {0}")]
    Task(#[from] JoinError),
    /// The database failed.
    #[error(transparent)]
    Database(#[from] persistence::Error),
}

/// Maximum number of connections that are listed: of an organization the newest, of an application those of the newest
/// organizations.
const MAX_LISTED: i64 = 100;
/// Connections ended in one transaction, which is short enough not to hold up sends.
const BATCH_SIZE: i64 = 200;

/// Ends the connection of a key; says when, or nothing if it is no connection's key.
pub async fn disconnect(
    deps: &Deps,
    organization: OrganizationId,
    key: KeyId,
    reason: EndReason,
) -> Result<Option<Timestamp>> {
    let now = deps.clock.now();
    let owner = deps.db.organization(organization);
    let ended = owner.disconnect(key, reason, now).await?;
    Ok(ended.map(|_| now))
}

/// The organization's connections with their applications and keys: the active ones, then those that have ended, each the newest first.
pub async fn of(deps: &Deps, reader: Reader) -> persistence::Result<Vec<ListedConnection>> {
    deps.db.reads(reader).connections_of(MAX_LISTED).await
}

/// The connection that a key belongs to, with its application.
pub async fn of_key(
    deps: &Deps,
    organization: OrganizationId,
    key: KeyId,
) -> persistence::Result<Option<(Connection, Application)>> {
    deps.db.organization(organization).connection_of_key(key).await
}

/// How many connections an application holds, exactly: what revoking them would end, and it costs as much less.
pub async fn count(deps: &Deps, application: ApplicationId) -> Result<u64> {
    let found = deps.db.application(application).live_connections(None).await?;
    Ok(u64::try_from(found)?)
}

/// The same for a page: no more than [`MAX_COUNTED`] are counted.
pub async fn some(deps: &Deps, application: ApplicationId) -> persistence::Result<i64> {
    deps.db.application(application).live_connections(Some(MAX_COUNTED)).await
}

/// Some of an application's active connections with the names of the businesses: no more than are listed.
pub async fn businesses(
    deps: &Deps,
    application: ApplicationId,
) -> persistence::Result<Vec<(Connection, String)>> {
    deps.db.application(application).application_connections(MAX_LISTED).await
}

/// Ends all connections of an application, with a sentence for the businesses; gives how many there were. It runs in a
/// task of its own: thousands take longer than a request may wait for the database, and what was begun goes on when
/// the client leaves.
pub async fn revoke_all(
    deps: &Arc<Deps>,
    application: ApplicationId,
    reason: Option<String>,
) -> Result<u64> {
    let deps = deps.clone();
    let work = async move {
        let mut revoked = 0;
        loop {
            let (reason, now) = (reason.clone(), deps.clock.now());
            let owner = deps.db.application(application);
            let ended = owner.revoke_connections(reason, now, BATCH_SIZE).await?;
            revoked += ended as u64;
            if ended == 0 {
                return Ok(revoked);
            }
        }
    };
    tokio::spawn(work.in_current_span()).await?
}
