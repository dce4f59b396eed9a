//! The pooling modes of a pooler.

/// The time for which a client connection keeps a server connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PoolMode {
    /// A server connection is kept until the client disconnects.
    Session,
    /// A server connection is kept for one transaction.
    Transaction,
}
