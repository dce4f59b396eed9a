//! Receivers of webhooks, with a real server and `switchboard listen`.

use super::{GuideServer, RunningServer, for_each_program};
use crate::client_commands::listening::secret_of;
use crate::client_commands::{RunningCommand, converse, events_after};
use crate::operators::prepare;
use crate::world::{Database, Process, client, free_port};
use auth::webhook::{WebhookSecret, sign};
use domain::time::Timestamp;
use platform::clock::Clock;
use serde_json::{Value, json};
use std::time::Duration;

/// Returns the line that a receiver prints of an event.
fn expected_line(event: &Value) -> String {
    let first = |places: &[&str]| {
        let text = places.iter().find_map(|place| event.pointer(place)?.as_str());
        text.unwrap_or_default().to_owned()
    };
    let (sequence, kind) = (&event["sequence"], first(&["/type"]));
    if kind != "message.received" {
        return format!("{sequence} {kind} {}", first(&["/data/id"]));
    }
    let contact = ["name", "username", "phone_number"].map(|it| format!("/data/contact/{it}"));
    let who = first(&contact.each_ref().map(String::as_str));
    format!("{sequence} {who}: {}", first(&["/data/text", "/data/type"]))
}

/// What is delivered to a receiver by hand.
struct Delivery<'a> {
    signed_by: &'a WebhookSecret,
    at: Timestamp,
    id: &'a str,
    signed: &'a str,
    body: &'a str,
}

impl Delivery<'_> {
    async fn post(&self, port: u16) -> u16 {
        let proof = sign([self.signed_by], self.id, self.at, self.signed.as_bytes());
        let request = client()
            .post(format!("http://127.0.0.1:{port}/webhooks"))
            .header("content-type", "application/json")
            .header("webhook-id", self.id)
            .header("webhook-timestamp", &proof.timestamp)
            .header("webhook-signature", &proof.signature);
        request.body(self.body.to_owned()).send().await.unwrap().status().as_u16()
    }
}

struct Receiver {
    guide: GuideServer,
    secret: WebhookSecret,
}

impl Receiver {
    async fn start(&self) -> RunningServer {
        let announced = format!("Receiving at http://localhost:{}/webhooks", self.guide.port);
        let secret = self.secret.reveal();
        self.guide.start(&[("WEBHOOK_SECRET", secret.as_str())], &announced).await
    }

    /// Delivers an event, with a body that nobody else would write the same way.
    async fn deliver(&self, event: &Value) -> u16 {
        let body = format!("{event:#}");
        let id = event["id"].as_str().unwrap();
        let (signed_by, at) = (&self.secret, Clock::system().wall());
        Delivery { signed_by, at, id, signed: &body, body: &body }.post(self.guide.port).await
    }
}

/// Returns an event that the server has not sent.
fn another(event: &Value, id: &str, text: &str) -> Value {
    let mut event = event.clone();
    event["id"] = json!(id);
    event["data"]["text"] = json!(text);
    event
}

