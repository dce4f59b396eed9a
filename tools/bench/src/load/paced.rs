//! Requests at a fixed rate, or as fast as they are answered. The latency of a request counts from the time at which it was due.
//!
//! wrk sends the next request only after an answer, so a server that stops for a second delays only
//! one request per connection. Here, all requests that were due in that second count as delayed.
//! One thread serves all connections, as with `wrk -t1`: with one thread per connection, switching
//! between them would take CPU time from the server.

use std::io::{Read as _, Write as _};
use std::net::{Ipv4Addr, TcpStream};
use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};
use rustix::event::{PollFd, PollFlags, Timespec, poll};

use super::measured::{count, float};
use super::switchboard::Credentials;
use servers::clock::Stopwatch;
use servers::interrupt;

const TIMEOUT: Duration = Duration::from_secs(10);

/// The latencies of a series of requests.
pub struct Latencies {
    /// The latency of each request in milliseconds, in ascending order.
    sorted: Vec<f64>,
    /// The number of answers per second.
    pub per_second: f64,
}

impl Latencies {
    /// Sorts latencies that were measured in this many seconds.
    pub fn of(mut latencies: Vec<f64>, seconds: f64) -> Self {
        latencies.sort_by(f64::total_cmp);
        let per_second = float(latencies.len() as u64) / seconds;
        Self { sorted: latencies, per_second }
    }

    /// Returns the latency that `percent` percent of the requests do not exceed.
    pub fn percentile(&self, percent: f64) -> f64 {
        let last = float(self.sorted.len().saturating_sub(1) as u64);
        let below = (last * percent / 100.0).ceil();
        let mut ranked = (0_u64..).map(float).zip(&self.sorted);
        ranked.find(|(rank, _)| *rank >= below).map_or(0.0, |(_, latency)| *latency)
    }
}

/// Sends of messages to 1,000 contacts.
#[derive(Clone, Copy)]
pub struct Sends<'a> {
    /// The port of the server on the loopback address.
    pub port: u16,
    /// The key of the calls.
    pub key: &'a Credentials,
    /// The number of connections in use.
    pub connections: u32,
}

impl<'a> Sends<'a> {
    /// Sends `per_second` messages per second for `seconds` seconds.
    pub fn at_rate(self, per_second: f64, seconds: u32) -> Result<Latencies> {
        self.paced().at_rate(per_second, seconds)
    }

    /// Sends `many` messages in total, as fast as they are answered.
    pub fn in_all(self, many: u64) -> Result<Latencies> {
        self.paced().in_all(many)
    }

    /// Returns the requests.
    pub fn paced(self) -> Paced<'a> {
        let Self { port, connections, .. } = self;
        let request = Box::new(move |number: u64| self.request(number % 1000));
        Paced { port, connections, status: 201, request }
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

/// Requests of one kind, which can be made at a fixed rate or as fast as they are answered.
pub struct Paced<'a> {
    /// The port of the server on the loopback address.
    pub port: u16,
    /// The number of connections in use.
    pub connections: u32,
    /// The status of every answer. Another status is an error.
    pub status: u16,
    /// The function that returns the request with this number. The numbers begin at 0 in each run.
    pub request: Box<dyn Fn(u64) -> String + 'a>,
}

impl Paced<'_> {
    /// Makes `per_second` requests per second for `seconds` seconds.
    pub fn at_rate(&self, per_second: f64, seconds: u32) -> Result<Latencies> {
        let interval = Duration::from_secs_f64(f64::from(self.connections) / per_second);
        let many = count(per_second * f64::from(seconds) / f64::from(self.connections));
        self.run(many, Some(interval))
    }

    /// Makes `many` requests in total, as fast as they are answered.
    pub fn in_all(&self, many: u64) -> Result<Latencies> {
        self.run(many.div_ceil(u64::from(self.connections)), None)
    }

    /// Makes `many` requests on each connection. With an `interval` they are made at that interval,
    /// otherwise as fast as they are answered.
    fn run(&self, many: u64, interval: Option<Duration>) -> Result<Latencies> {
        let watch = Stopwatch::start();
        let connections = (0..self.connections).map(|number| {
            let turns = Turns { number, of: self.connections, interval, left: many, taken: 0 };
            Connection::open(self.port, turns)
        });
        let mut connections = connections.collect::<Result<Vec<_>>>()?;
        let mut latencies = Vec::new();
        while !connections.is_empty() {
            interrupt::check()?;
            for connection in &mut connections {
                if connection.is_due(watch.elapsed()) {
                    connection.ask(&(self.request)(connection.turns.nth_of_all()))?;
                }
            }
            for place in readable(&connections, watch)? {
                let Some(connection) = connections.get_mut(place) else { continue };
                if let Some(due) = connection.read(self.status)? {
                    let late = watch.elapsed().saturating_sub(due);
                    latencies.push(late.as_secs_f64() * 1e3);
                    connection.wait_for_turn(watch.elapsed());
                }
            }
            connections.retain(|connection| connection.turns.left > 0);
        }
        Ok(Latencies::of(latencies, watch.elapsed().as_secs_f64()))
    }
}

