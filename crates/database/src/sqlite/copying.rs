//! Copies a database that a server may be writing to.
use super::{establish, existing};
use crate::{Error, Result};
use diesel::connection::SimpleConnection as _;
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Integer, Text};
use diesel::sqlite::SqliteConnection;

/// The number of remaining log pages at which this process stops copying. The server's next commit
/// copies these few pages without a noticeable delay.
const FEW_PAGES: i32 = 1000;
/// The maximum number of rounds. If that is not enough, the server writes faster than the log can
/// be copied.
const MOST_ROUNDS: usize = 20;

#[derive(QueryableByName)]
struct DatabaseSize {
    #[diesel(sql_type = BigInt)]
    bytes: i64,
}

#[derive(QueryableByName)]
struct CheckpointResult {
    #[diesel(sql_type = Integer)]
    log: i32,
    #[diesel(sql_type = Integer)]
    checkpointed: i32,
}

/// Returns the approximate size of a copy of `file`, in bytes.
pub fn bytes(file: &str) -> Result<u64> {
    let size: DatabaseSize = diesel::sql_query(
        "SELECT (page_count - freelist_count) * page_size AS bytes \
         FROM pragma_page_count, pragma_freelist_count, pragma_page_size",
    )
    .get_result(&mut open(file)?)?;
    Ok(size.bytes.unsigned_abs())
}

/// Copies `file`, as it is at one moment, into `target`, which must not exist. Writers do not wait,
/// because the copy only reads and new writes stay in the log. The copy is not synced to disk.
pub fn copy(file: &str, target: &str) -> Result<()> {
    let mut conn = open(file)?;
    diesel::sql_query("VACUUM INTO ?").bind::<Text, _>(target).execute(&mut conn)?;
    move_log(&mut conn)
}

fn open(file: &str) -> Result<SqliteConnection> {
    let mut conn = establish(&existing(file))?;
    let set = conn.batch_execute(
        "PRAGMA busy_timeout = 5000; PRAGMA temp_store = MEMORY; PRAGMA cache_size = -16384;",
    );
    set.map_err(|error| Error::Connect(error.to_string()))?;
    Ok(conn)
}

/// Copies the write-ahead log into the database file. SQLite could not do that while `copy` was
/// reading the database, so the log has grown. Without this function the server's next commit would
/// copy the whole log, and the commit's callers would wait. This function does not delay writers.
fn move_log(conn: &mut SqliteConnection) -> Result<()> {
    for _ in 0..MOST_ROUNDS {
        let moved: CheckpointResult =
            diesel::sql_query("PRAGMA wal_checkpoint(PASSIVE)").get_result(conn)?;
        if moved.log - moved.checkpointed < FEW_PAGES {
            break;
        }
    }
    Ok(())
}
