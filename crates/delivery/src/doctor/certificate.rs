//! The certificate of an address: its validity and the days left.

use parking_lot::Mutex;
use rustls::client::WebPkiServerVerifier;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{DigitallySignedStruct, Error, SignatureScheme};
use std::sync::Arc;
use std::time::Duration;

const DAY: Duration = Duration::from_hours(24);
/// The upper bound of the search, in days. No certificate of a public authority is valid for
/// longer.
const MAX_CERTIFICATE_DAYS: u64 = 1_000;

/// A verifier that works like that of all other clients of this program, and keeps the last
/// certificate for inspection.
#[derive(Debug)]
pub struct CertificateRecorder {
    verifier: Arc<WebPkiServerVerifier>,
    shown: Mutex<Option<PresentedCertificate>>,
}

#[derive(Clone, Debug)]
struct PresentedCertificate {
    end: CertificateDer<'static>,
    others: Vec<CertificateDer<'static>>,
    name: ServerName<'static>,
    at: UnixTime,
    refused: Option<Error>,
}

/// The validity of a certificate.
#[derive(Debug, PartialEq, Eq)]
pub enum CertificateState {
    /// The certificate stays valid for this number of whole days.
    Days(u64),
    /// The certificate is not valid, with the reason.
    Refused(String),
}

impl CertificateRecorder {
    pub const fn new(verifier: Arc<WebPkiServerVerifier>) -> Self {
        Self { verifier, shown: Mutex::new(None) }
    }

    /// Returns the validity of the last presented certificate, or `None` if there was none.
    pub fn validity(&self) -> Option<CertificateState> {
        let shown = self.shown.lock().clone()?;
        Some(match &shown.refused {
            Some(error) => CertificateState::Refused(error.to_string()),
            None => CertificateState::Days(self.days_left(&shown)),
        })
    }

    /// Returns the number of days for which the whole chain stays valid. The chain is verified as
    /// of later times, so an intermediate certificate that expires first is noticed.
    fn days_left(&self, shown: &PresentedCertificate) -> u64 {
        let (mut valid, mut over) = (0, MAX_CERTIFICATE_DAYS);
        while over - valid > 1 {
            let days = valid.midpoint(over);
            let at = shown.at.as_secs().saturating_add(days.saturating_mul(DAY.as_secs()));
            let at = UnixTime::since_unix_epoch(Duration::from_secs(at));
            let PresentedCertificate { end, others, name, .. } = shown;
            if self.verifier.verify_server_cert(end, others, name, &[], at).is_ok() {
                valid = days;
            } else {
                over = days;
            }
        }
        valid
    }
}

impl ServerCertVerifier for CertificateRecorder {
    fn verify_server_cert(
        &self,
        end: &CertificateDer<'_>,
        others: &[CertificateDer<'_>],
        name: &ServerName<'_>,
        ocsp: &[u8],
        at: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        let verified = self.verifier.verify_server_cert(end, others, name, ocsp, at);
        let shown = PresentedCertificate {
            end: end.clone().into_owned(),
            others: others.iter().map(|it| it.clone().into_owned()).collect(),
            name: name.to_owned(),
            at,
            refused: verified.as_ref().err().cloned(),
        };
        *self.shown.lock() = Some(shown);
        verified
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.verifier.verify_tls12_signature(message, certificate, signed)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.verifier.verify_tls13_signature(message, certificate, signed)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.verifier.supported_verify_schemes()
    }
}
