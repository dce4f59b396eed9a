//! The output of commands. If the reader closes the pipe early (`switchboard config | head -1`),
//! the command exits without an error message, as other programs do.

use std::fmt;
use std::io::{self, ErrorKind, Write as _};

/// Output that could not be written.
#[derive(Debug, thiserror::Error)]
pub enum OutputError {
    /// The reader has closed the pipe.
    #[error("the standard output is closed")]
    NobodyReads,
    /// Any other failure, such as a full disk.
    #[error("the standard output cannot be written: {0}")]
    Io(#[source] io::Error),
}

impl From<io::Error> for OutputError {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            ErrorKind::BrokenPipe => Self::NobodyReads,
            _ => Self::Io(error),
        }
    }
}

/// Prints and flushes a text.
pub fn print(text: &str) -> Result<(), OutputError> {
    let mut out = io::stdout().lock();
    out.write_all(text.as_bytes())?;
    Ok(out.flush()?)
}

pub fn line(text: impl fmt::Display) -> Result<(), OutputError> {
    print(&format!("{text}\n"))
}

/// Whether a command ended because the reader of its output closed the pipe.
#[must_use]
pub fn is_unread(error: &anyhow::Error) -> bool {
    matches!(error.downcast_ref(), Some(OutputError::NobodyReads))
}

/// Prints a note on standard error, and ignores failures.
pub fn note(what: &str) {
    drop(writeln!(io::stderr(), "{what}"));
}
