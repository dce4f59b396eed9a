//! The HTTP clients of this process: one for channels, and guarded ones for addresses that the
//! operator did not choose (`docs/security.md` 34).

mod channel;
mod guarded;
mod proxy;
mod reach;

pub use channel::{Channel, authorized};
pub use guarded::{AllowSetting, Guarded, Unreachable};

use crate::settings::{Bucket, ChannelSettings};
use ipnet::IpNet;
use reqwest::Url;
use rustls::client::danger::ServerCertVerifier;
use rustls::client::{VerifierBuilderError, WebPkiServerVerifier};
use rustls::{ClientConfig, RootCertStore};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::sync::Arc;
use std::time::Duration;

/// The URL of a bucket without a configured endpoint. It decides only whether a proxy is used.
const AMAZON: &str = "https://s3.amazonaws.com";
/// Time limit for opening a connection to the file store.
const STORE_CONNECT_TIMEOUT: Duration = Duration::from_secs(2);

#[derive(Clone)]
pub struct Outbound {
    /// The client for channels.
    pub channel: Channel,
    /// The client for addresses that the operator did not choose.
    pub guarded: Guarded,
    /// The client for AI models whose address a member entered.
    pub models: Guarded,
    /// The client for AI models whose address an operator entered. It reaches any network.
    pub trusted_models: Guarded,
}

/// The reason why a client cannot be created.
#[derive(Debug, thiserror::Error)]
pub enum BuildClientError {
    #[error("the HTTP client cannot be created: {0}")]
    Http(#[from] reqwest::Error),
    #[error("the TLS client cannot be created: {0}")]
    Tls(#[from] rustls::Error),
    /// The system has no trusted certificate authorities.
    #[error("certificates cannot be verified: {0}")]
    Trust(#[from] VerifierBuilderError),
}

impl Outbound {
    /// Creates the clients for these settings.
    pub fn new(settings: &ChannelSettings) -> Result<Self, BuildClientError> {
        let tls = tls()?;
        let channel = Channel::new(settings, &tls)?;
        let guarded = Guarded::new(settings.allow.clone(), tls.clone())?;
        let models = Guarded::new(settings.agent_allow.clone(), tls.clone())?;
        let everywhere = [IpAddr::V4(Ipv4Addr::UNSPECIFIED), IpAddr::V6(Ipv6Addr::UNSPECIFIED)];
        let everywhere = everywhere.into_iter().filter_map(|it| IpNet::new(it, 0).ok());
        let trusted_models = Guarded::new(everywhere.collect(), tls)?;
        Ok(Self { channel, guarded, models, trusted_models })
    }
}

/// Creates two clients for a bucket. One is for the bucket. The other is for the metadata service,
/// which issues the credentials of this machine's role and is never reached through a proxy. The
/// store sets the timeouts of requests.
pub fn bucket(bucket: &Bucket) -> Result<[reqwest::Client; 2], BuildClientError> {
    let tls = tls()?;
    let client = || client(tls.clone()).connect_timeout(STORE_CONNECT_TIMEOUT);
    let address = bucket.endpoint.as_deref().unwrap_or(AMAZON);
    let to_bucket = proxy::with_proxy(client(), &bucket.proxy, address)?;
    Ok([to_bucket.build()?, client().no_proxy().build()?])
}

/// Returns a client builder for an address that the caller of a command chose. The client uses the
/// proxy that the environment names, except for addresses of this machine.
pub fn unguarded(address: &Url) -> Result<reqwest::ClientBuilder, BuildClientError> {
    let host = address.host_str().unwrap_or_default().trim_matches(['[', ']']);
    let is_here = host == "localhost" || host.parse::<IpAddr>().is_ok_and(|ip| ip.is_loopback());
    let client = client(tls()?);
    Ok(if is_here { client.no_proxy() } else { client })
}

/// Sets the process's default cryptography for TLS. Clients created by libraries, such as the file
/// store's, need it.
pub fn provide_cryptography() {
    // An error means that the default is already set.
    drop(rustls::crypto::ring::default_provider().install_default());
}

/// Returns a TLS configuration with the certificate authorities that the machine trusts. A machine
/// without authorities can still use plain HTTP, and a warning explains why HTTPS fails.
fn tls() -> Result<ClientConfig, BuildClientError> {
    provide_cryptography();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let builder =
        ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions()?;
    Ok(builder.with_root_certificates(roots()).with_no_client_auth())
}

/// Returns the same configuration as `tls`, with the certificate verifier wrapped by `make`, so
/// that the certificates can be examined.
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

/// Loads the certificate authorities that the machine trusts.
fn roots() -> RootCertStore {
    let mut roots = RootCertStore::empty();
    let found = rustls_native_certs::load_native_certs();
    let (trusted, _) = roots.add_parsable_certificates(found.certs);
    if trusted == 0 {
        tracing::warn!("this machine trusts no certificate authority; install ca-certificates");
    }
    roots
}

/// Returns the settings that all our clients share, such as no redirects. Each client chooses its
/// proxy itself.
pub fn client(tls: ClientConfig) -> reqwest::ClientBuilder {
    reqwest::Client::builder()
        .tls_backend_preconfigured(tls)
        .redirect(reqwest::redirect::Policy::none())
        .user_agent(concat!("Switchboard/", env!("CARGO_PKG_VERSION")))
}
