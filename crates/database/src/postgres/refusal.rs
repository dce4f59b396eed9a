//! The errors of a PostgreSQL server.
use crate::Error;
use std::error::Error as _;

/// Converts an error of `tokio_postgres`. The error's text says what failed, and the text of its
/// source says why. The result contains both.
#[must_use]
pub fn refused(error: &tokio_postgres::Error) -> Error {
    let why = error.source().map(|why| format!(": {why}")).unwrap_or_default();
    Error::Connect(format!("{error}{why}"))
}
