//! Webhook deliveries while a backlog of events is processed.

use std::thread;
use std::time::Duration;

use anyhow::{Context, Result, ensure};

use super::super::companions::Sink;
use super::super::measured::{Measured, Subject, float};
use super::super::paced::Sends;
use super::super::stage::Stage;
use super::super::switchboard::Switchboard;
use super::super::usage::Processor;
use crate::member::Member;
use servers::clock::Stopwatch;
use servers::interrupt;

/// The members' password.
const PASSWORD: &str = "correct horse battery staple";
const POLL: Duration = Duration::from_millis(50);
/// The events of a message: queued, sent, delivered.
const EVENTS_PER_MESSAGE: u64 = 3;

/// The endpoints that receive the events.
struct Audience {
    organizations: u32,
    endpoints_each: u32,
    /// The number of deliveries per second for which the backlog is large enough.
    enough_for: u64,
}

/// Measures deliveries to one endpoint.
pub fn one(stage: &Stage, subject: Subject, seconds: u32) -> Result<Measured> {
    deliver(
        stage,
        subject,
        seconds,
        &Audience { organizations: 1, endpoints_each: 1, enough_for: 6000 },
    )
}

/// Measures deliveries to 100 endpoints of four organizations, because an organization may have at
/// most 50.
pub fn hundred(stage: &Stage, subject: Subject, seconds: u32) -> Result<Measured> {
    deliver(
        stage,
        subject,
        seconds,
        &Audience { organizations: 4, endpoints_each: 25, enough_for: 15_000 },
    )
}

/// The statement that resets the position of every endpoint to the beginning.
const BEHIND: &str = "UPDATE webhook_feeds SET starts_after = 0, position = 0";

/// Sends messages and waits until all their events are recorded. Then adds endpoints, and resets
/// their positions while the server is stopped. Deliveries are counted from the moment at which the
/// server is ready again.
fn deliver(stage: &Stage, subject: Subject, seconds: u32, audience: &Audience) -> Result<Measured> {
    let sink = stage.sink(0)?;
    let settings = [("SWITCHBOARD_WEBHOOK_ALLOW", "127.0.0.0/8".to_owned())];
    let mut server = stage.switchboard(subject, &settings)?;
    let endpoints = u64::from(audience.organizations * audience.endpoints_each);
    let messages = audience.enough_for * u64::from(seconds) / endpoints / EVENTS_PER_MESSAGE + 100;
    for number in 0..audience.organizations {
        let name = format!("Webhooks {number}");
        let organization = server.new_organization(&name, &format!("+1202555{number:04}"))?;
        let key = server.new_key(&organization, &["--rate-limit", "0"])?;
        Sends { port: server.port(), key: &key, connections: stage.connections() }
            .in_all(messages)?;
        server.drain()?;
        let email = format!("ada{number}@acme.example");
        let new = ["member", "create", "--organization", &organization, "--email", &email];
        let rest = ["--name", "Ada", "--password-stdin"];
        server.admin_with_secret(&[&new[..], &rest].concat(), PASSWORD)?;
        let mut member = Member::sign_in(server.port(), &email, PASSWORD)?;
        for endpoint in 0..audience.endpoints_each {
            member.add_endpoint(&format!("{}/{number}/{endpoint}", sink.url()))?;
        }
    }
    let before = sink.count()?;
    ensure!(before == 0, "{before} events were delivered before there was anything to deliver");
    server.stop();
    server.database().ask(BEHIND)?;
    server.start_again()?;
    let due = server.database().numbers("SELECT count(*) FROM events")?;
    let due = due.first().context("no events")? * u64::from(audience.endpoints_each);
    let measured = watch(&server, &sink, due, seconds)?;
    let failed =
        server.database().numbers("SELECT count(*) FROM webhook_deliveries WHERE failures > 0")?;
    ensure!(failed == [0], "{failed:?} deliveries failed:\n{}", server.last_words());
    Ok(measured.with("backlog", float(due)))
}

/// Waits until all `due` deliveries have arrived or `seconds` seconds have passed.
fn watch(server: &Switchboard, sink: &Sink, due: u64, seconds: u32) -> Result<Measured> {
    let processor = Processor::watch(server.process())?;
    let (watch, first) = (Stopwatch::start(), sink.count()?);
    let limit = Duration::from_secs(seconds.into());
    let (mut arrived, mut at) = (first, Duration::ZERO);
    while arrived < due && watch.elapsed() < limit {
        interrupt::check()?;
        thread::sleep(POLL);
        let count = sink.count()?;
        if count > arrived {
            (arrived, at) = (count, watch.elapsed());
        }
    }
    let percent = processor.percent()?;
    ensure!(arrived > first, "nothing is delivered in {seconds} s:\n{}", server.last_words());
    Ok(Measured::of(float(arrived - first) / at.as_secs_f64())
        .with("delivered", float(arrived - first))
        .with("before", float(first))
        .with("cpu_percent", percent))
}
