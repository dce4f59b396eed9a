//! What a client does when a call fails: it repeats it after the time in `Retry-After`, with the
//! same `Idempotency-Key`.

use super::{InstalledClient, Language, succeeded};
use std::path::Path;
use std::sync::{Arc, Mutex};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};

const MESSAGE: &str = r#"{"id": "msg_1", "status": "queued"}"#;
const BUSY: &str = r#"{"error": "Later.", "code": "unavailable", "request_id": "req_1"}"#;
const WRONG: &str =
    r#"{"error": "No.", "code": "validation_failed", "request_id": "req_2", "details": []}"#;

/// A server that gives these answers in turn: a status line with headers, and a body. `None` closes
/// the connection.
struct ScriptedServer {
    base: String,
    /// The heads and bodies of all requests.
    requests: Arc<Mutex<Vec<String>>>,
}

impl ScriptedServer {
    async fn with(answers: &'static [Option<(&'static str, &'static str)>]) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let base = format!("http://{}", listener.local_addr().unwrap());
        let requests = Arc::new(Mutex::new(Vec::new()));
        let received = requests.clone();
        tokio::spawn(async move {
            for answer in answers {
                let (mut stream, _) = listener.accept().await.unwrap();
                let request = read(&mut stream).await;
                received.lock().unwrap().push(request);
                let Some((head, body)) = answer else { continue };
                let length = body.len();
                let answer = format!(
                    "HTTP/1.1 {head}\r\ncontent-length: {length}\r\ncontent-type: application/json\r\nconnection: close\r\n\r\n{body}"
                );
                stream.write_all(answer.as_bytes()).await.unwrap();
            }
        });
        Self { base, requests }
    }
}

/// Reads a request with its body.
async fn read(stream: &mut TcpStream) -> String {
    let mut request = Vec::new();
    loop {
        let mut part = [0; 4096];
        let count = stream.read(&mut part).await.unwrap();
        request.extend_from_slice(&part[..count]);
        let text = String::from_utf8_lossy(&request).into_owned();
        let Some((head, body)) = text.split_once("\r\n\r\n") else { continue };
        let length = header(head, "content-length").and_then(|it| it.parse().ok()).unwrap_or(0);
        if count == 0 || body.len() >= length {
            return text;
        }
    }
}

fn header<'a>(request: &'a str, name: &str) -> Option<&'a str> {
    let mut lines = request.lines().filter_map(|line| line.split_once(": "));
    lines.find(|(it, _)| it.eq_ignore_ascii_case(name)).map(|(_, value)| value)
}

async fn repeats_what_may_succeed(language: Language) {
    let file = match language {
        Language::Python => "retries.py",
        Language::TypeScript => "retries.ts",
    };
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("foreign/clients").join(file);
    let code = std::fs::read_to_string(file).unwrap();
    let client = InstalledClient::of(language).await;
    let server = ScriptedServer::with(&[
        // A send: throttled, then a lost connection, then the answer.
        Some(("429 Too Many Requests\r\nretry-after: 7", BUSY)),
        None,
        Some(("201 Created", MESSAGE)),
        // A send that is refused is not repeated.
        Some(("422 Unprocessable Content", WRONG)),
        // A send that stays impossible: four attempts.
        Some(("503 Service Unavailable\r\nretry-after: 1", BUSY)),
        Some(("503 Service Unavailable\r\nretry-after: 1", BUSY)),
        Some(("502 Bad Gateway", "<html>")),
        Some(("503 Service Unavailable\r\nretry-after: 1", BUSY)),
        // A wait that is longer than a caller waits.
        Some(("429 Too Many Requests\r\nretry-after: 3600", BUSY)),
        // A redirect is not followed.
        Some(("307 Temporary Redirect\r\nlocation: http://127.0.0.1:1/", "{}")),
    ])
    .await;

    let [mut program] = client.programs([("retries", code)]).await;
    program.env("SWITCHBOARD", &server.base).env_remove("http_proxy");
    let printed = succeeded(&program.output().await.unwrap());

    let lines: Vec<&str> = printed.lines().collect();
    assert_eq!(lines[0], "msg_1 waited 7 then a moment", "{printed}");
    assert_eq!(lines[1], "422 validation_failed", "{printed}");
    assert_eq!(lines[2], "503 unavailable", "{printed}");
    assert_eq!(lines[3], "429 retry after 3600", "{printed}");
    assert_eq!(lines[4], "307", "{printed}");
    let requests = server.requests.lock().unwrap().clone();
    assert_eq!(requests.len(), 10, "{requests:#?}");
    let keys: Vec<&str> =
        requests.iter().map(|it| header(it, "idempotency-key").unwrap_or_default()).collect();
    // The attempts of one call have one key, which is new for each call or the caller's own.
    assert!(keys[0].len() >= 32 && keys[..3].iter().all(|it| *it == keys[0]), "{keys:?}");
    assert_eq!(keys[3], "order-1042");
    assert!(keys[4..8].iter().all(|it| *it == keys[4]) && keys[4] != keys[0], "{keys:?}");
    assert_eq!(keys[8..], ["", ""], "a GET has none");
    let body = requests[2].split_once("\r\n\r\n").unwrap().1;
    let body: serde_json::Value = serde_json::from_str(body).unwrap();
    assert_eq!(body, serde_json::json!({"type": "text", "phone_number": "+1", "text": "é"}));
    assert_eq!(header(&requests[0], "x-client-id"), Some("swk_1"));
    // A query is escaped, and what is not given is left out.
    assert!(requests[9].starts_with("GET /api/v1/contacts?phone_number=%2B1&opted_out=false "));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_python_client_repeats_what_may_succeed() {
    repeats_what_may_succeed(Language::Python).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_typescript_client_repeats_what_may_succeed() {
    repeats_what_may_succeed(Language::TypeScript).await;
}
