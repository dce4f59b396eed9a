//! TLS to PostgreSQL (`docs/deploy/postgres-tls.md`): the checks of each `sslmode`, client
//! certificates, and certificates that are renewed while a server runs.

mod server;

use crate::deploy::certificates::{Authority, CertificateExpiry, Issued};
use crate::deploy::proxies::code_block;
use crate::operators::doctor::examine;
use crate::world::{Database, DirectConnection, World, free_port, settings_with};
use delivery::cli::start;
use platform::clock::{Clock, Stopwatch};
use serde_json::json;
use server::{TlsPostgres, ask};
use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

const PAGE: &str = include_str!("../../../docs/deploy/postgres-tls.md");
const SOON: Duration = Duration::from_secs(10);
const PAUSE: Duration = Duration::from_millis(50);
const DAYS: CertificateExpiry = CertificateExpiry::Days(90);

fn with_roots(mode: &str, file: &Path) -> String {
    format!("sslmode={mode}&sslrootcert={}", file.display())
}

/// Returns a database with this URL and a directory for a server.
fn place(url: String) -> Database {
    Database { url, ..Database::sqlite() }
}

async fn connections(beside: &mut DirectConnection, that: &str) -> i64 {
    let ours = "SELECT count(*) AS number FROM pg_stat_activity JOIN pg_stat_ssl USING (pid) \
                WHERE application_name = 'switchboard'";
    beside.number(&format!("{ours} AND {that}")).await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn all_connections_of_a_server_are_encrypted() {
    // Given a server whose URL requires all checks of TLS, with running workers,
    let postgres = TlsPostgres::start().await;
    let url = postgres.url("localhost", &with_roots("verify-full", &postgres.authority.file()));
    let world = World::on(place(url.clone()), &[]).await;
    let media = format!("file:{}", world.folder().join("media").display());
    let workers = start(settings_with(&url, &[("media_url", &media)]), Clock::system(), true);
    let workers = workers.await.unwrap();

    // when a message is sent,
    let message = json!({"type": "text", "phone_number": "+12025560001", "text": "Hello"});
    assert_eq!(world.post("/api/v1/messages", &world.key, &message).await.status, 201);

    // then all its connections are encrypted, also the one for notifications.
    let mut beside = postgres.beside().await;
    let watch = Stopwatch::start();
    while connections(&mut beside, "query LIKE 'LISTEN%'").await == 0 {
        assert!(watch.elapsed() < SOON, "nobody listens");
        tokio::time::sleep(PAUSE).await; // real time: a server that runs by itself
    }
    assert!(connections(&mut beside, "ssl AND version = 'TLSv1.3'").await > 2);
    assert_eq!(connections(&mut beside, "NOT ssl").await, 0);
    workers.stop().await.unwrap();
}

#[tokio::test]
async fn each_mode_takes_what_it_says() {
    // Given a server with a certificate for localhost, and another authority,
    let postgres = TlsPostgres::start().await;
    let foreign = Authority::new("Theirs");
    let (ours, theirs) = (postgres.authority.file(), foreign.file());
    let answer =
        async |host: &str, parameters: &str| ask(&postgres.url(host, parameters), &[]).await;

    // then clients connect that do not verify the certificate, trust its authority, or connect with
    // its name;
    for mode in ["disable", "prefer", "require"] {
        answer("localhost", &format!("sslmode={mode}")).await.succeeded();
    }
    answer("localhost", "application_name=a").await.succeeded();
    answer("localhost", &with_roots("verify-full", &ours)).await.succeeded();
    answer("127.0.0.1", &with_roots("verify-ca", &ours)).await.succeeded();
    answer("127.0.0.1", &with_roots("require", &ours)).await.succeeded();

    // clients fail that use another name or trust another authority;
    let other_name = answer("127.0.0.1", &with_roots("verify-full", &ours)).await;
    other_name.failed_with(&["is for localhost", "127.0.0.1", "subjectAltName"]);
    for mode in ["require", "verify-ca", "verify-full"] {
        let untrusted = answer("localhost", &with_roots(mode, &theirs)).await;
        untrusted.failed_with(&["not from a trusted authority", "sslrootcert"]);
    }

    // and without `sslrootcert` the machine's authorities are trusted.
    let trusting = async |file: &Path, parameters: &str| {
        let file = file.display().to_string();
        ask(&postgres.url("localhost", parameters), &[("SSL_CERT_FILE", &file)]).await
    };
    for parameters in ["sslmode=verify-full", "sslrootcert=system", "sslmode=verify-ca"] {
        trusting(&ours, parameters).await.succeeded();
        trusting(&theirs, parameters).await.failed_with(&["not from a trusted authority"]);
    }

    // A self-signed certificate is trusted if the client names that very certificate.
    postgres.show(&postgres.authority.itself()).await;
    answer("localhost", &with_roots("verify-ca", &ours)).await.succeeded();
    answer("localhost", &with_roots("verify-full", &ours)).await.failed_with(&["for no name"]);
    answer("localhost", &with_roots("verify-ca", &theirs))
        .await
        .failed_with(&["cannot be verified", "own"]);

    // The same holds for a certificate of X.509 version 1, which fails every other verification.
    let plain = postgres.authority.issue_plain();
    postgres.show(&plain).await;
    answer("localhost", "sslmode=require").await.succeeded();
    answer("localhost", &with_roots("verify-ca", &plain.certificate)).await.succeeded();
    answer("localhost", &with_roots("verify-full", &ours)).await.failed_with(&["subjectAltName"]);

    // An expired certificate is rejected if it is verified. An old server with TLS 1.2 is accepted
    // without verification.
    postgres.show(&postgres.authority.issue(CertificateExpiry::LongAgo)).await;
    let ended = answer("localhost", &with_roots("verify-ca", &ours)).await;
    ended.failed_with(&["not valid at this time", "renew"]);
    postgres.set("ssl_max_protocol_version = 'TLSv1.2'").await;
    answer("localhost", "sslmode=require").await.succeeded();
}

#[tokio::test]
async fn certificates_are_made_as_the_page_shows() {
    // Given an authority and a certificate that were created with the commands on the page,
    let (folder, postgres) = (tempfile::tempdir().unwrap(), TlsPostgres::start().await);
    let (_, own) = PAGE.split_once("## A server of your own").expect("the page says how");
    let lines = code_block(own, "sh").replace("db.example.com", "localhost");
    let (lines, _) =
        lines.split_once("\ninstall ").expect("they are put where they belong at last");
    let mut shell = Command::new("sh");
    let made = shell.args(["-ec", lines]).current_dir(folder.path()).output().unwrap();
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    let file = |name: &str| folder.path().join(name);
    let certificate = file("server.crt");
    let issued = Issued { both: certificate.clone(), certificate, key: file("server.key") };

    // then clients with the authority's file can connect with that name.
    postgres.show(&issued).await;
    let url = postgres.url("localhost", &with_roots("verify-full", &file("db-ca.pem")));
    ask(&url, &[]).await.succeeded();
}

#[tokio::test]
async fn a_server_without_tls_is_for_those_that_do_not_ask_for_it() {
    let database = Database::plain_postgres().await;
    for mode in ["disable", "prefer"] {
        ask(&format!("{}?sslmode={mode}", database.url), &[]).await.succeeded();
    }
    for mode in ["require", "verify-ca", "verify-full"] {
        let said = ask(&format!("{}?sslmode={mode}&sslrootcert=", database.url), &[]).await;
        said.failed_with(&["offers no TLS", "ssl = on"]);
    }

    // If a server accepts certain clients only without TLS, then clients that do not require TLS
    // connect without it.
    let postgres = TlsPostgres::start().await;
    postgres.allow("hostnossl all all 127.0.0.1/32 trust").await;
    ask(&postgres.url("127.0.0.1", ""), &[]).await.succeeded();
    let said = ask(&postgres.url("127.0.0.1", "sslmode=require"), &[]).await;
    said.failed_with(&["pg_hba.conf", "SSL encryption"]);
}

#[tokio::test]
async fn settings_that_cannot_be_used_are_named_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let (empty, nowhere) = (folder.path().join("empty.pem"), folder.path().join("nowhere.pem"));
    fs::write(&empty, "").unwrap();
    let [empty, nowhere] = [empty, nowhere].map(|it| it.display().to_string());
    // No server runs at this address: the errors are reported before any connection is tried.
    let said = async |parameters: &str| {
        ask(&format!("postgres://a@127.0.0.1:1/b?{parameters}"), &[]).await
    };
    for (parameters, words) in [
        ("sslmode=allow".to_owned(), ["sslmode is \"allow\"", "verify-full"]),
        (format!("sslmode=verify-full&sslrootcert={nowhere}"), ["cannot be read", "may read"]),
        (format!("sslmode=require&sslrootcert={empty}"), ["holds no certificate", "in PEM"]),
        ("sslmode=require&sslcert=a.pem".to_owned(), ["only one of sslcert", "name both"]),
        ("sslmode=require&sslrootcert=system".to_owned(), ["takes any name", "verify-full"]),
    ] {
        said(&parameters).await.failed_with(&words);
    }
}

