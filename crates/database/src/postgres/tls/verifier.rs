//! Verification of the server's certificate, as the settings require.
use super::settings::Verification;
use domain::time::Timestamp;
use ring::digest::{SHA256, digest};
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::client::{verify_server_cert_signed_by_trust_anchor, verify_server_name};
use rustls::crypto::{
    CryptoProvider, WebPkiSupportedAlgorithms, verify_tls12_signature,
    verify_tls13_signature_with_raw_key,
};
use rustls::pki_types::{CertificateDer, ServerName, SubjectPublicKeyInfoDer, UnixTime};
use rustls::server::ParsedCertificate;
use rustls::{CertificateError, DigitallySignedStruct, Error, RootCertStore, SignatureScheme};
use std::time::Duration;

/// The trusted authorities and certificates.
#[derive(Debug)]
pub struct Trust {
    roots: RootCertStore,
    /// The digests of self-signed certificates that are trusted directly. Their authority and their
    /// usage are not checked.
    own: Vec<Vec<u8>>,
}

impl Trust {
    /// Trusts authorities, and servers that present a certificate of `own`.
    pub fn new(roots: RootCertStore, own: &[CertificateDer<'_>]) -> Self {
        Self { roots, own: own.iter().map(|it| fingerprint(it)).collect() }
    }

    fn is_own(&self, end: &CertificateDer<'_>) -> bool {
        self.own.contains(&fingerprint(end))
    }
}

/// Verifies the certificate as `sslmode` requires. Whatever `sslmode` is, it also verifies that the
/// server has the private key of its certificate.
#[derive(Debug)]
pub struct CertificateVerifier {
    trust: Option<(Trust, Verification)>,
    algorithms: WebPkiSupportedAlgorithms,
}

impl CertificateVerifier {
    /// Creates a verifier. Without `trust` it accepts every certificate.
    pub fn new(provider: &CryptoProvider, trust: Option<(Trust, Verification)>) -> Self {
        Self { trust, algorithms: provider.signature_verification_algorithms }
    }
}

impl ServerCertVerifier for CertificateVerifier {
    fn verify_server_cert(
        &self,
        end: &CertificateDer<'_>,
        between: &[CertificateDer<'_>],
        name: &ServerName<'_>,
        _: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        let Some((trust, verification)) = &self.trust else {
            return Ok(ServerCertVerified::assertion());
        };
        let (is_own, is_any_name) =
            (trust.is_own(end), *verification != Verification::AuthorityAndName);
        if is_own {
            is_valid_at(end, now)?;
            if is_any_name {
                return Ok(ServerCertVerified::assertion());
            }
        }
        let parsed = ParsedCertificate::try_from(end)?;
        if !is_own {
            let (roots, algorithms) = (&trust.roots, self.algorithms.all);
            verify_server_cert_signed_by_trust_anchor(&parsed, roots, between, now, algorithms)?;
        }
        if !is_any_name {
            verify_server_name(&parsed, name)?;
        }
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        verify_tls12_signature(message, certificate, signed, &self.algorithms)
    }

    /// Uses only the public key of the certificate. OpenSSL 3.0 issues certificates of version 1,
    /// which the library cannot parse. They are sufficient if nothing but the signature is
    /// verified.
    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        let key = crate::certificates::public_key(certificate);
        let key = SubjectPublicKeyInfoDer::from(key.ok_or(CertificateError::BadEncoding)?);
        verify_tls13_signature_with_raw_key(message, &key, signed, &self.algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.algorithms.supported_schemes()
    }
}

fn fingerprint(certificate: &[u8]) -> Vec<u8> {
    digest(&SHA256, certificate).as_ref().to_vec()
}

fn is_valid_at(certificate: &[u8], time: UnixTime) -> Result<(), Error> {
    let validity =
        crate::certificates::validity(certificate).ok_or(CertificateError::BadEncoding)?;
    let now = i64::try_from(time.as_secs()).map_err(|_| CertificateError::BadEncoding)?;
    let now = Timestamp::from_seconds(now);
    if now > validity.ends {
        let not_after = unix(validity.ends);
        return Err(CertificateError::ExpiredContext { time, not_after }.into());
    }
    if now < validity.begins {
        let not_before = unix(validity.begins);
        return Err(CertificateError::NotValidYetContext { time, not_before }.into());
    }
    Ok(())
}

fn unix(time: Timestamp) -> UnixTime {
    let micros = time.micros().max(0).cast_unsigned();
    UnixTime::since_unix_epoch(Duration::from_micros(micros))
}
