//! Which file a database was opened as: its path may lead to another one later, or to none.
use crate::{Error, Result};
use std::io::ErrorKind;
use std::os::unix::fs::MetadataExt as _;

/// A file that was opened, and the path that led to it.
pub struct OpenedFile {
    path: String,
    device: u64,
    inode: u64,
}

impl OpenedFile {
    /// The file that this path leads to now.
    ///
    /// # Errors
    ///
    /// [`Error::Connect`] where there is none.
    pub fn at(path: &str) -> Result<Self> {
        let unseen = |error: std::io::Error| Error::Connect(format!("{path}: {error}"));
        let metadata = std::fs::metadata(path).map_err(unseen)?;
        Ok(Self { path: path.to_owned(), device: metadata.dev(), inode: metadata.ino() })
    }

    /// Refuses to go on where the path leads elsewhere: what is written would be gone with the next start.
    ///
    /// # Errors
    ///
    /// [`Error::Connect`], with what to do.
    pub fn is_in_place(&self) -> Result<()> {
        let is_elsewhere = match std::fs::metadata(&self.path) {
            Ok(now) => (now.dev(), now.ino()) != (self.device, self.inode),
            Err(error) => error.kind() == ErrorKind::NotFound,
        };
        if !is_elsewhere {
            return Ok(());
        }
        Err(Error::Connect(format!(
            "{} is no longer the file that this server opened: it was moved, removed or replaced while the server ran; \
             stop the server, put the right file there, and start it again",
            self.path
        )))
    }
}
