//! The TLS parameters of a URL, with libpq's meaning. They are removed from the URL first, because
//! `tokio_postgres` knows only some of them and rejects the others.
use super::fault::SettingsFault;
use percent_encoding::percent_decode_str;
use std::path::PathBuf;

/// The TLS that a connection requires (`sslmode`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Mode {
    /// No encryption.
    Disable,
    /// Encryption without verification if the server offers TLS, otherwise none.
    #[default]
    Prefer,
    /// Encryption is required. The certificate is verified only if the URL names authorities.
    Require,
    /// Encryption is required, with a certificate that a trusted authority has signed. The name in
    /// the certificate is not checked.
    VerifyCa,
    /// Encryption is required, with a certificate that a trusted authority has signed for the host
    /// name of the connection.
    VerifyFull,
}

/// The certificate authorities that are trusted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Authorities {
    /// The authorities that the machine trusts.
    #[default]
    Machine,
    /// The authorities in a file (`sslrootcert`).
    File(PathBuf),
}

/// The client certificate for the server (`sslcert`, `sslkey`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClientFiles {
    /// The file of the whole certificate chain.
    pub certificate: PathBuf,
    pub key: PathBuf,
}

/// The checks of the server's certificate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verification {
    /// Nothing is checked, so any server is accepted.
    Nothing,
    /// The certificate must be signed by an authority that the machine trusts. This is a weak
    /// check, because anybody can obtain such a certificate for another name.
    AnyAuthority,
    /// The certificate must be signed by an authority in the file (`sslrootcert`).
    Authority,
    /// The certificate must be signed by a trusted authority, and must be for the host name of the
    /// connection.
    AuthorityAndName,
}

/// The TLS settings of a URL.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TlsSettings {
    pub mode: Mode,
    /// The trusted authorities, if the certificate is verified.
    pub authorities: Authorities,
    /// The client certificate, if there is one.
    pub client: Option<ClientFiles>,
}

/// The TLS parameters of a URL. If a name is repeated, the last value counts.
#[derive(Default)]
struct TlsParameters {
    mode: Option<String>,
    authorities: Option<String>,
    certificate: Option<String>,
    key: Option<String>,
}

impl TlsSettings {
    /// Removes the TLS parameters from a URL. Returns them and the URL without them.
    pub fn split_from_url(url: &str) -> Result<(Self, String), SettingsFault> {
        // The part before the `@` may contain question marks, in a password.
        let address = url.find('@').unwrap_or_default();
        let Some(mark) = url.get(address..).and_then(|rest| rest.find('?')) else {
            return Ok((Self::default(), url.to_owned()));
        };
        let (start, query) = url.split_at(address + mark);
        let mut taken = TlsParameters::default();
        let query = query.trim_start_matches('?').split('&');
        let left: Vec<_> = query.filter(|pair| !pair.is_empty() && !taken.takes(pair)).collect();
        let mark = if left.is_empty() { "" } else { "?" };
        Ok((taken.settings()?, format!("{start}{mark}{}", left.join("&"))))
    }

    /// Returns the checks of the server's certificate.
    #[must_use]
    pub const fn verification(&self) -> Verification {
        match (self.mode, &self.authorities) {
            (Mode::Disable | Mode::Prefer, _) | (Mode::Require, Authorities::Machine) => {
                Verification::Nothing
            }
            (Mode::VerifyCa, Authorities::Machine) => Verification::AnyAuthority,
            (Mode::Require | Mode::VerifyCa, Authorities::File(_)) => Verification::Authority,
            (Mode::VerifyFull, _) => Verification::AuthorityAndName,
        }
    }

    /// Whether files have to be read for each connection, because they are replaced while a server
    /// runs.
    #[must_use]
    pub const fn has_files(&self) -> bool {
        self.client.is_some() || matches!(self.authorities, Authorities::File(_))
    }
}

impl TlsParameters {
    /// Stores a TLS parameter. Returns whether the pair is a TLS parameter.
    fn takes(&mut self, pair: &str) -> bool {
        let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
        let decoded = |text| percent_decode_str(text).decode_utf8_lossy().into_owned();
        let place = match decoded(name).as_str() {
            "sslmode" => &mut self.mode,
            "sslrootcert" => &mut self.authorities,
            "sslcert" => &mut self.certificate,
            "sslkey" => &mut self.key,
            _ => return false,
        };
        *place = Some(decoded(value)).filter(|value| !value.is_empty());
        true
    }

