//! Connections: at most one active connection per organization and application, each with a key
//! (`docs/contract.md#connections`).

use crate::keyword::keywords;

keywords! {
    /// Whether a connection is active.
    pub enum ConnectionState {
        /// The connection's key works.
        Connected = "connected",
        /// One of the two sides ended the connection.
        Disconnected = "disconnected",
        /// The organization connected the application again, which replaced this connection.
        Superseded = "superseded",
    }
}

keywords! {
    /// The cause of a connection's end.
    pub enum EndReason {
        /// The organization removed the key.
        Business = "business",
        /// The application gave the key back.
        Application = "application",
        /// A new connection replaced it.
        Superseded = "superseded",
        /// The application ended all its connections.
        Revoked = "revoked",
    }
}

impl EndReason {
    /// Returns the state of a connection that ended for this reason.
    #[must_use]
    pub const fn state(self) -> ConnectionState {
        match self {
            Self::Business | Self::Application | Self::Revoked => ConnectionState::Disconnected,
            Self::Superseded => ConnectionState::Superseded,
        }
    }
}