#[tokio::test]
async fn a_client_shows_its_certificate() {
    // Given a server that accepts only clients with a certificate of its authority,
    let postgres = TlsPostgres::start().await;
    postgres.beside().await.execute("CREATE ROLE clerk LOGIN SUPERUSER").await;
    postgres.allow("hostssl all all 127.0.0.1/32 cert").await;
    let connecting = async |issued: Option<&Issued>| {
        let files = issued
            .map(|it| format!("&sslcert={}&sslkey={}", it.certificate.display(), it.key.display()));
        let roots = with_roots("verify-full", &postgres.authority.file());
        let parameters = format!("{roots}{}", files.unwrap_or_default());
        ask(&postgres.url_of("clerk", "localhost", &parameters), &[]).await
    };

    // then only a client is accepted whose certificate has the name of the database user.
    connecting(Some(&postgres.authority.issue_to("clerk", DAYS))).await.succeeded();
    connecting(None).await.failed_with(&["valid client certificate"]);
    let other = postgres.authority.issue_to("somebody", DAYS);
    connecting(Some(&other)).await.failed_with(&["certificate authentication failed"]);
    let theirs = Authority::new("Theirs");
    connecting(Some(&theirs.issue_to("clerk", DAYS))).await.failed_with(&["TLS", "ssl_ca_file"]);
}

