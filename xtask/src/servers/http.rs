//! Enough HTTP to ask a server on this machine whether it is ready.

use std::io::{Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpStream};
use std::time::Duration;

const START_TIMEOUT: Duration = Duration::from_secs(5);

/// Whether `GET path` answers `status` on `port` of the loopback address.
pub fn answers(port: u16, path: &str, headers: &[(&str, &str)], status: u16) -> bool {
    get(port, path, headers) == Some(status)
}

fn get(port: u16, path: &str, headers: &[(&str, &str)]) -> Option<u16> {
    let address = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
    let mut stream = TcpStream::connect_timeout(&address, START_TIMEOUT).ok()?;
    stream.set_read_timeout(Some(START_TIMEOUT)).ok()?;
    let lines = headers.iter().map(|(name, value)| format!("{name}: {value}\r\n"));
    let headers = lines.collect::<Vec<_>>().concat();
    write!(stream, "GET {path} HTTP/1.0\r\nHost: 127.0.0.1\r\n{headers}\r\n").ok()?;
    let mut answer = Vec::new();
    // What came before a reset is an answer all the same.
    let _ = stream.read_to_end(&mut answer);
    status(&String::from_utf8_lossy(&answer))
}

fn status(answer: &str) -> Option<u16> {
    answer.strip_prefix("HTTP/1.")?.split(' ').nth(1)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_status_is_the_second_word() {
        assert_eq!(status("HTTP/1.1 204 No Content\r\n\r\n"), Some(204));
        assert_eq!(status("HTTP/1.0 503 Service Unavailable\r\n"), Some(503));
        assert_eq!(status("220 mail.example ESMTP"), None);
        assert_eq!(status(""), None);
    }
}
