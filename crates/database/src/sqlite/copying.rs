//! A copy of a database that a server may be writing to.
use super::{establish, existing};
use crate::{Error, Result};
use diesel::connection::SimpleConnection as _;
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Integer, Text};
use diesel::sqlite::SqliteConnection;

/// So few pages of the log a server's own commit moves without anybody's noticing.
const FEW_PAGES: i32 = 1000;
/// More rounds than this help nobody: the server writes faster than the log can be moved.
const MOST_ROUNDS: usize = 20;

#[derive(QueryableByName)]
struct Size {
    #[diesel(sql_type = BigInt)]
    bytes: i64,
}

#[derive(QueryableByName)]
struct Moved {
    #[diesel(sql_type = Integer)]
    log: i32,
    #[diesel(sql_type = Integer)]
    checkpointed: i32,
}

/// How many bytes a copy of `file` will have, about.
pub fn bytes(file: &str) -> Result<u64> {
    let size: Size = diesel::sql_query(
        "SELECT (page_count - freelist_count) * page_size AS bytes \
         FROM pragma_page_count, pragma_freelist_count, pragma_page_size",
    )
    .get_result(&mut open(file)?)?;
    Ok(size.bytes.unsigned_abs())
}

/// Copies `file` as it is at one moment into `target`, which must not be there. Nobody who writes waits for it: it only
/// reads, and what is written meanwhile stays in the log. It is not synced to the disk.
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

/// Moves what the log has gathered meanwhile into the database, as this only became possible now: else the server's next
/// commit did so, and whoever waits for that commit waited for all of it. It holds up no writer.
fn move_log(conn: &mut SqliteConnection) -> Result<()> {
    for _ in 0..MOST_ROUNDS {
        let moved: Moved = diesel::sql_query("PRAGMA wal_checkpoint(PASSIVE)").get_result(conn)?;
        if moved.log - moved.checkpointed < FEW_PAGES {
            break;
        }
    }
    Ok(())
}
