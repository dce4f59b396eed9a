//! Inspects a database without changing it, whether or not an instance is using it.
use crate::inspection::{InspectError, Inspection, StandbyInspection};
use crate::{Location, postgres, sqlite};
use futures_util::future::BoxFuture;

/// Inspects a database. Nothing is created, migrated or stored.
#[must_use]
pub fn inspect(location: &Location) -> BoxFuture<'_, Result<Inspection, InspectError>> {
    Box::pin(async move {
        match location {
            Location::Postgres(url) => postgres::inspect(url).await,
            Location::Sqlite(file) => sqlite::inspect(file),
        }
    })
}

/// Inspects a standby and its primary. Returns nothing for a SQLite file, which has no standby.
#[must_use]
pub fn inspect_standby<'a>(
    primary: &'a Location,
    standby: &'a str,
) -> BoxFuture<'a, Result<Option<StandbyInspection>, InspectError>> {
    Box::pin(async move {
        match primary {
            Location::Postgres(primary) => {
                postgres::inspect_standby(primary, standby).await.map(Some)
            }
            Location::Sqlite(_) => Ok(None),
        }
    })
}
