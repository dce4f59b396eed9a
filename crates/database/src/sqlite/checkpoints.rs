//! The thread that copies what was committed from the log into the database's file, so that no commit waits for it.
use super::{connect, existing};
use crate::{Error, Result};
use diesel::deserialize::QueryableByName;
use diesel::sql_types::Integer;
use diesel::sqlite::SqliteConnection;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::time::Duration;

/// So many pages of the log are copied at a time: fewer are copied again too often, because many commits change the same.
const PAGES: i32 = 1000;
/// The log is begun anew only when all of it has been copied, which a thread beside the one that writes never finds under load.
/// From so many pages on (64 MB) the writer copies what is left after a commit: little, for the rest is there. That takes 10 ms, for
/// which requests wait: under load nine times a second with a quarter of these pages.
pub const LOG_PAGES: i32 = 16_000;
/// It is not looked more often, however many commits there are.
const INTERVAL: Duration = Duration::from_millis(5);
/// How long nothing is tried after a failure: a full disk, say. What is committed stays in the log meanwhile.
const AFTER_FAILURE: Duration = Duration::from_secs(1);

/// Hears of commits.
pub struct Checkpoints(SyncSender<()>);

impl Checkpoints {
    /// Starts the thread for the database in `file`; it ends with this.
    pub fn start(file: Arc<str>) -> Result<Self> {
        let (committed, heard) = sync_channel(1);
        let thread = std::thread::Builder::new().name("sqlite-checkpoint".to_owned());
        let thread = thread.spawn(move || run(&file, &heard));
        thread.map(drop).map_err(|error| Error::Connect(error.to_string()))?;
        Ok(Self(committed))
    }

    /// Something was committed.
    pub fn committed(&self) {
        // It has heard of another commit already, or is gone: then the writer copies by itself.
        let _ = self.0.try_send(());
    }
}

fn run(file: &Arc<str>, heard: &Receiver<()>) {
    let mut conn = None;
    while heard.recv().is_ok() {
        let wait = match copy(&mut conn, file) {
            Ok(()) => INTERVAL,
            Err(error) => {
                tracing::warn!(%error, "the log of the database was not copied; it is tried again");
                conn = None;
                AFTER_FAILURE
            }
        };
        std::thread::sleep(wait);
    }
}

/// Copies if there is enough.
fn copy(conn: &mut Option<SqliteConnection>, file: &Arc<str>) -> Result<()> {
    let conn = match conn {
        Some(conn) => conn,
        None => conn.insert(connect(&existing(file))?),
    };
    let state = checkpoint(conn, "PRAGMA wal_checkpoint(NOOP)")?;
    if state.log - state.checkpointed >= PAGES {
        checkpoint(conn, "PRAGMA wal_checkpoint(PASSIVE)")?;
    }
    Ok(())
}

#[derive(QueryableByName)]
struct State {
    /// Pages in the log.
    #[diesel(sql_type = Integer)]
    log: i32,
    /// Of them those that have been copied.
    #[diesel(sql_type = Integer)]
    checkpointed: i32,
}

fn checkpoint(conn: &mut SqliteConnection, statement: &str) -> Result<State> {
    Ok(diesel::RunQueryDsl::get_result(diesel::sql_query(statement), conn)?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use diesel::connection::SimpleConnection as _;

    #[test]
    fn what_was_committed_is_copied_beside_the_writer_and_the_log_is_begun_anew() {
        // Given a database whose writer copies nothing itself, and which has committed many pages,
        let folder = tempfile::tempdir().unwrap();
        let file: Arc<str> = folder.path().join("log.db").to_str().unwrap().into();
        let mut writer = connect(&file).unwrap();
        let many_pages = "PRAGMA wal_autocheckpoint = 0; CREATE TABLE t (a BLOB); \
                          INSERT INTO t VALUES (randomblob(8000000));";
        writer.batch_execute(many_pages).unwrap();
        let before = checkpoint(&mut writer, "PRAGMA wal_checkpoint(NOOP)").unwrap();
        assert!(before.log > PAGES && before.checkpointed == 0, "{}", before.log);

        // when the thread's step comes by, then all of it is in the database's file,
        let mut own = None;
        copy(&mut own, &file).unwrap();
        let after = checkpoint(&mut writer, "PRAGMA wal_checkpoint(NOOP)").unwrap();
        assert_eq!((after.log, after.checkpointed), (before.log, before.log));

        // and the next commit begins the log anew; what is less than it is made for stays there.
        writer.batch_execute("INSERT INTO t VALUES (1);").unwrap();
        copy(&mut own, &file).unwrap();
        let anew = checkpoint(&mut writer, "PRAGMA wal_checkpoint(NOOP)").unwrap();
        assert!(anew.log < PAGES && anew.checkpointed == 0, "{} {}", anew.log, anew.checkpointed);
    }
}
