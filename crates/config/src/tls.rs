//! The certificate for HTTPS.

use super::SettingsReader;
use std::path::PathBuf;

/// The files of the certificate and its key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TlsFiles {
    /// The PEM file of the certificate and its chain.
    pub certificate: PathBuf,
    /// The PEM file of the private key.
    pub key: PathBuf,
}

/// Reads the settings that begin with `tls_`.
pub(super) fn read(reader: &mut SettingsReader<'_>, base_url: Option<&str>) -> Option<TlsFiles> {
    let certificate = reader.optional("tls_cert").map(PathBuf::from);
    let key = reader.optional("tls_key").map(PathBuf::from);
    if certificate.is_some() != key.is_some() {
        reader.wrong.push("tls_cert and tls_key go together".to_owned());
    }
    let (certificate, key) = (certificate?, key?);
    if let Some(base_url) = base_url.filter(|url| url.starts_with("http://")) {
        let message = format!(
            "base_url = {base_url:?} cannot be served if tls_cert is set: write https:// in base_url, or remove tls_cert and tls_key"
        );
        reader.wrong.push(message);
    }
    Some(TlsFiles { certificate, key })
}
