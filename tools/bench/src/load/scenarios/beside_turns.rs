//! Sends while the turns of an AI agent wait for a model that does not answer.

use std::thread;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use domain::agent::{AgentKind, AgentMode, TurnState};
use domain::keyword::Keyword as _;
use serde_json::json;

use super::super::companions::SilentServer;
use super::super::measured::{Measured, Subject, float};
use super::super::stage::Stage;
use super::super::switchboard::Switchboard;
use super::steady::Steady;
use super::target::Target;
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
/// The time limit of the wait until all turns exist, and of the wait until all have failed.
const PATIENCE: Duration = Duration::from_mins(10);
const POLL: Duration = Duration::from_millis(500);

/// Measures sends four times: without turns; while turns wait for a model's server that accepts
/// connections and never answers; while turns fail because that server refuses connections; and
/// after all turns have failed. The value is the 99th percentile beside the silent server divided
/// by the 99th percentile without turns.
pub fn silent_model(stage: &Stage, subject: Subject, seconds: u32) -> Result<Measured> {
    let settings = [("SWITCHBOARD_AGENT_ALLOW", "127.0.0.0/8".to_owned())];
    let target = Target::start_with(stage, subject, &settings)?;
    let steady = Steady::at_half(stage, &target, seconds)?;
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
    until("all turns have failed", || Ok(open_turns(server)? == 0))?;
    let after = steady.observe()?;
    let without = f64::midpoint(before.p99(), after.p99());
    Ok(Measured::of(silent.p99() / without)
        .with("refused_ratio", refused.p99() / without)
        .with("rate_per_s", silent.latencies.per_second)
        .with("p99_before_ms", before.p99())
        .with("p99_silent_ms", silent.p99())
        .with("p99_refused_ms", refused.p99())
        .with("p99_after_ms", after.p99())
        .with("cpu_without_percent", f64::midpoint(before.cpu, after.cpu))
        .with("cpu_silent_percent", silent.cpu)
        .with("asked", float(asked)))
}

/// Creates an agent whose model is asked as soon as a customer has written.
fn create_agent(server: &Switchboard, base_url: &str) -> Result<()> {
    let (kind, mode) = (AgentKind::Model.as_str(), AgentMode::Auto.as_str());
    let organization = server.organization.as_str();
    let new = ["agent", "create", "--organization", organization, "--name", "Helper"];
    let model = ["--kind", kind, "--base-url", base_url, "--model", "silent"];
    let asked = ["--mode", mode, "--tools", "false", "--quiet", "0", "--longest", "0"];
    let number = ["--account", NUMBER];
    server.admin(&[&new[..], &model, &asked, &number].concat()).map(drop)
}

/// Lets each customer write once, and waits until there is a waiting turn for each of them.
fn make_turns(server: &Switchboard) -> Result<()> {
    thread::scope(|scope| -> Result<()> {
        let writers: Vec<_> =
            (0..WRITERS).map(|writer| scope.spawn(move || write(server, writer))).collect();
        for writer in writers {
            writer.join().ok().context("a customer panicked")??;
        }
        Ok(())
    })?;
    until("all turns wait", || Ok(open_turns(server)? == u64::from(TURNS)))?;
    server.drain().map(drop)
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
