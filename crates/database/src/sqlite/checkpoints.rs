//! The thread that copies committed pages from the write-ahead log into the database file, so that
//! no commit waits for it.
use super::{connect, existing};
use crate::{Error, Result};
use diesel::deserialize::QueryableByName;
use diesel::sql_types::Integer;
use diesel::sqlite::SqliteConnection;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::time::Duration;

/// The number of log pages from which the thread copies. Many commits change the same pages, so the
/// thread would copy the same pages more often if it began earlier.
const PAGES: i32 = 1000;
/// The number of log pages (64 MB) from which the log is copied almost completely. SQLite restarts
/// the log only after all of it has been copied. Under load the thread alone never achieves that,
/// because new commits arrive while it copies. The thread therefore copies until little is left,
/// and the writer copies the rest between two commits.
const LOG_PAGES: i32 = 16_000;
/// The number of pages that may be left for the writer. Requests wait while it copies them; a
/// thousand pages took 10 ms.
const LEFT_TO_WRITER: i32 = 200;
/// The maximum number of passes. Each pass copies the pages that were written during the previous
/// pass. If that is not enough, readers still use old pages, which prevents the copy.
const PASSES: usize = 5;
/// The number of log pages (256 MB) from which the writer's own commit copies the log, in case the
/// thread does not run.
pub const MOST_LOG_PAGES: i32 = 4 * LOG_PAGES;
/// The pause between two rounds, however many commits there are.
const INTERVAL: Duration = Duration::from_millis(5);
/// The pause after a failure, such as a full disk. Commits stay in the log meanwhile.
const AFTER_FAILURE: Duration = Duration::from_secs(1);

/// The handle through which the writer tells the thread about commits.
pub struct Checkpoints {
    committed: SyncSender<()>,
    is_writers_turn: Arc<AtomicBool>,
}

impl Checkpoints {
    /// Starts the thread for the database in `file`. It ends when the handle is dropped.
    pub fn start(file: Arc<str>) -> Result<Self> {
        let (committed, heard) = sync_channel(1);
        let thread = std::thread::Builder::new().name("sqlite-checkpoint".to_owned());
        let is_writers_turn = Arc::new(AtomicBool::new(false));
        let turn = is_writers_turn.clone();
        let thread = thread.spawn(move || run(&file, &heard, &turn));
        thread.map(drop).map_err(|error| Error::Connect(error.to_string()))?;
        Ok(Self { committed, is_writers_turn })
    }

    /// Tells the thread that something was committed.
    pub fn committed(&self) {
        // The send fails if an earlier commit is still queued, or if the thread is gone. In the
        // second case the writer's commits copy the log.
        let _ = self.committed.try_send(());
    }

    /// Copies the rest of a long log, if the thread has left it to the writer, so that the next
    /// commit restarts the log. Must be called on the writer's connection, outside a transaction.
    pub fn finish(&self, writer: &mut SqliteConnection) {
        if self.is_writers_turn.swap(false, Ordering::Relaxed)
            && let Err(error) = checkpoint(writer, PASSIVE)
        {
            tracing::warn!(%error, "the database's write-ahead log was not copied; trying again");
        }
    }
}

/// Copies the log into the database file without waiting for readers or writers (a `PASSIVE`
/// checkpoint).
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
                tracing::warn!(%error, "the database's write-ahead log was not copied; trying again");
                conn = None;
                AFTER_FAILURE
            }
        };
        std::thread::sleep(wait);
    }
}

/// The connection that copies the log next.
#[derive(Debug, PartialEq, Eq)]
enum Left {
    /// The thread, once there is enough to copy.
    ToThread,
    /// The writer, because the log is long and little of it is left.
    ToWriter,
}

/// Copies the log if there is enough to copy. Returns which connection copies next.
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

/// Reports the state of the log only.
const NOOP: &str = "PRAGMA wal_checkpoint(NOOP)";
/// Copies pages from the log into the database file, except those whose old versions readers still
/// need. Does not wait for readers.
const PASSIVE: &str = "PRAGMA wal_checkpoint(PASSIVE)";

#[derive(QueryableByName)]
struct CheckpointState {
    /// The number of pages in the log.
    #[diesel(sql_type = Integer)]
    log: i32,
    /// The number of pages of the log that have been copied into the database file.
    #[diesel(sql_type = Integer)]
    checkpointed: i32,
}

impl CheckpointState {
    const fn left(&self) -> i32 {
        self.log - self.checkpointed
    }
}

fn checkpoint(conn: &mut SqliteConnection, statement: &str) -> Result<CheckpointState> {
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

        // when the thread runs a step, then all of the log is in the database file,
        let mut own = None;
        copy(&mut own, &file).unwrap();
        let after = checkpoint(&mut writer, NOOP).unwrap();
        assert_eq!(after.log, before.log);
        assert_eq!(after.checkpointed, before.log);

        // and the next commit restarts the log; a log that is too short to copy stays as it is.
        writer.batch_execute("INSERT INTO t VALUES (1);").unwrap();
        copy(&mut own, &file).unwrap();
        let restarted = checkpoint(&mut writer, NOOP).unwrap();
        assert!(restarted.log < PAGES && restarted.checkpointed == 0);
    }

    #[test]
    fn what_is_left_of_a_long_log_is_the_writers() {
        // Given a log of the maximum length, of which nothing has been copied,
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

        // when the thread has copied the log, then the writer copies the pages that were committed
        // since,
        let mut own = None;
        assert_eq!(copy(&mut own, &file).unwrap(), Left::ToWriter);
        writer.batch_execute("INSERT INTO t VALUES (1);").unwrap();
        let (committed, _heard) = sync_channel(1);
        let checkpoints = Checkpoints { committed, is_writers_turn: Arc::new(true.into()) };
        checkpoints.finish(&mut writer);
        assert_eq!(state(&mut writer).left(), 0);

        // but only once; and the next commit restarts the log.
        assert!(!checkpoints.is_writers_turn.load(Ordering::Relaxed));
        writer.batch_execute("INSERT INTO t VALUES (2);").unwrap();
        assert!(state(&mut writer).log < PAGES);
    }
}
