//! HTTPS without a proxy, as in `docs/deploy/tls.md`.

use super::certificates::{Authority, CertificateExpiry, Issued};
use super::proxies::code_block;
use super::{Deployment, Server, serving};
use crate::operators::run;
use crate::starting::Starting;
use crate::world::{Database, Process, free_port};
use futures_util::future::join_all;
use rustix::process::Signal;
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{ClientConfig, RootCertStore};
use std::fs::{self, File};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::time::{sleep, timeout};
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;

const PAGE: &str = include_str!("../../../docs/deploy/tls.md");
/// The ALPN protocol id of HTTP/1.1.
const HTTP_1_1: &[u8] = b"http/1.1";

impl Deployment {
    /// Returns the settings from the page, with this test's paths and addresses.
    fn https(&self, address: &str, issued: &Issued) -> Vec<(&'static str, String)> {
        let shown = code_block(PAGE, "sh");
        let ours = [
            ("SWITCHBOARD_BIND", address.to_owned()),
            ("SWITCHBOARD_BASE_URL", format!("https://localhost:{}", port_of(address))),
            ("SWITCHBOARD_TLS_CERT", issued.certificate.display().to_string()),
            ("SWITCHBOARD_TLS_KEY", issued.key.display().to_string()),
        ];
        assert_eq!(shown.lines().count(), ours.len(), "{shown}");
        for (name, _) in &ours {
            assert!(shown.contains(name), "{name} in {shown}");
        }
        let mut settings = self.settings(address);
        settings.retain(|(name, _)| *name != "SWITCHBOARD_TRUSTED_PROXIES");
        settings.retain(|(name, _)| ours.iter().all(|(other, _)| other != name));
        settings.extend(ours);
        settings
    }

    async fn https_server(&self, issued: &Issued) -> Server {
        let port = self.place.port();
        let address = format!("127.0.0.1:{port}");
        let log = self.database.folder.path().join(format!("{port}.log"));
        let mut command = serving(&self.database.url, port);
        command.envs(self.https(&address, issued)).stderr(File::create(&log).unwrap());
        let process = Process::ready_at(command, self.place.base(), &self.caller()).await;
        Server { process, address, log }
    }
}

fn port_of(address: &str) -> &str {
    address.rsplit_once(':').unwrap().1
}

/// A TLS connection that stays open.
struct Kept(TlsStream<TcpStream>);

impl Kept {
    /// Connects to a server whose certificate must be from this authority.
    async fn connect(
        port: u16,
        authority: &Authority,
        protocols: &[&[u8]],
    ) -> std::io::Result<Self> {
        let mut roots = RootCertStore::empty();
        roots.add(CertificateDer::from_pem_file(authority.file()).unwrap()).unwrap();
        let mut config =
            ClientConfig::builder().with_root_certificates(roots).with_no_client_auth();
        config.alpn_protocols = protocols.iter().map(|it| it.to_vec()).collect();
        let stream = TcpStream::connect(("127.0.0.1", port)).await?;
        let name = ServerName::try_from("localhost").unwrap();
        let connector = TlsConnector::from(Arc::new(config));
        Ok(Self(connector.connect(name, stream).await?))
    }

    /// Sends a request and returns whether the response is a 200.
    async fn is_served(&mut self) -> bool {
        let request = "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n";
        if self.0.write_all(request.as_bytes()).await.is_err() {
            return false;
        }
        let mut answer = vec![0; 4096];
        let read = timeout(Duration::from_secs(5), self.0.read(&mut answer)).await;
        let read = read.expect("it answers or closes");
        matches!(read, Ok(read) if answer[..read].starts_with(b"HTTP/1.1 200"))
    }
}

