//! An HTTP server that stands in for another service and can be made to misbehave.

use parking_lot::Mutex;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

use anyhow::{Context, Result};

use servers::interrupt;

/// The behavior of a stand-in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Manner {
    /// Answers every request.
    Answers,
    /// Answers after this delay.
    Slow(Duration),
    /// Answers every request with 503.
    Fails,
    /// Accepts requests and never answers.
    Silent,
    /// Closes every connection immediately.
    Closes,
}

pub struct Request {
    pub path: String,
    pub body: Vec<u8>,
    /// The unique number of the request.
    pub number: u64,
}

/// An answer of a stand-in.
pub struct StandInReply {
    /// The status code and its reason phrase.
    status: &'static str,
    body: String,
}

impl StandInReply {
    /// Returns a 200 answer.
    pub fn ok(body: String) -> Self {
        Self { status: "200 OK", body }
    }

    /// Returns a 503 answer.
    pub fn unavailable(body: &str) -> Self {
        Self { status: "503 Service Unavailable", body: body.to_owned() }
    }
}

/// A stand-in. It runs until the process ends.
pub struct StandIn {
    pub port: u16,
    manner: Arc<Mutex<Manner>>,
}

static COUNT: AtomicU64 = AtomicU64::new(0);

impl StandIn {
    /// Starts a stand-in on a free port. `answer` returns the body of the 200 answer to each
    /// request.
    pub fn start(
        answer: impl Fn(&Request) -> Result<String> + Send + Sync + 'static,
    ) -> Result<Self> {
        Self::replying(move |request| answer(request).map(StandInReply::ok))
    }

    /// Starts a stand-in on a free port. `answer` returns the answer to each request. If it returns
    /// an error, the connection is closed.
    pub fn replying(
        answer: impl Fn(&Request) -> Result<StandInReply> + Send + Sync + 'static,
    ) -> Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).context("no free port")?;
        let port = listener.local_addr()?.port();
        let manner = Arc::new(Mutex::new(Manner::Answers));
        let (kept, answer) = (manner.clone(), Arc::new(answer));
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (manner, answer) = (kept.clone(), answer.clone());
                // A broken request does not matter, because the instance that takes over sends the
                // request again.
                thread::spawn(move || serve(stream, &manner, answer.as_ref()));
            }
        });
        Ok(Self { port, manner })
    }

    pub fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    /// Changes the stand-in's behavior.
    pub fn behave(&self, manner: Manner) {
        *self.manner.lock() = manner;
    }
}

fn now(manner: &Mutex<Manner>) -> Manner {
    *manner.lock()
}

fn serve(
    stream: TcpStream,
    manner: &Mutex<Manner>,
    answer: &(impl Fn(&Request) -> Result<StandInReply> + ?Sized),
) -> Result<()> {
    stream.set_nodelay(true)?;
    let mut stream = BufReader::new(stream);
    while now(manner) != Manner::Closes
        && let Some(request) = read(&mut stream)?
    {
        let StandInReply { status, body } = match now(manner) {
            Manner::Answers => answer(&request)?,
            Manner::Slow(by) => {
                thread::sleep(by);
                answer(&request)?
            }
            Manner::Fails => StandInReply::unavailable("{}"),
            Manner::Silent => {
                while now(manner) == Manner::Silent && interrupt::check().is_ok() {
                    thread::sleep(Duration::from_millis(100));
                }
                return Ok(());
            }
            Manner::Closes => return Ok(()),
        };
        write!(
            stream.get_mut(),
            "HTTP/1.1 {status}\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
            body.len()
        )?;
    }
    Ok(())
}

/// Reads the next request. Returns `None` if the connection has ended.
fn read(stream: &mut impl BufRead) -> Result<Option<Request>> {
    let (mut length, mut line) = (0, String::new());
    if stream.read_line(&mut line)? == 0 {
        return Ok(None);
    }
    let path = line.split(' ').nth(1).map(str::to_owned);
    let path = path.with_context(|| format!("no request: {line}"))?;
    loop {
        line.clear();
        if stream.read_line(&mut line)? == 0 {
            return Ok(None);
        }
        let header = line.trim_end().to_ascii_lowercase();
        if let Some(value) = header.strip_prefix("content-length:") {
            length = value.trim().parse()?;
        }
        if header.is_empty() {
            break;
        }
    }
    let mut body = Vec::new();
    let read = stream.take(length).read_to_end(&mut body)?;
    // An incomplete request is ignored.
    let whole = read as u64 == length;
    let number = COUNT.fetch_add(1, Ordering::Relaxed);
    Ok(whole.then_some(Request { path, body, number }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use bench::client::Client;

    #[test]
    fn it_behaves_as_it_is_told() {
        let stand_in = StandIn::start(|it| Ok(format!("{} {}", it.path, it.body.len()))).unwrap();
        let mut client = Client::new(stand_in.port, &[]);
        assert_eq!(client.ask("POST", "/a", &[], "body").unwrap().body, "/a 4");
        stand_in.behave(Manner::Fails);
        assert_eq!(client.ask("POST", "/a", &[], "body").unwrap().status, 503);
        stand_in.behave(Manner::Closes);
        assert!(Client::new(stand_in.port, &[]).ask_once("GET", "/", &[], "").is_err());
    }
}
