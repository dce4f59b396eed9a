//! The five hottest API calls, and the instructions that each takes.

use std::time::Duration;

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};

use super::counter::Counter;
use super::server::Server;
use crate::client::Client;
use servers::interrupt;

/// The number of messages in the conversation before counting starts. They cause more than one page
/// of events.
const MESSAGES: u32 = 120;
/// The number of calls before the counted ones. These calls fill pools and caches.
const WARM_UP: u32 = 10;
/// The number of rounds, of which the lowest count is used, because the work of other threads can
/// only add to a count.
const ROUNDS: usize = 8;
/// The time in which workers finish work that was pending while a dump was written.
const REST: Duration = Duration::from_millis(300);

/// The contact of the messages. The sandbox reports a message to it as sent and delivered
/// immediately, like a real channel in most cases.
const PERSON: &str = "+12025550142";

/// The cost of one call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Count {
    /// The name of the call.
    pub name: String,
    /// The instructions of one call.
    pub instructions: u64,
}

/// A call to be counted.
struct Call {
    name: &'static str,
    /// The number of calls that are counted together. It is larger for cheaper calls. It is small
    /// enough that in some rounds no worker wakes up meanwhile.
    calls: u32,
    what: What,
}

enum What {
    /// A GET of this path, whose answer has this many items.
    Read(&'static str, Option<usize>),
    /// A send of a text, until the message is delivered.
    Send { with_key: bool },
}

/// Reads come before sends, so that they return the same data in every run.
const CALLS: [Call; 5] = [
    Call { name: "GET /api/v1/me", calls: 25, what: What::Read("/api/v1/me", None) },
    Call {
        name: "GET /api/v1/conversations/history (50 messages)",
        calls: 10,
        what: What::Read(
            "/api/v1/conversations/history?phone_number=%2B12025550142&limit=50",
            Some(50),
        ),
    },
    Call {
        name: "GET /api/v1/events (100 events)",
        calls: 5,
        what: What::Read("/api/v1/events?after=0&limit=100", Some(100)),
    },
    Call {
        name: "POST /api/v1/messages, until it is delivered",
        calls: 5,
        what: What::Send { with_key: false },
    },
    Call {
        name: "POST /api/v1/messages with an Idempotency-Key, until it is delivered",
        calls: 5,
        what: What::Send { with_key: true },
    },
];

/// Counts the instructions of each call.
pub fn count(server: &Server) -> Result<Vec<Count>> {
    let mut caller = Caller { server, client: server.client(), sent: 0 };
    for _ in 0..MESSAGES {
        caller.send(false)?;
    }
    server.settle()?;
    let counter = server.counter();
    counter.begin()?;
    CALLS.iter().map(|call| caller.count(&counter, call)).collect()
}

/// Returns the smaller one of two counts of each call.
pub fn least(first: Vec<Count>, second: Vec<Count>) -> Vec<Count> {
    let both = first.into_iter().zip(second);
    both.map(|(one, other)| if other.instructions < one.instructions { other } else { one })
        .collect()
}

/// A caller that makes one call at a time over one connection.
struct Caller<'a> {
    server: &'a Server,
    client: Client,
    sent: u32,
}

impl Caller<'_> {
    fn count(&mut self, counter: &Counter, call: &Call) -> Result<Count> {
        for _ in 0..WARM_UP {
            self.make(&call.what)?;
        }
        let mut least = u64::MAX;
        for _ in 0..ROUNDS {
            interrupt::sleep(REST)?;
            counter.reset()?;
            for _ in 0..call.calls {
                self.make(&call.what)?;
            }
            least = least.min(counter.take()? / u64::from(call.calls));
        }
        ensure!(least > 0, "Callgrind counted nothing at {}", call.name);
        Ok(Count { name: call.name.to_owned(), instructions: least })
    }

    fn make(&mut self, what: &What) -> Result<()> {
        match what {
            What::Read(path, items) => self.read(path, *items),
            What::Send { with_key } => {
                self.send(*with_key)?;
                // Messages are sent one at a time, because the number of messages that the workers
                // take together depends on the speed of the machine.
                self.server.settle()
            }
        }
    }

    fn read(&mut self, path: &str, items: Option<usize>) -> Result<()> {
        let answer = self.client.ask_once("GET", path, &[], "")?;
        ensure!(answer.status == 200, "GET {path} is answered {}: {}", answer.status, answer.body);
        let Some(items) = items else {
            return Ok(());
        };
        let body: Value = serde_json::from_str(&answer.body).context("the answer is not JSON")?;
        let found = body.get("data").and_then(Value::as_array).map(Vec::len);
        ensure!(found == Some(items), "GET {path} has {found:?} items, not {items}");
        Ok(())
    }

    fn send(&mut self, with_key: bool) -> Result<()> {
        self.sent += 1;
        // All texts have the same length, so that the counts are comparable.
        let text = format!("Your order {:06} has left the warehouse.", self.sent);
        let body = json!({"phone_number": PERSON, "type": "text", "text": text}).to_string();
        let key = format!("order-{:06}", self.sent);
        let headers = [("Idempotency-Key", key.as_str())];
        let headers = if with_key { &headers[..] } else { &[] };
        let answer = self.client.ask_once("POST", "/api/v1/messages", headers, &body)?;
        ensure!(
            (200..300).contains(&answer.status),
            "POST /api/v1/messages is answered {}: {}",
            answer.status,
            answer.body
        );
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_smaller_count_of_each_is_taken() {
        let counts = |of: [u64; 2]| {
            of.map(|instructions| Count { name: "me".to_owned(), instructions }).to_vec()
        };
        assert_eq!(least(counts([1, 5]), counts([2, 4])), counts([1, 4]));
    }
}
