//! TLS in front: the certificate and key that an operator names, taken anew when the files change.

mod expiry;
mod stream;

pub use stream::Connection;

use config::TlsFiles;
use domain::time::Timestamp;
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::server::{ClientHello, ResolvesServerCert};
use rustls::sign::CertifiedKey;
use rustls::{Error, ServerConfig, crypto};
use service::clock::{Clock, Stopwatch};
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

/// What clients speak above TLS.
const PROTOCOL: &[u8] = b"http/1.1";
/// How often the files are looked at: they are read, for a time of change can stay the same.
const LOOK_INTERVAL: Duration = Duration::from_secs(1);
/// How long files may not fit each other before it is said: one is replaced after the other.
const LOOKS_BEFORE_COMPLAINT: usize = 3;
/// Who renews certificates by a program does so 30 days before their end.
pub const SOON: Duration = Duration::from_hours(14 * 24);
/// How often it is said that a certificate ends soon.
const REMINDER_INTERVAL: Duration = Duration::from_hours(24);

/// Why a certificate and a key cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum PairError {
    /// A file cannot be read.
    #[error("{} cannot be read: {why}", .file.display())]
    Unreadable {
        /// The file.
        file: PathBuf,
        /// Why not.
        why: std::io::Error,
    },
    /// It holds no certificate.
    #[error("{} holds no certificate in PEM", .0.display())]
    NoCertificate(PathBuf),
    /// It holds no key.
    #[error("{} holds no private key in PEM", .0.display())]
    NoKey(PathBuf),
    /// Its key wants a password, for which nobody can be asked.
    #[error("the key in {} is encrypted with a password", .0.display())]
    EncryptedKey(PathBuf),
    /// They do not belong together.
    #[error("the key in {} is not that of the certificate in {}", .key.display(), .certificate.display())]
    NotAPair {
        /// The file of the certificate.
        certificate: PathBuf,
        /// The file of the key.
        key: PathBuf,
    },
    /// The certificate or the key is of a kind that cannot be used.
    #[error("{} and {} cannot be used: {why}", .certificate.display(), .key.display())]
    Unusable {
        /// The file of the certificate.
        certificate: PathBuf,
        /// The file of the key.
        key: PathBuf,
        /// Why not.
        why: Error,
    },
}

impl PairError {
    /// The setting that is most likely wrong.
    #[must_use]
    pub fn subject(&self, files: &TlsFiles) -> &'static str {
        let of_key = match self {
            Self::Unreadable { file, .. } => *file == files.key,
            Self::NoKey(_) | Self::EncryptedKey(_) | Self::NotAPair { .. } => true,
            Self::NoCertificate(_) | Self::Unusable { .. } => false,
        };
        if of_key { "SWITCHBOARD_TLS_KEY" } else { "SWITCHBOARD_TLS_CERT" }
    }

    /// What to do.
    #[must_use]
    pub const fn advice(&self) -> &'static str {
        match self {
            Self::Unreadable { .. } => "name a file that this server's user may read",
            Self::NoCertificate(_) => {
                "name the file of the whole chain, the server's own certificate first (`fullchain.pem`)"
            }
            Self::NoKey(_) => "name the file of the certificate's key (`privkey.pem`)",
            Self::EncryptedKey(_) => "remove the password with `openssl pkey -in OLD -out NEW`",
            Self::NotAPair { .. } => {
                "name the key that the certificate was issued for, and put the server's own certificate first in its file"
            }
            Self::Unusable { .. } => {
                "use a certificate for a key of RSA with 2048 bits or more, ECDSA or Ed25519"
            }
        }
    }
}

/// The bytes of both files.
#[derive(PartialEq, Eq)]
struct Contents {
    certificate: Vec<u8>,
    key: Vec<u8>,
}

/// A certificate with its chain, and its key.
pub struct Pair {
    certified: Arc<CertifiedKey>,
    contents: Contents,
    ends: Option<Timestamp>,
}

impl Contents {
    fn read(files: &TlsFiles) -> Result<Self, PairError> {
        let read = |file: &Path| {
            std::fs::read(file).map_err(|why| PairError::Unreadable { file: file.to_owned(), why })
        };
        Ok(Self { certificate: read(&files.certificate)?, key: read(&files.key)? })
    }
}

impl Pair {
    /// Reads both files.
    pub fn read(files: &TlsFiles) -> Result<Self, PairError> {
        Self::of(files, Contents::read(files)?)
    }

