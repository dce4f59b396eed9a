//! TLS to PostgreSQL: the settings of the URL, and the one configuration that all connections
//! share.
mod connector;
mod fault;
mod files;
mod settings;
mod verifier;

pub use connector::{Connector, Encrypted, Encryption};
pub use fault::{SettingsFault, TlsHandshakeFault};
pub use settings::{Authorities, Mode, TlsSettings, Verification};

use files::{FileDigests, TlsFileContents};
use parking_lot::Mutex;
use rustls::ClientConfig;
use std::fmt;
use std::sync::Arc;

/// The TLS settings of a URL, and the configuration built from them.
pub struct Tls {
    settings: TlsSettings,
    kept: Mutex<Option<SharedConfig>>,
}

/// The configuration that connections share, and the digest of its files. Because it is shared,
/// certificates are read once and sessions are resumed.
struct SharedConfig {
    digest: FileDigests,
    client: Arc<ClientConfig>,
}

impl fmt::Debug for Tls {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.settings.fmt(out)
    }
}

impl Tls {
    /// Creates the value without reading any file. Files are read when the first connection is
    /// encrypted.
    #[must_use]
    pub const fn new(settings: TlsSettings) -> Self {
        Self { settings, kept: Mutex::new(None) }
    }

    #[must_use]
    pub const fn settings(&self) -> &TlsSettings {
        &self.settings
    }

    /// Returns the configuration for a handshake. Files that the URL names are read each time,
    /// because certificates are renewed while a server runs. If the new files cannot be used, the
    /// previous configuration stays in use.
    pub fn client(&self) -> Result<Arc<ClientConfig>, SettingsFault> {
        let mut kept = self.kept.lock();
        let Some(before) = &*kept else {
            let made = SharedConfig::make(&self.settings, &TlsFileContents::read(&self.settings)?)?;
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
                tracing::warn!(%error, "the new TLS files for PostgreSQL cannot be used; those read before stay in use; {advice}");
                Ok(before.client.clone())
            }
        }
    }
}

impl SharedConfig {
    fn make(settings: &TlsSettings, contents: &TlsFileContents) -> Result<Self, SettingsFault> {
        let client = Arc::new(files::client(settings, contents)?);
        Ok(Self { digest: contents.digest(), client })
    }

    /// Builds the configuration again if the files have changed.
    fn renewed(&self, settings: &TlsSettings) -> Result<Option<Self>, SettingsFault> {
        let contents = TlsFileContents::read(settings)?;
        if contents.digest() == self.digest {
            return Ok(None);
        }
        Self::make(settings, &contents).map(Some)
    }
}
