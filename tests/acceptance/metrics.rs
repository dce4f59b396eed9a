//! Metrics have labels for known values only, so unauthenticated clients cannot make them use more
//! memory.

use crate::world::{Process, free_port};
use std::fmt::Write as _;
use std::time::Duration;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::time::sleep;

/// The number of requests sent on a connection before their responses are read.
const PIPELINED: usize = 50;

/// Sends `requests` over one connection, and waits for all responses.
async fn send_requests(address: &str, requests: impl Iterator<Item = String>) {
    let mut stream = TcpStream::connect(address).await.unwrap();
    let requests: Vec<String> = requests.collect();
    let mut buffer = vec![0; 64 * 1024];
    for some in requests.chunks(PIPELINED) {
        stream.write_all(some.concat().as_bytes()).await.unwrap();
        let (mut answers, mut tail) = (0, String::new());
        while answers < some.len() {
            let read = stream.read(&mut buffer).await.unwrap();
            assert_ne!(read, 0, "the server closed the connection");
            tail.push_str(&String::from_utf8_lossy(&buffer[..read]));
            answers += tail.matches("HTTP/1.1 ").count();
            tail = tail.split_off(tail.len().saturating_sub("HTTP/1.1".len()));
        }
    }
}

/// Returns the series of request durations: their labels without the bucket.
async fn duration_series(process: &Process) -> Vec<String> {
    let text = crate::world::client()
        .get(format!("http://{}/metrics", process.metrics))
        .send()
        .await
        .unwrap();
    let text = text.text().await.unwrap();
    let counts = text
        .lines()
        .filter_map(|line| line.strip_prefix("switchboard_http_request_duration_seconds_count"));
    counts.map(|line| line.split('}').next().unwrap_or_default().to_owned()).collect()
}

async fn start_server() -> (tempfile::TempDir, Process, String) {
    let folder = tempfile::tempdir().unwrap();
    let url = format!("sqlite:{}", folder.path().join("switchboard.db").display());
    let process = Process::serve(&url, free_port()).await;
    let address = process.base.strip_prefix("http://").unwrap().to_owned();
    (folder, process, address)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn invented_methods_and_paths_make_no_series() {
    // Given a server that has answered a known and an unknown method, each on a known and on an
    // unknown path,
    let (_folder, process, address) = start_server().await;
    let request = |method: &str, path: &str| format!("{method} {path} HTTP/1.1\r\nHost: x\r\n\r\n");
    let paths = ["/healthz", "/api/v1/me", "/nowhere"];
    let first =
        ["GET", "FIRST"].iter().flat_map(|method| paths.iter().map(|path| request(method, path)));
    send_requests(&address, first).await;
    let before = duration_series(&process).await;

    // when an unauthenticated client sends 20,000 requests, each with its own method and path,
    let invented = (0..20_000).map(|number| {
        let mut path = paths[number % paths.len()].to_owned();
        if path == "/nowhere" {
            write!(path, "/{number}").unwrap();
        }
        request(&format!("X{number}"), &path)
    });
    send_requests(&address, invented).await;

    // then there are no new series.
    assert_eq!(duration_series(&process).await, before);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn metrics_that_nobody_scrapes_do_not_grow() {
    const REQUESTS: usize = 200_000;
    // Given a server whose metrics are not scraped, and whose allocator has grown,
    let (_folder, process, address) = start_server().await;
    let load = async |requests: usize| {
        let request = || "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n".to_owned();
        send_requests(&address, (0..requests).map(|_| request())).await;
        sleep(Duration::from_secs(2)).await; // real time: another process tidies up
    };
    load(REQUESTS / 4).await;

    // when it answers 200,000 requests several times,
    let mut grown = Vec::new();
    let settled = loop {
        let before = process.resident_memory();
        load(REQUESTS).await;
        grown.push(process.resident_memory().saturating_sub(before));
        // then in one of the rounds its memory grows by less than four bytes per request. A stored
        // value would take eight bytes in every round, while the allocator's own growth ends after
        // a few rounds.
        let settled = grown.last().is_some_and(|&bytes| bytes < 4 * REQUESTS);
        if settled || grown.len() == 8 {
            break settled;
        }
    };
    assert!(settled, "bytes more after each {REQUESTS} requests: {grown:?}");
}