/// Waits until the next request is due or an answer arrives. Returns the indexes of connections
/// with an answer.
fn readable(connections: &[Connection], watch: Stopwatch) -> Result<Vec<usize>> {
    let next_due = connections.iter().filter(|one| !one.is_asked).map(|one| one.due).min();
    let wait = next_due.map_or(TIMEOUT, |due| due.saturating_sub(watch.elapsed()));
    let mut sockets: Vec<_> = connections
        .iter()
        .map(|connection| PollFd::new(&connection.stream, PollFlags::IN))
        .collect();
    let ready = poll(&mut sockets, Some(&Timespec::try_from(wait)?))?;
    let seconds = TIMEOUT.as_secs();
    ensure!(ready > 0 || wait < TIMEOUT, "no request was answered within {seconds} s");
    let places = sockets.iter().enumerate().filter(|(_, socket)| !socket.revents().is_empty());
    Ok(places.map(|(place, _)| place).collect())
}

/// The schedule of a connection's requests.
struct Turns {
    number: u32,
    of: u32,
    /// The interval between requests of a connection. If it is `None`, the next request follows the
    /// answer at once.
    interval: Option<Duration>,
    left: u64,
    taken: u64,
}

impl Turns {
    /// Returns the index of the next request among those of all connections.
    fn nth_of_all(&self) -> u64 {
        self.taken * u64::from(self.of) + u64::from(self.number)
    }
}

/// A connection that waits for its turn or for an answer.
struct Connection {
    stream: TcpStream,
    turns: Turns,
    jitter: Jitter,
    due: Duration,
    is_asked: bool,
    received: Vec<u8>,
}

impl Connection {
    fn open(port: u16, turns: Turns) -> Result<Self> {
        let stream = TcpStream::connect((Ipv4Addr::LOCALHOST, port))
            .context("the server accepts no connection")?;
        stream.set_nodelay(true)?;
        let jitter = Jitter(u64::from(turns.number) + 1);
        let (due, received) = (Duration::ZERO, Vec::new());
        let mut connection = Self { stream, turns, jitter, due, is_asked: false, received };
        connection.wait_for_turn(Duration::ZERO);
        Ok(connection)
    }

    /// Schedules the next request. The connections take turns, each slightly early or late, so that
    /// they do not all send at once.
    fn wait_for_turn(&mut self, now: Duration) {
        self.due = self.turns.interval.map_or(now, |interval| {
            let Turns { number, of, taken, .. } = self.turns;
            let turns = float(taken) + f64::from(number) / f64::from(of);
            interval.mul_f64(turns + self.jitter.next() * 0.5)
        });
    }

    fn is_due(&self, now: Duration) -> bool {
        !self.is_asked && self.turns.left > 0 && self.due <= now
    }

    fn ask(&mut self, request: &str) -> Result<()> {
        self.stream.write_all(request.as_bytes())?;
        self.is_asked = true;
        Ok(())
    }

    /// Reads the received bytes. If the answer is complete and has the status `expected`, returns
    /// the time at which the answered request was due.
    fn read(&mut self, expected: u16) -> Result<Option<Duration>> {
        let mut part = [0; 8192];
        let length = self.stream.read(&mut part)?;
        ensure!(length > 0, "the server closed the connection");
        self.received.extend_from_slice(part.get(..length).unwrap_or_default());
        let Some(status) = answered(&self.received)? else { return Ok(None) };
        ensure!(status == expected, "a request was answered {status} instead of {expected}");
        self.received.clear();
        self.is_asked = false;
        self.turns.left -= 1;
        self.turns.taken += 1;
        Ok(Some(self.due))
    }
}

/// Returns the status of an answer once it is complete.
fn answered(received: &[u8]) -> Result<Option<u16>> {
    let Some(end) = received.windows(4).position(|four| four == b"\r\n\r\n") else {
        return Ok(None);
    };
    let head = std::str::from_utf8(received.get(..end).unwrap_or_default())?;
    let mut lines = head.lines();
    let status =
        lines.next().and_then(|line| line.split(' ').nth(1)).context("no status")?.parse()?;
    let length = lines.filter_map(|line| line.split_once(':')).find_map(|(name, value)| {
        name.eq_ignore_ascii_case("content-length").then(|| value.trim().parse::<usize>())
    });
    let whole = end + 4 + length.transpose()?.unwrap_or_default();
    match received.len() {
        less if less < whole => Ok(None),
        all if all == whole => Ok(Some(status)),
        _ => bail!("the answer is longer than its content-length"),
    }
}

/// A generator of pseudorandom numbers from 0 to 1 (xorshift). It returns the same numbers in every
/// run.
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
    fn an_answer_is_read_once_all_of_it_is_there() {
        let whole = "HTTP/1.1 201 Created\r\nContent-Length: 2\r\n\r\n{}";
        assert_eq!(answered(whole.as_bytes()).unwrap(), Some(201));
        for length in 0..whole.len() {
            assert_eq!(answered(&whole.as_bytes()[..length]).unwrap(), None, "{length}");
        }
        let empty = "HTTP/1.1 429 Too Many\r\ncontent-length: 0\r\n\r\n";
        assert_eq!(answered(empty.as_bytes()).unwrap(), Some(429));
        assert!(answered(format!("{empty}{empty}").as_bytes()).is_err());
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