    fn settings(self) -> Result<TlsSettings, SettingsFault> {
        let is_system = self.authorities.as_deref() == Some("system");
        let mode = match self.mode.as_deref() {
            None if is_system => Mode::VerifyFull,
            None => Mode::default(),
            Some("disable") => Mode::Disable,
            Some("prefer") => Mode::Prefer,
            Some("require") => Mode::Require,
            Some("verify-ca") => Mode::VerifyCa,
            Some("verify-full") => Mode::VerifyFull,
            Some(other) => return Err(SettingsFault::UnknownMode(other.to_owned())),
        };
        if is_system && mode < Mode::VerifyFull {
            return Err(SettingsFault::WeakForMachine);
        }
        let authorities = match self.authorities {
            Some(_) if mode < Mode::Require => return Err(SettingsFault::NothingVerified),
            Some(file) if !is_system => Authorities::File(file.into()),
            _ => Authorities::Machine,
        };
        let client = match (self.certificate, self.key) {
            (Some(certificate), Some(key)) => {
                Some(ClientFiles { certificate: certificate.into(), key: key.into() })
            }
            (None, None) => None,
            _ => return Err(SettingsFault::HalfOfPair),
        };
        Ok(TlsSettings { mode, authorities, client })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn taken(query: &str) -> TlsSettings {
        let (settings, rest) =
            TlsSettings::split_from_url(&format!("postgres://u:p@h/d?{query}")).unwrap();
        assert_eq!(rest, "postgres://u:p@h/d");
        settings
    }

    fn refused(query: &str) -> String {
        TlsSettings::split_from_url(&format!("postgres://h/d?{query}")).unwrap_err().to_string()
    }

    #[test]
    fn what_a_url_says_of_tls_is_taken_out_of_it() {
        let url = "postgres://u:p?w@h/d?application_name=a&sslmode=verify-full&sslrootcert=%2Fa%20b.pem\
                   &target_session_attrs=read-write&sslcert=c.pem&sslkey=k.pem";
        let (settings, rest) = TlsSettings::split_from_url(url).unwrap();
        let client = ClientFiles { certificate: "c.pem".into(), key: "k.pem".into() };
        let authorities = Authorities::File("/a b.pem".into());
        let wanted = TlsSettings { mode: Mode::VerifyFull, authorities, client: Some(client) };
        assert_eq!(settings, wanted);
        let left = "postgres://u:p?w@h/d?application_name=a&target_session_attrs=read-write";
        assert_eq!(rest, left);
        for url in ["postgres://h/d", "postgres://u:p?w@h/d", "postgres://h/d?application_name=a"] {
            let (settings, rest) = TlsSettings::split_from_url(url).unwrap();
            assert_eq!(settings, TlsSettings::default());
            assert_eq!(rest, url);
        }
    }

    #[test]
    fn a_mode_says_what_is_verified() {
        for (query, verified) in [
            ("sslmode=disable", Verification::Nothing),
            ("sslmode=prefer", Verification::Nothing),
            ("sslmode=require", Verification::Nothing),
            ("sslmode=require&sslrootcert=a.pem", Verification::Authority),
            ("sslmode=verify-ca&sslrootcert=a.pem", Verification::Authority),
            ("sslmode=verify-ca", Verification::AnyAuthority),
            ("sslmode=verify-full", Verification::AuthorityAndName),
            ("sslmode=disable&sslmode=verify-full", Verification::AuthorityAndName),
            ("sslrootcert=system", Verification::AuthorityAndName),
        ] {
            assert_eq!(taken(query).verification(), verified, "{query}");
        }
    }

    #[test]
    fn what_would_verify_less_than_it_seems_to_is_refused() {
        assert_eq!(refused("sslmode=allow"), "the sslmode is \"allow\", which is unknown");
        for weak in ["require", "verify-ca"] {
            let said = refused(&format!("sslmode={weak}&sslrootcert=system"));
            assert!(said.contains("sslrootcert=system"), "{said}");
        }
        assert!(refused("sslrootcert=a.pem").contains("verifies nothing"));
        assert!(refused("sslmode=require&sslcert=c.pem").contains("sslkey"));
    }
}
