//! How a pooler lends connections.

/// For how long a connection of ours has one of the server's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PoolMode {
    /// As long as it is open.
    Session,
    /// For each transaction again.
    Transaction,
}
