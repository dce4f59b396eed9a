//! `switchboard trigger`: the events happen in the sandbox, with real ids.

use super::{events_after, run};
use crate::operators::prepare;
use crate::world::{Database, Pair, Process, free_port};
use serde_json::Value;
use std::time::Duration;

/// A server whose number is on the sandbox.
struct TriggerFixture {
    server: Process,
    key: Pair,
    /// The sequence of the last event that was seen.
    after: i64,
    /// Keeps the directory of the database.
    _database: Database,
}

impl TriggerFixture {
    async fn start() -> Self {
        let database = Database::sqlite();
        let key = prepare(&database.url).await;
        let server = Process::serve(&database.url, free_port()).await;
        Self { server, key, after: 0, _database: database }
    }

    /// Runs the command. Returns the object that it made, and the event that followed.
    async fn trigger(&mut self, kind: &str, options: &[&str]) -> (Value, Value) {
        let arguments = [&["trigger", kind, "--json"][..], options].concat();
        let (code, printed, notes) = run(&self.server.base, &self.key, &arguments).await;
        assert_eq!(code, Some(0), "{kind}: {notes}");
        let made: Value = serde_json::from_str(&printed).unwrap();
        // These are about something that follows from what was made.
        let is_indirect = ["edited", "deleted", "created"].iter().any(|it| kind.ends_with(it));
        for _ in 0..200 {
            let events = events_after(&self.server, &self.key, self.after).await;
            if let Some(event) = events
                .into_iter()
                .find(|it| it["type"] == kind && (is_indirect || it["data"]["id"] == made["id"]))
            {
                self.after = event["sequence"].as_i64().unwrap();
                return (made, event);
            }
            tokio::time::sleep(Duration::from_millis(50)).await; // real time: the sandbox of another process acts
        }
        panic!("{kind} did not happen within ten seconds");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn each_event_happens_with_the_ids_that_were_printed() {
    let mut given = TriggerFixture::start().await;
    for kind in [
        "message.received",
        "message.queued",
        "message.sent",
        "message.delivered",
        "message.read",
        "message.failed",
        "template.submitted",
        "template.approved",
        "template.rejected",
        "template.paused",
        "template.disabled",
    ] {
        given.trigger(kind, &[]).await;
    }
    for kind in ["message.edited", "message.deleted", "contact.created", "conversation.created"] {
        given.trigger(kind, &[]).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_command_says_when_the_event_happens() {
    let given = TriggerFixture::start().await;
    for (kind, says) in [
        ("message.queued", "the event has happened"),
        ("message.received", "The event follows within a second."),
        ("message.read", "The event happens within a few seconds."),
    ] {
        let (code, printed, notes) = run(&given.server.base, &given.key, &["trigger", kind]).await;
        assert_eq!(code, Some(0), "{kind}: {notes}");
        assert!(printed.contains(says), "{kind}: {printed}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_customer_writes_sends_a_file_and_taps_a_button() {
    let mut given = TriggerFixture::start().await;
    let phone = ["--phone", "+12025550177"];
    let received = "message.received";

    let text = [&phone[..], &["--text", "Are you open?"]].concat();
    let (_, event) = given.trigger(received, &text).await;
    assert_eq!(event["data"]["text"], "Are you open?");
    assert_eq!(event["data"]["contact"]["phone_number"], "+12025550177");

    let file = [&phone[..], &["--media", "https://example.com/menu.pdf"]].concat();
    let (made, event) = given.trigger(received, &file).await;
    assert_eq!(event["data"]["type"], "media");
    assert_eq!(event["data"]["id"], made["id"]);

    // Without a message that has the button, one is sent; the second tap is on the same message.
    let tap = [&phone[..], &["--button", "yes"]].concat();
    for _ in 0..2 {
        let (_, event) = given.trigger(received, &tap).await;
        assert_eq!(event["data"]["interactive"]["button_reply"]["id"], "yes", "{event}");
    }
    let events = events_after(&given.server, &given.key, 0).await;
    let sent = events.iter().filter(|it| it["type"] == "message.queued").count();
    assert_eq!(sent, 1, "{events:#?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_value_of_the_request_can_be_set() {
    let mut given = TriggerFixture::start().await;
    let set = ["--set", "metadata.order=A-1042", "--set", "client_ref=order-7"];
    let (_, event) = given.trigger("message.queued", &set).await;
    assert_eq!(event["data"]["client_ref"], "order-7", "{event}");
    let set = ["--set", "components.0.text=We are open."];
    let (_, event) = given.trigger("template.approved", &set).await;
    assert_eq!(event["data"]["components"][0]["text"], "We are open.");
    for (set, word) in [("text.x=1", "no field of an object"), ("text", "write PATH=VALUE")] {
        let arguments = ["trigger", "message.sent", "--set", set];
        let (code, _, notes) = run(&given.server.base, &given.key, &arguments).await;
        assert!(matches!(code, Some(1 | 2)), "{set}: {code:?}");
        assert!(notes.contains(word), "{set}: {notes}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn options_that_do_not_belong_to_an_event_are_refused() {
    let given = TriggerFixture::start().await;
    for (arguments, word) in [
        (&["message.read", "--phone", "+12025550177"][..], "leave --phone out"),
        (&["template.paused", "--text", "x"], "leave --text out"),
        (&["message.sent", "--button", "yes"], "for message.received"),
        (&["message.received", "--text", "x", "--button", "yes"], "cannot be used with"),
        (&["message.reed"], "message.read"),
        (&["message.received", "--phone", "12"], "phone_number: "),
    ] {
        let arguments = [&["trigger"][..], arguments].concat();
        let (code, _, notes) = run(&given.server.base, &given.key, &arguments).await;
        assert!(matches!(code, Some(1 | 2)), "{arguments:?}: {code:?}");
        assert!(notes.contains(word), "{arguments:?}: {notes}");
    }
}
