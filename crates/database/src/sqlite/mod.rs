//! Connections to a SQLite file, the thread that writes, checkpoints, and copies of the file.
pub mod checkpoints;
pub mod connection;
pub mod copying;
pub mod identity;
pub mod values;
pub mod writer;

use crate::{Error, Result};
use diesel::connection::SimpleConnection as _;
use diesel::sqlite::SqliteConnection;

/// Opens a file without any settings.
pub fn establish(file: &str) -> Result<SqliteConnection> {
    let refused = |error: diesel::ConnectionError| Error::Connect(error.to_string());
    <SqliteConnection as diesel::Connection>::establish(file).map_err(refused)
}

/// Returns the URI that opens an existing file and never creates one.
#[must_use]
pub fn existing(file: &str) -> String {
    let path = file.replace('%', "%25").replace('?', "%3f").replace('#', "%23");
    format!("file:{path}?mode=rw")
}

/// Opens a file, creates it if there is none, and applies the settings of all connections.
pub fn connect(file: &str) -> Result<SqliteConnection> {
    let mut conn = establish(file)?;
    // Savepoints and sorts need temporary files, and the database's folder may be the only writable
    // one. The temporary files are therefore kept in memory; those of one batch are small. The
    // cache is small for two reasons: each commit after a page split scans the whole cache (SQLite
    // briefly uses page numbers beyond the last one), and readers start with an empty cache after
    // every commit. The file is not memory-mapped, because the cost of reading a page is negligible
    // and mapped pages would count as memory of the process.
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
