//! Processor time of a server that has nothing to do, or can only wait.

use std::time::Duration;

use anyhow::{Result, ensure};
use serde_json::json;

use super::super::measured::{Measured, Subject, float};
use super::super::stage::Stage;
use super::super::switchboard::Switchboard;
use super::super::usage::Processor;
use super::callbacks::connect_to_meta;
use crate::interrupt;

/// Before it is looked at: what the start and the preparation have left to do.
const SETTLE: Duration = Duration::from_secs(5);
/// The stand-in for Meta's answers after so many milliseconds, which is just within the server's patience.
const DELAY: u32 = 9000;
/// People whose messages wait, so that so many requests are under way at a time.
const PEOPLE: u32 = 10;

/// No work and no endpoint.
pub fn nothing(stage: &Stage, subject: Subject, seconds: u32) -> Result<Measured> {
    let server = stage.switchboard(subject, &[])?;
    percent(&server, seconds)
}

/// Messages wait for answers of Meta's that take nine seconds each; the sandbox is never slow.
pub fn slow_channel(stage: &Stage, subject: Subject, seconds: u32) -> Result<Measured> {
    let sink = stage.sink(DELAY)?;
    let settings = [("SWITCHBOARD_GRAPH_URL", sink.url())];
    let mut server = stage.switchboard(subject, &settings)?;
    let number = connect_to_meta(&server)?;
    let limits = ["--rate-limit", "0", "--account", number];
    server.key = server.new_key(&server.organization, &limits)?;
    // Enough for all the time: a conversation's messages go one after the other.
    let each = (u64::from(seconds) + SETTLE.as_secs()) * 1000 / u64::from(DELAY) + 3;
    for _ in 0..each {
        for person in 0..PEOPLE {
            let message = json!({
                "phone_number": format!("+1202600{person:04}"), "type": "text",
                "text": "Your order has left the warehouse.",
            });
            server.call("POST", "/api/v1/messages", &message.to_string())?;
        }
    }
    let measured = percent(&server, seconds)?;
    let waiting = server.outbox_depth()?.unwrap_or_default();
    ensure!(waiting > 0, "nothing waits for the channel any more");
    Ok(measured.with("waiting", float(waiting)).with("answered", float(sink.count()?)))
}

fn percent(server: &Switchboard, seconds: u32) -> Result<Measured> {
    interrupt::sleep(SETTLE)?;
    let processor = Processor::watch(server.process())?;
    interrupt::sleep(Duration::from_secs(seconds.into()))?;
    Ok(Measured::of(processor.percent()?))
}
