//! What is found out about a database without changing it.
use crate::Result;
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

/// How a PostgreSQL with the extension Citus is distributed.
#[derive(Clone, Debug)]
pub struct Distribution {
    /// The extension's version, such as `13.2-1`.
    pub version: String,
    /// Its nodes.
    pub nodes: Vec<NodeShare>,
    /// Whether any table is distributed.
    pub begun: bool,
    /// Tables that are not where they are to be.
    pub left: Vec<String>,
}

/// What a node has of the distributed tables.
#[derive(Clone, Debug)]
pub struct NodeShare {
    /// `HOST:PORT`.
    pub address: String,
    /// Whether it is the coordinator.
    pub is_coordinator: bool,
    /// Whether it is in use.
    pub is_active: bool,
    /// Shards there.
    pub shards: u64,
    /// How large they are.
    pub bytes: u64,
}

impl NodeShare {
    /// Whether it is a worker that has nothing yet.
    #[must_use]
    pub const fn is_empty_worker(&self) -> bool {
        !self.is_coordinator && self.shards == 0
    }
}

impl Distribution {
    /// How many times as much as on average is on the node with the most, of those that have shards.
    #[must_use]
    pub fn skew(&self) -> f64 {
        let with_shards = || self.nodes.iter().filter(|node| node.shards > 0);
        let (all, nodes) =
            (with_shards().map(|node| node.bytes).sum::<u64>(), with_shards().count());
        let most = with_shards().map(|node| node.bytes).max().unwrap_or_default();
        #[expect(clippy::cast_precision_loss, reason = "it is shown with one digit")]
        let skew = most as f64 * nodes as f64 / all.max(1) as f64;
        skew
    }
}

/// A connection to a database server.
#[derive(Clone, Copy, Debug)]
pub struct Link {
    /// Whether the server sees it encrypted.
    pub encrypted: bool,
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
    /// The file is not there yet.
    #[error("there is no file {0} yet")]
    NoFile(String),
    /// It was reached, and then something failed.
    #[error(transparent)]
    Failed(#[from] crate::Error),
}
