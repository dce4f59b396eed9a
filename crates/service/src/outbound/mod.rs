//! What goes out of this process: calls of the channel, and requests to addresses that somebody else
//! chose, which are guarded (`docs/security.md` 34).

mod channel;
mod guarded;
mod proxy;
mod reach;

pub use channel::{Channel, authorized};
pub use guarded::{Guarded, Unreachable};

use crate::settings::{Bucket, ChannelSettings};
use rustls::client::danger::ServerCertVerifier;
use rustls::client::{VerifierBuilderError, WebPkiServerVerifier};
use rustls::{ClientConfig, RootCertStore};
use std::sync::Arc;
use std::time::Duration;

/// Where a bucket without an address is: never on this machine.
const AMAZON: &str = "https://s3.amazonaws.com";
/// How long a connection to the store of files may take to be made.
const STORE_CONNECT_TIMEOUT: Duration = Duration::from_secs(2);

/// The clients of this process.
#[derive(Clone)]
pub struct Outbound {
    /// The networks behind numbers.
    pub channel: Channel,
    /// Whatever address somebody else chose.
    pub guarded: Guarded,
}

/// A client that cannot be made.
#[derive(Debug, thiserror::Error)]
pub enum BuildClientError {
    /// By the HTTP library.
    #[error("the HTTP client cannot be made: {0}")]
    Http(#[from] reqwest::Error),
    /// By the TLS library.
    #[error("the TLS client cannot be made: {0}")]
    Tls(#[from] rustls::Error),
    /// The system has no trusted certificate authorities.
    #[error("certificates cannot be verified: {0}")]
    Trust(#[from] VerifierBuilderError),
}

impl Outbound {
    /// The clients that these settings ask for.
    pub fn new(settings: &ChannelSettings) -> Result<Self, BuildClientError> {
        let tls = tls()?;
        let channel = Channel::new(settings, &tls)?;
        let guarded = Guarded::new(settings.allow.clone(), tls)?;
        Ok(Self { channel, guarded })
    }
}

/// Clients for a bucket: one for it, and one for what tells the key of this machine's role, which no proxy reaches. How
/// long something may take is for the store to say.
pub fn bucket(bucket: &Bucket) -> Result<[reqwest::Client; 2], BuildClientError> {
    let tls = tls()?;
    let client = || client(tls.clone()).connect_timeout(STORE_CONNECT_TIMEOUT);
    let address = bucket.endpoint.as_deref().unwrap_or(AMAZON);
    let to_bucket = proxy::towards(client(), &bucket.proxy, address)?;
    Ok([to_bucket.build()?, client().no_proxy().build()?])
}

/// Says once for this process who does the cryptography of TLS: clients that libraries make by
/// themselves, such as the one of a file store, ask for it.
pub fn provide_cryptography() {
    // An error says that somebody did so before.
    drop(rustls::crypto::ring::default_provider().install_default());
}

/// TLS with the certificates that the machine trusts. A machine that has none can still reach what
/// speaks plain HTTP, and is told why the rest fails.
fn tls() -> Result<ClientConfig, BuildClientError> {
    provide_cryptography();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let builder =
        ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions()?;
    Ok(builder.with_root_certificates(roots()).with_no_client_auth())
}

/// The same, with certificates verified by whom `make` makes of the verifier: for a closer look at them.
pub fn with_verifier<W: ServerCertVerifier + 'static>(
    make: impl FnOnce(Arc<WebPkiServerVerifier>) -> W,
) -> Result<(ClientConfig, Arc<W>), BuildClientError> {
    provide_cryptography();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let verifier =
        WebPkiServerVerifier::builder_with_provider(Arc::new(roots()), provider.clone()).build();
    let witness = Arc::new(make(verifier?));
    let builder =
        ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions()?;
    let builder = builder.dangerous().with_custom_certificate_verifier(witness.clone());
    Ok((builder.with_no_client_auth(), witness))
}

/// The certificate authorities that the machine trusts.
fn roots() -> RootCertStore {
    let mut roots = RootCertStore::empty();
    let found = rustls_native_certs::load_native_certs();
    let (trusted, _) = roots.add_parsable_certificates(found.certs);
    if trusted == 0 {
        tracing::warn!("this machine trusts no certificate authority; install ca-certificates");
    }
    roots
}

/// What all our clients have in common: no redirects. Which proxy is used is said with each.
pub fn client(tls: ClientConfig) -> reqwest::ClientBuilder {
    reqwest::Client::builder()
        .tls_backend_preconfigured(tls)
        .redirect(reqwest::redirect::Policy::none())
        .user_agent(concat!("Switchboard/", env!("CARGO_PKG_VERSION")))
}
