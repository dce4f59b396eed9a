//! The files that a URL names, and the TLS configuration that is built from them.
use super::fault::SettingsFault;
use super::settings::{Authorities, TlsSettings, Verification};
use super::verifier::{CertificateVerifier, Trust};
use crate::certificates::pair::{self, PairError};
use ring::digest;
use rustls::client::Resumption;
use rustls::sign::SingleCertAndKey;
use rustls::{ClientConfig, Error, RootCertStore, crypto};
use std::path::Path;
use std::sync::Arc;

/// The ALPN protocol that PostgreSQL requires when TLS begins at once (`sslnegotiation=direct`).
const PROTOCOL: &[u8] = b"postgresql";
/// The number of servers whose TLS sessions are kept for resumption. The servers are the hosts of a
/// URL or the nodes of a distributed database.
const SERVERS: usize = 16;

/// The contents of the files.
#[derive(Default)]
pub struct TlsFileContents {
    authorities: Vec<u8>,
    certificate: Vec<u8>,
    key: Vec<u8>,
}

/// The SHA-256 digest of each file. A changed file has another digest.
pub type FileDigests = [Vec<u8>; 3];

impl TlsFileContents {
    /// Reads the files that the settings name.
    pub fn read(settings: &TlsSettings) -> Result<Self, SettingsFault> {
        let mut contents = Self::default();
        if let Authorities::File(file) = &settings.authorities {
            contents.authorities = pair::read(file)?;
        }
        if let Some(files) = &settings.client {
            contents.certificate = pair::read(&files.certificate)?;
            contents.key = pair::read(&files.key)?;
        }
        Ok(contents)
    }

    pub fn digest(&self) -> FileDigests {
        [&self.authorities, &self.certificate, &self.key]
            .map(|bytes| digest::digest(&digest::SHA256, bytes).as_ref().to_vec())
    }
}

pub fn client(
    settings: &TlsSettings,
    contents: &TlsFileContents,
) -> Result<ClientConfig, SettingsFault> {
    let trust = match (settings.verification(), &settings.authorities) {
        (Verification::Nothing, _) => None,
        (verification, Authorities::Machine) => Some((system_trust()?, verification)),
        (verification, Authorities::File(file)) => {
            Some((parse_trust(file, &contents.authorities)?, verification))
        }
    };
    let provider = Arc::new(crypto::ring::default_provider());
    let verifier = Arc::new(CertificateVerifier::new(&provider, trust));
    let builder = ClientConfig::builder_with_provider(provider);
    let builder = builder.with_safe_default_protocol_versions()?;
    let builder = builder.dangerous().with_custom_certificate_verifier(verifier);
    let mut client = match &settings.client {
        None => builder.with_no_client_auth(),
        Some(files) => {
            let certified = pair::certified(
                &files.certificate,
                &contents.certificate,
                &files.key,
                &contents.key,
            )?;
            builder.with_client_cert_resolver(Arc::new(SingleCertAndKey::from(certified)))
        }
    };
    client.alpn_protocols = vec![PROTOCOL.to_vec()];
    client.resumption = Resumption::in_memory_sessions(SERVERS);
    Ok(client)
}

fn system_trust() -> Result<Trust, SettingsFault> {
    let mut roots = RootCertStore::empty();
    let (trusted, _) =
        roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
    if trusted == 0 {
        return Err(SettingsFault::NoAuthorities);
    }
    Ok(Trust::new(roots, &[]))
}

fn parse_trust(file: &Path, pem: &[u8]) -> Result<Trust, SettingsFault> {
    let found = pair::certificates(pem);
    if found.is_empty() {
        return Err(PairError::NoCertificate(file.to_owned()).into());
    }
    let mut roots = RootCertStore::empty();
    let (trusted, _) = roots.add_parsable_certificates(found.iter().cloned());
    if trusted == 0 {
        let why = "no certificate in sslrootcert can be read";
        return Err(Error::General(why.to_owned()).into());
    }
    Ok(Trust::new(roots, &found))
}
