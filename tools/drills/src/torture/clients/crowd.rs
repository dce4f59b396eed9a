//! Many simultaneous connections that send very little.

use std::io::{ErrorKind, Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use anyhow::{Context, Result};
use socket2::{Domain, Socket, Type};

use super::seen::{Seen, Target};

/// The number of connections per address. The server allows a few thousand.
const PER_ADDRESS: usize = 2000;
/// The pause after all connections have had a turn.
const TURN: Duration = Duration::from_secs(1);
/// The number of new connections after which there is a pause, and the length of the pause. The
/// pause is needed because the server runs on the same machine.
const BURST: usize = 50;
const PAUSE: Duration = Duration::from_millis(10);
/// The pause after every `BURST` existing connections.
const BREATH: Duration = Duration::from_millis(2);
/// The time limit for connecting, reading and writing.
const PATIENCE: Duration = Duration::from_secs(5);

/// Connections that were opened in the same way.
struct Crowd<'a> {
    target: &'a Target,
    /// The first bytes that each connection sends.
    first: Vec<u8>,
    /// Whether a new connection waits for the answer to its first bytes.
    waits: bool,
    /// Whether a connection reads what the server sends.
    reads: bool,
    /// The bytes that each connection sends in every turn.
    then: &'a [u8],
    many: usize,
    seen: Seen,
}

/// Sends the head of a request slowly, byte by byte.
pub fn slow_heads(target: &Target, ready: &AtomicBool, stop: &AtomicBool) -> Result<Seen> {
    let first = b"GET /healthz HTTP/1.1\r\nHost: x\r\nX-Slow: ".to_vec();
    crowd(target, first, false, b"a", 1000).stay(ready, stop)
}

/// Sends the body of a request slowly, byte by byte.
pub fn slow_bodies(target: &Target, ready: &AtomicBool, stop: &AtomicBool) -> Result<Seen> {
    let mut first = head(target, "POST", "/api/v1/messages", "Content-Length: 1000000\r\n");
    first.extend(b"{");
    crowd(target, first, false, b" ", 1000).stay(ready, stop)
}

/// Makes one request, and then sends nothing.
pub fn idle(target: &Target, ready: &AtomicBool, stop: &AtomicBool) -> Result<Seen> {
    let first = b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n".to_vec();
    crowd(target, first, true, b"", 10_000).stay(ready, stop)
}

/// Sends half of a head, and then nothing.
pub fn halves(target: &Target, ready: &AtomicBool, stop: &AtomicBool) -> Result<Seen> {
    let first = b"GET /healthz HTTP/1.1\r\nHo".to_vec();
    crowd(target, first, false, b"", 2000).stay(ready, stop)
}

/// Sends many requests with long answers, and reads none of them.
pub fn unread(target: &Target, ready: &AtomicBool, stop: &AtomicBool) -> Result<Seen> {
    let first = b"GET /openapi.json HTTP/1.1\r\nHost: x\r\n\r\n".repeat(100);
    let crowd = crowd(target, first, false, b"", 100);
    Crowd { reads: false, ..crowd }.stay(ready, stop)
}

/// Returns the head of a request with the key.
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
    /// Opens all connections, and reopens closed ones until `stop` is set.
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

    /// Takes one connection's turn: opens it, or sends its next bytes.
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

    /// Opens a connection. Returns `None` if the server accepts no more.
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

/// Opens a connection from one of the machine's own addresses.
pub fn connect(port: u16, address: usize) -> Result<TcpStream> {
    let socket = Socket::new(Domain::IPV4, Type::STREAM, None)?;
    // A client that reads nothing gets a small receive buffer.
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

/// Returns the status of the next answer, or 0 if the connection ends instead.
pub fn answer(stream: &mut TcpStream) -> u16 {
    let mut answer = [0; 512];
    match stream.read(&mut answer) {
        Ok(length) => status(answer.get(..length).unwrap_or_default()),
        Err(_) => 0,
    }
}

/// Returns the status in the first line of an answer, or 0 if there is none.
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
