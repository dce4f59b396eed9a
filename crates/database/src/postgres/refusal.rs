//! Why a server refused.
use crate::Error;
use std::error::Error as _;

/// `tokio_postgres` says in its own sentence what failed, and in the cause why.
#[must_use]
pub fn refused(error: &tokio_postgres::Error) -> Error {
    let why = error.source().map(|why| format!(": {why}")).unwrap_or_default();
    Error::Connect(format!("{error}{why}"))
}
