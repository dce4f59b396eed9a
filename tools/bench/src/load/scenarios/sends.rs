//! Messages that are accepted in a burst.

use std::fmt::Write as _;
use std::path::Path;

use anyhow::{Result, ensure};
use serde_json::json;

use super::super::measured::{Measured, Subject, float};
use super::super::stage::Stage;
use super::super::switchboard::Credentials;
use super::super::wrk::{Requests, write_lines};
use super::target::{Expected, Target};
use servers::clock;

pub const PATH: &str = "/api/v1/messages";

/// Returns requests that send to 1,000 contacts in turn.
pub fn requests<'a>(key: Credentials, idempotent: bool) -> Requests<'a> {
    let (script, path) = ("tests/load/send.lua", PATH.to_owned());
    Requests { script, path, key, idempotent, once: None }
}

pub fn plain(stage: &Stage, subject: Subject, seconds: u32) -> Result<Measured> {
    burst(stage, subject, seconds, |key| requests(key, false))
}

/// Measures sends with an `Idempotency-Key` each.
pub fn idempotent(stage: &Stage, subject: Subject, seconds: u32) -> Result<Measured> {
    burst(stage, subject, seconds, |key| requests(key, true))
}

/// Measures sends to a new contact each.
pub fn new_people(stage: &Stage, subject: Subject, seconds: u32) -> Result<Measured> {
    burst(stage, subject, seconds, |key| Requests {
        script: "tests/load/send_once.lua",
        path: PATH.to_owned(),
        key,
        idempotent: false,
        once: Some(Box::new(write)),
    })
}

/// Writes one message per line, each to a number that no earlier file has.
fn write(file: &Path, many: u64) -> Result<()> {
    // Milliseconds of the last 1,000 seconds, so that the two files of a server differ.
    let run = clock::now().unix_timestamp_nanos() / 1_000_000 % 1_000_000;
    let mut lines = String::new();
    for number in 0..many {
        let person = format!("+1{run:06}{number:07}");
        let body = json!({
            "phone_number": person, "type": "text", "text": "Your order has left the warehouse.",
        });
        writeln!(lines, "{body}")?;
    }
    write_lines(file, &lines)
}

fn burst(
    stage: &Stage,
    subject: Subject,
    seconds: u32,
    requests: impl Fn(Credentials) -> Requests<'static>,
) -> Result<Measured> {
    let target = Target::start(stage, subject)?;
    let requests = requests(target.key());
    let (measured, outcome) = target.load(stage, &requests, seconds, Expected::Success)?;
    let Some(server) = target.switchboard() else { return Ok(measured) };
    // Messages may be accepted faster than they are handed to the channel. The server sends the
    // rest now.
    let behind = server.outbox_depth()?.unwrap_or_default();
    let caught_up = server.drain()?;
    let kept = server.database().numbers("SELECT count(*) FROM messages")?;
    ensure!(
        kept.first().is_some_and(|kept| *kept >= outcome.requests),
        "{} messages were accepted, {kept:?} are kept",
        outcome.requests
    );
    Ok(measured.with("backlog", float(behind)).with("catch_up_s", caught_up.as_secs_f64()))
}
