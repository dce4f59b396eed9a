//! A PostgreSQL server with TLS for one test.

use crate::deploy::certificates::{Authority, CertificateExpiry, Issued};
use crate::handover::private_postgres::PrivatePostgres;
use crate::operators::{Output, run};
use crate::world::DirectConnection;
use platform::clock::Stopwatch;
use std::fs;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, chown};
use std::path::Path;
use std::time::Duration;

const SOON: Duration = Duration::from_secs(10);
const PAUSE: Duration = Duration::from_millis(50);
/// The line in `pg_hba.conf` for the test's own connections, whatever else is allowed.
const OWN: &str = "local all all trust\n";

/// A PostgreSQL server with a certificate for `localhost`.
pub struct TlsPostgres {
    postgres: PrivatePostgres,
    /// The authority that issued the server's certificate.
    pub authority: Authority,
}

impl TlsPostgres {
    pub async fn start() -> Self {
        let it =
            Self { postgres: PrivatePostgres::start().await, authority: Authority::new("Ours") };
        it.put("ca.crt", &fs::read(it.authority.file()).unwrap());
        it.take(&it.authority.issue(CertificateExpiry::Days(90)));
        let mut beside = it.beside().await;
        beside.execute("ALTER SYSTEM SET ssl = on").await;
        beside.execute("ALTER SYSTEM SET ssl_ca_file = 'ca.crt'").await;
        it.reload().await;
        let watch = Stopwatch::start();
        while !it.connects("localhost", "sslmode=require").await {
            assert!(watch.elapsed() < SOON, "it speaks no TLS");
            tokio::time::sleep(PAUSE).await; // real time: another process reads its settings
        }
        it
    }

    /// Returns the URL with this host and these parameters.
    pub fn url(&self, host: &str, parameters: &str) -> String {
        self.url_of("postgres", host, parameters)
    }

    /// Returns the URL for another user.
    pub fn url_of(&self, user: &str, host: &str, parameters: &str) -> String {
        format!("postgres://{user}@{host}:{}/postgres?{parameters}", self.port())
    }

    fn port(&self) -> String {
        let url = self.postgres.url();
        url.rsplit_once(':').unwrap().1.split('/').next().unwrap().to_owned()
    }

    /// Opens the test's own connection.
    pub async fn beside(&self) -> DirectConnection {
        let folder = self.postgres.folder().display();
        let url = format!("postgres:///postgres?user=postgres&host={folder}&port={}", self.port());
        DirectConnection::connect(&url).await
    }

    /// Replaces the server's certificate.
    pub async fn show(&self, issued: &Issued) {
        self.take(issued);
        self.reload().await;
    }

    fn take(&self, issued: &Issued) {
        self.put("server.crt", &fs::read(&issued.certificate).unwrap());
        self.put("server.key", &fs::read(&issued.key).unwrap());
    }

    /// Replaces the lines in `pg_hba.conf`, except the one for the test's own connections.
    pub async fn allow(&self, lines: &str) {
        self.put("pg_hba.conf", format!("{OWN}{lines}\n").as_bytes());
        self.reload().await;
    }

    /// Changes a setting of the server.
    pub async fn set(&self, setting: &str) {
        self.beside().await.execute(&format!("ALTER SYSTEM SET {setting}")).await;
        self.reload().await;
    }

    /// Makes the server reload its files and settings, and waits until new connections use them.
    async fn reload(&self) {
        let mut beside = self.beside().await;
        let at = "SELECT (extract(epoch FROM pg_conf_load_time()) * 1000000)::bigint AS number";
        let before = beside.number(at).await;
        beside.execute("SELECT pg_reload_conf()").await;
        let watch = Stopwatch::start();
        // A new connection has the settings of the main process.
        while self.beside().await.number(at).await == before {
            assert!(watch.elapsed() < SOON, "it does not read its settings");
            tokio::time::sleep(PAUSE).await; // real time: another process reads its settings
        }
    }

    fn put(&self, name: &str, bytes: &[u8]) {
        let data = self.postgres.folder().join("data");
        let (file, owner) = (data.join(name), fs::metadata(&data).unwrap());
        fs::write(&file, bytes).unwrap();
        fs::set_permissions(&file, fs::Permissions::from_mode(0o600)).unwrap();
        chown(&file, Some(owner.uid()), Some(owner.gid())).unwrap();
    }

    async fn connects(&self, host: &str, parameters: &str) -> bool {
        ask(&self.url(host, parameters), &[]).await.code == Some(0)
    }
}

/// Runs a command that only reads a database, and returns its output.
pub async fn ask(url: &str, variables: &[(&str, &str)]) -> Output {
    let arguments = ["migrate", "status", "--database-url", url];
    run(Path::new("/"), &arguments, variables).await
}
