//! The location of a database.
use crate::{Error, Result};

/// The database that a URL names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DatabaseLocation {
    /// The URL of a PostgreSQL server.
    Postgres(String),
    /// The path of a SQLite file.
    Sqlite(String),
}

impl DatabaseLocation {
    /// Parses `postgres://…`, `postgresql://…` or `sqlite:PATH`.
    pub fn parse(url: &str) -> Result<Self> {
        if url.starts_with("postgres://") || url.starts_with("postgresql://") {
            return Ok(Self::Postgres(url.to_owned()));
        }
        let path = url.strip_prefix("sqlite:").unwrap_or_default();
        // `sqlite:///a/b` is the usual spelling of an absolute path.
        let path = path.strip_prefix("//").unwrap_or(path);
        if path.is_empty() {
            return Err(Error::Url(url.to_owned()));
        }
        Ok(Self::Sqlite(path.to_owned()))
    }
}
