//! Delivers callbacks as Meta does: reports about accepted messages, and answers of contacts.

use parking_lot::Mutex;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use anyhow::{Result, ensure};
use serde_json::{Value, json};

use super::channel::{Channel, Taken};
use bench::client::Client;
use bench::meta;
use servers::clock;

/// The app secret that signs the callbacks.
pub const APP_SECRET: &str = "cluster-app-secret";
const BUSINESS_ID: &str = "102290129340398";
/// The number of simultaneous callbacks.
const POSTERS: usize = 6;
/// One of this many messages is answered by its recipient.
const ANSWERED: usize = 10;
const LOOK_EVERY: Duration = Duration::from_millis(5);

/// A reporter, which reports once on each message until it is dropped.
pub struct Reporter {
    state: Arc<State>,
}

#[derive(Default)]
struct State {
    taken: Arc<Mutex<Vec<Taken>>>,
    /// The index of the next message to report on.
    next: AtomicUsize,
    posted: AtomicUsize,
    refused: AtomicU64,
    is_over: AtomicBool,
}

impl Reporter {
    /// Starts to report to the server on this port. The reports are about all messages that a
    /// stand-in accepts from now on.
    pub fn start(channel: &Channel, port: u16) -> Self {
        let taken = channel.taken();
        let begun = taken.lock().len();
        let state = State { taken, next: begun.into(), posted: begun.into(), ..State::default() };
        let state = Arc::new(state);
        for _ in 0..POSTERS {
            let state = state.clone();
            thread::spawn(move || state.post(port));
        }
        Self { state }
    }

    /// Whether all accepted messages have been reported on.
    pub fn is_done(&self) -> bool {
        let taken = self.state.taken.lock().len();
        self.state.posted.load(Ordering::Relaxed) == taken
    }

    /// Fails if a callback was refused.
    pub fn check(&self) -> Result<()> {
        let refused = self.state.refused.load(Ordering::Relaxed);
        ensure!(refused == 0, "{refused} reports of the channel were refused");
        Ok(())
    }
}

impl Drop for Reporter {
    fn drop(&mut self) {
        self.state.is_over.store(true, Ordering::Relaxed);
    }
}

impl State {
    fn post(&self, port: u16) {
        let mut client = Client::new(port, &[]);
        while !self.is_over.load(Ordering::Relaxed) {
            let Some((place, taken)) = self.take() else {
                thread::sleep(LOOK_EVERY);
                continue;
            };
            for body in reports(place, &taken) {
                let accepted = post(&mut client, &body).is_ok_and(|status| status == 200);
                self.refused.fetch_add(u64::from(!accepted), Ordering::Relaxed);
            }
            self.posted.fetch_add(1, Ordering::Relaxed);
        }
    }

    fn take(&self) -> Option<(usize, Taken)> {
        let taken = self.taken.lock();
        let place = self.next.load(Ordering::Relaxed);
        let found = taken.get(place)?.clone();
        self.next.store(place + 1, Ordering::Relaxed);
        Some((place, found))
    }
}

/// Returns the callbacks about a message: sent, delivered, and sometimes an answer.
fn reports(place: usize, Taken { number, id, to }: &Taken) -> Vec<String> {
    let second = clock::now().unix_timestamp().to_string();
    let status = |status: &str| {
        json!([
            {"id": id, "status": status, "timestamp": second, "recipient_id": to},
        ])
    };
    let of = |what: &str, value: Value| {
        let mut all = json!({
            "messaging_product": "whatsapp",
            "metadata": {"display_phone_number": "12025550198", "phone_number_id": number},
        });
        if let Some(all) = all.as_object_mut() {
            all.insert(what.to_owned(), value);
            if what == "messages" {
                let who = json!([{"profile": {"name": "Ada"}, "wa_id": to}]);
                all.insert("contacts".to_owned(), who);
            }
        }
        let entry = json!({"id": BUSINESS_ID, "changes": [{"field": "messages", "value": all}]});
        json!({"object": "whatsapp_business_account", "entry": [entry]}).to_string()
    };
    let mut all = vec![of("statuses", status("sent")), of("statuses", status("delivered"))];
    if place.is_multiple_of(ANSWERED) {
        let answer = json!([{
            "from": to, "id": format!("{id}.answer"), "timestamp": second, "type": "text",
            "text": {"body": "Thank you."},
        }]);
        all.push(of("messages", answer));
    }
    all
}

fn post(client: &mut Client, body: &str) -> Result<u16> {
    let signature = format!("sha256={}", meta::signature(APP_SECRET, body));
    let headers =
        [("X-Hub-Signature-256", signature.as_str()), ("Content-Type", "application/json")];
    Ok(client.ask("POST", "/channel/cloud/webhook", &headers, body)?.status)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_of_ten_messages_is_answered() {
        let [number, id, to] = ["1065", "wamid.1", "12026000000"].map(str::to_owned);
        let taken = Taken { number, id, to };
        assert_eq!(reports(1, &taken).len(), 2);
        let all = reports(10, &taken);
        assert!(all.len() == 3 && all[2].contains("wamid.1.answer"), "{all:?}");
    }
}
