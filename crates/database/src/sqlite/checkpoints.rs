//! The thread that copies what was committed from the log into the database's file, so that no commit waits for it.
use super::{connect, existing};
use crate::{Error, Result};
use diesel::deserialize::QueryableByName;
use diesel::sql_types::Integer;
use diesel::sqlite::SqliteConnection;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::time::Duration;

/// So many pages of the log are copied at a time: fewer are copied again too often, because many commits change the same.
const PAGES: i32 = 1000;
/// SQLite starts the log over only when all of it has been copied, which a thread beside the one that writes never finds under load.
/// From so many pages on (64 MB) it copies until little is left, and the writer the rest, between two commits.
const LOG_PAGES: i32 = 16_000;
/// So few are left for the writer: requests wait while it copies them, and a thousand took 10 ms.
const LEFT_TO_WRITER: i32 = 200;
/// Each pass copies what was written during the one before. Where these do not get there, readers hold old pages.
const PASSES: usize = 5;
/// From so many pages on (256 MB) a commit of the writer copies what there is, should the thread beside it not run.
pub const MOST_LOG_PAGES: i32 = 4 * LOG_PAGES;
/// It is not looked more often, however many commits there are.
const INTERVAL: Duration = Duration::from_millis(5);
/// How long nothing is tried after a failure: a full disk, say. What is committed stays in the log meanwhile.
const AFTER_FAILURE: Duration = Duration::from_secs(1);

/// Hears of commits.
pub struct Checkpoints {
    committed: SyncSender<()>,
    is_writers_turn: Arc<AtomicBool>,
}

impl Checkpoints {
    /// Starts the thread for the database in `file`; it ends with this.
    pub fn start(file: Arc<str>) -> Result<Self> {
        let (committed, heard) = sync_channel(1);
        let thread = std::thread::Builder::new().name("sqlite-checkpoint".to_owned());
        let is_writers_turn = Arc::new(AtomicBool::new(false));
        let turn = is_writers_turn.clone();
        let thread = thread.spawn(move || run(&file, &heard, &turn));
        thread.map(drop).map_err(|error| Error::Connect(error.to_string()))?;
        Ok(Self { committed, is_writers_turn })
    }

    /// Something was committed.
    pub fn committed(&self) {
        // It has heard of another commit already, or is gone: then the writer copies by itself.
        let _ = self.committed.try_send(());
    }

    /// Copies what is left of a long log, if that is little: the next commit then starts the log over. For the connection that
    /// writes, outside of a transaction.
    pub fn finish(&self, writer: &mut SqliteConnection) {
        if self.is_writers_turn.swap(false, Ordering::Relaxed)
            && let Err(error) = checkpoint(writer, PASSIVE)
        {
            tracing::warn!(%error, "the log of the database was not copied; it is tried again");
        }
    }
}

/// Copies the log into the database's file without waiting for readers or writers (a `PASSIVE` checkpoint).
pub fn checkpoint_passive(conn: &mut SqliteConnection) -> Result<()> {
    checkpoint(conn, PASSIVE).map(drop)
}

fn run(file: &Arc<str>, heard: &Receiver<()>, is_writers_turn: &AtomicBool) {
    let mut conn = None;
    while heard.recv().is_ok() {
        let wait = match copy(&mut conn, file) {
            Ok(left) => {
                is_writers_turn.store(left == Left::ToWriter, Ordering::Relaxed);
                INTERVAL
            }
            Err(error) => {
                tracing::warn!(%error, "the log of the database was not copied; it is tried again");
                conn = None;
                AFTER_FAILURE
            }
        };
        std::thread::sleep(wait);
    }
}

/// Who copies what the log has now.
#[derive(Debug, PartialEq, Eq)]
enum Left {
    /// This thread, once there is enough.
    ToThread,
    /// The writer: it is little, and the log is long.
    ToWriter,
}

