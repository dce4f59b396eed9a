//! Why there is no TLS: what is wrong with its settings, and what went wrong between the two ends.
use crate::Error;
use certificates::pair::PairError;
use rustls::{AlertDescription, CertificateError};
use std::io;

/// Settings of TLS that cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum SettingsFault {
    /// An `sslmode` that is none.
    #[error("sslmode is {0:?}")]
    UnknownMode(String),
    /// The authorities of the machine, and no name that is verified.
    #[error("sslrootcert=system with an sslmode that takes any name")]
    WeakForMachine,
    /// Authorities for nothing.
    #[error("sslrootcert is given, and the sslmode verifies nothing")]
    NothingVerified,
    /// A certificate without its key, or the other way round.
    #[error("only one of sslcert and sslkey is given")]
    HalfOfPair,
    /// A file cannot be used.
    #[error(transparent)]
    File(#[from] PairError),
    /// The system has no trusted certificate authorities.
    #[error("this machine trusts no certificate authority")]
    NoAuthorities,
    /// The TLS library refuses them.
    #[error("TLS cannot be set up: {0}")]
    Tls(#[from] rustls::Error),
}

impl SettingsFault {
    /// What to do.
    #[must_use]
    pub const fn advice(&self) -> &'static str {
        match self {
            Self::UnknownMode(_) => {
                "write sslmode=disable, prefer, require, verify-ca or verify-full"
            }
            Self::WeakForMachine => {
                "write sslmode=verify-full: the authorities that a machine trusts give everybody a certificate"
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
            Self::Tls(_) => "see that the files in sslrootcert, sslcert and sslkey are whole",
        }
    }
}

impl From<SettingsFault> for Error {
    fn from(fault: SettingsFault) -> Self {
        Self::Tls { what: fault.to_string(), advice: fault.advice() }
    }
}

/// What went wrong between the two ends.
#[derive(Debug, thiserror::Error)]
pub enum HandshakeFault {
    /// The server does not offer TLS.
    #[error("the server offers no TLS, and sslmode asks for it")]
    NotOffered,
    /// A certificate from an authority that is not trusted.
    #[error("the server's certificate is not from a trusted authority")]
    UnknownAuthority,
    /// A certificate for another name.
    #[error("the server's certificate is for {}, and {wanted} was connected with", listed(.names))]
    WrongName {
        /// The host in the URL.
        wanted: String,
        /// The names in the certificate.
        names: Vec<String>,
    },
    /// A certificate whose time is over, or has not come.
    #[error("the server's certificate is not valid at this time: {0}")]
    WrongTime(rustls::Error),
    /// A certificate that is none for a server, or is broken.
    #[error("the server's certificate cannot be verified: {0}")]
    Unfit(rustls::Error),
    /// A host that no certificate can be for.
    #[error("{0:?} cannot be a server's name in TLS")]
    NoName(String),
    /// The server ended it.
    #[error("the server ended TLS: {0:?}")]
    Alert(AlertDescription),
    /// The settings cannot be used.
    #[error(transparent)]
    Settings(#[from] SettingsFault),
    /// Anything else.
    #[error("TLS failed: {0}")]
    Other(io::Error),
}

impl HandshakeFault {
    /// What to do.
    #[must_use]
    pub const fn advice(&self) -> &'static str {
        match self {
            Self::NotOffered => {
                "turn TLS on there (ssl = on in postgresql.conf), or write sslmode=disable if the way to it is safe"
            }
            Self::UnknownAuthority => {
                "name the file of its authority's certificate with sslrootcert, and see that the server shows its whole chain"
            }
            Self::WrongName { .. } => {
                "connect with a name that is in its subjectAltName, give it a certificate for this one, or write sslmode=verify-ca with its own authority in sslrootcert"
            }
            Self::WrongTime(_) => {
                "renew the server's certificate, and see that both clocks are right"
            }
            Self::Unfit(_) => {
                "name the server's own certificate with sslrootcert if it has signed it itself; otherwise issue a new one: version 3, for server authentication, with its name in subjectAltName"
            }
            Self::NoName(_) => "connect with the server's DNS name or its address",
            Self::Alert(_) => {
                "see its log; if it wants a client certificate, name one with sslcert and sslkey that its ssl_ca_file trusts"
            }
            Self::Settings(fault) => fault.advice(),
            Self::Other(_) => {
                "see that it speaks TLS 1.2 or 1.3 and that nothing between changes what passes"
            }
        }
    }

    /// Why a handshake with this host came to no end.
    pub(super) fn of(error: io::Error, wanted: &str) -> Self {
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

    /// The same of an error after the handshake: with TLS 1.3 a server judges a client's certificate only then.
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

/// The names as they are read: the library writes `DnsName("db.example.com")` and `IpAddress(10.0.0.1)`.
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
