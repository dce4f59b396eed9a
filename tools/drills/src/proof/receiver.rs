//! A webhook receiver that records the events that arrive.

use parking_lot::{Mutex, MutexGuard};
use std::collections::BTreeMap;
use std::sync::Arc;

use anyhow::{Context, Result};
use serde_json::Value;

use super::stand_in::{Manner, StandIn};

/// The number of arrivals of each event, by the organization's path and the event's sequence.
type Seen = BTreeMap<(String, u64), u64>;

/// The receiver. It runs until the process ends.
pub struct Receiver {
    stand_in: StandIn,
    seen: Arc<Mutex<Seen>>,
}

impl Receiver {
    /// Starts the receiver on a free port.
    pub fn start() -> Result<Self> {
        let seen: Arc<Mutex<Seen>> = Arc::default();
        let all = seen.clone();
        let stand_in = StandIn::start(move |request| {
            let event: Value = serde_json::from_slice(&request.body)?;
            let sequence = event.get("sequence").and_then(Value::as_u64);
            let sequence = sequence.context("an event without a sequence")?;
            *locked(&all).entry((request.path.clone(), sequence)).or_default() += 1;
            Ok(String::new())
        })?;
        Ok(Self { stand_in, seen })
    }

    /// Returns the URL for an organization's events.
    pub fn url(&self, path: &str) -> String {
        format!("{}{path}", self.stand_in.url())
    }

    pub fn port(&self) -> u16 {
        self.stand_in.port
    }

    /// Changes the receiver's behavior.
    pub fn behave(&self, manner: Manner) {
        self.stand_in.behave(manner);
    }

    /// Returns the number of arrivals.
    pub fn count(&self) -> u64 {
        locked(&self.seen).values().sum()
    }

    /// Returns the number of arrivals at a path, by the event's sequence.
    pub fn seen(&self, path: &str) -> BTreeMap<u64, u64> {
        let seen = locked(&self.seen);
        let of = seen.iter().filter(|((its, _), _)| its == path);
        of.map(|((_, sequence), times)| (*sequence, *times)).collect()
    }
}

fn locked(seen: &Mutex<Seen>) -> MutexGuard<'_, Seen> {
    seen.lock()
}

#[cfg(test)]
mod tests {
    use super::*;
    use bench::client::Client;

    #[test]
    fn events_are_counted() {
        let receiver = Receiver::start().unwrap();
        let mut client = Client::new(receiver.stand_in.port, &[]);
        for sequence in [1, 2, 2] {
            let body = format!("{{\"sequence\": {sequence}}}");
            assert_eq!(client.ask("POST", "/a", &[], &body).unwrap().status, 200);
        }
        assert_eq!(receiver.seen("/a"), BTreeMap::from([(1, 1), (2, 2)]));
        assert_eq!(receiver.seen("/b"), BTreeMap::new());
    }
}