/// Copies if there is enough.
fn copy(conn: &mut Option<SqliteConnection>, file: &Arc<str>) -> Result<Left> {
    let conn = match conn {
        Some(conn) => conn,
        None => conn.insert(connect(&existing(file))?),
    };
    let mut state = checkpoint(conn, NOOP)?;
    if state.left() >= PAGES {
        checkpoint(conn, PASSIVE)?;
        state = checkpoint(conn, NOOP)?;
    }
    if state.log < LOG_PAGES {
        return Ok(Left::ToThread);
    }
    for _ in 0..PASSES {
        if state.left() <= LEFT_TO_WRITER {
            return Ok(Left::ToWriter);
        }
        checkpoint(conn, PASSIVE)?;
        state = checkpoint(conn, NOOP)?;
    }
    Ok(Left::ToThread)
}

/// Only says what there is.
const NOOP: &str = "PRAGMA wal_checkpoint(NOOP)";
/// Copies what no reader needs from the log any more, without waiting for readers.
const PASSIVE: &str = "PRAGMA wal_checkpoint(PASSIVE)";

#[derive(QueryableByName)]
struct State {
    /// Pages in the log.
    #[diesel(sql_type = Integer)]
    log: i32,
    /// Of them those that have been copied.
    #[diesel(sql_type = Integer)]
    checkpointed: i32,
}

impl State {
    const fn left(&self) -> i32 {
        self.log - self.checkpointed
    }
}

fn checkpoint(conn: &mut SqliteConnection, statement: &str) -> Result<State> {
    Ok(diesel::RunQueryDsl::get_result(diesel::sql_query(statement), conn)?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use diesel::connection::SimpleConnection as _;

    #[test]
    fn what_was_committed_is_copied_beside_the_writer_and_the_log_starts_over() {
        // Given a database whose writer copies nothing itself, and which has committed many pages,
        let folder = tempfile::tempdir().unwrap();
        let file: Arc<str> = folder.path().join("log.db").to_str().unwrap().into();
        let mut writer = connect(&file).unwrap();
        let many_pages = "PRAGMA wal_autocheckpoint = 0; CREATE TABLE t (a BLOB); \
                          INSERT INTO t VALUES (randomblob(8000000));";
        writer.batch_execute(many_pages).unwrap();
        let before = checkpoint(&mut writer, NOOP).unwrap();
        assert!(before.log > PAGES && before.checkpointed == 0, "{}", before.log);

        // when the thread's step comes by, then all of it is in the database's file,
        let mut own = None;
        copy(&mut own, &file).unwrap();
        let after = checkpoint(&mut writer, NOOP).unwrap();
        assert_eq!((after.log, after.checkpointed), (before.log, before.log));

        // and the next commit starts the log over; what is less than it is made for stays there.
        writer.batch_execute("INSERT INTO t VALUES (1);").unwrap();
        copy(&mut own, &file).unwrap();
        let restarted = checkpoint(&mut writer, NOOP).unwrap();
        assert!(restarted.log < PAGES && restarted.checkpointed == 0);
    }

    #[test]
    fn what_is_left_of_a_long_log_is_the_writers() {
        // Given a log that is as long as it may be, of which nothing has been copied,
        let folder = tempfile::tempdir().unwrap();
        let file: Arc<str> = folder.path().join("log.db").to_str().unwrap().into();
        let mut writer = connect(&file).unwrap();
        let long = LOG_PAGES * 4096;
        let many_pages = format!(
            "PRAGMA wal_autocheckpoint = 0; CREATE TABLE t (a BLOB); INSERT INTO t VALUES (zeroblob({long}));"
        );
        writer.batch_execute(&many_pages).unwrap();
        let state = |conn: &mut SqliteConnection| checkpoint(conn, NOOP).unwrap();
        assert!(state(&mut writer).log > LOG_PAGES);

        // when the thread's step has copied it, then what is committed since is the writer's to copy,
        let mut own = None;
        assert_eq!(copy(&mut own, &file).unwrap(), Left::ToWriter);
        writer.batch_execute("INSERT INTO t VALUES (1);").unwrap();
        let (committed, _heard) = sync_channel(1);
        let checkpoints = Checkpoints { committed, is_writers_turn: Arc::new(true.into()) };
        checkpoints.finish(&mut writer);
        assert_eq!(state(&mut writer).left(), 0);

        // once; and the next commit starts the log over.
        assert!(!checkpoints.is_writers_turn.load(Ordering::Relaxed));
        writer.batch_execute("INSERT INTO t VALUES (2);").unwrap();
        assert!(state(&mut writer).log < PAGES);
    }
}
