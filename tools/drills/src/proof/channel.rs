//! A stand-in for Meta's Cloud API that records the arrival of each message.

use parking_lot::{Mutex, MutexGuard};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use anyhow::{Context, Result};
use serde_json::{Value, json};
use time::OffsetDateTime;

use super::chance::Chance;
use super::stand_in::{Manner, Request, StandIn};
use servers::clock::{self, Stopwatch};

#[derive(Clone, Debug)]
pub struct Arrival {
    /// The id that Switchboard gave the message.
    pub message: String,
    pub to: String,
    /// The instance that sent the message, counted from 1.
    pub by: usize,
    /// The time at which the last byte of the request arrived, since the start of the stopwatch.
    pub arrived: Duration,
    /// The time at which the answer was ready.
    pub answered: Duration,
    /// The time of `arrived` on the system clock. The servers use the same clock.
    pub at: OffsetDateTime,
}

/// An accepted message as Meta knows it.
#[derive(Clone, Debug)]
pub struct Taken {
    /// The number that the message was sent from.
    pub number: String,
    /// The id that the stand-in gave the message in its answer.
    pub id: String,
    pub to: String,
}

/// The stand-in. It runs until the process ends.
pub struct Channel {
    stand_in: StandIn,
    arrivals: Arc<Mutex<Vec<Arrival>>>,
    taken: Arc<Mutex<Vec<Taken>>>,
}

/// The delay of answers: at least `least` milliseconds, and up to `more` milliseconds longer.
#[derive(Clone, Copy)]
pub struct Delay {
    pub least: u64,
    pub more: u64,
}

impl Channel {
    /// Starts the stand-in on a free port.
    pub fn start(watch: Stopwatch, delay: Delay) -> Result<Self> {
        let arrivals = Arc::new(Mutex::new(Vec::new()));
        let taken = Arc::new(Mutex::new(Vec::new()));
        let (all, noted) = (arrivals.clone(), taken.clone());
        let stand_in = StandIn::start(move |request| {
            let (answer, its) = take(request, &all, watch, delay)?;
            locked(&noted).push(its);
            Ok(answer)
        })?;
        Ok(Self { stand_in, arrivals, taken })
    }

    /// Returns the URL without an instance's number, which each instance appends.
    pub fn url(&self) -> String {
        self.stand_in.url()
    }

    pub fn port(&self) -> u16 {
        self.stand_in.port
    }

    /// Changes the stand-in's behavior.
    pub fn behave(&self, manner: Manner) {
        self.stand_in.behave(manner);
    }

    /// Returns the number of arrivals.
    pub fn count(&self) -> usize {
        locked(&self.arrivals).len()
    }

    /// Returns the time of each message's first arrival, by the message's id.
    pub fn arrived(&self) -> BTreeMap<String, Duration> {
        let mut first = BTreeMap::new();
        for it in locked(&self.arrivals).iter() {
            first.entry(it.message.clone()).or_insert(it.arrived);
        }
        first
    }

    /// Returns the accepted messages in the order of the answers. The stand-in keeps adding
    /// messages to the list.
    pub fn taken(&self) -> Arc<Mutex<Vec<Taken>>> {
        self.taken.clone()
    }

    /// Returns all arrivals in their order.
    pub fn arrivals(&self) -> Vec<Arrival> {
        let mut all = locked(&self.arrivals).clone();
        // The arrivals were recorded in the order of the answers, so they are sorted.
        all.sort_by_key(|it| it.arrived);
        all
    }
}

fn locked<T>(all: &Mutex<T>) -> MutexGuard<'_, T> {
    all.lock()
}

fn take(
    request: &Request,
    arrivals: &Mutex<Vec<Arrival>>,
    watch: Stopwatch,
    delay: Delay,
) -> Result<(String, Taken)> {
    let (arrived, at) = (watch.elapsed(), clock::now());
    let by = request.path.split('/').nth(1).and_then(|number| number.parse().ok());
    let by =
        by.with_context(|| format!("{} does not begin with an instance's number", request.path))?;
    thread::sleep(Chance::new(request.number).millis(delay.least, delay.more));
    let sent: Value = serde_json::from_slice(&request.body)?;
    let text = |name: &str| sent.get(name).and_then(Value::as_str).map(str::to_owned);
    let id = format!("wamid.cluster.{}", request.number);
    let answer = json!({
        "messaging_product": "whatsapp",
        "contacts": [{"input": text("to"), "wa_id": text("to")}],
        "messages": [{"id": id}],
    });
    // The arrival is recorded before the answer is sent, because the server may be killed before it
    // gets the answer.
    let message = text("biz_opaque_callback_data").unwrap_or_default();
    let to = text("to").unwrap_or_default();
    let answered = watch.elapsed();
    let number = request.path.rsplit('/').nth(1).unwrap_or_default().to_owned();
    let taken = Taken { number, id, to: to.clone() };
    locked(arrivals).push(Arrival { message, to, by, arrived, answered, at });
    Ok((answer.to_string(), taken))
}

#[cfg(test)]
mod tests {
    use super::*;
    use bench::client::Client;

    #[test]
    fn what_arrives_is_noted() {
        let channel = Channel::start(Stopwatch::start(), Delay { least: 0, more: 0 }).unwrap();
        let mut client = Client::new(channel.stand_in.port, &[]);
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
