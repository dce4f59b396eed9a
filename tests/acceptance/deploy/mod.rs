//! Tests of the configurations in `docs/deploy`, exactly as they stand there: real proxies in front
//! of real servers.

pub mod certificates;
mod https;
mod packages;
mod pages;
pub mod proxies;

use crate::connect::{Browser, EMAIL, PASSWORD};
use crate::credentials::with_credentials;
use crate::operators::doctor::{DoctorReport, examine};
use crate::operators::prepare;
use crate::world::{
    Answer, Database, DirectConnection, Pair, Process, free_port, serving, switchboard,
};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use certificates::{Authority, CertificateExpiry, Issued};
use futures_util::future::join_all;
use proxies::ProxyAddress;
use reqwest::redirect::Policy;
use rustix::process::Signal;
use serde_json::json;
use std::fs::File;
use std::net::{IpAddr, Ipv4Addr};
use std::path::PathBuf;
use std::process::Stdio;
use tokio::io::AsyncWriteExt as _;

/// The callers' IP address, which differs from that of the proxies.
const CALLER: Ipv4Addr = Ipv4Addr::new(127, 0, 0, 2);
const ENCRYPTION_KEY: &str = "c3dpdGNoYm9hcmQtc3Rvcmllcy1zZWFsaW5nLWtleTE=";

/// A deployment: servers with one database behind a proxy.
struct Deployment {
    database: Database,
    authority: Authority,
    issued: Issued,
    place: ProxyAddress,
    key: Pair,
}

/// One server of a deployment. Its log goes to a file.
struct Server {
    process: Process,
    address: String,
    log: PathBuf,
}

impl Deployment {
    async fn on(database: Database) -> Self {
        let key = prepare(&database.url).await;
        member(&database.url).await;
        let authority = Authority::new("Ours");
        let issued = authority.issue(CertificateExpiry::Days(90));
        Self { database, authority, issued, place: ProxyAddress::new(), key }
    }

    /// Returns the settings of the server at this address.
    fn settings(&self, address: &str) -> Vec<(&'static str, String)> {
        let folder = self.database.folder.path();
        vec![
            ("SWITCHBOARD_DATABASE_URL", self.database.url.clone()),
            ("SWITCHBOARD_BIND", address.to_owned()),
            ("SWITCHBOARD_BASE_URL", self.place.base()),
            ("SWITCHBOARD_TRUSTED_PROXIES", "127.0.0.1".to_owned()),
            ("SWITCHBOARD_MEDIA_URL", format!("file:{}", folder.join("media").display())),
            ("SWITCHBOARD_ENCRYPTION_KEY", ENCRYPTION_KEY.to_owned()),
            ("SWITCHBOARD_LOG", "info,delivery=debug".to_owned()),
            // The file of the authorities that programs on this machine trust.
            ("SSL_CERT_FILE", self.authority.file().display().to_string()),
        ]
    }

    async fn server(&self) -> Server {
        let port = free_port();
        let address = format!("127.0.0.1:{port}");
        let log = self.database.folder.path().join(format!("{port}.log"));
        let mut command = serving(&self.database.url, port);
        command.envs(self.settings(&address)).stderr(File::create(&log).unwrap());
        Server { process: Process::ready(command, port).await, address, log }
    }

