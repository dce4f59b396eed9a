//! The log: suitable for a file, without noise at start and stop, and with the caller and the cause
//! of each failed call.

use super::{ME, call, folder, get, prepare, run};
use crate::credentials::with_credentials;
use crate::media_files::{MEDIA, PDF, upload_body};
use crate::world::{Answer, DirectConnection, Process, World, free_port, serving};
use reqwest::Method;
use rustix::process::Signal;
use serde_json::Value;
use std::fs::File;
use std::path::PathBuf;
use std::process::Stdio;
use tempfile::TempDir;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

/// A server whose log goes to a file.
struct LoggedServer {
    server: Process,
    file: PathBuf,
    _folder: TempDir,
}

impl LoggedServer {
    async fn serve(database_url: &str, variables: &[(&str, &str)]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("log");
        let port = free_port();
        let mut command = serving(database_url, port);
        command.envs(variables.iter().copied()).stderr(File::create(&file).unwrap());
        Self { server: Process::ready(command, port).await, file, _folder: folder }
    }

    /// Stops the server and returns its log.
    async fn stopped(self) -> String {
        self.server.signal(Signal::TERM);
        assert_eq!(self.server.exit_code().await, Some(0));
        std::fs::read_to_string(self.file).unwrap()
    }
}

#[tokio::test]
async fn a_log_in_a_file_is_plain_text_and_a_clean_start_and_stop_has_no_errors() {
    let (_folder, url) = folder();
    let log = LoggedServer::serve(&url, &[]).await.stopped().await;
    assert!(log.contains("ready") && log.contains("stopped"), "{log}");
    assert!(!log.contains('\u{1b}'), "no escape codes: {log:?}");
    assert!(!log.contains("ERROR") && !log.contains("WARN"), "{log}");
    assert!(!log.contains("actix"), "{log}");
}

#[tokio::test]
async fn the_log_filter_can_name_a_library() {
    let (_folder, url) = folder();
    let variables = [("SWITCHBOARD_LOG", "info,actix_server=info")];
    let log = LoggedServer::serve(&url, &variables).await.stopped().await;
    assert!(log.contains("actix_server"), "{log}");
}

