//! What a command prints. A reader that has left (`switchboard config | head -1`) is no fault of the command:
//! it exits silently, as other programs do.

use std::fmt;
use std::io::{self, ErrorKind, Write as _};

/// Output that did not get where it was to go.
#[derive(Debug, thiserror::Error)]
pub enum OutputError {
    /// Nobody reads any more.
    #[error("the standard output is closed")]
    NobodyReads,
    /// The disk is full, say.
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

/// Prints a text as it is, and sees it through.
pub fn print(text: &str) -> Result<(), OutputError> {
    let mut out = io::stdout().lock();
    out.write_all(text.as_bytes())?;
    Ok(out.flush()?)
}

/// Prints a line.
pub fn line(text: impl fmt::Display) -> Result<(), OutputError> {
    print(&format!("{text}\n"))
}

/// Whether a command ended because nobody reads what it prints.
#[must_use]
pub fn is_unread(error: &anyhow::Error) -> bool {
    matches!(error.downcast_ref(), Some(OutputError::NobodyReads))
}

/// Tells of something on standard error, if anybody reads that.
pub fn note(what: &str) {
    drop(writeln!(io::stderr(), "{what}"));
}

/// Tells of an error on standard error, if anybody reads that.
pub fn error(error: &anyhow::Error) {
    drop(writeln!(io::stderr(), "error: {error:#}"));
}
