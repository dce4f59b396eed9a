//! Looks at a database without changing it: beside a server that runs, or without one.
use crate::inspection::{InspectError, Inspection};
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
