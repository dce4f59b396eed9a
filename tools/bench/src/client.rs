//! An HTTP client with one connection, which measures the time of each answer.
//!
//! Callers are threads that make one call after the other. The protocol is hyper's, without a pool
//! of connections. A pool would reconnect and repeat a failed request without telling the caller,
//! and a test of the server must notice the failure.

use std::net::Ipv4Addr;
use std::time::Duration;

use anyhow::{Context, Result};
use bytes::Bytes;
use http::header::{CONNECTION, CONTENT_LENGTH, HOST};
use http::{HeaderMap, HeaderName, HeaderValue, Request};
use http_body_util::{BodyExt as _, Full};
use hyper::client::conn::http1::{SendRequest, handshake};
use hyper_util::rt::TokioIo;
use servers::clock::Stopwatch;
use tokio::net::TcpStream;
use tokio::runtime::{Builder, Runtime};
use tokio::time::timeout;

/// The time limit of a call. It is longer than every time that is measured, so a slower answer is
/// an error.
const TIMEOUT: Duration = Duration::from_mins(3);
/// The time limit of a call that only asks whether a server answers.
const SHORT_TIMEOUT: Duration = Duration::from_secs(5);

/// A client that keeps its connection.
pub struct Client {
    port: u16,
    headers: Vec<(String, String)>,
    timeout: Duration,
    /// The runtime of the connection. It runs only while a call is made.
    runtime: Option<Runtime>,
    connection: Option<SendRequest<Full<Bytes>>>,
}

#[derive(Debug, Default)]
pub struct Answer {
    pub status: u16,
    pub headers: HeaderMap,
    pub body: String,
    /// The time from the first byte of the request to the last byte of the answer.
    pub took: Duration,
}

impl Answer {
    /// Returns the first value of a header.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.header_values(name).next()
    }

    /// Returns the values of a header that may be repeated.
    pub fn header_values<'a>(&'a self, name: &str) -> impl Iterator<Item = &'a str> + use<'a> {
        self.headers.get_all(name).into_iter().filter_map(|value| value.to_str().ok())
    }
}

/// Whether `GET path` answers `status` on `port` of the loopback address.
pub fn answers(port: u16, path: &str, headers: &[(&str, &str)], status: u16) -> bool {
    request(port, "GET", path, headers, "").is_ok_and(|answer| answer.status == status)
}

/// Makes a request on a new connection.
pub fn request(
    port: u16,
    method: &str,
    path: &str,
    headers: &[(&str, &str)],
    body: &str,
) -> Result<Answer> {
    let mut client = Client::new(port, &[]);
    client.timeout = SHORT_TIMEOUT;
    client.ask_once(method, path, headers, body)
}

impl Client {
    /// Creates a client for this local port; `headers` are sent with every request.
    pub fn new(port: u16, headers: &[(&str, &str)]) -> Self {
        let owned = headers.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
        Self { port, headers: owned.collect(), timeout: TIMEOUT, runtime: None, connection: None }
    }

    /// Makes a request and reads the whole answer. If the server has closed the connection,
    /// reconnects once.
    pub fn ask(
        &mut self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: &str,
    ) -> Result<Answer> {
        let was_open = self.connection.is_some();
        match self.ask_once(method, path, headers, body) {
            Err(_) if was_open => self.ask_once(method, path, headers, body),
            outcome => outcome,
        }
    }

    /// Makes a request without reconnecting: a broken connection is an error, even a reused one.
    pub fn ask_once(
        &mut self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: &str,
    ) -> Result<Answer> {
        let request = self.request(method, path, headers, body);
        request
            .and_then(|request| self.exchange(request))
            .with_context(|| format!("{method} {path}"))
    }

    fn request(
        &self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: &str,
    ) -> Result<Request<Full<Bytes>>> {
        let mut request = Request::builder()
            .method(method)
            .uri(path)
            .header(HOST, format!("127.0.0.1:{}", self.port))
            .header(CONTENT_LENGTH, body.len());
        let own = self.headers.iter().map(|(name, value)| (name.as_str(), value.as_str()));
        for (name, value) in own.chain(headers.iter().copied()) {
            let name = HeaderName::from_bytes(name.as_bytes())?;
            request = request.header(name, HeaderValue::from_str(value)?);
        }
        Ok(request.body(Full::from(body.to_owned()))?)
    }

