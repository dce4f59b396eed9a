//! An unusable bucket is found at the start and not by callers: wrong settings stop the start, and
//! an unavailable bucket is a warning. Later errors are logged once a minute.

use crate::media_files::{MEDIA, png, upload_body};
use crate::operators::prepare;
use crate::starting::Starting;
use crate::world::certificate::Certificate;
use crate::world::moto::{Moto, settings_at, variables};
use crate::world::s3::{S3, S3Behavior, SECRET_KEY};
use crate::world::{Answer, Database, World, client, free_port};
use serde_json::json;
use std::process::Stdio;
use std::time::Duration;
use tokio::net::TcpStream;
use tokio::process::Command;

/// Starts a server with these settings for a bucket, some of them changed.
fn with(
    database: &Database,
    settings: &[(&'static str, String)],
    changed: &[(&'static str, &str)],
) -> Starting {
    let other = |name: &str| changed.iter().any(|(known, _)| *known == name);
    let mut all: Vec<_> = settings.iter().filter(|(name, _)| !other(name)).cloned().collect();
    all.extend(changed.iter().map(|(name, value)| (*name, (*value).to_owned())));
    let variables = variables(&all);
    let variables: Vec<_> =
        variables.iter().map(|(name, it)| (name.as_str(), it.as_str())).collect();
    Starting::serve(&database.url, &[], &variables)
}

#[tokio::test]
async fn a_bucket_that_is_not_there_stops_the_start() {
    let (database, moto) = (Database::sqlite(), Moto::start().await);
    let settings = settings_at(&moto.address());
    let starting = with(&database, &settings, &[("media_url", "s3://nowhere/at/all")]);
    let said = starting
        .expect_failure("SWITCHBOARD_MEDIA_URL: the bucket nowhere at http://127.0.0.1:")
        .await;
    assert!(said.contains("NoSuchBucket"), "{said}");
    assert!(said.contains("make the bucket, or name another one as s3://BUCKET/PREFIX"), "{said}");
    // The start tests an existing bucket and leaves nothing behind.
    let mut starting = with(&database, &settings, &[]);
    starting.says("ready").await;
    assert_eq!(moto.files().await, Vec::<String>::new());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_key_that_does_not_open_the_bucket_stops_the_start() {
    let (database, s3) = (Database::sqlite(), S3::start().await);
    let key = "SWITCHBOARD_MEDIA_S3_ACCESS_KEY_ID: ";
    let secret = "another secret";
    let starting = with(&database, &s3.settings(), &[("media_s3_secret_access_key", secret)]);
    let said = starting.expect_failure(key).await;
    assert!(said.contains("SignatureDoesNotMatch"), "{said}");
    assert!(!said.contains(secret) && !said.contains(SECRET_KEY), "{said}");

    // An access key without permission to write stops the start,
    s3.is_in(S3Behavior::Refuses("AccessDenied"));
    let said = with(&database, &s3.settings(), &[]).expect_failure(key).await;
    assert!(said.contains("AccessDenied") && said.contains("allow the key s3:PutObject"), "{said}");
    s3.is_in(S3Behavior::Works);

    // and so does a missing access key on a machine without a role.
    let nobody = format!("http://127.0.0.1:{}", free_port());
    let changed = [
        ("media_s3_access_key_id", ""),
        ("media_s3_secret_access_key", ""),
        ("media_s3_metadata_url", nobody.as_str()),
    ];
    let said = with(&database, &s3.settings(), &changed).expect_failure(key).await;
    assert!(said.contains("there is no key for the bucket uploads"), "{said}");
}

#[tokio::test]
async fn a_certificate_that_nobody_trusts_stops_the_start_and_is_named() {
    let database = Database::sqlite();
    let certificate = Certificate::make_in(database.folder.path());
    let address = format!("127.0.0.1:{}", free_port());
    let mut server = Command::new("openssl");
    server.args(["s_server", "-quiet", "-accept", &address, "-cert"]).arg(&certificate.chain);
    server.arg("-key").arg(&certificate.key).stdin(Stdio::piped()).stdout(Stdio::null());
    let _server = server.stderr(Stdio::null()).kill_on_drop(true).spawn().unwrap();
    for _ in 0..400 {
        if TcpStream::connect(&address).await.is_ok() {
            break;
        }
        tokio::time::sleep(Duration::from_millis(25)).await; // real time: another process starts
    }
    let endpoint = format!("https://{address}");
    let starting =
        with(&database, &settings_at(&address), &[("media_s3_endpoint", endpoint.as_str())]);
    let said = starting.expect_failure("SWITCHBOARD_MEDIA_S3_ENDPOINT: ").await;
    assert!(said.contains("invalid peer certificate: UnknownIssuer"), "{said}");
    assert!(said.contains("trusts the service's certificate"), "{said}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_bucket_that_is_away_at_the_start_is_a_warning_until_it_is_back() {
    let mut s3 = S3::start().await;
    s3.stop_listening().await;
    // Given a server that starts while its bucket is unavailable, then it is ready, with a warning,
    let settings = s3.settings();
    let settings: Vec<_> = settings.iter().map(|(name, it)| (*name, it.as_str())).collect();
    let world = World::on(Database::sqlite(), &settings).await;
    let ready = async || Answer::of(client().get(format!("{}/readyz", world.base))).await;
    let answer = ready().await;
    assert_eq!(answer.status, 200);
    let warning = "SWITCHBOARD_MEDIA_URL: the resource it names cannot be used at the moment; the log says why";
    assert_eq!(answer.body, json!({"status": "ready", "warnings": [warning]}));
    // which stays until the bucket is available.
    let check_again = async || {
        let deps = &world.server.deps;
        world.server.warnings.check_again(&deps.config, &deps.files.reports).await;
    };
    check_again().await;
    assert_eq!(ready().await.body["warnings"], json!([warning]));
    s3.listen_again().await;
    check_again().await;
    assert_eq!(ready().await.body, json!({"status": "ready"}));
    assert_eq!(s3.keys(), Vec::<String>::new());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_bucket_that_fails_after_the_start_is_a_warning_until_it_is_back() {
    // Given a server with a bucket that works,
    let mut s3 = S3::start().await;
    let settings = s3.settings();
    let settings: Vec<_> = settings.iter().map(|(name, it)| (*name, it.as_str())).collect();
    let world = World::on(Database::sqlite(), &settings).await;
    let ready = async || {
        let answer = Answer::of(client().get(format!("{}/readyz", world.base))).await;
        assert_eq!(answer.status, 200);
        answer.body
    };
    let check_again = async || {
        let deps = &world.server.deps;
        world.server.warnings.check_again(&deps.config, &deps.files.reports).await;
    };
    assert_eq!(ready().await, json!({"status": "ready"}));
    // when the bucket becomes unavailable and an upload fails,
    s3.stop_listening().await;
    let upload = upload_body("image/png", &png());
    world.post(MEDIA, &world.key, &upload).await.is_problem(503, "unavailable");
    // then the server is ready, with a warning, until the bucket is back.
    let warning = "SWITCHBOARD_MEDIA_URL: the resource it names cannot be used at the moment; the log says why";
    assert_eq!(ready().await, json!({"status": "ready", "warnings": [warning]}));
    check_again().await;
    assert_eq!(ready().await, json!({"status": "ready", "warnings": [warning]}));
    s3.listen_again().await;
    check_again().await;
    assert_eq!(ready().await, json!({"status": "ready"}));
    assert_eq!(world.post(MEDIA, &world.key, &upload).await.status, 201);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn errors_that_need_an_operator_are_logged_once_a_minute() {
    // Given a server whose access key was revoked,
    let (database, s3) = (Database::sqlite(), S3::start().await);
    let key = prepare(&database.url).await;
    let mut starting = with(&database, &s3.settings(), &[]);
    starting.says("ready").await;
    s3.is_in(S3Behavior::Refuses("InvalidAccessKeyId"));
    // when five files are uploaded, then each is rejected without a `Retry-After`,
    for _ in 0..5 {
        let request = client()
            .post(format!("{}{MEDIA}", starting.base))
            .json(&upload_body("image/png", &png()));
        let request = request.header("x-client-id", &key.client_id);
        let answer = Answer::of(request.header("x-client-secret", &key.client_secret)).await;
        answer.is_problem(503, "unavailable");
        assert!(!answer.headers.contains_key("retry-after"), "{:?}", answer.headers);
    }
    // and the log contains the problem and advice once.
    let said = starting.ends_on_request().await;
    let lines: Vec<_> =
        said.lines().filter(|line| line.contains("files cannot be stored")).collect();
    assert_eq!(lines.len(), 1, "{said}");
    for words in [
        "InvalidAccessKeyId",
        "SWITCHBOARD_MEDIA_S3_ACCESS_KEY_ID",
        "give a key that the service knows",
    ] {
        assert!(lines[0].contains(words), "{words}: {}", lines[0]);
    }
}
