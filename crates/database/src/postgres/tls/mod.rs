//! TLS to PostgreSQL: what the URL asks for, and the one configuration of it that all connections go by.
mod connector;
mod fault;
mod files;
mod settings;
mod verifier;

pub use connector::{Connector, Encrypted, Encryption};
pub use fault::{HandshakeFault, SettingsFault};
pub use settings::{Authorities, Mode, Settings, Verification};

use files::{Contents, Digest};
use rustls::ClientConfig;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

/// TLS as a URL asks for it.
pub struct Tls {
    settings: Settings,
    kept: Mutex<Option<Kept>>,
}

/// The configuration that connections go by, and what it was made of: certificates are read once, and sessions are resumed.
struct Kept {
    digest: Digest,
    client: Arc<ClientConfig>,
}

impl fmt::Debug for Tls {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.settings.fmt(out)
    }
}

impl Tls {
    /// As these settings ask for. Nothing is read before there is a connection to encrypt.
    #[must_use]
    pub const fn new(settings: Settings) -> Self {
        Self { settings, kept: Mutex::new(None) }
    }

    /// What is asked for.
    #[must_use]
    pub const fn settings(&self) -> &Settings {
        &self.settings
    }

    /// What a handshake goes by now. Files that a URL names are looked at each time, since certificates are renewed while a server
    /// runs; where they cannot be used, those that were read before stay in use.
    pub fn client(&self) -> Result<Arc<ClientConfig>, SettingsFault> {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(before) = &*kept else {
            let made = Kept::make(&self.settings, &Contents::read(&self.settings)?)?;
            return Ok(kept.insert(made).client.clone());
        };
        if !self.settings.has_files() {
            return Ok(before.client.clone());
        }
        match before.renewed(&self.settings) {
            Ok(None) => Ok(before.client.clone()),
            Ok(Some(made)) => Ok(kept.insert(made).client.clone()),
            Err(error) => {
                let advice = error.advice();
                tracing::warn!(%error, "files of TLS to PostgreSQL are not taken, and those read before stay in use; {advice}");
                Ok(before.client.clone())
            }
        }
    }
}

impl Kept {
    fn make(settings: &Settings, contents: &Contents) -> Result<Self, SettingsFault> {
        let client = Arc::new(files::client(settings, contents)?);
        Ok(Self { digest: contents.digest(), client })
    }

    /// Made again if the files have changed.
    fn renewed(&self, settings: &Settings) -> Result<Option<Self>, SettingsFault> {
        let contents = Contents::read(settings)?;
        if contents.digest() == self.digest {
            return Ok(None);
        }
        Self::make(settings, &contents).map(Some)
    }
}
