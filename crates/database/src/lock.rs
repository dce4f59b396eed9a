//! Locks of a SQLite file: one server at a time, because two would each count calls and send messages as if alone,
//! and one writer at a time.
use crate::folder::give_to_owner_of_folder;
use crate::{Error, Location, Result};
use std::fs::{File, OpenOptions, TryLockError};
use std::path::Path;
use std::time::Duration;

/// Held as long as the server runs; the system lets go of it however the process ends.
#[derive(Debug)]
pub struct ServerLock(
    #[expect(dead_code, reason = "dropping the file lets go of the lock")] Option<File>,
);

/// Takes the lock, or says who has it. PostgreSQL needs none: instances share it.
pub fn server(location: &Location) -> Result<ServerLock> {
    let Location::Sqlite(database) = location else {
        return Ok(ServerLock(None));
    };
    let path = format!("{database}{SERVER_LOCK}");
    let file = lock_file(&path)?;
    match file.try_lock() {
        Ok(()) => Ok(ServerLock(Some(file))),
        Err(TryLockError::WouldBlock) => Err(Error::Connect(format!(
            "another Switchboard server is running on {database}; stop it first, give this one \
             another SWITCHBOARD_DATABASE_URL, or use PostgreSQL, which several servers can share"
        ))),
        Err(TryLockError::Error(error)) => Err(failed(&path, &error)),
    }
}

/// What stands behind the name of a database in the names of its lock files.
pub const SERVER_LOCK: &str = ".server-lock";
/// The same of the lock of those who write.
pub const WRITE_LOCK: &str = ".write-lock";

/// How long somebody who has the gate and does not go on holds up the others.
const GATE_TIMEOUT: Duration = Duration::from_secs(1);
const GATE_POLL_INTERVAL: Duration = Duration::from_millis(1);

/// The gate to a SQLite file through which every process begins to write. SQLite itself lets those who wait look
/// again now and then, so that a server which begins one batch after the other is hardly ever found between two:
/// anyone who waits to begin holds the gate meanwhile, and nobody overtakes.
#[derive(Debug)]
pub struct WriteGate(File);

impl WriteGate {
    /// The gate of a database.
    pub fn of(database: &str) -> Result<Self> {
        lock_file(&format!("{database}{WRITE_LOCK}")).map(Self)
    }

    /// The gate of a database, if it has been made.
    pub fn existing(database: &str) -> Option<Self> {
        let path = format!("{database}{WRITE_LOCK}");
        OpenOptions::new().write(true).open(path).ok().map(Self)
    }

    /// Waits for the gate, begins, and opens it for the next. Waits a second at most: a process that was
    /// stopped in the gate must not stop all others.
    pub fn pass<T>(&self, begin: impl FnOnce() -> Result<T>) -> Result<T> {
        let mut waited = Duration::ZERO;
        while waited < GATE_TIMEOUT && matches!(self.0.try_lock(), Err(TryLockError::WouldBlock)) {
            std::thread::sleep(GATE_POLL_INTERVAL);
            waited += GATE_POLL_INTERVAL;
        }
        let outcome = begin();
        self.0.unlock().map_err(|error| failed("the write lock", &error))?;
        outcome
    }

    /// Whether somebody else waits to begin: then a batch is better ended soon.
    #[must_use]
    pub fn is_wanted(&self) -> bool {
        let wanted = matches!(self.0.try_lock(), Err(TryLockError::WouldBlock));
        wanted || self.0.unlock().is_err()
    }
}

fn lock_file(path: &str) -> Result<File> {
    crate::folder::make_folder_of(path)?;
    let mut open = OpenOptions::new();
    let opened = open.create(true).truncate(false).write(true).open(path);
    let opened = opened.and_then(|file| give_to_owner_of_folder(Path::new(path)).map(|()| file));
    opened.map_err(|error| failed(path, &error))
}

fn failed(path: &str, error: &std::io::Error) -> Error {
    Error::Connect(format!("{path}: {error}"))
}