#[tokio::test]
async fn a_password_is_bound_to_the_connection() {
    // Given a user with a password,
    let postgres = TlsPostgres::start().await;
    postgres.beside().await.execute("CREATE ROLE clerk LOGIN SUPERUSER PASSWORD 'till'").await;
    postgres.allow("host all all 127.0.0.1/32 scram-sha-256").await;
    let connecting = async |parameters: &str| {
        let url = postgres.url_of("clerk:till", "localhost", parameters);
        ask(&format!("{url}&channel_binding=require"), &[]).await
    };

    // then a client with channel binding is protected from a machine in the middle, with either
    // version of TLS,
    let verified = with_roots("verify-full", &postgres.authority.file());
    connecting("sslmode=require").await.succeeded();
    connecting(&verified).await.succeeded();
    connecting("sslmode=disable").await.failed_with(&["channel binding"]);
    postgres.set("ssl_max_protocol_version = 'TLSv1.2'").await;
    connecting(&verified).await.succeeded();
}

#[tokio::test]
async fn the_doctor_says_who_is_at_the_other_end() {
    let postgres = TlsPostgres::start().await;
    let folder = tempfile::tempdir().unwrap();
    let bind = format!("127.0.0.1:{}", free_port());
    let examined = async |host: &str, parameters: &str| {
        let url = postgres.url(host, parameters);
        let variables = [("SWITCHBOARD_DATABASE_URL", url.as_str()), ("SWITCHBOARD_BIND", &bind)];
        examine(folder.path(), &variables).await
    };
    let file = postgres.authority.file();
    let (of, full) = ("SWITCHBOARD_DATABASE_URL", with_roots("verify-full", &file));

    // The doctor reports the encryption and the certificate of a verified server,
    let found = examined("localhost", &full).await;
    found.is_well(&[of, "encrypted (TLS 1.3)", "certificate and its name are verified"]);
    found.says("ok", &[of, "valid for 89 more days"]);
    postgres.show(&postgres.authority.issue(CertificateExpiry::Days(5))).await;
    let found = examined("localhost", &with_roots("verify-ca", &file)).await;
    found.is_well(&[of, "encrypted (TLS 1.3)", "but not its name"]);
    found.says("warning", &[of, "certificate expires at", "renewal"]);

    // and gives advice for a server that cannot be verified.
    let found = examined("127.0.0.1", &full).await;
    found.fails(&[of, "is for localhost", "subjectAltName"]);
    let found = examined("localhost", "sslmode=require&sslrootcert=/nowhere").await;
    found.fails(&[of, "/nowhere cannot be read", "name a file"]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn certificates_are_exchanged_while_a_server_runs() {
    // Given a server that trusts a certificate file,
    let postgres = TlsPostgres::start().await;
    let trusted = tempfile::tempdir().unwrap();
    let file = trusted.path().join("roots.pem");
    fs::copy(postgres.authority.file(), &file).unwrap();
    let url = postgres.url("localhost", &with_roots("verify-full", &file));
    let world = World::on(place(url), &[]).await;
    let sends = async |name: &str| {
        let message = json!({"type": "text", "phone_number": "+12025560001", "text": name});
        world.post_once("/api/v1/messages", name, &message).await.status == 201
    };
    assert!(sends("before").await);
    let cut = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity \
               WHERE application_name = 'switchboard'";

    // when the database's certificate is replaced by one of the same authority, then new
    // connections succeed;
    postgres.show(&postgres.authority.issue(DAYS)).await;
    let mut beside = postgres.beside().await;
    beside.execute(cut).await;
    until(async || sends("same-authority").await).await;

    // when it is replaced by one of another authority, then they fail until that authority is in
    // the file too.
    let other = Authority::new("Theirs");
    postgres.show(&other.issue(DAYS)).await;
    beside.execute(cut).await;
    until(async || !sends("unknown").await).await;
    assert!(!sends("still-unknown").await);
    let both = [fs::read(&file).unwrap(), fs::read(other.file()).unwrap()].concat();
    fs::write(&file, both).unwrap();
    until(async || sends("another-authority").await).await;
}

/// Waits until a condition holds: closed connections are noticed one after the other.
async fn until(is_so: impl AsyncFn() -> bool) {
    let watch = Stopwatch::start();
    while !is_so().await {
        assert!(watch.elapsed() < SOON, "it does not come to that");
        tokio::time::sleep(PAUSE).await; // real time: another process's connections
    }
}