async fn each_event_is_handled_once(database: Database, file: &'static str) {
    // Given a server, a receiver, and a session that forwards to it,
    let key = prepare(&database.url).await;
    let server = Process::serve(&database.url, free_port()).await;
    let before = events_after(&server, &key, 0).await;
    let before = before.last().map_or(0, |it| it["sequence"].as_i64().unwrap());
    let port = free_port();
    let address = format!("http://localhost:{port}/webhooks");
    let forward = ["listen", "--forward-to", &address];
    let mut listening = RunningCommand::start(&server.base, &key, &forward);
    let secret = secret_of(&mut listening).await;
    let receiver = Receiver { guide: GuideServer::new(file, port), secret };
    let mut running = receiver.start().await;

    // when a customer writes, then each event is accepted and printed, in order.
    converse(&server, &key, "Are you open on Sunday?").await;
    let events = events_after(&server, &key, before).await;
    for event in &events {
        assert!(listening.next_line().await.contains(" → 204 ("), "{file}");
        assert_eq!(running.next_line().await, expected_line(event), "{file}");
    }
    let event = events.iter().find(|it| it["type"] == "message.received").expect("an answer");
    assert!(expected_line(event).contains("Are you open on Sunday?"), "{event}");
    assert_eq!(listening.interrupted().await, Some(0));

    // What is not signed by the server, was changed, or is old is refused.
    let forged = another(event, "evt_01jd7qkz5wf2pa8n3k6v9s0c4x", "Forged").to_string();
    let (other, now) = (WebhookSecret::new([8; 32]), Clock::system().wall());
    let id = event["id"].as_str().unwrap();
    let genuine = event.to_string();
    let delivery =
        Delivery { signed_by: &receiver.secret, at: now, id, signed: &genuine, body: &genuine };
    let old = now.minus(Duration::from_mins(6));
    for refused in [
        Delivery { signed_by: &other, signed: &forged, body: &forged, ..delivery },
        Delivery { body: &forged, ..delivery },
        Delivery { at: old, signed: &forged, body: &forged, ..delivery },
    ] {
        assert_eq!(refused.post(port).await, 400, "{file}");
    }
    let unsigned = client().post(format!("http://127.0.0.1:{port}/webhooks")).body(forged);
    let unsigned = unsigned.header("content-type", "application/json").send().await.unwrap();
    assert_eq!(unsigned.status(), 400, "{file}");
    let address = format!("http://127.0.0.1:{port}/webhooks");
    let empty = client().post(&address).send().await.unwrap();
    assert_eq!(empty.status(), 400, "{file}");
    // A body that is too long is refused.
    let long = client().post(&address).header("content-type", "application/json");
    let long = long.body("x".repeat(2 * 1024 * 1024 + 1)).send().await.unwrap();
    assert_eq!(long.status(), 413, "{file}");

    // An event that arrives again is accepted and not handled again.
    assert_eq!(receiver.deliver(event).await, 204, "{file}");
    let second = another(event, "evt_01jd7qkz5wf2pa8n3k6v9s0c4y", "And on Monday?");
    assert_eq!(receiver.deliver(&second).await, 204, "{file}");
    assert_eq!(running.next_line().await, expected_line(&second), "{file}");
    wait_until_handled(&receiver, &second).await;

    // After a crash, the receiver still knows what it has handled,
    running.kill().await;
    let mut running = receiver.start().await;
    assert_eq!(receiver.deliver(&second).await, 204, "{file}");
    let third = another(event, "evt_01jd7qkz5wf2pa8n3k6v9s0c4z", "Thank you");
    assert_eq!(receiver.deliver(&third).await, 204, "{file}");
    assert_eq!(running.next_line().await, expected_line(&third), "{file}");
    wait_until_handled(&receiver, &third).await;
    running.kill().await;

    // and handles what it had only received, also if the crash left half a line.
    let journal = receiver.guide.folder.path().join("events.jsonl");
    let text = std::fs::read_to_string(&journal).unwrap();
    let (rest, handled) = text.trim_end().rsplit_once('\n').unwrap();
    assert!(handled.contains("handled"), "{file}: {handled}");
    let half: &[u8] = b"\n{\"handled\": \"\xc3"; // the first of the two bytes of a letter
    std::fs::write(&journal, [rest.as_bytes(), half].concat()).unwrap();
    let mut running = receiver.start().await;
    assert_eq!(running.next_line().await, expected_line(&third), "{file}");
    wait_until_handled(&receiver, &third).await;
    // The half line is gone, so that the next start can read the journal, too.
    running.kill().await;
    let mut running = receiver.start().await;
    let fourth = another(event, "evt_01jd7qkz5wf2pa8n3k6v9s0c50", "Goodbye");
    assert_eq!(receiver.deliver(&fourth).await, 204, "{file}");
    assert_eq!(running.next_line().await, expected_line(&fourth), "{file}");
}

/// Waits until the journal says that the event was handled: a receiver prints before it writes.
async fn wait_until_handled(receiver: &Receiver, event: &Value) {
    let journal = receiver.guide.folder.path().join("events.jsonl");
    let id = event["id"].as_str().unwrap();
    for _ in 0..400 {
        let text = std::fs::read_to_string(&journal).unwrap();
        if text.lines().any(|line| line.contains("\"handled\"") && line.contains(id)) {
            return;
        }
        tokio::time::sleep(Duration::from_millis(25)).await; // real time: another process writes
    }
    panic!("{id} was not handled within ten seconds");
}

for_each_program! {
    each_event_is_handled_once:
    each_event_is_handled_once_in_express = "webhooks_express.mjs",
    each_event_is_handled_once_in_fastapi = "webhooks_fastapi.py",
    each_event_is_handled_once_in_axum = "webhooks_axum.rs",
}
