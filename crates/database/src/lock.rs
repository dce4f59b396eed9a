//! Locks of a SQLite file. The server lock allows only one server, because two servers would count
//! calls and send messages without knowing of each other. The write lock allows only one writer at
//! a time.
use crate::folder::give_to_owner_of_folder;
use crate::{DatabaseLocation, Error, Result};
use std::fs::{File, OpenOptions, TryLockError};
use std::path::Path;
use std::time::Duration;

/// The lock that a server holds while it runs. The operating system releases it however the process
/// ends.
#[derive(Debug)]
pub struct ServerLock(
    #[expect(dead_code, reason = "dropping the file releases the lock")] Option<File>,
);

/// Takes the server lock, or returns an error if another server holds it. PostgreSQL needs no lock,
/// because instances share it.
pub fn server(location: &DatabaseLocation) -> Result<ServerLock> {
    let DatabaseLocation::Sqlite(database) = location else {
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

/// The suffix of the server lock's file name, after the name of the database.
pub const SERVER_LOCK: &str = ".server-lock";
/// The suffix of the write lock's file name, after the name of the database.
pub const WRITE_LOCK: &str = ".write-lock";

/// The longest time that a writer waits for the gate while another process holds it.
const GATE_TIMEOUT: Duration = Duration::from_secs(1);
const GATE_POLL_INTERVAL: Duration = Duration::from_millis(1);

/// The write lock of a SQLite file as a gate, which every process passes before it begins to write.
/// In SQLite itself, waiting writers retry at intervals, and rarely hit a gap between the batches
/// of a busy server. A writer therefore holds the gate while it waits to begin, and no other writer
/// can begin before it.
#[derive(Debug)]
pub struct WriteGate(File);

impl WriteGate {
    /// Opens the gate of a database, and creates its file if there is none.
    pub fn new(database: &str) -> Result<Self> {
        lock_file(&format!("{database}{WRITE_LOCK}")).map(Self)
    }

    /// Opens the gate of a database, if its file exists.
    pub fn existing(database: &str) -> Option<Self> {
        let path = format!("{database}{WRITE_LOCK}");
        OpenOptions::new().write(true).open(path).ok().map(Self)
    }

    /// Waits for the gate, calls `begin`, and then opens the gate for the next writer. After
    /// `GATE_TIMEOUT` it calls `begin` without the gate, because a process that was stopped while
    /// it held the gate must not block all others.
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

    /// Whether another writer waits to begin. A batch should then end soon.
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
