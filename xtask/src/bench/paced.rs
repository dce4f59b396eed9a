//! Requests at a fixed rate, whose latency counts from when each was due.
//!
//! wrk waits for an answer before it makes the next request, so that a server that stands still for a second spoils one
//! request a connection. Here the requests that were due in that second have waited too.

use std::io::{BufReader, Write as _};
use std::net::{Ipv4Addr, TcpStream};
use std::thread;
use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};

use super::measured::{count, float};
use super::switchboard::Credentials;
use crate::clock::Stopwatch;
use crate::interrupt;

const TIMEOUT: Duration = Duration::from_secs(10);

/// What came of it.
pub struct Latencies {
    /// Of each request, in milliseconds, the shortest first.
    sorted: Vec<f64>,
    /// Requests a second, as they were answered.
    pub per_second: f64,
}

impl Latencies {
    /// The one that so many of a hundred do not exceed.
    pub fn percentile(&self, percent: f64) -> f64 {
        let last = float(self.sorted.len().saturating_sub(1) as u64);
        let below = (last * percent / 100.0).ceil();
        let mut ranked = (0_u64..).map(float).zip(&self.sorted);
        ranked.find(|(rank, _)| *rank >= below).map_or(0.0, |(_, latency)| *latency)
    }
}

/// Messages to a thousand people.
pub struct Sends<'a> {
    /// Of the server on the loopback address.
    pub port: u16,
    /// Whose they are.
    pub key: &'a Credentials,
    /// Connections that they are spread over.
    pub connections: u32,
}

impl Sends<'_> {
    /// So many a second, for so many seconds.
    pub fn at_rate(&self, per_second: f64, seconds: u32) -> Result<Latencies> {
        let interval = Duration::from_secs_f64(f64::from(self.connections) / per_second);
        let many = count(per_second * f64::from(seconds) / f64::from(self.connections));
        self.run(many, Some(interval))
    }

    /// So many in all, as fast as they are answered.
    pub fn in_all(&self, many: u64) -> Result<Latencies> {
        self.run(many.div_ceil(u64::from(self.connections)), None)
    }

    /// So many on each connection.
    fn run(&self, many: u64, interval: Option<Duration>) -> Result<Latencies> {
        let watch = Stopwatch::start();
        let all = thread::scope(|scope| {
            let running: Vec<_> = (0..self.connections)
                .map(|number| scope.spawn(move || self.connection(number, many, interval, watch)))
                .collect();
            let joined = running.into_iter().map(|thread| match thread.join() {
                Ok(latencies) => latencies,
                Err(_) => bail!("a connection panicked"),
            });
            joined.collect::<Result<Vec<_>>>()
        })?;
        let took = watch.elapsed().as_secs_f64();
        let mut sorted: Vec<f64> = all.into_iter().flatten().collect();
        sorted.sort_by(f64::total_cmp);
        let per_second = float(sorted.len() as u64) / took;
        Ok(Latencies { sorted, per_second })
    }

    fn connection(
        &self,
        number: u32,
        many: u64,
        interval: Option<Duration>,
        watch: Stopwatch,
    ) -> Result<Vec<f64>> {
        let stream = TcpStream::connect((Ipv4Addr::LOCALHOST, self.port))
            .context("the server takes no connection")?;
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(TIMEOUT))?;
        let mut writer = stream.try_clone()?;
        let mut reader = BufReader::new(stream);
        // The connections take turns, each a little early or late, lest all of them come at once.
        let mut jitter = Jitter(u64::from(number) + 1);
        let mut latencies = Vec::new();
        for turn in 0..many {
            interrupt::check()?;
            let due = match interval {
                Some(interval) => {
                    let turns = float(turn) + f64::from(number) / f64::from(self.connections);
                    let due = interval.mul_f64(turns + jitter.next() * 0.5);
                    thread::sleep(due.saturating_sub(watch.elapsed()));
                    due
                }
                None => watch.elapsed(),
            };
            let person = (turn * u64::from(self.connections) + u64::from(number)) % 1000;
            writer.write_all(self.request(person).as_bytes())?;
            let status = answered(&mut reader)?;
            ensure!(status == 201, "a message was answered {status}");
            latencies.push(watch.elapsed().saturating_sub(due).as_secs_f64() * 1e3);
        }
        Ok(latencies)
    }

    fn request(&self, person: u64) -> String {
        let body = format!(
            "{{\"phone_number\":\"+1202600{person:04}\",\"type\":\"text\",\"text\":\"Your order has left the warehouse.\"}}"
        );
        let Credentials { client_id, client_secret } = self.key;
        format!(
            "POST /api/v1/messages HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nContent-Type: application/json\r\n\
             x-client-id: {client_id}\r\nx-client-secret: {client_secret}\r\nContent-Length: {}\r\n\r\n{body}",
            self.port,
            body.len()
        )
    }
}

/// Reads one answer to its end, and returns its status.
fn answered(reader: &mut impl std::io::BufRead) -> Result<u16> {
    let (mut line, mut status, mut length) = (String::new(), 0, 0);
    loop {
        line.clear();
        ensure!(reader.read_line(&mut line)? > 0, "the server closed the connection");
        let text = line.trim_end();
        if text.is_empty() {
            break;
        }
        if status == 0 {
            status = text.split(' ').nth(1).context("no status")?.parse()?;
        } else if let Some((name, value)) = text.split_once(':')
            && name.eq_ignore_ascii_case("content-length")
        {
            length = value.trim().parse()?;
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body)?;
    Ok(status)
}

/// Numbers from 0 to 1 that look random (xorshift): the same in every run.
struct Jitter(u64);

impl Jitter {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        float(self.0 % 1_000_000) / 1e6
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_read_one_by_one() {
        let two = "HTTP/1.1 201 Created\r\nContent-Length: 2\r\n\r\n{}HTTP/1.1 429 Too Many\r\ncontent-length: 0\r\n\r\n";
        let mut reader = two.as_bytes();
        assert_eq!(answered(&mut reader).unwrap(), 201);
        assert_eq!(answered(&mut reader).unwrap(), 429);
        assert!(answered(&mut reader).is_err());
    }

    #[test]
    fn percentiles_are_of_the_sorted_latencies() {
        let sorted: Vec<f64> = (0..=100).map(f64::from).collect();
        let latencies = Latencies { sorted, per_second: 1.0 };
        let seen =
            [50.0, 99.0, 99.5, 100.0].map(|percent| latencies.percentile(percent).to_string());
        assert_eq!(seen, ["50", "99", "100", "100"]);
        let none = Latencies { sorted: Vec::new(), per_second: 0.0 };
        assert_eq!(none.percentile(99.0).to_string(), "0");
    }

    #[test]
    fn jitter_is_within_bounds() {
        let mut jitter = Jitter(1);
        assert!((0..1000).all(|_| (0.0..1.0).contains(&jitter.next())));
    }
}
