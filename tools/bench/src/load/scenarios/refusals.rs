//! Calls that are refused.

use anyhow::{Result, ensure};

use super::super::measured::{Measured, Subject};
use super::super::stage::Stage;
use super::super::switchboard::{Credentials, Switchboard};
use super::super::wrk::Requests;
use super::target::{Expected, Target};
use crate::client::request;

const PATH: &str = "/api/v1/me";
/// The window of the rate limit.
const WINDOW_SECONDS: u32 = 60;
/// The duration of the warm-up and of all pauses before the measured load.
const BEFORE_SECONDS: u32 = 20;

/// Measures refusals with 401: a program keeps calling with a deleted key.
pub fn unknown_key(stage: &Stage, subject: Subject, seconds: u32) -> Result<Measured> {
    refused(stage, subject, seconds, 401, |server| {
        let key = server.new_key(&server.organization, &[])?;
        server.admin(&["key", "delete", &key.client_id])?;
        Ok(key)
    })
}

/// Measures refusals with 429: a key has used its one call per minute.
pub fn rate_limited(stage: &Stage, subject: Subject, seconds: u32) -> Result<Measured> {
    refused(stage, subject, seconds, 429, |server| {
        let key = server.new_key(&server.organization, &["--rate-limit", "1"])?;
        request(server.port(), "GET", PATH, &key.headers(), "")?;
        Ok(key)
    })
}

fn refused(
    stage: &Stage,
    subject: Subject,
    seconds: u32,
    status: u16,
    prepare: impl Fn(&Switchboard) -> Result<Credentials>,
) -> Result<Measured> {
    let target = Target::start(stage, subject)?;
    let key = match target.switchboard() {
        Some(server) => prepare(server)?,
        None => Credentials::placeholder(),
    };
    let check = || -> Result<()> {
        if let Some(server) = target.switchboard() {
            let answer = request(server.port(), "GET", PATH, &key.headers(), "")?;
            ensure!(answer.status == status, "refused with {}: {}", answer.status, answer.body);
        }
        Ok(())
    };
    check()?;
    // One call is admitted after each window.
    let let_in = (seconds + BEFORE_SECONDS) / WINDOW_SECONDS;
    let expected = Expected::Refusal(if status == 429 { u64::from(let_in) } else { 0 });
    let requests = Requests::get(PATH, key.clone());
    let measured = target.measure(stage, &requests, seconds, expected)?;
    check()?;
    Ok(measured)
}
