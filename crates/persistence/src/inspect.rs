//! Looks at a database without changing it: beside a server that runs, or without one.
use crate::inspection::{InspectError, Inspection, StandbyInspection};
use crate::{Location, postgres, sqlite};
use futures_util::future::BoxFuture;

/// Looks at a database. Nothing is migrated, made or kept.
#[must_use]
pub fn inspect(location: &Location) -> BoxFuture<'_, Result<Inspection, InspectError>> {
    Box::pin(async move {
        match location {
            Location::Postgres(url) => postgres::inspect(url).await,
            Location::Sqlite(file) => sqlite::inspect(file),
        }
    })
}

/// Looks at a standby beside its primary; nothing for a SQLite file, which has none.
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
