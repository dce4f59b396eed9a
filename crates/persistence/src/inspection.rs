//! What is found out about a database without changing it.
use crate::Result;
pub use database::postgres::tls::{Encryption, Verification};
pub use crate::postgres::distribution::{Distribution, NodeShare};
use domain::time::Timestamp;

/// A database that answered.
#[derive(Clone, Debug)]
pub struct Inspection {
    /// The program and its version, such as `PostgreSQL 15.14`.
    pub version: String,
    /// How it is connected; nothing for a file.
    pub link: Option<Link>,
    /// Migrations of this program that have not run there.
    pub pending: Vec<String>,
    /// Versions of migrations that have run there, and that this program does not know.
    pub unknown: Vec<String>,
    /// Why a write was refused, if it was. What was tried is undone.
    pub write: Result<(), String>,
    /// How it is distributed, where it has several nodes.
    pub distribution: Option<Distribution>,
}

/// A standby that answered, beside its primary.
#[derive(Clone, Debug)]
pub struct StandbyInspection {
    /// The program and its version.
    pub version: String,
    /// Whether it is in recovery, and so takes no writes.
    pub is_standby: bool,
    /// Whether it was made of the primary's files.
    pub is_of_primary: bool,
    /// How many bytes of the primary's log it has not replayed.
    pub behind: i64,
    /// How the connection to it is encrypted; nothing if it is not.
    pub encryption: Option<Encryption>,
}

/// A connection to a database server.
#[derive(Clone, Copy, Debug)]
pub struct Link {
    /// How it is encrypted; nothing if it is not.
    pub encryption: Option<Encryption>,
    /// Whether it passes a pooler that lends connections for a transaction at a time.
    pub pooled: bool,
    /// What the server's clock said, and between which two moments of ours.
    pub clock: Timestamp,
}

/// Why a database could not be looked at.
#[derive(Debug, thiserror::Error)]
pub enum InspectError {
    /// It refuses the user or the password.
    #[error("{0}")]
    Credentials(String),
    /// The server has no database of that name.
    #[error("{0}")]
    NoDatabase(String),
    /// It cannot be reached or opened.
    #[error("{0}")]
    Unreachable(String),
    /// It and this program do not agree on TLS.
    #[error("{what}")]
    Tls {
        /// What is wrong.
        what: String,
        /// What to do.
        advice: &'static str,
    },
    /// The file is not there yet.
    #[error("there is no file {0} yet")]
    NoFile(String),
    /// It was reached, and then something failed.
    #[error(transparent)]
    Failed(#[from] crate::Error),
}
