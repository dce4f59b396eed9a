//! TLS for incoming connections: the configured certificate and key, which are reloaded when the
//! files change.

mod stream;

pub use stream::ClientStream;

use config::TlsFiles;
use database::certificates::pair::{self, PairError};
use domain::time::Timestamp;
use parking_lot::RwLock;
use platform::clock::{Clock, Stopwatch};
use rustls::pki_types::CertificateDer;
use rustls::server::{ClientHello, ResolvesServerCert};
use rustls::sign::CertifiedKey;
use rustls::{Error, ServerConfig, crypto};
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

/// The only protocol offered by ALPN.
const PROTOCOL: &[u8] = b"http/1.1";
/// The interval at which the files are read. Their contents are compared, because a modification
/// time can stay the same.
const LOOK_INTERVAL: Duration = Duration::from_secs(1);
/// The number of failed checks before an error is logged. The two files are replaced one after the
/// other, so they may not match for a moment.
const LOOKS_BEFORE_COMPLAINT: usize = 3;
/// The time before its end from which a certificate counts as expiring soon. Programs that renew
/// certificates automatically do so 30 days before the end.
pub const SOON: Duration = Duration::from_hours(14 * 24);
/// The interval of reminders that the certificate expires soon.
const REMINDER_INTERVAL: Duration = Duration::from_hours(24);

/// Returns the setting that is most likely wrong.
#[must_use]
pub fn subject(error: &PairError, files: &TlsFiles) -> &'static str {
    let of_key = match error {
        PairError::Unreadable { file, .. } => *file == files.key,
        PairError::NoKey(_) | PairError::EncryptedKey(_) | PairError::NotAPair { .. } => true,
        PairError::NoCertificate(_) | PairError::Unusable { .. } => false,
    };
    if of_key { "SWITCHBOARD_TLS_KEY" } else { "SWITCHBOARD_TLS_CERT" }
}

#[derive(PartialEq, Eq)]
struct CertificateContents {
    certificate: Vec<u8>,
    key: Vec<u8>,
}

/// A certificate with its chain and its private key.
pub struct Pair {
    certified: Arc<CertifiedKey>,
    contents: CertificateContents,
    ends: Option<Timestamp>,
}

impl CertificateContents {
    fn read(files: &TlsFiles) -> Result<Self, PairError> {
        Ok(Self { certificate: pair::read(&files.certificate)?, key: pair::read(&files.key)? })
    }
}

impl Pair {
    pub fn read(files: &TlsFiles) -> Result<Self, PairError> {
        Self::new(files, CertificateContents::read(files)?)
    }

    fn new(files: &TlsFiles, contents: CertificateContents) -> Result<Self, PairError> {
        let certified =
            pair::certified(&files.certificate, &contents.certificate, &files.key, &contents.key)?;
        let ends = certified.cert.first().and_then(|own| database::certificates::validity(own));
        Ok(Self { certified: Arc::new(certified), contents, ends: ends.map(|it| it.ends) })
    }

    /// Returns the end of the certificate's validity, or `None` if it cannot be read.
    #[must_use]
    pub const fn ends(&self) -> Option<Timestamp> {
        self.ends
    }

    #[must_use]
    pub fn certificate(&self) -> Option<&CertificateDer<'static>> {
        self.certified.cert.first()
    }
}

/// The certificate and key in use.
pub struct Certificates {
    files: TlsFiles,
    pair: RwLock<Pair>,
}

impl fmt::Debug for Certificates {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "Certificates({:?})", self.files)
    }
}

impl ResolvesServerCert for Certificates {
    fn resolve(&self, _: ClientHello<'_>) -> Option<Arc<CertifiedKey>> {
        Some(self.pair.read().certified.clone())
    }
}

impl Certificates {
    /// Reads the certificate and key from these files.
    pub fn open(files: TlsFiles) -> Result<Arc<Self>, PairError> {
        let pair = Pair::read(&files)?;
        show_end(pair.ends);
        Ok(Arc::new(Self { files, pair: RwLock::new(pair) }))
    }

    /// Returns the TLS configuration. A connection keeps the certificate that it started with.
    pub fn config(self: &Arc<Self>) -> Result<Arc<ServerConfig>, Error> {
        let provider = Arc::new(crypto::ring::default_provider());
        let builder = ServerConfig::builder_with_provider(provider);
        let builder = builder.with_safe_default_protocol_versions()?.with_no_client_auth();
        let mut config = builder.with_cert_resolver(self.clone());
        config.alpn_protocols = vec![PROTOCOL.to_vec()];
        config.ticketer = crypto::ring::Ticketer::new()?;
        Ok(Arc::new(config))
    }

    /// Reads the files again. Returns whether they have changed. A certificate and key that do not
    /// form a valid pair are not used.
    pub fn refresh(&self) -> Result<bool, PairError> {
        let contents = CertificateContents::read(&self.files)?;
        if contents == self.pair.read().contents {
            return Ok(false);
        }
        let pair = Pair::new(&self.files, contents)?;
        show_end(pair.ends);
        *self.pair.write() = pair;
        Ok(true)
    }

    fn ends(&self) -> Option<Timestamp> {
        self.pair.read().ends
    }

    /// Logs that the certificate expires soon or has expired.
    fn remind(&self, now: Timestamp) {
        let file = self.files.certificate.display();
        let Some(ends) = self.ends().filter(|ends| *ends < now.plus(SOON)) else { return };
        if ends <= now {
            tracing::error!(%file, %ends, "the certificate has expired: callers refuse this server; replace both files");
        } else {
            tracing::warn!(%file, %ends, "the certificate expires soon: make sure that its renewal works");
        }
    }
}

/// Publishes the end of the certificate as a metric.
#[expect(clippy::cast_precision_loss, reason = "seconds since 1970 fit exactly")]
fn show_end(ends: Option<Timestamp>) {
    if let Some(ends) = ends {
        let seconds = ends.micros() / 1_000_000;
        metrics::gauge!("switchboard_tls_certificate_expiry_timestamp_seconds").set(seconds as f64);
    }
}

/// Reloads the files at intervals.
pub async fn run(certificates: Arc<Certificates>, clock: Clock) {
    let (mut failures, mut reminded) = (0, None::<Stopwatch>);
    loop {
        if reminded.as_ref().is_none_or(|watch| watch.elapsed() >= REMINDER_INTERVAL) {
            certificates.remind(clock.wall());
            reminded = Some(Stopwatch::start());
        }
        tokio::time::sleep(LOOK_INTERVAL).await;
        let looked = certificates.clone();
        let looked = tokio::task::spawn_blocking(move || looked.refresh()).await;
        match looked {
            Ok(Ok(replaced)) => {
                failures = 0;
                if replaced {
                    let ends = certificates.ends().map(|ends| ends.to_string());
                    tracing::info!(ends, "the certificate was replaced");
                    reminded = None;
                }
            }
            Ok(Err(error)) => {
                failures += 1;
                if failures == LOOKS_BEFORE_COMPLAINT {
                    let advice = error.advice();
                    tracing::error!(%error, "the certificate was not replaced, and the previous one stays in use; {advice}");
                }
            }
            Err(error) => tracing::error!(%error, "the certificate could not be checked"),
        }
    }
}
