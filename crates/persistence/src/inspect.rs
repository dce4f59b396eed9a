//! Inspects a database without changing it, whether or not an instance is using it.
use crate::inspection::{InspectError, Inspection, StandbyInspection};
use crate::{DatabaseLocation, postgres, sqlite};
use futures_util::future::BoxFuture;

/// Inspects a database. Nothing is created, migrated or stored.
#[must_use]
pub fn inspect(location: &DatabaseLocation) -> BoxFuture<'_, Result<Inspection, InspectError>> {
    Box::pin(async move {
        match location {
            DatabaseLocation::Postgres(url) => postgres::inspect(url).await,
            DatabaseLocation::Sqlite(file) => sqlite::inspect(file),
        }
    })
}

/// Inspects a standby and its primary. Returns `None` for a SQLite file, which has no standby.
#[must_use]
pub fn inspect_standby<'a>(
    primary: &'a DatabaseLocation,
    standby: &'a str,
) -> BoxFuture<'a, Result<Option<StandbyInspection>, InspectError>> {
    Box::pin(async move {
        match primary {
            DatabaseLocation::Postgres(primary) => {
                postgres::inspect_standby(primary, standby).await.map(Some)
            }
            DatabaseLocation::Sqlite(_) => Ok(None),
        }
    })
}