    /// Runs `switchboard doctor` with the settings of a server, some of them replaced by `more`.
    async fn examine(&self, server: &Server, more: &[(&'static str, &str)]) -> DoctorReport {
        let mut settings = self.settings(&server.address);
        settings.retain(|(name, _)| more.iter().all(|(other, _)| other != name));
        settings.extend(more.iter().map(|(name, value)| (*name, (*value).to_owned())));
        let settings: Vec<_> =
            settings.iter().map(|(name, value)| (*name, value.as_str())).collect();
        examine(self.database.folder.path(), &settings).await
    }

    /// Creates an HTTP client with the callers' IP address, which trusts the test's authority.
    fn caller(&self) -> reqwest::Client {
        platform::outbound::provide_cryptography();
        let builder = reqwest::Client::builder().redirect(Policy::none());
        let builder = builder.tls_certs_only([self.authority.certificate()]);
        builder.local_address(IpAddr::V4(CALLER)).build().unwrap()
    }

    /// Sends a text with the deployment's API key, and returns the status.
    async fn send(&self, http: &reqwest::Client, text: &str) -> u16 {
        let body = json!({"type": "text", "phone_number": "+12025550110", "text": text});
        let request = http.post(format!("{}/api/v1/messages", self.place.base()));
        let request = request.header("Idempotency-Key", format!("send-{text}"));
        with_credentials(request, &self.key).json(&body).send().await.unwrap().status().as_u16()
    }

    /// Asserts that the usual requests get through: a sign-in, a send, and the upload and download
    /// of a file.
    async fn is_used(&self) {
        let (http, base) = (self.caller(), self.place.base());
        let mut browser = Browser::with(http.clone(), &base);
        let page = browser.get("/login").await;
        assert_eq!(page.status, 200);
        assert_eq!(page.header("strict-transport-security"), "max-age=31536000");
        let signed_in = browser.sign_in_on(&page).await;
        assert!(!signed_in.location().contains("/login"), "{}", signed_in.location());
        let cookie = browser.cookie.clone().unwrap();
        assert!(cookie.starts_with("__Host-"), "{cookie}");
        assert_eq!(browser.get("/integrations/keys").await.status, 200);

        assert_eq!(self.send(&http, "Hello").await, 201);

        let mut bytes = b"%PDF-1.4\n".to_vec();
        bytes.resize(10 * 1024 * 1024, b'\n');
        let body = json!({
            "content_type": "application/pdf",
            "filename": "a.pdf",
            "data": STANDARD.encode(&bytes),
        });
        let request =
            with_credentials(http.post(format!("{base}/api/v1/media")), &self.key).json(&body);
        let uploaded = Answer::of(request).await;
        assert_eq!(uploaded.status, 201, "{}", uploaded.text);
        let address = uploaded.body["url"].as_str().unwrap();
        assert!(address.starts_with(&base), "{address}");
        let file = http.get(address).send().await.unwrap().bytes().await.unwrap();
        assert!(file == bytes, "{} bytes came back", file.len());
    }

    /// Asserts that the doctor reports no problem and finds the proxy.
    async fn is_well_at(&self, server: &Server) {
        let found = self.examine(server, &[]).await;
        found
            .is_well(&["SWITCHBOARD_BASE_URL", "leads to a server of this database"])
            .says("ok", &["SWITCHBOARD_BASE_URL", "the certificate is valid for", "more days"])
            .says("ok", &["SWITCHBOARD_TRUSTED_PROXIES", "through 127.0.0.1"]);
    }
}

impl Server {
    /// Stops the server, and asserts that its log has the caller's IP address, which it knows from
    /// the proxy.
    async fn logged_the_caller(self) {
        self.process.signal(Signal::TERM);
        assert_eq!(self.process.exit_code().await, Some(0));
        let log = std::fs::read_to_string(&self.log).unwrap();
        let line = log.lines().find(|line| line.contains("route=\"/api/v1/media\""));
        let line = line.unwrap_or_else(|| panic!("the upload in {log}"));
        assert!(line.contains(&format!("client={CALLER}")), "{line}");
    }
}

/// Creates a member of the organization who can sign in.
async fn member(url: &str) {
    let what = [
        "admin",
        "member",
        "create",
        "--organization",
        "Bakery",
        "--name",
        "Ada",
        "--email",
        EMAIL,
    ];
    let mut command =
        switchboard(&[&what[..], &["--password-stdin", "--database-url", url]].concat());
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::null()).spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    input.write_all(PASSWORD.as_bytes()).await.unwrap();
    drop(input);
    assert!(child.wait().await.unwrap().success());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn behind_nginx_as_its_page_shows() {
    let it = Deployment::on(Database::sqlite()).await;
    let server = it.server().await;
    let nginx = it.place.nginx(&server.address, &it.issued, |page| page).await;
    it.is_used().await;
    it.is_well_at(&server).await;
    let redirected = it.examine(&server, &[("SWITCHBOARD_BASE_URL", &nginx.plain)]).await;
    redirected.says("failed", &["SWITCHBOARD_BASE_URL", "redirects to https://localhost/healthz"]);
    server.logged_the_caller().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn behind_caddy_as_its_page_shows() {
    let it = Deployment::on(Database::sqlite()).await;
    let server = it.server().await;
    let caddy = it.place.caddy(&server.address, &it.issued).await;
    it.is_used().await;
    it.is_well_at(&server).await;
    server.logged_the_caller().await;
    drop(caddy);
}

/// Two servers behind `HAProxy`; one of them is stopped while messages are sent.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_servers_behind_haproxy_as_its_page_shows() {
    let it = Deployment::on(Database::postgres().await).await;
    let (one, two) = (it.server().await, it.server().await);
    let haproxy = it.place.haproxy([&one.address, &two.address], &it.issued).await;
    it.is_used().await;
    it.is_well_at(&two).await;
    let found = it.examine(&two, &[]).await;
    found.says("warning", &["SWITCHBOARD_REDIS_URL", "2 servers each count"]);
    found.says("warning", &["SWITCHBOARD_MEDIA_URL", "kept in a folder"]);

    // While one server stops, each send succeeds without a retry.
    let http = it.caller();
    let sender = async |first: usize| {
        let mut refused = Vec::new();
        for number in first..first + 50 {
            let status = it.send(&http, &number.to_string()).await;
            refused.extend((status != 201).then_some(status));
        }
        refused
    };
    let sends = join_all([0, 50, 100, 150].map(sender));
    one.process.signal(Signal::TERM);
    let (refused, code) = tokio::join!(sends, one.process.exit_code());
    assert!(refused.concat().is_empty());
    assert_eq!(code, Some(0));
    let mut beside = DirectConnection::connect(&it.database.url).await;
    assert_eq!(beside.number("SELECT count(*) AS number FROM messages").await, 201);
    let redirect = http.get(&haproxy.plain).send().await.unwrap();
    assert_eq!(redirect.status(), 301);
}

/// The doctor reports each line that is missing in the proxy's configuration.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_doctor_names_what_a_proxy_lacks() {
    let it = Deployment::on(Database::sqlite()).await;
    let server = it.server().await;
    let without = |line: &'static str| {
        move |page: String| {
            assert!(page.contains(line), "{line} in {page}");
            page.replace(line, "")
        }
    };

