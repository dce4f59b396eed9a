//! Many clients that announce a body and send it very slowly: they use little memory and do not
//! delay other clients (`docs/security.md` 28, 29).

use crate::credentials::with_credentials;
use crate::media_files::{MEDIA, png, upload_body};
use crate::operators::prepare;
use crate::world::{Answer, Pair, Process, free_port};
use serde_json::json;
use std::time::Duration;
use tokio::io::AsyncWriteExt as _;
use tokio::net::TcpStream;
use tokio::time::{sleep, timeout};

const SEND: &str = "/api/v1/messages";
/// The number of clients. Each announces a body of almost one mebibyte.
const CLIENTS: usize = 300;
const ANNOUNCED: usize = 1_000_000;
/// The most memory that a connection may take, with its buffers: a small part of the announced
/// size.
const MAX_EACH: usize = 64 * 1024;

/// Begins a request and sends one byte of its body.
async fn begin(process: &Process, path: &str, key: &Pair) -> TcpStream {
    let address = process.base.strip_prefix("http://").unwrap();
    let Pair { client_id, client_secret } = key;
    let head = format!(
        "POST {path} HTTP/1.1\r\nHost: x\r\nX-Client-Id: {client_id}\r\nX-Client-Secret: {client_secret}\r\n\
         Content-Type: application/json\r\nContent-Length: {ANNOUNCED}\r\n\r\n{{"
    );
    let mut stream = TcpStream::connect(address).await.unwrap();
    stream.write_all(head.as_bytes()).await.unwrap();
    stream
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn slow_uploads_of_large_bodies_use_little_memory() {
    // Given a server that has already handled each kind of request,
    let folder = tempfile::tempdir().unwrap();
    let url = format!("sqlite:{}", folder.path().join("switchboard.db").display());
    let key = prepare(&url).await;
    let process = Process::serve(&url, free_port()).await;
    let http = crate::world::client();
    let text = json!({"type": "text", "phone_number": "+12025550110", "text": "Hello"});
    for _ in 0..20 {
        for (path, body) in [(SEND, &text), (MEDIA, &upload_body("image/png", &png()))] {
            let request = http.post(format!("{}{path}", process.base)).json(body);
            assert_eq!(Answer::of(with_credentials(request, &key)).await.status, 201);
        }
    }
    for path in [SEND, MEDIA] {
        // when many clients announce large bodies and send a byte now and then,
        let before = process.resident_memory();
        let mut clients = Vec::new();
        for _ in 0..CLIENTS {
            clients.push(begin(&process, path, &key).await);
        }
        for _ in 0..5 {
            sleep(Duration::from_millis(200)).await; // real time: another process reads
            for client in &mut clients {
                client.write_all(b" ").await.unwrap();
            }
        }
        // then they take a small part of the announced size in memory,
        let taken = process.resident_memory().saturating_sub(before);
        assert!(taken < CLIENTS * MAX_EACH, "{path}: {taken} bytes for {CLIENTS} clients");
        // and other clients get responses as usual.
        let request = http.post(format!("{}{SEND}", process.base)).json(&text);
        let answer =
            timeout(Duration::from_secs(2), Answer::of(with_credentials(request, &key))).await;
        assert_eq!(answer.expect("it is answered soon").status, 201, "{path}");
    }
}
