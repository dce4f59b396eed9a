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
    for kind in ["message.edited", "message.deleted"] {
        given.trigger(kind, &[]).await;
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
        (&["message.delivered", "--phone", "12"], "phone_number: "),
    ] {
        let arguments = [&["trigger"][..], arguments].concat();
        let (code, _, notes) = run(&given.server.base, &given.key, &arguments).await;
        assert!(matches!(code, Some(1 | 2)), "{arguments:?}: {code:?}");
        assert!(notes.contains(word), "{arguments:?}: {notes}");
    }
}