    let nginx =
        it.place.nginx(&server.address, &it.issued, without("client_max_body_size 145m;")).await;
    let found = it.examine(&server, &[]).await;
    found.fails(&["SWITCHBOARD_BASE_URL", "refuses bodies of 2 MiB", "client_max_body_size 145m"]);
    nginx.stop().await;

    let forwarded = without("proxy_set_header X-Forwarded-For $remote_addr;");
    let nginx = it.place.nginx(&server.address, &it.issued, forwarded).await;
    let found = it.examine(&server, &[]).await;
    found.fails(&[
        "SWITCHBOARD_TRUSTED_PROXIES",
        "does not send its callers' addresses",
        "X-Forwarded-For",
    ]);
    nginx.stop().await;

    // First the proxy has no server behind it, then the proxy itself is stopped.
    let nginx =
        it.place.nginx(&format!("127.0.0.1:{}", free_port()), &it.issued, |page| page).await;
    it.examine(&server, &[]).await.fails(&["SWITCHBOARD_BASE_URL", "answers with status 502"]);
    nginx.stop().await;
    let nowhere = it.examine(&server, &[]).await;
    nowhere.fails(&["SWITCHBOARD_BASE_URL", "cannot be reached from here"]);
}

/// The certificate has expired, expires soon, or is from an unknown authority.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_doctor_names_what_is_wrong_with_a_certificate() {
    let it = Deployment::on(Database::sqlite()).await;
    let server = it.server().await;
    let expired = it.authority.issue(CertificateExpiry::LongAgo);
    let nginx = it.place.nginx(&server.address, &expired, |page| page).await;
    it.examine(&server, &[]).await.fails(&[
        "SWITCHBOARD_BASE_URL",
        "certificate",
        "not valid",
        "xpired",
    ]);
    nginx.stop().await;

    let short = it.authority.issue(CertificateExpiry::Days(5));
    let nginx = it.place.nginx(&server.address, &short, |page| page).await;
    let found = it.examine(&server, &[]).await;
    found.is_well(&["SWITCHBOARD_BASE_URL", "leads to a server of this database"]);
    found.says(
        "warning",
        &["SWITCHBOARD_BASE_URL", "the certificate is valid for", "more days only", "renew it"],
    );

    let stranger = Authority::new("Stranger");
    let file = stranger.file().display().to_string();
    let found = it.examine(&server, &[("SSL_CERT_FILE", &file)]).await;
    found.fails(&["SWITCHBOARD_BASE_URL", "not valid", "UnknownIssuer"]);
    nginx.stop().await;
}

/// The server does not trust the proxy's address.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_doctor_names_a_proxy_that_is_not_trusted() {
    let it = Deployment::on(Database::sqlite()).await;
    let port = free_port();
    let address = format!("127.0.0.1:{port}");
    let mut command = serving(&it.database.url, port);
    command.envs(it.settings(&address)).env("SWITCHBOARD_TRUSTED_PROXIES", "10.0.0.1");
    let log = it.database.folder.path().join("log");
    let server = Server { process: Process::ready(command, port).await, address, log };
    let _nginx = it.place.nginx(&server.address, &it.issued, |page| page).await;
    let found = it.examine(&server, &[]).await;
    found.fails(&["SWITCHBOARD_TRUSTED_PROXIES", "127.0.0.1", "not trusted", "add 127.0.0.1"]);
}
