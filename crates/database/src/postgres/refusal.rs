//! The errors of a PostgreSQL server.
use crate::Error;
use std::error::Error as _;

/// Converts an error. `tokio_postgres` says what failed in the error's text, and why in its source;
/// both are kept.
#[must_use]
pub fn refused(error: &tokio_postgres::Error) -> Error {
    let why = error.source().map(|why| format!(": {why}")).unwrap_or_default();
    Error::Connect(format!("{error}{why}"))
}
