//! Messages that are accepted in a burst.

use anyhow::{Result, ensure};

use super::super::measured::{Measured, Subject, float};
use super::super::stage::Stage;
use super::super::switchboard::Credentials;
use super::super::wrk::Requests;
use super::target::{Expected, Target};

pub const PATH: &str = "/api/v1/messages";

/// Returns requests that send to 1,000 contacts in turn.
pub fn requests<'a>(key: Credentials, idempotent: bool) -> Requests<'a> {
    let (script, path) = ("tests/load/send.lua", PATH.to_owned());
    Requests { script, path, key, idempotent, once: None }
}

pub fn plain(stage: &Stage, subject: Subject, seconds: u32) -> Result<Measured> {
    burst(stage, subject, seconds, false)
}

/// Measures sends with an `Idempotency-Key` each.
pub fn idempotent(stage: &Stage, subject: Subject, seconds: u32) -> Result<Measured> {
    burst(stage, subject, seconds, true)
}

fn burst(stage: &Stage, subject: Subject, seconds: u32, idempotent: bool) -> Result<Measured> {
    let target = Target::start(stage, subject)?;
    let requests = requests(target.key(), idempotent);
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
