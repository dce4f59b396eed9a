//! Sends, callbacks and the inbox while the turns of an AI agent wait for a model that does not
//! answer.

use std::num::NonZeroUsize;
use std::thread;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use domain::agent::{AgentKind, AgentMode, TurnState};
use domain::keyword::Keyword as _;
use serde_json::json;

use super::super::companions::SilentServer;
use super::super::measured::{Measured, Subject, float};
use super::super::paced::Paced;
use super::super::stage::Stage;
use super::super::switchboard::Switchboard;
use super::beside_streams::{self, INBOX};
use super::steady::{Steady, maximum};
use super::target::Target;
use super::{beside_members, callbacks};
use crate::client::Client;
use servers::clock::Stopwatch;
use servers::interrupt;

/// The number of turns that wait, each in its own conversation.
const TURNS: u32 = 10_000;
/// The number of connections over which customers write.
const WRITERS: u32 = 8;
const INBOUND: &str = "/api/v1/sandbox/inbound";
/// The account that the sends come from.
const NUMBER: &str = "+12025550199";
const AGENT: &str = "Helper";
/// The time limit of the wait until all turns exist, and of the wait until all have ended.
const PATIENCE: Duration = Duration::from_mins(10);
const POLL: Duration = Duration::from_millis(500);
/// The member who opens the inbox.
const EMAIL: &str = "ada@acme.example";
/// The number of pages of the inbox that determine the maximum rate.
const PAGES: u64 = 2000;

/// Measures sends.
pub fn sends(stage: &Stage, subject: Subject, seconds: u32) -> Result<Measured> {
    let target = start(stage, subject)?;
    beside(&Steady::at_half(stage, &target, seconds)?)
}

/// Measures callbacks with inbound messages. They are for another number than the agent's.
pub fn callbacks(stage: &Stage, subject: Subject, seconds: u32) -> Result<Measured> {
    let target = start(stage, subject)?;
    let server = target.switchboard().context("the bare handler has no turns")?;
    callbacks::connect_to_meta(server)?;
    let rate = maximum(stage, &target, &callbacks::requests(), seconds)? / 2.0;
    let requests = callbacks::paced(server.port(), stage.connections());
    beside(&Steady { server, rate, requests, seconds })
}

/// Measures pages of the inbox: the list, and a conversation. Each customer has written before, so
/// that the inbox has the same conversations in all conditions.
pub fn inbox(stage: &Stage, subject: Subject, seconds: u32) -> Result<Measured> {
    let target = start(stage, subject)?;
    let server = target.switchboard().context("the bare handler has no turns")?;
    let cookie = beside_streams::sign_in(server, EMAIL)?;
    write_all(server)?;
    server.drain()?;
    let conversations = beside_members::conversations(server)?;
    let (port, connections) = (server.port(), stage.connections());
    let request = Box::new(move |number: u64| page(port, &cookie, &conversations, number));
    let requests = Paced { port, connections, status: 200, request };
    let rate = requests.in_all(PAGES)?.per_second / 2.0;
    beside(&Steady { server, rate, requests, seconds })
}

/// Starts a server whose agents may use models on this machine.
fn start(stage: &Stage, subject: Subject) -> Result<Target> {
    let allow = ("SWITCHBOARD_AGENT_ALLOW", "127.0.0.0/8".to_owned());
    let target = Target::start_with(stage, subject, &[allow, callbacks::secret()])?;
    if let Some(server) = target.switchboard() {
        server.require_admin("agent", "AI agents")?;
    }
    Ok(target)
}

/// Returns a request for the list of conversations if `number` is even, otherwise for one of these
/// conversations.
fn page(port: u16, cookie: &str, conversations: &[String], number: u64) -> String {
    let place = usize::try_from(number / 2).ok().zip(NonZeroUsize::new(conversations.len()));
    let open = place.and_then(|(place, many)| conversations.get(place % many));
    let path = match open {
        Some(conversation) if number % 2 == 1 => format!("{INBOX}/{conversation}"),
        _ => INBOX.to_owned(),
    };
    format!(
        "GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nAccept: text/html\r\nCookie: {cookie}\r\n\r\n"
    )
}

