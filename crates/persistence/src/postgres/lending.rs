//! How a pooler lends connections.

/// For how long a connection of ours has one of the server's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Lending {
    /// As long as it is open.
    Session,
    /// For each transaction anew.
    Transaction,
}
