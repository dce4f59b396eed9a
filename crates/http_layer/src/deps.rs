//! The dependencies of every handler.

use auth::seal::ClientStateKey;
use config::Settings;
use std::ops::Deref;
use std::sync::Arc;

/// The dependencies of every handler.
pub struct ServerDeps {
    /// The dependencies of use cases.
    pub service: Arc<platform::Deps>,
    /// The key that seals state in browsers. All instances that share a database have the same key.
    pub client_state: ClientStateKey,
    pub config: Settings,
}

impl Deref for ServerDeps {
    type Target = platform::Deps;

    fn deref(&self) -> &platform::Deps {
        &self.service
    }
}
