//! A minimal HTTP client for servers on this machine.

use std::io::{Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpStream};
use std::time::Duration;

use anyhow::{Context, Result};

const TIMEOUT: Duration = Duration::from_secs(5);

#[derive(Debug, PartialEq, Eq)]
pub struct Answer {
    pub status: u16,
    /// The headers in their order, with names in lowercase.
    pub headers: Vec<(String, String)>,
    pub body: String,
}

impl Answer {
    /// Returns the values of the headers with this name.
    pub fn headers<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a str> {
        self.headers.iter().filter(move |(its, _)| its == name).map(|(_, value)| value.as_str())
    }
}

/// Tells whether `GET path` answers `status` on `port` of the loopback address.
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
    let address = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
    let mut stream = TcpStream::connect_timeout(&address, TIMEOUT)
        .with_context(|| format!("cannot connect to {address}"))?;
    stream.set_read_timeout(Some(TIMEOUT)).context("cannot set a timeout")?;
    let lines = headers.iter().map(|(name, value)| format!("{name}: {value}\r\n"));
    let headers = lines.collect::<Vec<_>>().concat();
    let length = match body.len() {
        0 if method == "GET" => String::new(),
        length => format!("Content-Length: {length}\r\n"),
    };
    // The request is sent in one piece. It is HTTP/1.0, whose answers end with the connection and
    // have no chunks.
    let request =
        format!("{method} {path} HTTP/1.0\r\nHost: 127.0.0.1\r\n{headers}{length}\r\n{body}");
    stream.write_all(request.as_bytes()).with_context(|| format!("cannot ask for {path}"))?;
    let mut answer = Vec::new();
    // Data that arrived before a reset is still an answer.
    let _ = stream.read_to_end(&mut answer);
    parse(&String::from_utf8_lossy(&answer))
        .with_context(|| format!("{method} {path} has no answer in HTTP"))
}

fn parse(answer: &str) -> Option<Answer> {
    let (head, body) = answer.split_once("\r\n\r\n")?;
    let mut lines = head.split("\r\n");
    let status = lines.next()?.strip_prefix("HTTP/1.")?.split(' ').nth(1)?.parse().ok()?;
    let headers = lines.filter_map(|line| {
        let (name, value) = line.split_once(':')?;
        Some((name.to_ascii_lowercase(), value.trim().to_owned()))
    });
    Some(Answer { status, headers: headers.collect(), body: body.to_owned() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_taken_apart() {
        let answer = parse(
            "HTTP/1.1 303 See Other\r\nSet-Cookie: a=b; Path=/\r\nLocation: /x\r\n\r\nbody\r\n\r\n",
        )
        .unwrap();
        assert_eq!(answer.status, 303);
        assert_eq!(answer.headers("set-cookie").collect::<Vec<_>>(), ["a=b; Path=/"]);
        assert_eq!(answer.body, "body\r\n\r\n");
        assert_eq!(parse("HTTP/1.1 204 No Content\r\n\r\n").map(|answer| answer.status), Some(204));
        assert_eq!(parse("220 mail.example ESMTP"), None);
        assert_eq!(parse(""), None);
    }
}
