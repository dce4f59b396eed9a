//! What every handler is given: the service, and what only the web needs.

use auth::seal::ClientStateKey;
use config::Settings;
use std::ops::Deref;
use std::sync::Arc;

/// What every handler is given.
pub struct Deps {
    /// What use cases work with.
    pub service: Arc<service::Deps>,
    /// What seals the state that browsers carry for us; the same on all servers of the database.
    pub client_state: ClientStateKey,
    /// The effective configuration.
    pub settings: Settings,
}

impl Deref for Deps {
    type Target = service::Deps;

    fn deref(&self) -> &service::Deps {
        &self.service
    }
}
