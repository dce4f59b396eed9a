//! The identity of an opened database file. Its path may later lead to another file, or to none.
use crate::{Error, Result};
use std::io::ErrorKind;
use std::os::unix::fs::MetadataExt as _;

/// A file that was opened, and its path.
pub struct OpenedFile {
    path: String,
    device: u64,
    inode: u64,
}

impl OpenedFile {
    /// Returns the identity of the file at a path.
    ///
    /// # Errors
    ///
    /// [`Error::Connect`] if there is no file.
    pub fn read(path: &str) -> Result<Self> {
        let unseen = |error: std::io::Error| Error::Connect(format!("{path}: {error}"));
        let metadata = std::fs::metadata(path).map_err(unseen)?;
        Ok(Self { path: path.to_owned(), device: metadata.dev(), inode: metadata.ino() })
    }

    /// Checks that the path still leads to the opened file. If it does not, everything that is
    /// written would be lost at the next start.
    ///
    /// # Errors
    ///
    /// [`Error::Connect`], with advice, if the path leads to another file or to none.
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