    fn exchange(&mut self, request: Request<Full<Bytes>>) -> Result<Answer> {
        let runtime = match self.runtime.take() {
            Some(runtime) => runtime,
            None => Builder::new_current_thread().enable_all().build()?,
        };
        let runtime = self.runtime.insert(runtime);
        let (port, open) = (self.port, self.connection.take());
        let limit = self.timeout;
        let answered =
            runtime.block_on(async { timeout(limit, exchange(port, open, request)).await });
        let (answer, connection) = answered.context("there is no answer in time")??;
        self.connection = connection;
        Ok(answer)
    }
}

/// Makes a request on the open connection or a new one. Returns the answer, and the connection if
/// it can be used again.
async fn exchange(
    port: u16,
    open: Option<SendRequest<Full<Bytes>>>,
    request: Request<Full<Bytes>>,
) -> Result<(Answer, Option<SendRequest<Full<Bytes>>>)> {
    let mut connection = match open {
        Some(open) => open,
        None => connect(port).await?,
    };
    connection.ready().await?;
    let watch = Stopwatch::start();
    let (head, body) = connection.send_request(request).await?.into_parts();
    let body = body.collect().await?.to_bytes();
    let took = watch.elapsed();
    let closes = head.headers.get(CONNECTION).is_some_and(|it| it.as_bytes() == b"close");
    let answer = Answer {
        status: head.status.as_u16(),
        headers: head.headers,
        body: String::from_utf8_lossy(&body).into_owned(),
        took,
    };
    Ok((answer, (!closes).then_some(connection)))
}

/// Opens a connection to this local port. The current runtime drives it.
pub(crate) async fn connect(port: u16) -> Result<SendRequest<Full<Bytes>>> {
    let stream = TcpStream::connect((Ipv4Addr::LOCALHOST, port)).await?;
    stream.set_nodelay(true)?;
    let (connection, driver) = handshake(TokioIo::new(stream)).await?;
    // The error is not handled here: the call on the connection fails too.
    tokio::spawn(async { drop(driver.await) });
    Ok(connection)
}

#[cfg(test)]
mod tests {
    use std::io::{BufRead as _, BufReader, Write as _};
    use std::net::TcpListener;
    use std::thread;

    use super::*;

    /// Serves these answers on one connection, and then accepts another connection.
    fn serve(answers: &'static [&'static str]) -> u16 {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let port = listener.local_addr().unwrap().port();
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let mut stream = BufReader::new(stream);
                for answer in answers {
                    let mut line = String::new();
                    while line.trim_end() != "" || line.is_empty() {
                        line.clear();
                        stream.read_line(&mut line).unwrap();
                    }
                    stream.get_mut().write_all(answer.as_bytes()).unwrap();
                }
            }
        });
        port
    }

    #[test]
    fn answers_of_both_kinds_are_read_on_one_connection() {
        let port = serve(&[
            "HTTP/1.1 200 OK\r\nContent-Length: 3\r\nSet-Cookie: a=1\r\nSet-Cookie: b=2\r\n\r\nabc",
            "HTTP/1.1 404 No\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n1\r\nd\r\n0\r\n\r\n",
        ]);
        let mut client = Client::new(port, &[("x-a", "1")]);
        let sized = client.ask_once("GET", "/a", &[], "").unwrap();
        assert_eq!(sized.status, 200);
        assert_eq!(sized.body, "abc");
        assert_eq!(sized.header_values("set-cookie").collect::<Vec<_>>(), ["a=1", "b=2"]);
        let chunked = client.ask_once("GET", "/b?c=d", &[("x-b", "2")], "").unwrap();
        assert_eq!(chunked.status, 404);
        assert_eq!(chunked.body, "abcd");
    }

    #[test]
    fn a_closed_connection_is_an_error_unless_it_may_be_opened_again() {
        let port = serve(&["HTTP/1.1 204 No Content\r\n\r\n"]);
        let mut client = Client::new(port, &[]);
        assert_eq!(client.ask("GET", "/", &[], "").unwrap().status, 204);
        assert_eq!(client.ask("GET", "/", &[], "").unwrap().status, 204);
        assert!(client.ask_once("GET", "/", &[], "").is_err());
        assert!(answers(port, "/", &[], 204));
        assert!(!answers(port, "/", &[], 200));
    }
}
