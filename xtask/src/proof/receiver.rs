//! A receiver of webhooks that notes which events arrive.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use anyhow::{Context, Result};
use serde_json::Value;

use super::stand_in::{Manner, StandIn};

/// How often each event arrived, by the organization's path and the event's sequence.
type Seen = BTreeMap<(String, u64), u64>;

/// The receiver, until the process ends.
pub struct Receiver {
    stand_in: StandIn,
    seen: Arc<Mutex<Seen>>,
}

impl Receiver {
    /// On a free port.
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

    /// The address for an organization's events.
    pub fn url(&self, path: &str) -> String {
        format!("{}{path}", self.stand_in.url())
    }

    /// Where it listens.
    pub fn port(&self) -> u16 {
        self.stand_in.port
    }

    /// Tells it how to behave from now on.
    pub fn behave(&self, manner: Manner) {
        self.stand_in.behave(manner);
    }

    /// How many events have arrived.
    pub fn count(&self) -> u64 {
        locked(&self.seen).values().sum()
    }

    /// How often each event arrived at that path, by its sequence.
    pub fn seen(&self, path: &str) -> BTreeMap<u64, u64> {
        let seen = locked(&self.seen);
        let of = seen.iter().filter(|((its, _), _)| its == path);
        of.map(|((_, sequence), times)| (*sequence, *times)).collect()
    }
}

fn locked(seen: &Mutex<Seen>) -> MutexGuard<'_, Seen> {
    seen.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::servers::client::Client;

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
