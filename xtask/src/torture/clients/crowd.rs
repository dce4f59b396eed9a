//! Many connections at a time that hardly do anything.

use std::io::{ErrorKind, Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use anyhow::{Context, Result};
use socket2::{Domain, Socket, Type};

use super::seen::{Seen, Target};

/// So many connections are opened from one address; the server allows no address more than a few thousand.
const PER_ADDRESS: usize = 2000;
/// Between two turns of the whole crowd.
const TURN: Duration = Duration::from_secs(1);
/// After so many new connections there is a pause: the machine is the server's as well.
const BURST: usize = 50;
const PAUSE: Duration = Duration::from_millis(10);
/// The same where they are open already.
const BREATH: Duration = Duration::from_millis(2);
/// How long a head or an answer may take that the crowd waits for.
const PATIENCE: Duration = Duration::from_secs(5);

/// Connections that were opened in the same way.
struct Crowd<'a> {
    target: &'a Target,
    /// What each sends first.
    first: Vec<u8>,
    /// Whether it waits for an answer to that.
    waits: bool,
    /// Whether it ever reads.
    reads: bool,
    /// What each sends in every turn.
    then: &'a [u8],
    many: usize,
    seen: Seen,
}

/// A byte of a head now and then.
pub fn slow_heads(target: &Target, ready: &AtomicBool, stop: &AtomicBool) -> Result<Seen> {
    let first = b"GET /healthz HTTP/1.1\r\nHost: x\r\nX-Slow: ".to_vec();
    crowd(target, first, false, b"a", 1000).stay(ready, stop)
}

/// A byte of a body now and then.
pub fn slow_bodies(target: &Target, ready: &AtomicBool, stop: &AtomicBool) -> Result<Seen> {
    let mut first = head(target, "POST", "/api/v1/messages", "Content-Length: 1000000\r\n");
    first.extend(b"{");
    crowd(target, first, false, b" ", 1000).stay(ready, stop)
}

/// Nothing, after one call.
pub fn idle(target: &Target, ready: &AtomicBool, stop: &AtomicBool) -> Result<Seen> {
    let first = b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n".to_vec();
    crowd(target, first, true, b"", 10_000).stay(ready, stop)
}

/// Half of a head, and nothing ever after.
pub fn halves(target: &Target, ready: &AtomicBool, stop: &AtomicBool) -> Result<Seen> {
    let first = b"GET /healthz HTTP/1.1\r\nHo".to_vec();
    crowd(target, first, false, b"", 2000).stay(ready, stop)
}

/// Many requests for long answers, of which none is read.
pub fn unread(target: &Target, ready: &AtomicBool, stop: &AtomicBool) -> Result<Seen> {
    let first = b"GET /openapi.json HTTP/1.1\r\nHost: x\r\n\r\n".repeat(100);
    let crowd = crowd(target, first, false, b"", 100);
    Crowd { reads: false, ..crowd }.stay(ready, stop)
}

/// The head of a call with the key.
pub fn head(target: &Target, method: &str, path: &str, more: &str) -> Vec<u8> {
    let [(id, its_id), (secret, its_secret)] = target.key.headers();
    format!(
        "{method} {path} HTTP/1.1\r\nHost: x\r\n{id}: {its_id}\r\n{secret}: {its_secret}\r\n\
         Content-Type: application/json\r\n{more}\r\n"
    )
    .into_bytes()
}

fn crowd<'a>(
    target: &'a Target,
    first: Vec<u8>,
    waits: bool,
    then: &'a [u8],
    many: usize,
) -> Crowd<'a> {
    Crowd { target, first, waits, reads: true, then, many, seen: Seen::default() }
}

impl Crowd<'_> {
    /// Opens them all, and keeps as many open until it is told to stop.
    fn stay(mut self, ready: &AtomicBool, stop: &AtomicBool) -> Result<Seen> {
        let mut open: Vec<Option<TcpStream>> = Vec::new();
        open.resize_with(self.many, || None);
        while !stop.load(Ordering::Relaxed) {
            for (number, place) in open.iter_mut().enumerate() {
                if stop.load(Ordering::Relaxed) {
                    break;
                }
                self.turn(number, place)?;
            }
            ready.store(true, Ordering::Relaxed);
            let now = open.iter().filter(|it| it.is_some()).count() as u64;
            self.seen.open = self.seen.open.max(now);
            thread::sleep(TURN);
        }
        Ok(self.seen)
    }

    /// One of them: opened, if it is not, or told that it still lives.
    fn turn(&mut self, number: usize, place: &mut Option<TcpStream>) -> Result<()> {
        if number.is_multiple_of(BURST) {
            thread::sleep(if place.is_some() { BREATH } else { PAUSE });
        }
        let Some(stream) = place else {
            *place = self.open(number)?;
            return Ok(());
        };
        let mut answer = [0; 64];
        let read =
            if self.reads { stream.read(&mut answer) } else { Err(ErrorKind::WouldBlock.into()) };
        let lives = match read {
            Ok(length) => {
                self.seen.answered(status(answer.get(..length).unwrap_or_default()));
                false
            }
            Err(error) => error.kind() == ErrorKind::WouldBlock,
        };
        if !lives || !self.then.is_empty() && stream.write_all(self.then).is_err() {
            *place = None;
        }
        Ok(())
    }

    /// A new one; nothing if the server takes no more.
    fn open(&mut self, number: usize) -> Result<Option<TcpStream>> {
        let mut stream = connect(self.target.port, number / PER_ADDRESS)?;
        self.seen.connections += 1;
        if stream.write_all(&self.first).is_err() {
            return Ok(None);
        }
        if self.waits {
            self.seen.answered(answer(&mut stream));
        }
        stream.set_nonblocking(true)?;
        Ok(Some(stream))
    }
}

/// A connection from one of the machine's own addresses.
pub fn connect(port: u16, address: usize) -> Result<TcpStream> {
    let socket = Socket::new(Domain::IPV4, Type::STREAM, None)?;
    // Whoever reads nothing has no room for much, either.
    socket.set_recv_buffer_size(16 * 1024)?;
    let from = Ipv4Addr::new(127, 0, 1, 1 + u8::try_from(address)?);
    socket.bind(&SocketAddr::from((from, 0)).into())?;
    let to = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
    socket.connect_timeout(&to.into(), PATIENCE).context("the server takes no connection")?;
    let stream = TcpStream::from(socket);
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.set_write_timeout(Some(PATIENCE))?;
    stream.set_nodelay(true)?;
    Ok(stream)
}

/// The status of the next answer; 0 where the connection ends instead.
pub fn answer(stream: &mut TcpStream) -> u16 {
    let mut answer = [0; 512];
    match stream.read(&mut answer) {
        Ok(length) => status(answer.get(..length).unwrap_or_default()),
        Err(_) => 0,
    }
}

/// The status in the first line of an answer; 0 where there is none.
pub fn status(answer: &[u8]) -> u16 {
    let text = String::from_utf8_lossy(answer);
    let word = text.strip_prefix("HTTP/1.").and_then(|rest| rest.split(' ').nth(1));
    word.and_then(|word| word.parse().ok()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_status_is_found() {
        assert_eq!(status(b"HTTP/1.1 431 Too Large\r\n"), 431);
        assert_eq!(status(b""), 0);
    }
}
