//! Reads with which certificate HTTPS is served.

use super::Reader;
use std::path::PathBuf;

/// The certificate and its key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TlsFiles {
    /// The file of the certificate and of those that it was issued by.
    pub certificate: PathBuf,
    /// The file of its key.
    pub key: PathBuf,
}

/// Reads what begins with `tls_`.
pub(super) fn read(reader: &mut Reader<'_>, base_url: Option<&str>) -> Option<TlsFiles> {
    let certificate = reader.optional("tls_cert").map(PathBuf::from);
    let key = reader.optional("tls_key").map(PathBuf::from);
    if certificate.is_some() != key.is_some() {
        reader.wrong.push("tls_cert and tls_key go together".to_owned());
    }
    let (certificate, key) = (certificate?, key?);
    if let Some(base_url) = base_url.filter(|url| url.starts_with("http://")) {
        let message = format!(
            "base_url = {base_url:?} is not served where tls_cert is set: write https:// there, or leave tls_cert and tls_key out"
        );
        reader.wrong.push(message);
    }
    Some(TlsFiles { certificate, key })
}
