//! Open streams of the dashboard's inbox: the CPU time that they cost, and the delay of their
//! reports.

use std::thread;
use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};
use serde_json::json;

use super::super::measured::{Measured, Subject, Unsupported, float};
use super::super::paced::Latencies;
use super::super::stage::Stage;
use super::super::streams::{self, Browser, Change, Received, Streams};
use super::super::switchboard::Switchboard;
use super::steady::Steady;
use super::target::Target;
use crate::client::Client;
use crate::member::Member;
use servers::clock::Stopwatch;
use servers::interrupt;

/// The number of open streams.
pub const STREAMS: usize = 200;
const EMAIL: &str = "ada@acme.example";
const PASSWORD: &str = "correct horse battery staple";
pub const INBOX: &str = "/inbox";
const INBOUND: &str = "/api/v1/sandbox/inbound";
/// The interval between two messages of customers. It is not a multiple of the interval at which
/// the server looks for changes, so that messages arrive at different moments of that interval.
const WRITTEN_EVERY: Duration = Duration::from_millis(230);
/// The time after the last message in which streams have to report it.
const REPORTED_WITHIN: Duration = Duration::from_secs(5);

/// Measures sends before, while and after streams are open. Each stream reports every change. The
/// value is the additional CPU time because of the streams, in percent of the CPU time of the
/// sends.
pub fn cost(stage: &Stage, subject: Subject, seconds: u32) -> Result<Measured> {
    let target = Target::start(stage, subject)?;
    let steady = Steady::at_half(stage, &target, seconds)?;
    let server = steady.server;
    let browsers = browsers(server)?;
    let before = steady.observe()?;
    let watch = Stopwatch::start();
    let streams = Streams::open(server.port(), browsers, watch)?;
    let (beside, begun) = thread::scope(|scope| -> Result<_> {
        let customers = scope.spawn(|| write(server, watch, seconds));
        let beside = steady.observe()?;
        let begun = customers.join().ok().context("the customers panicked")??;
        Ok((beside, begun))
    })?;
    let changes = close(streams)?.changes;
    let after = steady.observe()?;
    let cpu = f64::midpoint(before.cpu, after.cpu);
    let p99 = f64::midpoint(before.p99(), after.p99());
    let delays = delays(server, &begun, 0, &changes)?;
    Ok(Measured::of(100.0 * (beside.cpu / cpu - 1.0))
        .with("p99_ratio", beside.p99() / p99)
        .with("rate_per_s", beside.latencies.per_second)
        .with("p99_without_ms", p99)
        .with("p99_beside_ms", beside.p99())
        .with("cpu_without_percent", cpu)
        .with("cpu_beside_percent", beside.cpu)
        .with("changes", float(changes.len() as u64))
        .with("delay_p50_ms", delays.percentile(50.0))
        .with("delay_p99_ms", delays.percentile(99.0)))
}

/// Measures the time from the request with a customer's message until each stream reports a change,
/// on a server without other work.
pub fn delay(stage: &Stage, subject: Subject, seconds: u32) -> Result<Measured> {
    let server = stage.switchboard(subject, &[])?;
    let browsers = browsers(&server)?;
    let watch = Stopwatch::start();
    let streams = Streams::open(server.port(), browsers, watch)?;
    let begun = write(&server, watch, seconds)?;
    server.drain()?;
    let changes = close(streams)?.changes;
    let delays = delays(&server, &begun, 0, &changes)?;
    Ok(Measured::of(delays.percentile(99.0))
        .with("p50_ms", delays.percentile(50.0))
        .with("most_ms", delays.percentile(100.0))
        .with("messages", float(begun.len() as u64))
        .with("changes", float(changes.len() as u64)))
}

/// Returns browsers of one member that load no pages.
fn browsers(server: &Switchboard) -> Result<Vec<Browser>> {
    let cookie = sign_in(server, EMAIL)?;
    Ok(vec![Browser { cookie, page: None }; STREAMS])
}

/// Creates a member who can open the inbox, and returns the cookie of their session.
pub fn sign_in(server: &Switchboard, email: &str) -> Result<String> {
    let of = ["member", "create", "--organization", server.organization.as_str()];
    let member = ["--email", email, "--name", "Ada", "--password-stdin"];
    server.admin_with_secret(&[&of[..], &member].concat(), PASSWORD)?;
    let mut member = Member::sign_in(server.port(), email, PASSWORD)?;
    match member.get(INBOX)?.status {
        200 => Ok(member.cookie()),
        404 => Err(Unsupported("inbox").into()),
        status => bail!("{INBOX} is answered {status}"),
    }
}

/// Writes as customers for this many seconds. Returns the time of each request.
pub fn write(server: &Switchboard, watch: Stopwatch, seconds: u32) -> Result<Vec<Duration>> {
    let [id, secret] = server.key.headers();
    let headers = [id, secret, ("content-type", "application/json")];
    let mut client = Client::new(server.port(), &headers);
    let end = watch.elapsed() + Duration::from_secs(seconds.into());
    let mut begun = Vec::new();
    while watch.elapsed() < end {
        let person = format!("+1202700{:04}", begun.len());
        let body = json!({"phone_number": person, "text": "When do you open?"});
        begun.push(watch.elapsed());
        let answer = client.ask_once("POST", INBOUND, &[], &body.to_string())?;
        ensure!(answer.status == 201, "a customer is answered {}: {}", answer.status, answer.body);
        interrupt::sleep(WRITTEN_EVERY)?;
    }
    Ok(begun)
}

/// Closes the streams after they have had time to report the last change.
pub fn close(streams: Streams) -> Result<Received> {
    interrupt::sleep(REPORTED_WITHIN)?;
    streams.close()
}

/// Returns the delays from the customers' requests to the changes in all streams. The messages
/// arrived in the order of the requests. `earlier` messages arrived before the first request.
pub fn delays(
    server: &Switchboard,
    begun: &[Duration],
    earlier: usize,
    changes: &[Change],
) -> Result<Latencies> {
    let query = "SELECT sequence FROM events WHERE kind = 'message.received' ORDER BY sequence";
    let told = server.database().ask(query)?;
    let sequences = told.lines().skip(earlier).map(str::parse);
    let sequences = sequences.collect::<Result<Vec<u64>, _>>()?;
    ensure!(
        sequences.len() == begun.len(),
        "{} messages arrived of {}",
        sequences.len(),
        begun.len()
    );
    let begun: Vec<(Duration, u64)> = begun.iter().copied().zip(sequences).collect();
    let delays = streams::delays(changes, STREAMS, &begun);
    let delays = delays.context("a stream did not report every message")?;
    let seconds = changes.last().map_or(0.0, |it| it.at.as_secs_f64());
    Ok(Latencies::of(delays, seconds))
}
