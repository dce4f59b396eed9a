//! Looks at a database without changing it: beside a server that runs, or without one.
use crate::inspection::{InspectError, Inspection};
use crate::{Location, postgres, sqlite};

/// Looks at a database. Nothing is migrated, made or kept.
pub async fn inspect(location: &Location) -> Result<Inspection, InspectError> {
    match location {
        Location::Postgres(url) => postgres::inspect(url).await,
        Location::Sqlite(file) => sqlite::inspect(file),
    }
}
