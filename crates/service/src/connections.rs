//! Connections of applications, and their end (`docs/contract.md#connections`).

use crate::endpoints::MAX_COUNTED;
use domain::connection::{ConnectionCaps, EXPIRY_NOTICE, EndReason};
use domain::id::{ApplicationId, KeyId, OrganizationId};
use domain::plan::{Meter, Usage};
use domain::time::Timestamp;
use persistence::Reader;
use persistence::records::{Application, Connection, Key, ListedConnection};
use platform::Deps;
use std::num::TryFromIntError;
use std::sync::Arc;
use tokio::task::JoinError;
use tracing::Instrument as _;

type Result<T> = std::result::Result<T, ConnectionError>;

/// The reason why connections were not ended or counted.
#[derive(Debug, thiserror::Error)]
pub enum ConnectionError {
    /// The number does not fit the type.
    #[error("the connections cannot be counted: {0}")]
    Count(#[from] TryFromIntError),
    /// The task was aborted.
    #[error("the task was aborted: {0}")]
    Task(#[from] JoinError),
    #[error(transparent)]
    Database(#[from] persistence::Error),
}

/// Maximum number of connections in a list. The list of an organization contains its newest
/// connections. The list of an application contains the connections of the newest organizations.
const MAX_LISTED: i64 = 100;
/// Number of expiring keys for which one transaction records the event.
const EXPIRING_PORTION: i64 = 100;
/// Number of connections that one transaction ends. Such a transaction is short enough not to delay
/// sends.
const BATCH_SIZE: i64 = 200;

/// Ends the connection of a key. Returns the time of the end, or `None` if the key has no
/// connection.
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

/// Lists the organization's connections with their applications and keys: active ones first, then
/// ended ones, each newest first.
pub async fn list(deps: &Deps, reader: Reader) -> persistence::Result<Vec<ListedConnection>> {
    deps.db.reads(reader).list_connections(MAX_LISTED).await
}

/// Returns the connection that a key belongs to, with its application.
pub async fn find_by_key(
    deps: &Deps,
    organization: OrganizationId,
    key: KeyId,
) -> persistence::Result<Option<(Connection, Application)>> {
    deps.db.organization(organization).connection_of_key(key).await
}

/// Returns the number of messages that a connection has sent in this month, with its cap.
pub async fn capped_usage(
    deps: &Deps,
    organization: OrganizationId,
    key: &Key,
) -> persistence::Result<Usage> {
    let month = Meter::ConnectionMessages.period(deps.clock.now());
    let used = match key.messages_per_month {
        Some(_) => deps.db.organization(organization).capped_messages(key.id, month.number).await?,
        // Messages are counted only if there is a cap.
        None => 0,
    };
    Ok(Usage { limit: key.messages_per_month, used, resets_at: month.ends_at })
}

/// Sets the caps of a connection's key. Returns `false` if the organization has no such key.
pub async fn cap(
    deps: &Deps,
    organization: OrganizationId,
    key: KeyId,
    caps: ConnectionCaps,
) -> persistence::Result<bool> {
    deps.db.organization(organization).cap_key(key, caps, deps.clock.now()).await
}

/// Records an event for each key that expires within a week.
pub async fn report_expiring(deps: &Deps) -> persistence::Result<()> {
    let now = deps.clock.now();
    loop {
        let until = now.plus(EXPIRY_NOTICE);
        let db = deps.db.operator();
        let told = db.report_expiring_keys(now, until, EXPIRING_PORTION).await?;
        if told.is_empty() {
            return Ok(());
        }
        deps.events_recorded_of(told);
    }
}

/// Counts all active connections of an application. These are the connections that revoking would
/// end. The cost grows with their number.
pub async fn count(deps: &Deps, application: ApplicationId) -> Result<u64> {
    let found = deps.db.application(application).live_connections(None).await?;
    Ok(u64::try_from(found)?)
}

/// Counts the active connections of an application up to [`MAX_COUNTED`], for a page.
pub async fn some(deps: &Deps, application: ApplicationId) -> persistence::Result<i64> {
    deps.db.application(application).live_connections(Some(MAX_COUNTED)).await
}

/// Returns up to `MAX_LISTED` active connections of an application with the names of the
/// organizations.
pub async fn businesses(
    deps: &Deps,
    application: ApplicationId,
) -> persistence::Result<Vec<(Connection, String)>> {
    deps.db.application(application).application_connections(MAX_LISTED).await
}

/// Ends all connections of an application, with a reason for the organizations. Returns their
/// number. The work runs in a task of its own. Thousands of connections take longer than a request
/// may wait for the database, and the work must go on if the client disconnects.
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
