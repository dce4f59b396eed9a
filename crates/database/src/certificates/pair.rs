//! A certificate chain and its key, in two PEM files.

use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::sign::CertifiedKey;
use rustls::{Error, crypto};
use std::path::{Path, PathBuf};

/// The reason why a certificate and a key cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum PairError {
    #[error("{} cannot be read: {why}", .file.display())]
    Unreadable { file: PathBuf, why: std::io::Error },
    /// The file holds no certificate.
    #[error("{} holds no certificate in PEM", .0.display())]
    NoCertificate(PathBuf),
    /// The file holds no private key.
    #[error("{} holds no private key in PEM", .0.display())]
    NoKey(PathBuf),
    /// The private key is encrypted with a password.
    #[error("the key in {} is encrypted with a password", .0.display())]
    EncryptedKey(PathBuf),
    /// The key does not belong to the certificate.
    #[error("the key in {} is not that of the certificate in {}", .key.display(), .certificate.display())]
    NotAPair { certificate: PathBuf, key: PathBuf },
    /// The certificate or the key is of an unsupported kind.
    #[error("{} and {} cannot be used: {why}", .certificate.display(), .key.display())]
    Unusable { certificate: PathBuf, key: PathBuf, why: Error },
}

impl PairError {
    /// Returns advice on how to correct the error.
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
                "use a certificate with an RSA key of 2048 bits or more, an ECDSA key or an Ed25519 key"
            }
        }
    }
}

pub fn read(file: &Path) -> Result<Vec<u8>, PairError> {
    std::fs::read(file).map_err(|why| PairError::Unreadable { file: file.to_owned(), why })
}

/// Returns the certificates of a PEM text. Skips blocks that cannot be parsed.
#[must_use]
pub fn certificates(pem: &[u8]) -> Vec<CertificateDer<'static>> {
    CertificateDer::pem_slice_iter(pem).filter_map(Result::ok).collect()
}

/// Creates the certified key from the path and content of the certificate file and of the key file.
pub fn certified(
    certificate_file: &Path,
    chain: &[u8],
    key_file: &Path,
    key: &[u8],
) -> Result<CertifiedKey, PairError> {
    let chain = certificates(chain);
    if chain.is_empty() {
        return Err(PairError::NoCertificate(certificate_file.to_owned()));
    }
    let key = match PrivateKeyDer::from_pem_slice(key) {
        Ok(key) => key,
        Err(_) if is_encrypted(key) => return Err(PairError::EncryptedKey(key_file.to_owned())),
        Err(_) => return Err(PairError::NoKey(key_file.to_owned())),
    };
    let certified = CertifiedKey::from_der(chain, key, &crypto::ring::default_provider());
    certified.map_err(|why| {
        let (certificate, key) = (certificate_file.to_owned(), key_file.to_owned());
        match why {
            Error::InconsistentKeys(_) => PairError::NotAPair { certificate, key },
            why => PairError::Unusable { certificate, key, why },
        }
    })
}

fn is_encrypted(key: &[u8]) -> bool {
    String::from_utf8_lossy(key).contains("ENCRYPTED")
}