/// Measures requests four times: without turns; while turns wait for a model's server that accepts
/// connections and never answers; while turns fail because that server refuses connections; and
/// after all turns have ended. The value is the 99th percentile beside the silent server divided
/// by the 99th percentile without turns.
fn beside(steady: &Steady) -> Result<Measured> {
    let server = steady.server;
    let model = SilentServer::start()?;
    create_agent(server, &model.url())?;
    let before = steady.observe()?;
    make_turns(server)?;
    let silent = steady.observe()?;
    let waiting = open_turns(server)?;
    ensure!(waiting == u64::from(TURNS), "only {waiting} turns still wait");
    let asked = model.accepted();
    model.close()?;
    let refused = steady.observe()?;
    // The remaining turns end sooner than they would fail.
    server.admin(&["agent", "set", AGENT, "--mode", "off"])?;
    until("all turns have ended", || Ok(open_turns(server)? == 0))?;
    let after = steady.observe()?;
    let without = f64::midpoint(before.p99(), after.p99());
    let cpu = f64::midpoint(before.cpu, after.cpu);
    Ok(Measured::of(silent.p99() / without)
        .with("refused_ratio", refused.p99() / without)
        .with("cpu_ratio", silent.cpu / cpu)
        .with("rate_per_s", silent.latencies.per_second)
        .with("p99_before_ms", before.p99())
        .with("p99_silent_ms", silent.p99())
        .with("p99_refused_ms", refused.p99())
        .with("p99_after_ms", after.p99())
        .with("cpu_without_percent", cpu)
        .with("cpu_silent_percent", silent.cpu)
        .with("asked", float(asked)))
}

/// Creates an agent whose model is asked as soon as a customer has written.
fn create_agent(server: &Switchboard, base_url: &str) -> Result<()> {
    let (kind, mode) = (AgentKind::Model.as_str(), AgentMode::Auto.as_str());
    let organization = server.organization.as_str();
    let new = ["agent", "create", "--organization", organization, "--name", AGENT];
    let model = ["--kind", kind, "--base-url", base_url, "--model", "silent"];
    let asked = ["--mode", mode, "--tools", "false", "--quiet", "0", "--longest", "0"];
    let number = ["--account", NUMBER];
    server.admin(&[&new[..], &model, &asked, &number].concat()).map(drop)
}

/// Lets each customer write once, and waits until there is a waiting turn for each of them.
fn make_turns(server: &Switchboard) -> Result<()> {
    write_all(server)?;
    until("all turns wait", || Ok(open_turns(server)? == u64::from(TURNS)))?;
    server.drain().map(drop)
}

/// Lets each customer write once.
fn write_all(server: &Switchboard) -> Result<()> {
    thread::scope(|scope| -> Result<()> {
        let writers: Vec<_> =
            (0..WRITERS).map(|writer| scope.spawn(move || write(server, writer))).collect();
        for writer in writers {
            writer.join().ok().context("a customer panicked")??;
        }
        Ok(())
    })
}

/// Writes one message as each of the customers that share one connection.
fn write(server: &Switchboard, writer: u32) -> Result<()> {
    let [id, secret] = server.key.headers();
    let headers = [id, secret, ("content-type", "application/json")];
    let mut client = Client::new(server.port(), &headers);
    for customer in (writer..TURNS).step_by(usize::try_from(WRITERS)?) {
        interrupt::check()?;
        let person = format!("+1202700{customer:04}");
        let body = json!({"phone_number": person, "text": "When do you open?"});
        let answer = client.ask_once("POST", INBOUND, &[], &body.to_string())?;
        ensure!(answer.status == 201, "a customer is answered {}: {}", answer.status, answer.body);
    }
    Ok(())
}

/// Returns the number of turns that have not ended.
fn open_turns(server: &Switchboard) -> Result<u64> {
    let open = TurnState::ALL.iter().filter(|it| !it.is_final());
    let open: Vec<String> = open.map(|it| format!("'{it}'")).collect();
    let query = format!("SELECT count(*) FROM turns WHERE state IN ({})", open.join(", "));
    Ok(server.database().numbers(&query)?.into_iter().sum())
}

fn until(what: &str, is_so: impl Fn() -> Result<bool>) -> Result<()> {
    let watch = Stopwatch::start();
    while !is_so()? {
        let seconds = PATIENCE.as_secs();
        ensure!(watch.elapsed() < PATIENCE, "gave up after {seconds} s waiting until {what}");
        interrupt::sleep(POLL)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_and_the_conversations_are_opened_in_turn() {
        let conversations = ["conv_1".to_owned(), "conv_2".to_owned()];
        let path = |number| {
            let request = page(80, "a=1", &conversations, number);
            assert!(request.ends_with("\r\nCookie: a=1\r\n\r\n"), "{request}");
            request.split(' ').nth(1).unwrap().to_owned()
        };
        let paths = [0, 1, 2, 3, 4, 5].map(path);
        let expected = ["/inbox", "/inbox/conv_1", "/inbox", "/inbox/conv_2", "/inbox"];
        assert_eq!(paths[..5], expected);
        assert_eq!(paths[5], "/inbox/conv_1");
    }
}
