//! Connections to a SQLite file, who copies its log, and copies of it.
pub mod checkpoints;
pub mod connection;
pub mod copying;
pub mod identity;

use crate::{Error, Result};
use diesel::connection::SimpleConnection as _;
use diesel::sqlite::SqliteConnection;

/// A connection to a file as it is.
pub fn establish(file: &str) -> Result<SqliteConnection> {
    let refused = |error: diesel::ConnectionError| Error::Connect(error.to_string());
    <SqliteConnection as diesel::Connection>::establish(file).map_err(refused)
}

/// The address of a file that is not to be made.
#[must_use]
pub fn existing(file: &str) -> String {
    let path = file.replace('%', "%25").replace('?', "%3f").replace('#', "%23");
    format!("file:{path}?mode=rw")
}

/// A connection to a file that is made if it is not there, with the settings of all.
pub fn connect(file: &str) -> Result<SqliteConnection> {
    let mut conn = establish(file)?;
    // Savepoints and sorting need temporary files, and there may be no other place than the database's folder that
    // can be written to: they are kept in memory, where a batch has room. The cache is small: each commit after a page was
    // split goes through all of it (SQLite numbers pages beyond the last one for a moment), and readers begin with none after each.
    // The file is not mapped: what a page costs to read then is not measurable beside the rest, and each would count as memory.
    let set = conn.batch_execute(
        "PRAGMA busy_timeout = 5000;
         PRAGMA temp_store = MEMORY;
         PRAGMA journal_mode = WAL;
         PRAGMA synchronous = FULL;
         PRAGMA foreign_keys = ON;
         PRAGMA cache_size = -4096;",
    );
    set.map_err(|error| Error::Connect(error.to_string()))?;
    Ok(conn)
}
