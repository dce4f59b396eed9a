//! CPU time of a server that is idle or only waits.

use std::time::Duration;

use anyhow::{Result, ensure};
use serde_json::json;

use super::super::measured::{Measured, Subject, float};
use super::super::stage::Stage;
use super::super::switchboard::Switchboard;
use super::super::usage::Processor;
use super::callbacks::connect_to_meta;
use servers::interrupt;

/// The time before a measurement in which the server finishes the work of its start and
/// preparation.
const SETTLE: Duration = Duration::from_secs(5);
/// The answer delay of Meta's stand-in in milliseconds: just below the server's timeout.
const DELAY: u32 = 9000;
/// The number of contacts with waiting messages, and so of simultaneous requests.
const PEOPLE: u32 = 10;

/// Measures the CPU time of a server without work and without webhook endpoints.
pub fn nothing(stage: &Stage, subject: Subject, seconds: u32) -> Result<Measured> {
    let server = stage.switchboard(subject, &[])?;
    percent(&server, seconds)
}

/// Measures the CPU time of a server whose messages wait for Meta's stand-in, which takes nine
/// seconds for each. The sandbox channel is never slow.
pub fn slow_channel(stage: &Stage, subject: Subject, seconds: u32) -> Result<Measured> {
    let sink = stage.sink(DELAY)?;
    let settings = [("SWITCHBOARD_GRAPH_URL", sink.url())];
    let mut server = stage.switchboard(subject, &settings)?;
    let number = connect_to_meta(&server)?;
    let limits = ["--rate-limit", "0", "--account", number];
    server.key = server.new_key(&server.organization, &limits)?;
    // There are enough messages for the whole time. The messages of a conversation are sent one
    // after the other.
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
