//! Meta's callbacks. Those that wrk makes are signed in advance, because Lua has no HMAC.

use std::cell::Cell;
use std::fmt::Write as _;
use std::path::Path;

use anyhow::Result;
use serde_json::json;

use super::super::measured::{Measured, Subject, float};
use super::super::paced::Paced;
use super::super::stage::Stage;
use super::super::switchboard::{Credentials, Switchboard};
use super::super::wrk::{Requests, write_lines};
use super::target::{Expected, Target};
use crate::meta;
use servers::clock;

const PATH: &str = "/channel/cloud/webhook";
/// The app secret in the server's settings.
const APP_SECRET: &str = "bench-app-secret";
/// Meta's id of the number that receives the messages.
const PHONE_NUMBER_ID: &str = "106540352242922";
/// Meta's id of the business account.
const BUSINESS_ID: &str = "102290129340398";
/// The number itself.
const PHONE_NUMBER: &str = "+12025550198";
/// The number of contacts that write in turn.
const PEOPLE: u64 = 10_000;

/// Measures callbacks with one inbound message each, which the server stores before it answers.
pub fn stored(stage: &Stage, subject: Subject, seconds: u32) -> Result<Measured> {
    let target = Target::start_with(stage, subject, &[secret()])?;
    if let Some(server) = target.switchboard() {
        connect_to_meta(server)?;
    }
    target.measure(stage, &requests(), seconds, Expected::Success)
}

/// Measures callbacks per second until they are processed: their messages are stored, with all
/// events. The measured time ends when nothing is left to do.
pub fn processed(stage: &Stage, subject: Subject, seconds: u32) -> Result<Measured> {
    let target = Target::start_with(stage, subject, &[secret()])?;
    let Some(server) = target.switchboard() else {
        return target.measure(stage, &requests(), seconds, Expected::Success);
    };
    connect_to_meta(server)?;
    let (stored, outcome) = target.load(stage, &requests(), seconds, Expected::Success)?;
    let drained = server.drain()?.as_secs_f64();
    let count = float(outcome.requests);
    let took = count / outcome.per_second + drained;
    Ok(Measured { value: count / took, ..stored }
        .with("stored_per_s", outcome.per_second)
        .with("drain_s", drained))
}

/// Returns the setting with the app secret.
pub fn secret() -> (&'static str, String) {
    ("SWITCHBOARD_GRAPH_APP_SECRET", APP_SECRET.to_owned())
}

/// Returns callbacks with one inbound message each.
pub fn requests() -> Requests<'static> {
    Requests {
        script: "tests/load/callback.lua",
        path: PATH.to_owned(),
        key: Credentials::placeholder(),
        idempotent: false,
        once: Some(Box::new(write)),
    }
}

/// Returns callbacks with one inbound message each. No two of them have the same message, also in
/// different runs.
pub fn paced(port: u16, connections: u32) -> Paced<'static> {
    let (run, made) = (clock::now().unix_timestamp_nanos(), Cell::new(0_u64));
    let request = Box::new(move |number: u64| {
        let id = format!("wamid.{run}.{}", made.replace(made.get() + 1));
        let body = body(number % PEOPLE, &id, clock::now().unix_timestamp());
        let (signature, length) = (meta::signature(APP_SECRET, &body), body.len());
        format!(
            "POST {PATH} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nContent-Type: application/json\r\n\
             X-Hub-Signature-256: sha256={signature}\r\nContent-Length: {length}\r\n\r\n{body}"
        )
    });
    Paced { port, connections, status: 200, request }
}

/// Connects a number on Meta's channel and returns it.
pub fn connect_to_meta(server: &Switchboard) -> Result<&'static str> {
    let connect = [
        "account",
        "connect",
        "--organization",
        &server.organization,
        "--phone-number",
        PHONE_NUMBER,
        "--display-name",
        "Bench at Meta",
        "--channel",
        "cloud-api",
        "--phone-number-id",
        PHONE_NUMBER_ID,
        "--waba-id",
        BUSINESS_ID,
        "--access-token-stdin",
    ];
    server.admin_with_secret(&connect, "bench-token")?;
    Ok(PHONE_NUMBER)
}

/// Writes one line per callback: the signature, a tab and the body.
fn write(file: &Path, many: u64) -> Result<()> {
    let now = clock::now();
    let (run, second) = (now.unix_timestamp_nanos(), now.unix_timestamp());
    let mut lines = String::new();
    for number in 0..many {
        let body = body(number % PEOPLE, &format!("wamid.{run}.{number}"), second);
        writeln!(lines, "{}\t{body}", meta::signature(APP_SECRET, &body))?;
    }
    write_lines(file, &lines)
}

fn body(person: u64, id: &str, second: i64) -> String {
    let from = format!("1202600{person:04}");
    let value = json!({
        "messaging_product": "whatsapp",
        "metadata": {"display_phone_number": "12025550198", "phone_number_id": PHONE_NUMBER_ID},
        "contacts": [{"profile": {"name": "Ada"}, "wa_id": from}],
        "messages": [{
            "from": from, "id": id, "timestamp": second.to_string(), "type": "text",
            "text": {"body": "Has my order left the warehouse?"},
        }],
    });
    let entry = json!({"id": BUSINESS_ID, "changes": [{"field": "messages", "value": value}]});
    json!({"object": "whatsapp_business_account", "entry": [entry]}).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paced_callbacks_are_signed_and_differ_between_runs() {
        let paced = paced(80, 1);
        let (first, second) = ((paced.request)(0), (paced.request)(0));
        assert_ne!(first, second);
        let (head, body) = first.split_once("\r\n\r\n").unwrap();
        let signature = meta::signature(APP_SECRET, body);
        assert!(head.contains(&format!("X-Hub-Signature-256: sha256={signature}\r\n")), "{head}");
        assert!(head.ends_with(&format!("Content-Length: {}", body.len())), "{head}");
    }
}