fn replace(file: &Path, with: &Path) {
    let draft = file.with_extension("new");
    fs::copy(with, &draft).unwrap();
    fs::rename(draft, file).unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn https_without_a_proxy_as_its_page_shows() {
    let it = Deployment::on(Database::sqlite()).await;
    let server = it.https_server(&it.issued).await;
    it.is_used().await;
    let examine = async |more: &[(&'static str, &str)]| {
        let mut settings = it.https(&server.address, &it.issued);
        settings.retain(|(name, _)| more.iter().all(|(other, _)| other != name));
        settings.extend(more.iter().map(|(name, value)| (*name, (*value).to_owned())));
        let settings: Vec<_> = settings.iter().map(|(name, it)| (*name, it.as_str())).collect();
        super::examine(it.database.folder.path(), &settings).await
    };
    examine(&[])
        .await
        .is_well(&["SWITCHBOARD_BASE_URL", "leads to a server of this database"])
        .says("ok", &["SWITCHBOARD_BIND", "a server of this database answers"])
        .says("ok", &["SWITCHBOARD_TLS_CERT", "matches its key", "89 more days"])
        .says("ok", &["SWITCHBOARD_TRUSTED_PROXIES", "without a proxy"]);
    // The doctor reports configured files that the server does not use, and a certificate that
    // expires soon.
    let short = it.authority.issue(CertificateExpiry::Days(5));
    let [certificate, key] = [&short.certificate, &short.key].map(|it| it.display().to_string());
    let other =
        [("SWITCHBOARD_TLS_CERT", certificate.as_str()), ("SWITCHBOARD_TLS_KEY", key.as_str())];
    let found = examine(&other).await;
    found.fails(&["SWITCHBOARD_BIND", "does not use the certificate", "see the server's log"]);
    found.says("warning", &["SWITCHBOARD_TLS_CERT", "expires at", "renewal"]);
    // The server speaks only HTTP/1.1, whether or not the client offers protocols with ALPN.
    let port = it.place.port();
    for protocols in [&[][..], &[HTTP_1_1], &[b"h2", HTTP_1_1]] {
        let mut kept = Kept::connect(port, &it.authority, protocols).await.unwrap();
        assert_eq!(kept.0.get_ref().1.alpn_protocol(), protocols.last().copied());
        assert!(kept.is_served().await);
    }
    assert!(Kept::connect(port, &it.authority, &[b"h2"]).await.is_err());
    // A request without TLS fails, and a client that sends nothing does not block others.
    let plain = it.caller().get(format!("http://localhost:{port}/healthz")).send().await;
    assert!(plain.is_err());
    let _silent = TcpStream::connect(("127.0.0.1", port)).await.unwrap();
    assert!(Kept::connect(port, &it.authority, &[]).await.unwrap().is_served().await);
    let metrics = reqwest::get(format!("http://{}/metrics", server.process.metrics)).await;
    let metrics = metrics.unwrap().text().await.unwrap();
    assert!(
        metrics.contains("switchboard_tls_certificate_expiry_timestamp_seconds 1"),
        "{metrics}"
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_renewed_certificate_is_taken_and_no_connection_dropped() {
    // Given a server, and a connection to it,
    let it = Deployment::on(Database::sqlite()).await;
    let settings = it.https("127.0.0.1:443", &it.issued);
    let settings: Vec<_> = settings.iter().map(|(name, it)| (*name, it.as_str())).collect();
    // (The flag `--bind` overrides the address in the settings.)
    let mut server = Starting::serve(&it.database.url, &[], &settings);
    server.says("ready").await;
    let port = port_of(&server.base).parse().unwrap();
    let mut kept = Kept::connect(port, &it.authority, &[]).await.unwrap();
    assert!(kept.is_served().await);

    // when the certificate is replaced by one of another authority, the key file first,
    let other = Authority::new("Other");
    let renewed = other.issue(CertificateExpiry::Days(90));
    replace(&it.issued.key, &renewed.key);
    replace(&it.issued.certificate, &renewed.certificate);
    server.says("the certificate was replaced").await;

    // then new connections get the new certificate, and the old connection still works.
    assert!(Kept::connect(port, &other, &[]).await.unwrap().is_served().await);
    assert!(Kept::connect(port, &it.authority, &[]).await.is_err());
    assert!(kept.is_served().await);

    // When the new files do not match each other, then the server keeps the old pair and logs an
    // error.
    let third = other.issue(CertificateExpiry::Days(90));
    replace(&it.issued.key, &third.key);
    server.says("the certificate was not replaced").await;
    assert!(Kept::connect(port, &other, &[]).await.unwrap().is_served().await);
    assert!(kept.is_served().await);
    replace(&it.issued.certificate, &third.certificate);
    server.says("the certificate was replaced").await;
    // A certificate that expires soon is used, and a warning is logged.
    let short = other.issue(CertificateExpiry::Days(5));
    replace(&it.issued.key, &short.key);
    replace(&it.issued.certificate, &short.certificate);
    server.says("the certificate expires soon").await;
    server.ends_on_request().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_stop_under_load_breaks_no_request_over_tls() {
    let it = Deployment::on(Database::sqlite()).await;
    let server = it.https_server(&it.issued).await;
    // Given clients that send without a pause, each on its own connection,
    let (sent, http) = (AtomicUsize::new(0), it.caller());
    let client = async |number: usize| {
        for turn in 0.. {
            let text = format!("{number}-{turn}");
            let body =
                serde_json::json!({"type": "text", "phone_number": "+12025550110", "text": text});
            let request = http.post(format!("{}/api/v1/messages", it.place.base())).json(&body);
            match super::with_credentials(request, &it.key).send().await {
                Ok(answer) => assert_eq!(answer.status(), 201),
                Err(error) if error.is_connect() => return,
                Err(error) => panic!("a request broke: {error:?}"),
            }
            sent.fetch_add(1, Ordering::SeqCst);
        }
    };
    // when the server is asked to stop in the meantime,
    let stopping = async {
        while sent.load(Ordering::SeqCst) < 200 {
            sleep(Duration::from_millis(5)).await; // real time: another process accepts
        }
        server.process.signal(Signal::TERM);
        server.process.exit_code().await
    };
    // then each request was answered, or its connection was refused.
    let (code, _) = tokio::join!(stopping, join_all((0..16).map(client)));
    assert_eq!(code, Some(0));
}

#[tokio::test]
async fn a_pair_that_cannot_be_used_stops_the_start() {
    let authority = Authority::new("Ours");
    let (one, other) = (
        authority.issue(CertificateExpiry::Days(90)),
        authority.issue(CertificateExpiry::Days(90)),
    );
    let folder = tempfile::tempdir().unwrap();
    let database = format!("sqlite:{}", folder.path().join("a.db").display());
    let start = async |certificate: &Path, key: &Path, more: &[(&str, &str)]| {
        let [certificate, key] = [certificate, key].map(|it| it.display().to_string());
        let bind = format!("127.0.0.1:{}", free_port());
        let ours = [
            ("SWITCHBOARD_DATABASE_URL", database.as_str()),
            ("SWITCHBOARD_BIND", &bind),
            ("SWITCHBOARD_TLS_CERT", &certificate),
            ("SWITCHBOARD_TLS_KEY", &key),
        ];
        run(folder.path(), &["serve"], &[&ours[..], more].concat()).await
    };
    let nowhere = Path::new("/nowhere.pem");
    let said = start(nowhere, &one.key, &[]).await;
    said.failed_with(&["SWITCHBOARD_TLS_CERT", "/nowhere.pem cannot be read"]);
    let said = start(&one.certificate, nowhere, &[]).await;
    said.failed_with(&["SWITCHBOARD_TLS_KEY", "/nowhere.pem cannot be read"]);
    let said = start(&one.key, &one.key, &[]).await;
    said.failed_with(&["SWITCHBOARD_TLS_CERT", "holds no certificate", "fullchain.pem"]);
    let said = start(&one.certificate, &one.certificate, &[]).await;
    said.failed_with(&["SWITCHBOARD_TLS_KEY", "holds no private key", "privkey.pem"]);
    let said = start(&one.certificate, &other.key, &[]).await;
    said.failed_with(&["SWITCHBOARD_TLS_KEY", "is not that of the certificate", "issued for"]);
    let locked = folder.path().join("locked.key");
    let text = "-----BEGIN ENCRYPTED PRIVATE KEY-----\nMAA=\n-----END ENCRYPTED PRIVATE KEY-----\n";
    fs::write(&locked, text).unwrap();
    let said = start(&one.certificate, &locked, &[]).await;
    said.failed_with(&["SWITCHBOARD_TLS_KEY", "encrypted with a password", "openssl pkey"]);

    // Settings that do not fit together are configuration errors.
    let said = start(&one.certificate, Path::new(""), &[]).await;
    said.failed_with(&["tls_cert and tls_key go together"]);
    let plain = [("SWITCHBOARD_BASE_URL", "http://api.example.com")];
    let said = start(&one.certificate, &one.key, &plain).await;
    said.failed_with(&["base_url", "write https://"]);
}