    fn of(files: &TlsFiles, contents: Contents) -> Result<Self, PairError> {
        let (certificate, key) = (files.certificate.clone(), files.key.clone());
        let chain = CertificateDer::pem_slice_iter(&contents.certificate);
        let chain: Vec<_> = chain.filter_map(Result::ok).collect();
        let Some(own) = chain.first() else { return Err(PairError::NoCertificate(certificate)) };
        let ends = expiry::end_of(own);
        let private = match PrivateKeyDer::from_pem_slice(&contents.key) {
            Ok(private) => private,
            Err(_) if is_encrypted(&contents.key) => return Err(PairError::EncryptedKey(key)),
            Err(_) => return Err(PairError::NoKey(key)),
        };
        let certified = CertifiedKey::from_der(chain, private, &crypto::ring::default_provider());
        match certified {
            Ok(certified) => Ok(Self { certified: Arc::new(certified), contents, ends }),
            Err(Error::InconsistentKeys(_)) => Err(PairError::NotAPair { certificate, key }),
            Err(why) => Err(PairError::Unusable { certificate, key, why }),
        }
    }

    /// When its certificate ends; none where that cannot be read.
    #[must_use]
    pub const fn ends(&self) -> Option<Timestamp> {
        self.ends
    }

    /// The server's own certificate.
    #[must_use]
    pub fn certificate(&self) -> Option<&CertificateDer<'static>> {
        self.certified.cert.first()
    }
}

fn is_encrypted(key: &[u8]) -> bool {
    String::from_utf8_lossy(key).contains("ENCRYPTED")
}

/// The pair that is in use.
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
        Some(self.pair.read().unwrap_or_else(PoisonError::into_inner).certified.clone())
    }
}

impl Certificates {
    /// Those in these files.
    pub fn open(files: TlsFiles) -> Result<Arc<Self>, PairError> {
        let pair = Pair::read(&files)?;
        show_end(pair.ends);
        Ok(Arc::new(Self { files, pair: RwLock::new(pair) }))
    }

    /// What a server that shows them does in a handshake. Connections go on with what they began with.
    pub fn config(self: &Arc<Self>) -> Result<Arc<ServerConfig>, Error> {
        let provider = Arc::new(crypto::ring::default_provider());
        let builder = ServerConfig::builder_with_provider(provider);
        let builder = builder.with_safe_default_protocol_versions()?.with_no_client_auth();
        let mut config = builder.with_cert_resolver(self.clone());
        config.alpn_protocols = vec![PROTOCOL.to_vec()];
        config.ticketer = crypto::ring::Ticketer::new()?;
        Ok(Arc::new(config))
    }

    /// Takes what is in the files now; whether that is something else. What cannot be used is not taken.
    pub fn refresh(&self) -> Result<bool, PairError> {
        let contents = Contents::read(&self.files)?;
        if contents == self.pair.read().unwrap_or_else(PoisonError::into_inner).contents {
            return Ok(false);
        }
        let pair = Pair::of(&self.files, contents)?;
        show_end(pair.ends);
        *self.pair.write().unwrap_or_else(PoisonError::into_inner) = pair;
        Ok(true)
    }

    fn ends(&self) -> Option<Timestamp> {
        self.pair.read().unwrap_or_else(PoisonError::into_inner).ends
    }

    /// Says that the certificate ends soon, or has.
    fn remind(&self, now: Timestamp) {
        let file = self.files.certificate.display();
        let Some(ends) = self.ends().filter(|ends| *ends < now.plus(SOON)) else { return };
        if ends <= now {
            tracing::error!(%file, %ends, "the certificate has ended: callers refuse this server; replace both files");
        } else {
            tracing::warn!(%file, %ends, "the certificate ends soon: see that its renewal works");
        }
    }
}

/// Tells those who watch.
#[expect(clippy::cast_precision_loss, reason = "seconds since 1970 fit")]
fn show_end(ends: Option<Timestamp>) {
    if let Some(ends) = ends {
        let seconds = ends.micros() / 1_000_000;
        metrics::gauge!("tls_certificate_end_timestamp_seconds").set(seconds as f64);
    }
}

/// Looks at the files again and again.
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
                    tracing::error!(%error, "the certificate is not replaced, and the one before stays in use; {advice}");
                }
            }
            Err(error) => tracing::error!(%error, "the certificate could not be looked at"),
        }
    }
}
