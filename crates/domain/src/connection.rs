//! Connections: one a business and application, each a key (`docs/contract.md#connections`).

use crate::keyword::keywords;

keywords! {
    /// Whether a connection lives.
    pub enum ConnectionState {
        /// Its key works.
        Connected = "connected",
        /// It was ended by one of the two sides.
        Disconnected = "disconnected",
        /// The same business connected the same application again.
        Superseded = "superseded",
    }
}

keywords! {
    /// Who or what ended a connection.
    pub enum EndReason {
        /// The business removed its key.
        Business = "business",
        /// The application handed its key back.
        Application = "application",
        /// A reconnect took its place.
        Superseded = "superseded",
        /// The application ended all its connections.
        Revoked = "revoked",
    }
}

impl EndReason {
    /// The state that it leaves behind.
    #[must_use]
    pub const fn state(self) -> ConnectionState {
        match self {
            Self::Business | Self::Application | Self::Revoked => ConnectionState::Disconnected,
            Self::Superseded => ConnectionState::Superseded,
        }
    }
}
