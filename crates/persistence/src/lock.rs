//! One server a SQLite file: two would each count calls and hand out messages as if alone.
use crate::{Error, Location, Result};
use std::fs::{File, OpenOptions, TryLockError};

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
    let path = format!("{database}.server-lock");
    let failed = |error: std::io::Error| Error::Connect(format!("{path}: {error}"));
    crate::sqlite::make_folder_of(&path)?;
    let mut open = OpenOptions::new();
    let file = open.create(true).truncate(false).write(true).open(&path).map_err(failed)?;
    match file.try_lock() {
        Ok(()) => Ok(ServerLock(Some(file))),
        Err(TryLockError::WouldBlock) => Err(Error::Connect(format!(
            "another Switchboard server is running on {database}; stop it first, give this one \
             another SWITCHBOARD_DATABASE_URL, or use PostgreSQL, which several servers can share"
        ))),
        Err(TryLockError::Error(error)) => Err(failed(error)),
    }
}
