//! The results of inspecting a database.
use crate::Result;
pub use crate::node_shares::{Distribution, NodeShare};
pub use database::postgres::tls::{Encryption, Verification};
use domain::time::Timestamp;

/// The state of a database that answered.
#[derive(Clone, Debug)]
pub struct Inspection {
    /// The product and its version, for example `PostgreSQL 15.14`.
    pub version: String,
    /// The connection to the server. `None` for a SQLite file.
    pub link: Option<ConnectionInspection>,
    /// Migrations of this program that have not run.
    pub pending: Vec<String>,
    /// Versions of migrations that have run and that this program does not know.
    pub unknown: Vec<String>,
    /// The reason why a trial write was refused, if it was. The trial write is rolled back.
    pub write: Result<(), String>,
    /// The distribution over nodes, if Citus is installed.
    pub distribution: Option<Distribution>,
}

/// The state of a standby that answered.
#[derive(Clone, Debug)]
pub struct StandbyInspection {
    pub version: String,
    /// Whether the server is in recovery and so takes no writes.
    pub is_standby: bool,
    /// Whether the server was created from the primary's files.
    pub is_of_primary: bool,
    /// The number of bytes of the primary's log that the standby has not replayed.
    pub behind: i64,
    /// The encryption of the connection. `None` if it is not encrypted.
    pub encryption: Option<Encryption>,
}

#[derive(Clone, Copy, Debug)]
pub struct ConnectionInspection {
    /// The encryption of the connection. `None` if it is not encrypted.
    pub encryption: Option<Encryption>,
    /// Whether the connection goes through a pooler in transaction mode.
    pub pooled: bool,
    /// The time that the server's clock showed.
    pub clock: Timestamp,
}

/// The reason why a database could not be inspected.
#[derive(Debug, thiserror::Error)]
pub enum InspectError {
    /// The server rejected the user or the password.
    #[error("{0}")]
    Credentials(String),
    /// The server has no database of that name.
    #[error("{0}")]
    NoDatabase(String),
    /// The database cannot be reached or opened.
    #[error("{0}")]
    Unreachable(String),
    /// The server and this program cannot agree on TLS.
    #[error("{what}")]
    Tls {
        what: String,
        /// Advice to the operator.
        advice: &'static str,
    },
    /// The SQLite file does not exist yet.
    #[error("there is no file {0} yet")]
    NoFile(String),
    /// The database was reached, and then a query failed.
    #[error(transparent)]
    Failed(#[from] crate::Error),
}