/// Breaks the database under a server and calls the server through a proxy. Returns the response
/// and the log.
async fn a_call_that_fails(format: &str) -> (Answer, String) {
    let world = World::on_postgres().await;
    let key = prepare(world.database_url()).await;
    let proxies = ("SWITCHBOARD_TRUSTED_PROXIES", "127.0.0.0/8");
    let variables = [("SWITCHBOARD_LOG_FORMAT", format), proxies];
    let logged = LoggedServer::serve(world.database_url(), &variables).await;
    let (database, connection) =
        tokio_postgres::connect(world.database_url(), tokio_postgres::NoTls).await.unwrap();
    let driver = tokio::spawn(connection);
    database.batch_execute("ALTER TABLE keys RENAME TO lost_keys").await.unwrap();
    driver.abort();
    let request = crate::world::client().get(format!("{}{ME}", logged.server.base));
    let request = request.header("x-forwarded-for", "203.0.113.9");
    let answer = Answer::of(with_credentials(request, &key)).await;
    assert!(answer.status >= 500, "{}", answer.text);
    (answer, logged.stopped().await)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_cause_of_a_failed_call_is_logged_under_its_request_id() {
    let (answer, log) = a_call_that_fails("text").await;
    let id = answer.header("x-request-id");
    let cause = log.lines().find(|line| line.contains("lost_keys") || line.contains("\"keys\""));
    let cause = cause.unwrap_or_else(|| panic!("the cause in {log}"));
    for word in [id, "GET", ME, "203.0.113.9", "ERROR"] {
        assert!(cause.contains(word), "{word} in {cause}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_failed_call_is_logged_as_json_with_its_cause_and_duration() {
    let (answer, log) = a_call_that_fails("json").await;
    let id = answer.header("x-request-id");
    let lines: Vec<Value> =
        log.lines().map(|line| serde_json::from_str(line).expect("each line is JSON")).collect();
    let of_the_call: Vec<&Value> =
        lines.iter().filter(|line| line["span"]["request_id"] == id).collect();
    let cause = of_the_call.iter().find(|line| line["level"] == "ERROR").expect("the cause");
    assert!(cause["error"].as_str().is_some_and(|error| error.contains("keys")), "{cause}");
    let request = of_the_call.iter().find(|line| line["message"] == "request failed");
    let request = request.expect("the request");
    assert!(request["micros"].as_u64().is_some_and(|micros| micros > 0), "{request}");
    assert_eq!(request["status"], answer.status);
    let span = &request["span"];
    assert_eq!(span["method"], "GET");
    assert_eq!(span["route"], ME);
    assert_eq!(span["client"], "203.0.113.9");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_cause_of_an_internal_error_is_logged_with_who_called() {
    // Given a key whose row cannot be read,
    let (_folder, url) = folder();
    let key = prepare(&url).await;
    let logged = LoggedServer::serve(&url, &[("SWITCHBOARD_LOG_FORMAT", "json")]).await;
    let base = logged.server.base.clone();
    let me = call(Method::GET, &base, ME, &key, None).await;
    let broken = "UPDATE keys SET scopes = 'fax.send'";
    DirectConnection::connect(&url).await.execute(broken).await;
    // when it calls,
    let answer = call(Method::GET, &base, ME, &key, None).await;
    answer.is_problem(500, "internal_error");
    // then one log line has the cause, the request, the key and the organization.
    let log = logged.stopped().await;
    let lines: Vec<Value> = log.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let causes: Vec<&Value> = lines.iter().filter(|line| line["level"] == "ERROR").collect();
    assert_eq!(causes.len(), 1, "{log}");
    assert!(causes[0].to_string().contains("fax.send"), "{log}");
    let span = &causes[0]["span"];
    assert_eq!(span["request_id"], answer.header("x-request-id"));
    assert_eq!(span["method"], "GET");
    assert_eq!(span["route"], ME);
    assert_eq!(span["key"], me.body["key"]["id"]);
    assert_eq!(span["organization"], me.body["organization"]["id"]);
}

#[tokio::test]
async fn malformed_requests_are_answered_and_do_not_fill_the_log() {
    let (_folder, url) = folder();
    let logged = LoggedServer::serve(&url, &[]).await;
    let address = logged.server.base.strip_prefix("http://").unwrap();
    for (head, status) in [
        (format!("GET /{} HTTP/1.1\r\nHost: x\r\n\r\n", "a".repeat(70_000)), "400"),
        (format!("GET / HTTP/1.1\r\nHost: x\r\nX: {}\r\n\r\n", "y".repeat(140_000)), "431"),
        ("GET / HTTP/1.1\r\nHost: x\r\nContent-Length: x\r\n\r\n".to_owned(), "400"),
        ("\u{16}\u{3}\u{1}\r\n\r\n".to_owned(), "400"),
    ] {
        let mut stream = TcpStream::connect(address).await.unwrap();
        stream.write_all(head.as_bytes()).await.unwrap();
        let mut answer = [0; 12];
        stream.read_exact(&mut answer).await.unwrap();
        assert_eq!(answer.as_slice(), format!("HTTP/1.1 {status}").as_bytes());
    }
    let log = logged.stopped().await;
    assert!(!log.contains("ERROR") && !log.contains("WARN"), "{log}");
}

/// Makes three calls with a forwarded address while these proxies are trusted. Returns the log at
/// level debug.
async fn three_forwarded_calls(trusted: &str) -> String {
    let (_folder, url) = folder();
    let variables = [("SWITCHBOARD_TRUSTED_PROXIES", trusted), ("SWITCHBOARD_LOG", "debug")];
    let logged = LoggedServer::serve(&url, &variables).await;
    for _ in 0..3 {
        let request = crate::world::client().get(format!("{}{ME}", logged.server.base));
        let answer = request.header("x-forwarded-for", "203.0.113.9:5123").send().await.unwrap();
        assert_eq!(answer.status(), 401);
    }
    logged.stopped().await
}

#[tokio::test]
async fn a_forwarded_address_of_an_untrusted_peer_is_logged_once() {
    let log = three_forwarded_calls("10.0.0.1").await;
    let warnings: Vec<&str> =
        log.lines().filter(|line| line.contains("forwarded client address")).collect();
    assert_eq!(warnings.len(), 1, "{log}");
    for word in ["WARN", "SWITCHBOARD_TRUSTED_PROXIES", "peer=127.0.0.1"] {
        assert!(warnings[0].contains(word), "{word} in {}", warnings[0]);
    }
    assert!(!log.contains("203.0.113.9"), "{log}");
}

#[tokio::test]
async fn a_proxy_may_be_named_by_its_bare_address() {
    for trusted in ["127.0.0.1", "10.0.0.1, 127.0.0.1", "127.0.0.1/32"] {
        let log = three_forwarded_calls(trusted).await;
        assert!(!log.contains("forwarded address"), "{log}");
        let calls = log.lines().filter(|line| line.contains("client=203.0.113.9")).count();
        assert!(calls >= 3, "{log}");
    }
}

#[tokio::test]
async fn a_filter_that_names_no_level_is_an_error_at_start() {
    let (folder, _) = folder();
    for command in ["config", "serve"] {
        for wrong in ["inof", "info,delivery", "delivery=inof", "=debug", "delivery=debug=info"] {
            let said = run(folder.path(), &[command], &[("SWITCHBOARD_LOG", wrong)]).await;
            said.failed_with(&["log", wrong, "environment", "error, warn, info, debug, trace"]);
        }
    }
    for right in ["info", "WARN", "off", "info,delivery=debug", "workers=trace", "debug,"] {
        run(folder.path(), &["config"], &[("SWITCHBOARD_LOG", right)]).await.succeeded();
    }
}

/// A filter for one target does not hide the warnings of all others.
#[tokio::test]
async fn a_filter_for_one_target_keeps_the_warnings_of_all_others() {
    let (_folder, url) = folder();
    let key = prepare(&url).await;
    let logged = LoggedServer::serve(&url, &[("SWITCHBOARD_LOG", "delivery::log=debug")]).await;
    let base = logged.server.base.clone();
    assert_eq!(call(Method::GET, &base, ME, &key, None).await.status, 200);
    assert_eq!(get(&format!("{base}/healthz")).await.status, 200);
    let log = logged.stopped().await;
    assert!(log.contains("/healthz") && log.contains("127.0.0.1"), "{log}");
    assert!(!log.contains(&key.client_secret), "{log}");
}

/// The log goes to a pipe whose reader has stopped reading. The server keeps working.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_reader_of_the_log_that_stops_reading_holds_up_nobody() {
    let (_folder, url) = folder();
    let port = free_port();
    let mut command = serving(&url, port);
    let (unread, log) = std::io::pipe().unwrap();
    command.env("SWITCHBOARD_LOG", "trace").stderr(Stdio::from(log));
    let server = Process::ready(command, port).await;
    let client = crate::world::client();
    for _ in 0..500 {
        let request = client.get(format!("{}/healthz", server.base));
        let answer = tokio::time::timeout(std::time::Duration::from_secs(5), request.send()).await;
        assert_eq!(answer.expect("an answer").unwrap().status(), 200);
    }
    server.signal(Signal::TERM);
    assert_eq!(server.exit_code().await, Some(0));
    drop(unread);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_cause_of_an_interrupted_download_is_logged_under_its_request_id() {
    // Given a media file that was truncated after it was stored,
    let (folder, url) = folder();
    let key = prepare(&url).await;
    let media = folder.path().join("files");
    let media_url = format!("file:{}", media.display());
    let variables = [("SWITCHBOARD_MEDIA_URL", media_url.as_str())];
    let logged = LoggedServer::serve(&url, &variables).await;
    let body = upload_body("application/pdf", &[PDF, &vec![7; 300_000]].concat());
    let path = format!("{}{MEDIA}", logged.server.base);
    let stored =
        Answer::of(with_credentials(crate::world::client().post(path).json(&body), &key)).await;
    assert_eq!(stored.status, 201, "{}", stored.text);
    let file = media.join(stored.body["id"].as_str().unwrap());
    File::options().write(true).open(file).unwrap().set_len(100_000).unwrap();
    // when it is downloaded, then the response ends early,
    let address = stored.body["url"].as_str().unwrap().rsplit_once("/media/").unwrap().1;
    let address = format!("{}/media/{address}", logged.server.base);
    let answer = crate::world::client().get(address).send().await.unwrap();
    assert_eq!(answer.status(), 200);
    let id = answer.headers()["x-request-id"].to_str().unwrap().to_owned();
    assert!(answer.bytes().await.is_err());
    // and the log contains the cause.
    let log = logged.stopped().await;
    let cause = log.lines().find(|line| line.contains("shorter than its stored size"));
    let cause = cause.unwrap_or_else(|| panic!("the cause in {log}"));
    assert!(cause.contains(&id) && cause.contains("ERROR"), "{cause}");
}
