//! Errors of TLS: unusable settings, and failed handshakes.
use crate::Error;
use crate::certificates::pair::PairError;
use rustls::{AlertDescription, CertificateError};
use std::io;

/// TLS settings that cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum SettingsFault {
    /// The `sslmode` has an unknown value.
    #[error("the sslmode is {0:?}, which is unknown")]
    UnknownMode(String),
    /// The URL trusts the machine's authorities (`sslrootcert=system`), but its `sslmode` does not
    /// verify the server's name. Anybody can get a certificate from these authorities, so the
    /// verification would be worth nothing.
    #[error("sslrootcert=system with an sslmode that takes any name")]
    WeakForMachine,
    /// The URL names authorities, but its `sslmode` verifies no certificate.
    #[error("sslrootcert is given, but this sslmode verifies nothing")]
    NothingVerified,
    /// The URL names a certificate without its key, or a key without its certificate.
    #[error("only one of sslcert and sslkey is given")]
    HalfOfPair,
    #[error(transparent)]
    File(#[from] PairError),
    #[error("this machine trusts no certificate authority")]
    NoAuthorities,
    /// The TLS library rejects the settings.
    #[error("TLS cannot be set up: {0}")]
    Tls(#[from] rustls::Error),
}

impl SettingsFault {
    /// Returns advice on how to correct the settings.
    #[must_use]
    pub const fn advice(&self) -> &'static str {
        match self {
            Self::UnknownMode(_) => {
                "write sslmode=disable, prefer, require, verify-ca or verify-full"
            }
            Self::WeakForMachine => {
                "write sslmode=verify-full: anybody can get a certificate from the authorities that a machine trusts"
            }
            Self::NothingVerified => "write sslmode=verify-full",
            Self::HalfOfPair => "name both files, the certificate's and its key's",
            Self::File(PairError::NoCertificate(_)) => {
                "name a file of certificates in PEM, for sslrootcert those of the authority"
            }
            Self::File(error) => error.advice(),
            Self::NoAuthorities => {
                "install ca-certificates, or name the file of the server's authority with sslrootcert"
            }
            Self::Tls(_) => "check that the files in sslrootcert, sslcert and sslkey are complete",
        }
    }
}

impl From<SettingsFault> for Error {
    fn from(fault: SettingsFault) -> Self {
        Self::Tls { what: fault.to_string(), advice: fault.advice() }
    }
}

/// The reason why a handshake failed.
#[derive(Debug, thiserror::Error)]
pub enum TlsHandshakeFault {
    #[error("the server offers no TLS, and sslmode asks for it")]
    NotOffered,
    /// The certificate is from an authority that is not trusted.
    #[error("the server's certificate is not from a trusted authority")]
    UnknownAuthority,
    /// The certificate is for another name.
    #[error("the server's certificate is for {}, and {wanted} was connected with", listed(.names))]
    WrongName { wanted: String, names: Vec<String> },
    /// The certificate has expired, or is not valid yet.
    #[error("the server's certificate is not valid at this time: {0}")]
    WrongTime(rustls::Error),
    /// The certificate is not for a server, or is broken.
    #[error("the server's certificate cannot be verified: {0}")]
    Unfit(rustls::Error),
    /// The host is neither a DNS name nor an IP address, so no certificate can be for it.
    #[error("{0:?} cannot be a server's name in TLS")]
    NoName(String),
    /// The server ended the handshake.
    #[error("the server ended TLS: {0:?}")]
    Alert(AlertDescription),
    #[error(transparent)]
    Settings(#[from] SettingsFault),
    #[error("TLS failed: {0}")]
    Other(io::Error),
}

impl TlsHandshakeFault {
    /// Returns advice on how to correct the fault.
    #[must_use]
    pub const fn advice(&self) -> &'static str {
        match self {
            Self::NotOffered => {
                "turn TLS on there (ssl = on in postgresql.conf), or write sslmode=disable if the network to it is safe"
            }
            Self::UnknownAuthority => {
                "name the file of its authority's certificate with sslrootcert, and make sure that the server sends its whole chain"
            }
            Self::WrongName { .. } => {
                "connect with a name that is in its subjectAltName, give the server a certificate for this name, or write sslmode=verify-ca with its own authority in sslrootcert"
            }
            Self::WrongTime(_) => {
                "renew the server's certificate, and check the clocks of both machines"
            }
            Self::Unfit(_) => {
                "name the server's own certificate with sslrootcert if it is self-signed; otherwise issue a new one: version 3, for server authentication, with its name in subjectAltName"
            }
            Self::NoName(_) => "connect with the server's DNS name or its address",
            Self::Alert(_) => {
                "see the server's log; if it requires a client certificate, name one with sslcert and sslkey that its ssl_ca_file trusts"
            }
            Self::Settings(fault) => fault.advice(),
            Self::Other(_) => {
                "make sure that the server supports TLS 1.2 or 1.3 and that nothing in between alters the traffic"
            }
        }
    }

    /// Classifies the error of a handshake with the host `wanted`.
    pub(super) fn from_io(error: io::Error, wanted: &str) -> Self {
        let Some(cause) = cause(&error) else { return Self::Other(error) };
        match cause {
            rustls::Error::InvalidCertificate(CertificateError::UnknownIssuer) => {
                Self::UnknownAuthority
            }
            rustls::Error::InvalidCertificate(CertificateError::NotValidForNameContext {
                presented,
                ..
            }) => Self::WrongName { wanted: wanted.to_owned(), names: presented.clone() },
            rustls::Error::InvalidCertificate(
                CertificateError::ExpiredContext { .. }
                | CertificateError::NotValidYetContext { .. },
            ) => Self::WrongTime(cause.clone()),
            rustls::Error::InvalidCertificate(_) => Self::Unfit(cause.clone()),
            rustls::Error::AlertReceived(alert) => Self::Alert(*alert),
            _ => Self::Other(error),
        }
    }

    /// Classifies an error that came after the handshake. In TLS 1.3 a server checks the client's
    /// certificate only after the client has finished the handshake.
    #[must_use]
    pub fn after(error: &io::Error) -> Option<Self> {
        match cause(error)? {
            rustls::Error::AlertReceived(alert) => Some(Self::Alert(*alert)),
            _ => None,
        }
    }
}

fn cause(error: &io::Error) -> Option<&rustls::Error> {
    error.get_ref()?.downcast_ref()
}

/// Returns the names without the library's notation, `DnsName("db.example.com")` and
/// `IpAddress(10.0.0.1)`.
fn listed(names: &[String]) -> String {
    let bare = |name: &String| {
        let inner = name.split_once('(').and_then(|(_, rest)| rest.strip_suffix(')'));
        inner.unwrap_or(name).trim_matches('"').to_owned()
    };
    let names: Vec<_> = names.iter().map(bare).collect();
    if names.is_empty() { "no name".to_owned() } else { names.join(", ") }
}

#[cfg(test)]
mod tests {
    use super::listed;

    #[test]
    fn names_are_shown_bare() {
        let names = ["DnsName(\"*.example.com\")", "IpAddress(10.0.0.1)", "a.example.com"];
        assert_eq!(listed(&names.map(str::to_owned)), "*.example.com, 10.0.0.1, a.example.com");
        assert_eq!(listed(&[]), "no name");
    }
}
