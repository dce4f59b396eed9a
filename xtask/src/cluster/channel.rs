//! A stand-in for Meta's Cloud API that notes what arrives and when.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use anyhow::{Context, Result};
use serde_json::{Value, json};
use time::OffsetDateTime;

use super::chance::Chance;
use crate::clock::{self, Stopwatch};

/// A message that arrived.
#[derive(Clone, Debug)]
pub struct Arrival {
    /// The id that our server gave it.
    pub message: String,
    /// For whom it is.
    pub to: String,
    /// The instance that brought it, counted from 1.
    pub by: usize,
    /// When its last byte had come, since the stopwatch was started.
    pub arrived: Duration,
    /// When the answer had been written.
    pub answered: Duration,
    /// The same as `arrived`, on the clock that servers read as well.
    pub at: OffsetDateTime,
}

/// The stand-in, until the process ends.
pub struct Channel {
    port: u16,
    arrivals: Arc<Mutex<Vec<Arrival>>>,
}

/// How long it takes to answer: so many milliseconds, or up to so many more.
#[derive(Clone, Copy)]
pub struct Delay {
    /// At least.
    pub least: u64,
    /// And up to so many besides.
    pub more: u64,
}

static COUNT: AtomicU64 = AtomicU64::new(0);

impl Channel {
    /// On a free port.
    pub fn start(watch: Stopwatch, delay: Delay) -> Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).context("no free port")?;
        let port = listener.local_addr()?.port();
        let arrivals = Arc::new(Mutex::new(Vec::new()));
        let all = arrivals.clone();
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let all = all.clone();
                // What is broken off is sent again, by whoever takes over.
                thread::spawn(move || serve(stream, &all, watch, delay));
            }
        });
        Ok(Self { port, arrivals })
    }

    /// Its address, to which each instance adds its number.
    pub fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    /// All that has arrived, in that order.
    pub fn arrivals(&self) -> Vec<Arrival> {
        let mut all = locked(&self.arrivals).clone();
        // They were noted as they were answered.
        all.sort_by_key(|it| it.arrived);
        all
    }
}

fn locked(arrivals: &Mutex<Vec<Arrival>>) -> MutexGuard<'_, Vec<Arrival>> {
    arrivals.lock().unwrap_or_else(PoisonError::into_inner)
}

fn serve(
    stream: TcpStream,
    arrivals: &Mutex<Vec<Arrival>>,
    watch: Stopwatch,
    delay: Delay,
) -> Result<()> {
    stream.set_nodelay(true)?;
    let mut stream = BufReader::new(stream);
    let mut chance = Chance::new(COUNT.fetch_add(1, Ordering::Relaxed));
    while let Some((by, body)) = read(&mut stream)? {
        let (arrived, at) = (watch.elapsed(), clock::now());
        thread::sleep(chance.millis(delay.least, delay.more));
        let sent: Value = serde_json::from_slice(&body)?;
        let text = |name: &str| sent.get(name).and_then(Value::as_str).map(str::to_owned);
        let id = format!("wamid.cluster.{}", COUNT.fetch_add(1, Ordering::Relaxed));
        let answer = json!({
            "messaging_product": "whatsapp",
            "contacts": [{"input": text("to"), "wa_id": text("to")}],
            "messages": [{"id": id}],
        })
        .to_string();
        // Noted first: an answer that cannot be written belongs to a server that has died.
        let message = text("biz_opaque_callback_data").unwrap_or_default();
        let to = text("to").unwrap_or_default();
        let answered = watch.elapsed();
        locked(arrivals).push(Arrival { message, to, by, arrived, answered, at });
        write!(
            stream.get_mut(),
            "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n{answer}",
            answer.len()
        )?;
    }
    Ok(())
}

/// Who makes the next request, and its body; nothing if the connection has ended.
fn read(stream: &mut impl BufRead) -> Result<Option<(usize, Vec<u8>)>> {
    let (mut length, mut line) = (0, String::new());
    if stream.read_line(&mut line)? == 0 {
        return Ok(None);
    }
    let by = line.split('/').nth(1).and_then(|number| number.parse().ok());
    let by = by.with_context(|| format!("no instance asks for {line}"))?;
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
    stream.take(length).read_to_end(&mut body)?;
    Ok(Some((by, body)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::servers::client::Client;

    #[test]
    fn what_arrives_is_noted() {
        let channel = Channel::start(Stopwatch::start(), Delay { least: 0, more: 0 }).unwrap();
        let mut client = Client::new(channel.port, &[]);
        for message in ["msg_1", "msg_2"] {
            let body = json!({"to": "12026000000", "biz_opaque_callback_data": message});
            let answer = client.ask("POST", "/2/v23.0/1/messages", &[], &body.to_string()).unwrap();
            assert_eq!(answer.status, 200);
            assert!(answer.body.contains("wamid."), "{}", answer.body);
        }
        let seen: Vec<_> = channel.arrivals().into_iter().map(|it| (it.message, it.by)).collect();
        assert_eq!(seen, [("msg_1".to_owned(), 2), ("msg_2".to_owned(), 2)]);
    }
}
