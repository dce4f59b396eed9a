//! Reads with an API key.

use anyhow::{Result, ensure};
use serde_json::{Value, json};

use super::super::measured::{Measured, Subject};
use super::super::stage::Stage;
use super::super::switchboard::Switchboard;
use super::super::wrk::Requests;
use super::target::{Expected, Target};

const TEMPLATES: usize = 50;
const HISTORY: usize = 50;
const EVENTS: usize = 100;
/// The contact whose history is read.
const PERSON: &str = "12026000000";

/// Measures `GET /me`.
pub fn me(stage: &Stage, subject: Subject, seconds: u32) -> Result<Measured> {
    read(stage, subject, seconds, "/api/v1/me", |_| Ok(()))
}

/// Measures a page of templates.
pub fn templates(stage: &Stage, subject: Subject, seconds: u32) -> Result<Measured> {
    let path = format!("/api/v1/templates?limit={TEMPLATES}");
    read(stage, subject, seconds, &path, |server| {
        for number in 0..TEMPLATES {
            let template = json!({
                "name": format!("order_shipped_{number}"),
                "language": "en_US",
                "category": "utility",
                "components": [
                    {
                        "type": "BODY",
                        "text": "Hello {{1}}, your order {{2}} has left the warehouse.",
                        "example": {"body_text": [["Ada", "A-1042"]]},
                    },
                    {"type": "FOOTER", "text": "Reply STOP to opt out"},
                ],
            });
            server.call("POST", "/api/v1/templates", &template.to_string())?;
        }
        holds(server, &path, TEMPLATES)
    })
}

/// Measures a page of a conversation.
pub fn history(stage: &Stage, subject: Subject, seconds: u32) -> Result<Measured> {
    let path = format!("/api/v1/conversations/history?phone_number=%2B{PERSON}&limit={HISTORY}");
    read(stage, subject, seconds, &path, |server| {
        send(server, HISTORY)?;
        holds(server, &path, HISTORY)
    })
}

/// Measures a page of events.
pub fn events(stage: &Stage, subject: Subject, seconds: u32) -> Result<Measured> {
    let path = format!("/api/v1/events?after=0&limit={EVENTS}");
    read(stage, subject, seconds, &path, |server| {
        send(server, EVENTS / 2)?;
        holds(server, &path, EVENTS)
    })
}

fn read(
    stage: &Stage,
    subject: Subject,
    seconds: u32,
    path: &str,
    prepare: impl Fn(&Switchboard) -> Result<()>,
) -> Result<Measured> {
    let target = Target::start(stage, subject)?;
    if let Some(server) = target.switchboard() {
        prepare(server)?;
    }
    let requests = Requests::get(path, target.key());
    target.measure(stage, &requests, seconds, Expected::Success)
}

/// Sends messages to one contact and waits until they are delivered.
fn send(server: &Switchboard, messages: usize) -> Result<()> {
    for number in 0..messages {
        let body = json!({
            "phone_number": format!("+{PERSON}"), "type": "text",
            "text": format!("Your order {number} has left the warehouse."),
        });
        server.call("POST", "/api/v1/messages", &body.to_string())?;
    }
    server.drain().map(drop)
}

/// Checks that the page has the expected number of entries.
fn holds(server: &Switchboard, path: &str, expected: usize) -> Result<()> {
    let page: Value = serde_json::from_str(&server.call("GET", path, "")?.body)?;
    let found = page.get("data").and_then(Value::as_array).map_or(0, Vec::len);
    ensure!(found == expected, "{path} has {found} entries instead of {expected}");
    Ok(())
}
