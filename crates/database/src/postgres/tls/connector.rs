//! TLS for connections of `tokio_postgres`.
use super::Tls;
use super::fault::{SettingsFault, TlsHandshakeFault};
use super::settings::{Mode, Verification};
use crate::certificates::SignatureHash;
use domain::time::Timestamp;
use futures_util::future::{BoxFuture, FutureExt as _};
use parking_lot::Mutex;
use ring::digest::{SHA256, SHA384, SHA512, digest};
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{ClientConfig, ProtocolVersion};
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio_postgres::Socket;
use tokio_postgres::tls::{ChannelBinding, MakeTlsConnect, TlsConnect, TlsStream};
use tokio_rustls::TlsConnector;
use tokio_rustls::client;

/// The encryption of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Encryption {
    /// The protocol version, such as `TLS 1.3`.
    pub version: &'static str,
    /// The checks of the server's certificate, which it has passed.
    pub verification: Verification,
    /// The end of the certificate's validity, if it can be read.
    pub ends: Option<Timestamp>,
}

/// Performs handshakes, and remembers the encryption of the last one.
#[derive(Clone)]
pub struct Connector {
    tls: Arc<Tls>,
    /// The TLS configuration, if TLS is required. Otherwise it is read only when a server offers
    /// TLS.
    client: Option<Arc<ClientConfig>>,
    encryption: Arc<Mutex<Option<Encryption>>>,
}

impl Connector {
    /// Creates a connector with these settings.
    pub fn new(tls: &Arc<Tls>) -> Result<Self, SettingsFault> {
        let is_needed = tls.settings().mode >= Mode::Require;
        let client = if is_needed { Some(tls.client()?) } else { None };
        Ok(Self { tls: tls.clone(), client, encryption: Arc::default() })
    }

    /// Returns the encryption of the last connection, if it is encrypted.
    #[must_use]
    pub fn encryption(&self) -> Option<Encryption> {
        *self.encryption.lock()
    }

    async fn shake_hands(
        self,
        host: String,
        stream: Socket,
    ) -> Result<Encrypted, TlsHandshakeFault> {
        let client = match self.client {
            Some(client) => client,
            None => self.tls.client()?,
        };
        let name = ServerName::try_from(host.clone());
        let name = name.map_err(|_| TlsHandshakeFault::NoName(host.clone()))?;
        let stream = TlsConnector::from(client).connect(name, stream).await;
        let stream =
            Encrypted(Box::new(stream.map_err(|error| TlsHandshakeFault::from_io(error, &host))?));
        let verification = self.tls.settings().verification();
        *self.encryption.lock() = Some(Encryption {
            version: stream.version(),
            verification,
            ends: stream
                .certificate()
                .and_then(|it| crate::certificates::validity(it))
                .map(|it| it.ends),
        });
        Ok(stream)
    }
}

impl MakeTlsConnect<Socket> for Connector {
    type Stream = Encrypted;
    type TlsConnect = TlsHandshake;
    type Error = TlsHandshakeFault;

    fn make_tls_connect(&mut self, host: &str) -> Result<TlsHandshake, TlsHandshakeFault> {
        // Clears the encryption of the previous attempt, whose connection was not used.
        *self.encryption.lock() = None;
        Ok(TlsHandshake { connector: self.clone(), host: host.to_owned() })
    }
}

pub struct TlsHandshake {
    connector: Connector,
    host: String,
}

impl TlsConnect<Socket> for TlsHandshake {
    type Stream = Encrypted;
    type Error = TlsHandshakeFault;
    type Future = BoxFuture<'static, Result<Encrypted, TlsHandshakeFault>>;

    fn connect(self, stream: Socket) -> Self::Future {
        self.connector.shake_hands(self.host, stream).boxed()
    }
}

/// An encrypted connection. The stream is boxed, because the TLS state is large, and an unencrypted
/// connection has to reserve space for it, too.
pub struct Encrypted(Box<client::TlsStream<Socket>>);

impl Encrypted {
    fn certificate(&self) -> Option<&CertificateDer<'static>> {
        self.0.get_ref().1.peer_certificates()?.first()
    }

    fn version(&self) -> &'static str {
        match self.0.get_ref().1.protocol_version() {
            Some(ProtocolVersion::TLSv1_2) => "TLS 1.2",
            _ => "TLS 1.3",
        }
    }
}

impl TlsStream for Encrypted {
    fn channel_binding(&self) -> ChannelBinding {
        let end_point = self.certificate().and_then(|it| end_point(it));
        end_point.map_or_else(ChannelBinding::none, ChannelBinding::tls_server_end_point)
    }
}

/// Returns the channel binding of SCRAM-SHA-256-PLUS (`tls-server-end-point`, RFC 5929 section
/// 4.1): the certificate's digest with the hash of its signature, or with SHA-256 if that hash is
/// broken. Returns `None` for a signature without a separate hash.
fn end_point(certificate: &[u8]) -> Option<Vec<u8>> {
    let algorithm = match crate::certificates::signature_hash(certificate)? {
        SignatureHash::Broken | SignatureHash::Sha256 => &SHA256,
        SignatureHash::Sha384 => &SHA384,
        SignatureHash::Sha512 => &SHA512,
    };
    Some(digest(algorithm, certificate).as_ref().to_vec())
}

impl AsyncRead for Encrypted {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_read(context, buffer)
    }
}

impl AsyncWrite for Encrypted {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.0).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_shutdown(context)
    }
}
