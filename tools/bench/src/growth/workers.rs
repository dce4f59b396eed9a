//! The duration of the workers' work, measured from outside.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::sync::mpsc::{self, Receiver, Sender};
use std::thread;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use serde_json::Value;

use super::measure::{Measured, middle, millis};
use crate::client::Client;
use crate::fill::{Database, Filled};
use crate::member::Member;
use servers::clock::Stopwatch;
use servers::interrupt;

/// The polling interval.
const LOOK: Duration = Duration::from_millis(2);
/// The time limit of each wait. A longer wait means that something is broken.
const MOST: Duration = Duration::from_mins(5);
/// The number of measurements of each kind of work.
const TIMES: usize = 9;

/// Waits until `done` returns true, and returns the duration of the wait.
pub fn until(what: &str, mut done: impl FnMut() -> Result<bool>) -> Result<Duration> {
    let watch = Stopwatch::start();
    while !done()? {
        interrupt::check()?;
        if watch.elapsed() > MOST {
            bail!("{what}: not finished within {} s", MOST.as_secs());
        }
        thread::sleep(LOOK);
    }
    Ok(watch.elapsed())
}

/// Waits until the inbox and the search reflect all events. The entries of the inbox are built from
/// the conversations, because filled databases have no entries.
pub fn until_followed(database: &Database) -> Result<Vec<Measured>> {
    const LOOK: Duration = Duration::from_millis(200);
    let behind = |positions: &str| {
        database.number(&format!(
            "SELECT count(*) FROM event_counters LEFT JOIN {positions} \
             ON {positions}.organization_id = event_counters.organization_id \
             WHERE coalesce({positions}.sequence, -1) < event_counters.last"
        ))
    };
    let wait = |name: &str, positions: &str| {
        let took = until(name, || {
            thread::sleep(LOOK);
            Ok(behind(positions)? == 0)
        })?;
        Ok::<_, anyhow::Error>(Measured::once(name, took))
    };
    Ok(vec![
        wait("worker: the inbox is rebuilt", "inbox_positions")?,
        wait("worker: the search looks at all organizations", "word_positions")?,
    ])
}

/// Measures the time from a request that causes an event until the event can be read. `cause`
/// returns a text that is part of the event.
pub fn until_event(
    name: &str,
    (kind, client): (&str, &mut Client),
    filled: &Filled,
    mut cause: impl FnMut() -> Result<String>,
) -> Result<Measured> {
    let mut times = Vec::new();
    for _ in 0..TIMES {
        let mut after = filled.database.number("SELECT max(last) FROM event_counters")?;
        let watch = Stopwatch::start();
        let wanted = cause()?;
        until(name, || {
            let path = format!("/api/v1/events?after={after}&limit=100");
            let page: Value = serde_json::from_str(&client.ask("GET", &path, &[], "")?.body)?;
            // If the event is not on this page, the next call reads the next page. Earlier work may
            // have caused many events.
            after = page.pointer("/pagination/next_after").and_then(Value::as_i64).unwrap_or(after);
            let events = page.get("data").and_then(Value::as_array);
            Ok(events.into_iter().flatten().any(|event| {
                event.get("type").and_then(Value::as_str) == Some(kind)
                    && event.to_string().contains(&wanted)
            }))
        })?;
        times.push(watch.elapsed());
    }
    Ok(Measured { name: name.to_owned(), ms: millis(middle(times)), status: None })
}

/// Measures the time from a send until its first webhook delivery, to an endpoint that a member
/// creates for this purpose.
pub fn until_delivered(
    member: &mut Member,
    mut send: impl FnMut() -> Result<String>,
) -> Result<Measured> {
    const NAME: &str = "worker: from a send to its webhook";
    let (port, delivered) = receive()?;
    let url = format!("http://127.0.0.1:{port}/growth");
    let fields = [("url", url.as_str()), ("description", ""), ("which", "some")];
    let made = member.submit_endpoint(&[&fields[..], &[("event", "message.queued")]].concat())?;
    let place = made.header("location").map(str::to_owned);
    let place = place.with_context(|| format!("no endpoint was created: {}", made.status))?;
    let mut times = Vec::new();
    for _ in 0..TIMES {
        let watch = Stopwatch::start();
        let id = send()?;
        loop {
            let left = MOST.saturating_sub(watch.elapsed());
            if delivered.recv_timeout(left).context(NAME)?.contains(&id) {
                break;
            }
        }
        times.push(watch.elapsed());
    }
    let path = place.split(['?', '#']).next().context("no path")?.to_owned();
    let confirm = member.get(&format!("{path}/delete"))?;
    member.submit(&path, &confirm.body, &[("action", "delete")])?;
    Ok(Measured { name: NAME.to_owned(), ms: millis(middle(times)), status: None })
}

/// Receives webhooks on a free port, and passes on their bodies.
fn receive() -> Result<(u16, Receiver<String>)> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).context("no free port")?;
    let port = listener.local_addr()?.port();
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let sender = sender.clone();
            // A broken connection does not matter, because the event is delivered again.
            thread::spawn(move || serve(stream, &sender));
        }
    });
    Ok((port, receiver))
}

fn serve(stream: TcpStream, sender: &Sender<String>) -> Option<()> {
    let mut stream = BufReader::new(stream);
    loop {
        let mut length = 0;
        loop {
            let mut line = String::new();
            if stream.read_line(&mut line).ok()? == 0 {
                return None;
            }
            let line = line.trim_end().to_ascii_lowercase();
            if let Some(value) = line.strip_prefix("content-length:") {
                length = value.trim().parse().ok()?;
            }
            if line.is_empty() {
                break;
            }
        }
        let mut body = vec![0; length];
        stream.read_exact(&mut body).ok()?;
        let answer = b"HTTP/1.1 204 No Content\r\n\r\n";
        stream.get_mut().write_all(answer).ok()?;
        sender.send(String::from_utf8_lossy(&body).into_owned()).ok()?;
    }
}

/// Waits until the outbox is empty.
pub fn until_drained(database: &Database) -> Result<Duration> {
    const LOOK: Duration = Duration::from_millis(200);
    until("draining", || {
        thread::sleep(LOOK);
        Ok(database.number("SELECT count(*) FROM (SELECT 1 FROM outbox LIMIT 1) AS one")? == 0)
    })
}
