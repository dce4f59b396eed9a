//! Inspects a SQLite file without changing it.
use super::{MIGRATIONS, applied_migrations, establish, existing};
use crate::Result;
use crate::inspection::{InspectError, Inspection};
use crate::lock::WriteGate;
use diesel::connection::SimpleConnection as _;
use diesel::prelude::*;
use diesel::sql_types::Text;
use diesel::sqlite::{Sqlite, SqliteConnection};
use std::path::Path;

/// Inserts a row with an id that no instance uses. The transaction is rolled back at once.
const TRY_WRITE: &str = "INSERT INTO write_checks (id, at) VALUES (0, 0)";

#[derive(QueryableByName)]
struct SqliteVersion {
    #[diesel(sql_type = Text)]
    version: String,
}

pub fn inspect(file: &str) -> Result<Inspection, InspectError> {
    match Path::new(file).try_exists() {
        Ok(false) => return Err(InspectError::NoFile(file.to_owned())),
        Err(error) => return Err(InspectError::Unreachable(format!("{file}: {error}"))),
        Ok(true) => {}
    }
    let unreachable =
        |error: &dyn std::fmt::Display| InspectError::Unreachable(format!("{file}: {error}"));
    let mut conn = establish(&existing(file)).map_err(|error| unreachable(&error))?;
    // The busy timeout waits for a server that is writing. Sorts stay in memory, so that no disk
    // space is needed.
    let set = conn.batch_execute("PRAGMA busy_timeout = 5000; PRAGMA temp_store = MEMORY;");
    set.map_err(|error| unreachable(&error))?;
    let applied = applied_migrations(&mut conn).map_err(|error| unreachable(&error))?;
    let (pending, unknown) = crate::pending_and_unknown::<Sqlite>(&applied, &MIGRATIONS)?;
    let version = diesel::sql_query("SELECT sqlite_version() AS version");
    let version: SqliteVersion = version.get_result(&mut conn).map_err(crate::Error::from)?;
    let write = write(file, &mut conn, pending.is_empty());
    let version = format!("SQLite {}", version.version);
    Ok(Inspection { version, link: None, pending, unknown, write, distribution: None })
}

/// Tries a write and rolls it back. Waits until no other process is writing.
fn write(file: &str, conn: &mut SqliteConnection, has_tables: bool) -> Result<(), String> {
    let mut tried = || {
        conn.batch_execute("BEGIN IMMEDIATE")?;
        let tried = if has_tables { conn.batch_execute(TRY_WRITE) } else { Ok(()) };
        tried.and(conn.batch_execute("ROLLBACK"))
    };
    let outcome = match WriteGate::existing(file) {
        Some(gate) => gate.pass(|| Ok(tried()?)),
        None => tried().map_err(crate::Error::from),
    };
    outcome.map_err(|error| error.to_string())
}
