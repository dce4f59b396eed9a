//! Each secret appears in exactly one answer, and nowhere else (`docs/security.md` 23).

use super::{Browser, EMAIL, PASSWORD, Partner, REDIRECT, parameter};
use crate::operators::{admin, prepare};
use crate::world::{Answer, Pair, client, free_port, switchboard};
use reqwest::Method;
use serde_json::{Value, json};
use service::applications::CreatedApplication;
use std::fs::File;
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;
use tokio::io::AsyncWriteExt as _;
use tokio::process::Child;

/// A member of the bakery, made as operators make one.
pub async fn member(database_url: &str) {
    let mut command = switchboard(&[
        "admin",
        "member",
        "create",
        "--organization",
        "Bakery",
        "--email",
        EMAIL,
        "--name",
        "Ada",
        "--password-stdin",
        "--database-url",
        database_url,
    ]);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::null()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(PASSWORD.as_bytes()).await.unwrap();
    assert!(child.wait().await.unwrap().success());
}

/// An application of the bakery, made as operators make one.
pub async fn application(database_url: &str) -> Partner {
    let create = ["application", "create", "--organization", "Bakery", "--name", "CRM"];
    let terms = ["--redirect-uri", REDIRECT, "--scopes", "messages.send,conversations.read"];
    let made = admin(database_url, &[&create[..], &terms[..]].concat()).await;
    let text = |field: &str| made[field].as_str().unwrap().to_owned();
    let application = CreatedApplication {
        id: text("id"),
        name: text("name"),
        client_id: text("client_id"),
        client_secret: text("client_secret"),
        redirect_uris: Vec::new(),
        scopes: Vec::new(),
        published: false,
    };
    Partner { application }
}

/// A server that logs all it can into this folder; its base address and that of its metrics.
async fn serve(folder: &Path, database_url: &str) -> (Child, String, String) {
    let address = || format!("127.0.0.1:{}", free_port());
    let (bind, metrics) = (address(), address());
    let place = ["--bind", &bind, "--metrics-bind", &metrics, "--database-url", database_url];
    let mut command = switchboard(&[&["serve", "--log", "trace"], &place[..]].concat());
    let child = command
        .stdout(File::create(folder.join("said")).unwrap())
        .stderr(File::create(folder.join("log")).unwrap())
        .kill_on_drop(true)
        .spawn()
        .unwrap();
    let base = format!("http://{bind}");
    let ready = async || client().get(format!("{base}/readyz")).send().await;
    while !ready().await.is_ok_and(|answer| answer.status() == 200) {
        tokio::time::sleep(Duration::from_millis(25)).await; // real time: another process starts
    }
    (child, base, format!("http://{metrics}/metrics"))
}

/// A handshake that succeeds and one that fails, and calls that work and that do not; the secrets of it.
async fn live_through(base: &str, partner: &Partner, key: &Pair) -> Vec<String> {
    let http = reqwest::Client::builder().redirect(reqwest::redirect::Policy::none());
    let mut browser = Browser::with(http.build().unwrap(), base);
    let (path, page) = browser.until_consent(&partner.asks(&[])).await;
    let sent_on = browser.allow(&path, &page).await;
    let code = parameter(sent_on.location(), "code").unwrap();
    let exchange =
        |body: Value| Answer::of(client().post(format!("{base}/connect/token")).json(&body));
    let connection = exchange(partner.exchange(&code)).await;
    assert_eq!(connection.status, 200, "{}", connection.text);
    exchange(partner.exchange(&code)).await.is_problem(400, "invalid_grant");
    let secret = connection.text_of("client_secret");
    for (id, secret) in [
        (connection.text_of("client_id"), &secret),
        (key.client_id.clone(), &key.client_secret),
        ("swk_wrong".to_owned(), &secret),
    ] {
        let request = client().request(Method::POST, format!("{base}/api/v1/messages"));
        let request = request.header("x-client-id", id).header("x-client-secret", secret);
        let hello = json!({"type": "text", "phone_number": "+12025550100", "text": "x"});
        Answer::of(request.json(&hello)).await;
    }
    let session = browser.cookie.unwrap().split_once('=').unwrap().1.to_owned();
    vec![secret, code, session]
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_secret_is_in_the_database_the_log_or_the_metrics() {
    // Given a server that logs all it can,
    let folder = tempfile::tempdir().unwrap();
    let url = format!("sqlite:{}", folder.path().join("switchboard.db").display());
    let key = prepare(&url).await;
    member(&url).await;
    let partner = application(&url).await;
    let (_child, base, metrics) = serve(folder.path(), &url).await;

    // when all is done that has to do with secrets,
    let mut secrets = live_through(&base, &partner, &key).await;
    secrets.extend([partner.application.client_secret, key.client_secret, PASSWORD.to_owned()]);

    // then none of them lies anywhere.
    let metrics = client().get(metrics).send().await.unwrap().bytes().await.unwrap();
    let mut places = vec![("the metrics".to_owned(), metrics.to_vec())];
    for entry in std::fs::read_dir(folder.path()).unwrap() {
        let path = entry.unwrap().path();
        if path.is_file() {
            places.push((path.display().to_string(), std::fs::read(&path).unwrap()));
        }
    }
    assert!(places.len() >= 4, "database, journal, log, metrics");
    let log = std::fs::metadata(folder.path().join("log")).unwrap();
    assert!(log.len() > 1000, "the log says something");
    for (place, bytes) in &places {
        for secret in &secrets {
            let lies_there = bytes.windows(secret.len()).any(|window| window == secret.as_bytes());
            assert!(!lies_there, "{secret} in {place}");
        }
    }
}
