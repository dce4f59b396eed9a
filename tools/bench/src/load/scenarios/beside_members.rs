//! Members who look at the inbox all day: open streams through `HAProxy`, and the pages that browsers
//! load after changes.

use std::thread;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use serde_json::Value;

use super::super::measured::{Measured, Subject, float};
use super::super::paced::Latencies;
use super::super::stage::Stage;
use super::super::streams::{Browser, Streams};
use super::super::switchboard::Switchboard;
use super::super::usage::Processor;
use super::beside_streams::{self, INBOX, STREAMS};
use super::steady::{Observed, Steady};
use super::target::Target;
use servers::clock::Stopwatch;
use servers::interrupt;

/// The number of members. Each has one session, which several browser windows share.
const MEMBERS: usize = 20;
/// The number of sends per second.
const RATE: f64 = 200.0;
/// The number of conversations that browsers show.
pub const CONVERSATIONS: usize = 100;
/// The time limit until the inbox lists conversations that exist.
const LISTED_WITHIN: Duration = Duration::from_mins(2);
const POLL: Duration = Duration::from_millis(200);

/// Measures sends before, while and after members have streams open and load no page. The value is
/// the additional CPU time because of the streams, in percent of the CPU time of the sends.
pub fn idle(stage: &Stage, subject: Subject, seconds: u32) -> Result<Measured> {
    beside(stage, subject, seconds, |_, _| None)
}

/// Measures like [`idle`], but the browsers load their pages after changes. Half of them show the
/// list of conversations, and half of them a conversation.
pub fn working(stage: &Stage, subject: Subject, seconds: u32) -> Result<Measured> {
    beside(stage, subject, seconds, |number, conversations| {
        let conversation = conversations.get(number / 2 % CONVERSATIONS);
        let open = conversation.filter(|_| number % 2 == 1);
        Some(open.map_or(INBOX.to_owned(), |id| format!("{INBOX}/{id}")))
    })
}

/// Measures sends without and beside the streams of browsers. `page` returns the page that the
/// browser with this number shows, which may be one of these conversations.
fn beside(
    stage: &Stage,
    subject: Subject,
    seconds: u32,
    page: impl Fn(usize, &[String]) -> Option<String>,
) -> Result<Measured> {
    let settings = [("SWITCHBOARD_TRUSTED_PROXIES", "127.0.0.1".to_owned())];
    let target = Target::start_with(stage, subject, &settings)?;
    let server = target.switchboard().context("the bare handler has no inbox")?;
    let cookies = sign_in(server)?;
    let steady = Steady::at(stage, &target, RATE, seconds)?;
    let conversations = conversations(server)?;
    let browsers = cookies.into_iter().cycle().take(STREAMS).enumerate();
    let browsers = browsers
        .map(|(number, cookie)| Browser { cookie, page: page(number, &conversations) })
        .collect();
    let proxy = stage.proxy(server.port())?;
    let watch = Stopwatch::start();
    let (before, earlier) = observe(&steady, watch)?;
    let opened_at = watch.elapsed();
    let streams = Streams::open(proxy.port(), browsers, watch)?;
    let processor = Processor::watch(proxy.process())?;
    let (beside, begun) = observe(&steady, watch)?;
    let proxy_cpu = processor.percent()?;
    let received = beside_streams::close(streams)?;
    let open_for = watch.elapsed().saturating_sub(opened_at);
    drop(proxy);
    let delays = beside_streams::delays(server, &begun, earlier.len(), &received.changes)?;
    let (after, _) = observe(&steady, watch)?;
    let cpu = f64::midpoint(before.cpu, after.cpu);
    let p99 = f64::midpoint(before.p99(), after.p99());
    let loads = received.loads.iter().map(|took| took.as_secs_f64() * 1e3).collect();
    let loads = Latencies::of(loads, open_for.as_secs_f64());
    Ok(Measured::of(100.0 * (beside.cpu / cpu - 1.0))
        .with("p99_ratio", beside.p99() / p99)
        .with("rate_without_per_s", before.latencies.per_second)
        .with("rate_beside_per_s", beside.latencies.per_second)
        .with("p99_without_ms", p99)
        .with("p99_beside_ms", beside.p99())
        .with("cpu_without_percent", cpu)
        .with("cpu_beside_percent", beside.cpu)
        .with("cpu_of_a_send_without_ms", per_send(cpu))
        .with("cpu_of_a_send_beside_ms", per_send(beside.cpu))
        .with("cpu_of_haproxy_percent", proxy_cpu)
        .with("pages_per_s", loads.per_second)
        .with("page_p50_ms", loads.percentile(50.0))
        .with("page_p99_ms", loads.percentile(99.0))
        .with("changes", float(received.changes.len() as u64))
        .with("delay_p50_ms", delays.percentile(50.0))
        .with("delay_p99_ms", delays.percentile(99.0)))
}

/// Returns the CPU time per send in milliseconds, from the CPU time in percent of one core.
fn per_send(percent: f64) -> f64 {
    percent / 100.0 * 1e3 / RATE
}

/// Creates the members, and returns the cookies of their sessions.
fn sign_in(server: &Switchboard) -> Result<Vec<String>> {
    let emails = (0..MEMBERS).map(|number| format!("member{number}@acme.example"));
    emails.map(|email| beside_streams::sign_in(server, &email)).collect()
}

/// Waits until the inbox lists [`CONVERSATIONS`] conversations, and returns their ids.
pub fn conversations(server: &Switchboard) -> Result<Vec<String>> {
    let watch = Stopwatch::start();
    loop {
        let path = format!("/api/v1/conversations?limit={CONVERSATIONS}");
        let page: Value = serde_json::from_str(&server.call("GET", &path, "")?.body)?;
        let listed = page.get("data").and_then(Value::as_array).into_iter().flatten();
        let ids = listed.filter_map(|it| it.get("id").and_then(Value::as_str));
        let ids: Vec<String> = ids.map(str::to_owned).collect();
        if ids.len() == CONVERSATIONS {
            return Ok(ids);
        }
        ensure!(
            watch.elapsed() < LISTED_WITHIN,
            "{} of {CONVERSATIONS} conversations are listed after {} s",
            ids.len(),
            LISTED_WITHIN.as_secs()
        );
        interrupt::sleep(POLL)?;
    }
}

/// Measures sends while a few customers write. Returns the times at which they wrote.
fn observe(steady: &Steady, watch: Stopwatch) -> Result<(Observed, Vec<Duration>)> {
    let (server, seconds) = (steady.server, steady.seconds);
    thread::scope(|scope| {
        let customers = scope.spawn(move || beside_streams::write(server, watch, seconds));
        let observed = steady.observe()?;
        let begun = customers.join().ok().context("the customers panicked")??;
        Ok((observed, begun))
    })
}
