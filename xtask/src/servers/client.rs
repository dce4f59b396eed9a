//! An HTTP client with one connection, which measures each answer.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpStream};
use std::time::Duration;

use anyhow::{Context, Result, bail};

use crate::clock::Stopwatch;

/// A time limit above everything that is measured. A slower answer is a fault.
const TIMEOUT: Duration = Duration::from_mins(3);

/// A client that keeps its connection.
pub struct Client {
    port: u16,
    headers: String,
    stream: Option<BufReader<TcpStream>>,
}

#[derive(Default)]
pub struct Answer {
    pub status: u16,
    /// The header lines.
    pub headers: Vec<String>,
    pub body: String,
    /// The time from the first byte of the request to the last byte of the answer.
    pub took: Duration,
}

impl Answer {
    /// Returns the first value of a header.
    pub fn header<'a>(&'a self, name: &'a str) -> Option<&'a str> {
        self.header_values(name).next()
    }

    /// Returns the values of a header that may be repeated.
    pub fn header_values<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a str> {
        let pairs = self.headers.iter().filter_map(|line| line.split_once(':'));
        pairs.filter(|(it, _)| it.eq_ignore_ascii_case(name)).map(|(_, value)| value.trim())
    }
}

impl Client {
    /// Creates a client for this local port; `headers` are sent with every request.
    pub fn new(port: u16, headers: &[(&str, &str)]) -> Self {
        let lines = headers.iter().map(|(name, value)| format!("{name}: {value}\r\n"));
        Self { port, headers: lines.collect(), stream: None }
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
        let request = self.request(method, path, headers, body);
        let was_open = self.stream.is_some();
        match self.exchange(&request) {
            Err(_) if was_open => {
                self.stream = None;
                self.exchange(&request)
            }
            outcome => outcome,
        }
        .with_context(|| format!("{method} {path}"))
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
        self.exchange(&request).with_context(|| format!("{method} {path}"))
    }

    fn request(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &str) -> String {
        let more = headers.iter().map(|(name, value)| format!("{name}: {value}\r\n"));
        format!(
            "{method} {path} HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nContent-Length: {}\r\n{}{}\r\n{body}",
            self.port,
            body.len(),
            self.headers,
            more.collect::<String>(),
        )
    }

    fn exchange(&mut self, request: &str) -> Result<Answer> {
        let mut stream = match self.stream.take() {
            Some(stream) => stream,
            None => connect(self.port)?,
        };
        let watch = Stopwatch::start();
        stream.get_mut().write_all(request.as_bytes())?;
        let (mut answer, keep) = read(&mut stream)?;
        answer.took = watch.elapsed();
        if keep {
            self.stream = Some(stream);
        }
        Ok(answer)
    }
}

fn connect(port: u16) -> Result<BufReader<TcpStream>> {
    let address = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
    let stream = TcpStream::connect_timeout(&address, TIMEOUT)?;
    stream.set_read_timeout(Some(TIMEOUT))?;
    stream.set_nodelay(true)?;
    Ok(BufReader::with_capacity(1 << 16, stream))
}

/// Reads an answer, and tells whether the connection can be used again.
fn read(stream: &mut impl BufRead) -> Result<(Answer, bool)> {
    let first = line(stream)?;
    let status = first.split(' ').nth(1).and_then(|word| word.parse().ok());
    let status = status.with_context(|| format!("not an answer: {first}"))?;
    let mut answer = Answer { status, ..Answer::default() };
    loop {
        let header = line(stream)?;
        if header.is_empty() {
            break;
        }
        answer.headers.push(header);
    }
    let length = answer.header("content-length").and_then(|length| length.parse::<u64>().ok());
    let is_chunked = answer.header("transfer-encoding").is_some_and(|it| it.contains("chunked"));
    let mut body = Vec::new();
    if is_chunked {
        loop {
            let size = u64::from_str_radix(line(stream)?.trim(), 16).context("a chunk's size")?;
            stream.take(size).read_to_end(&mut body)?;
            line(stream)?;
            if size == 0 {
                break;
            }
        }
    } else if let Some(length) = length {
        stream.take(length).read_to_end(&mut body)?;
    }
    answer.body = String::from_utf8_lossy(&body).into_owned();
    let closes = answer.header("connection").is_some_and(|it| it.eq_ignore_ascii_case("close"));
    Ok((answer, !closes && (is_chunked || length.is_some())))
}

fn line(stream: &mut impl BufRead) -> Result<String> {
    let mut line = String::new();
    if stream.read_line(&mut line)? == 0 {
        bail!("the connection ended");
    }
    Ok(line.trim_end().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_of_both_kinds_are_read() {
        let sized = "HTTP/1.1 200 OK\r\nContent-Length: 3\r\nSet-Cookie: a=1\r\n\r\nabcrest";
        let (answer, keep) = read(&mut sized.as_bytes()).unwrap();
        assert_eq!((answer.status, answer.body.as_str(), keep), (200, "abc", true));
        assert_eq!(answer.header("set-cookie"), Some("a=1"));
        let chunked =
            "HTTP/1.1 404 No\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n1\r\nd\r\n0\r\n\r\n";
        let (answer, keep) = read(&mut chunked.as_bytes()).unwrap();
        assert_eq!((answer.status, answer.body.as_str(), keep), (404, "abcd", true));
        assert!(read(&mut "".as_bytes()).is_err());
    }
}
