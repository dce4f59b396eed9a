//! Malformed requests, which no well-behaved client makes. They are sent one after the other.

use std::io::{Read, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use anyhow::Result;

use super::crowd::{answer, connect, head};
use super::seen::{Seen, Target};

/// The pause between two requests.
const PAUSE: Duration = Duration::from_millis(50);
const SEND: &str = "/api/v1/messages";
/// The number of requests that are written at once.
const PIPELINED: usize = 20;
const HEADER: usize = 1 << 20;
const DEEP: usize = 200_000;
/// The announced length of an upload, and the length that is sent.
const ANNOUNCED: usize = 100_000_000;
const UPLOADED: usize = 2_000_000;

/// Sends many requests at once. All of them must be answered, in order.
pub fn pipelining(target: &Target, ready: &AtomicBool, stop: &AtomicBool) -> Result<Seen> {
    let requests = head(target, "GET", "/api/v1/me", "").repeat(PIPELINED);
    let mut seen = Seen::default();
    ready.store(true, Ordering::Relaxed);
    while !stop.load(Ordering::Relaxed) {
        let mut stream = connect(target.port, 0)?;
        seen.connections += 1;
        seen.open = 1;
        stream.write_all(&requests)?;
        let (mut text, mut buffer) = (Vec::new(), [0; 8192]);
        // After the last answer, another read would wait for more.
        while count(&text) < PIPELINED {
            match stream.read(&mut buffer) {
                Ok(0) | Err(_) => break,
                Ok(length) => text.extend(buffer.get(..length).unwrap_or_default()),
            }
        }
        let good = count(&text);
        (0..good).for_each(|_| seen.answered(200));
        (good..PIPELINED).for_each(|_| seen.answered(0));
        thread::sleep(PAUSE * 4);
    }
    Ok(seen)
}

fn count(answers: &[u8]) -> usize {
    answers.windows(12).filter(|it| *it == b"HTTP/1.1 200").count()
}

/// Sends contradictory and invalid lengths.
pub fn conflicting_lengths(target: &Target, ready: &AtomicBool, stop: &AtomicBool) -> Result<Seen> {
    let lengths = [
        "Content-Length: 2\r\nContent-Length: 3\r\n",
        "Content-Length: 2\r\nTransfer-Encoding: chunked\r\n",
        "Transfer-Encoding: chunked\r\nContent-Length: 2\r\n",
        "Transfer-Encoding: chunked, identity\r\n",
        "Transfer-Encoding: xchunked\r\nContent-Length: 2\r\n",
        "Content-Length: -2\r\n",
        "Content-Length: +2\r\n",
        "Content-Length: 2, 2\r\n",
        "Content-Length: 99999999999999999999\r\n",
    ];
    let each = lengths.map(|it| {
        let mut request = head(target, "POST", SEND, it);
        // A server that interprets the lengths differently would read these bytes as a second
        // request.
        request.extend(b"{}0\r\n\r\n");
        request
    });
    ask(target, &each, ready, stop)
}

/// Sends a header of 1 MiB, and many headers.
pub fn huge_headers(target: &Target, ready: &AtomicBool, stop: &AtomicBool) -> Result<Seen> {
    let long = format!("X-Long: {}\r\n", "a".repeat(HEADER));
    let many = "X-Many: a\r\n".repeat(5000);
    let each = [&long, &many].map(|it| head(target, "GET", "/api/v1/me", it));
    ask(target, &each, ready, stop)
}

/// Sends deeply nested arrays and objects.
pub fn deep_json(target: &Target, ready: &AtomicBool, stop: &AtomicBool) -> Result<Seen> {
    let bodies = [
        "[".repeat(DEEP),
        "{\"a\":".repeat(DEEP / 5),
        format!("{{\"metadata\":{}", "[".repeat(DEEP)),
    ];
    let each = bodies.map(|body| {
        let length = format!("Content-Length: {}\r\n", body.len());
        let mut request = head(target, "POST", SEND, &length);
        request.extend(body.as_bytes());
        request
    });
    ask(target, &each, ready, stop)
}

/// Sends bodies that claim to be compressed. They are not compressed, but the server must not try
/// to decompress them.
pub fn compressed_bombs(target: &Target, ready: &AtomicBool, stop: &AtomicBool) -> Result<Seen> {
    let each = ["gzip", "deflate", "br", "zstd", "gzip, gzip"].map(|encoding| {
        let length = format!("Content-Encoding: {encoding}\r\nContent-Length: 1000\r\n");
        let mut request = head(target, "POST", SEND, &length);
        request.extend([0x1f, 0x8b, 8, 0]);
        request.resize(request.len() + 996, 0);
        request
    });
    ask(target, &each, ready, stop)
}

/// Sends a part of an upload and disconnects.
pub fn aborted_uploads(target: &Target, ready: &AtomicBool, stop: &AtomicBool) -> Result<Seen> {
    let length = format!("Content-Length: {ANNOUNCED}\r\n");
    let mut request = head(target, "POST", "/api/v1/media", &length);
    request.extend(b"{\"content_type\":\"image/png\",\"data\":\"");
    request.resize(request.len() + UPLOADED, b'A');
    let mut seen = Seen::default();
    ready.store(true, Ordering::Relaxed);
    while !stop.load(Ordering::Relaxed) {
        let mut stream = connect(target.port, 0)?;
        seen.connections += 1;
        seen.open = 1;
        // The server may refuse the request before all of it is written.
        let _ = stream.write_all(&request);
        drop(stream);
        thread::sleep(PAUSE);
    }
    Ok(seen)
}

/// Makes the requests in turn, each on a new connection.
fn ask(
    target: &Target,
    requests: &[Vec<u8>],
    ready: &AtomicBool,
    stop: &AtomicBool,
) -> Result<Seen> {
    let mut seen = Seen::default();
    ready.store(true, Ordering::Relaxed);
    for request in requests.iter().cycle() {
        if stop.load(Ordering::Relaxed) {
            break;
        }
        let mut stream = connect(target.port, 0)?;
        seen.connections += 1;
        seen.open = 1;
        // A refusal may arrive before the whole request is sent.
        let _ = stream.write_all(request);
        seen.answered(answer(&mut stream));
        thread::sleep(PAUSE);
    }
    Ok(seen)
}
