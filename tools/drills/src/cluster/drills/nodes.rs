//! Nodes drill: sends per second that one, two and three nodes of a distributed database accept.
//! Each node has the same part of a core. Meanwhile the channel reports on all messages, contacts
//! answer, and every event goes to an endpoint. The drill also measures the CPU time per message on
//! each node, and counts the statements of a call on each node.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};

use super::super::cpu::{Limit, taken_by_family};
use super::super::site::{Plan, Site, Spread};
use super::Stage;
use super::scale::send;
use crate::proof::channel::{Channel, Delay};
use crate::proof::operator::Organization;
use crate::proof::receiver::Receiver;
use crate::proof::report::{Bound, Figure};
use crate::proof::reporter::Reporter;
use bench::load::{Credentials, Database, float};
use bench::member::Member;
use servers::clock::Stopwatch;
use servers::interrupt;
use servers::step::step;

const DRILL: &str = "nodes";
const MOST: u8 = 3;
/// The number of shards. One, two and three nodes can share them evenly.
const SHARDS: u8 = 6;
const INSTANCES: usize = 2;
/// The CPU limit of each node, including the coordinator, in hundredths of a core.
const PERCENT: u64 = 15;
/// The number of organizations that are created, and the number of them that send. Each node has
/// the same number of sending organizations.
const MADE: u16 = 30;
const USED: usize = 12;
const CONNECTIONS: u32 = 32;
const WARM_UP: u32 = 4;
const QUIET: Duration = Duration::from_secs(8);
const SECONDS: u32 = 15;
/// The time without a new event after which all events count as arrived, and the time limit of that
/// wait.
const SETTLED: Duration = Duration::from_secs(3);
const PATIENCE: Duration = Duration::from_mins(3);
const PASSWORD: &str = "correct horse battery staple";
/// The number of calls whose statements are counted, and the time for the work that the calls
/// cause.
const CALLS: u32 = 30;
const FOLLOWS: Duration = Duration::from_secs(4);
/// The targets of two and of three nodes, as multiples of one node's result.
const TWO: f64 = 1.7;
const THREE: f64 = 2.4;
/// The largest tolerated share of the coordinator in the CPU time of all nodes, in percent.
const SHARE: f64 = 15.0;
const DELAY: Delay = Delay { least: 0, more: 1 };
const BODY: &str =
    r#"{"phone_number":"+12026000001","type":"text","text":"Your order has left the warehouse."}"#;

const HISTORY: &str = "/api/v1/conversations/history?phone_number=%2B12026000001";

/// The process and the database of a node.
struct Node {
    process: u32,
    database: Database,
}

/// The result of a run: the number of messages that the nodes accepted, and the CPU time of each
/// node.
struct Run {
    accepted: f64,
    /// The number of messages per second, measured until all messages were reported on and all
    /// events had arrived at the endpoints.
    through: f64,
    messages: u64,
    events: u64,
    /// The CPU time of each node in seconds, the coordinator first. The CPU time that an idle node
    /// takes in the same time is subtracted.
    taken: Vec<f64>,
    /// The CPU time that each node takes when it is idle, in hundredths of a core.
    idle: Vec<f64>,
    two_phase: u64,
}

/// For each node: the number of statements, and the number of two-phase commits among them.
type Counted = Vec<(u64, u64)>;

/// Runs the drill with one, two and three nodes in turn, each with its own database.
pub fn run(stage: &Stage) -> Result<Vec<Figure>> {
    let (channel, receiver) = (Channel::start(Stopwatch::start(), DELAY)?, Receiver::start()?);
    let mut figures = Vec::new();
    let mut runs = Vec::new();
    for workers in 1..=MOST {
        let plan = Plan {
            instances: INSTANCES,
            graph: Some(channel.url()),
            citus: Some(Spread { workers, shards: Some(SHARDS) }),
            ..stage.plan.clone()
        };
        let mut limits = Limits::default();
        let site = Site::start(&plan)?;
        let nodes: Vec<Node> = site
            .nodes()
            .into_iter()
            .map(|(process, database)| Node { process, database })
            .collect();
        site.database().ask("CREATE EXTENSION IF NOT EXISTS pg_stat_statements")?;
        let organizations =
            step(&format!("making {MADE} organizations"), || organizations(&site, workers))?;
        let reporter = Reporter::start(&channel, site.port);
        let others = Others { channel: &channel, receiver: &receiver, reporter: &reporter };
        step(&format!("making {USED} endpoints"), || endpoints(&site, &receiver, &organizations))?;
        if workers == 2 {
            let name = "counting the statements of calls";
            figures.extend(step(name, || statements(&site, &nodes, &organizations))?);
        }
        for node in &nodes {
            limits.0.push(Limit::on_family(node.process, PERCENT)?);
        }
        let run = step(&format!("{workers} nodes"), || {
            measure(&stage.plan.root, &site, &nodes, (&organizations, others))
        })?;
        reporter.check()?;
        eprintln!(
            "[xtask] {workers} nodes: {:.1}/s accepted, {:.1}/s done with, {} messages, {} events; seconds of each node: {:.2?}, idle {:.1?} % of a core; {} commits in two phases",
            run.accepted, run.through, run.messages, run.events, run.taken, run.idle, run.two_phase
        );
        runs.push(run);
    }
    figures.extend(of_runs(&runs)?);
    Ok(figures)
}

/// The CPU limits of all nodes. Values are dropped in reverse order. The limits are created before
/// the site, so they are dropped after the nodes have ended, even after an error.
#[derive(Default)]
struct Limits(Vec<Limit>);

/// Creates organizations and selects the same number on each node.
fn organizations(site: &Site, workers: u8) -> Result<Vec<Organization>> {
    let mut made = BTreeMap::new();
    for number in 0..MADE {
        let name = format!("Shop {number}");
        made.insert(name.clone(), site.operator().one_of_many_at_meta(&name, number)?);
    }
    let mut node_of = BTreeMap::new();
    for line in site.database().ask("SELECT shardid, groupid FROM pg_dist_placement")?.lines() {
        let (shard, node) = line.split_once('|').context("no placement")?;
        node_of.insert(shard.to_owned(), node.to_owned());
    }
    let shards =
        "SELECT name, get_shard_id_for_distribution_column('messages', id) FROM organizations";
    let mut of_node: BTreeMap<String, Vec<Organization>> = BTreeMap::new();
    for line in site.database().ask(shards)?.lines() {
        let (name, shard) = line.split_once('|').context("no shard")?;
        let (Some(made), Some(node)) = (made.remove(name), node_of.get(shard)) else { continue };
        of_node.entry(node.clone()).or_default().push(made);
    }
    let each = USED / usize::from(workers);
    let used: Vec<_> = of_node.into_values().flat_map(|all| all.into_iter().take(each)).collect();
    ensure!(used.len() == USED, "the organizations are on too few nodes");
    Ok(used)
}

/// The stand-ins that run beside the servers.
#[derive(Clone, Copy)]
struct Others<'a> {
    channel: &'a Channel,
    receiver: &'a Receiver,
    reporter: &'a Reporter,
}

impl Others<'_> {
    /// Waits until `messages` messages have arrived, all of them were reported on, and no more
    /// events come. Returns the time that this took. The database is not queried, because queries
    /// would take more CPU time than the work that is measured.
    fn until_done(self, messages: usize) -> Result<Duration> {
        let watch = Stopwatch::start();
        let mut last = (self.receiver.count(), Duration::ZERO);
        while watch.elapsed() < PATIENCE {
            interrupt::sleep(Duration::from_millis(100))?;
            let count = self.receiver.count();
            let is_done = self.channel.count() >= messages && self.reporter.is_done();
            if count != last.0 || !is_done {
                last = (count, watch.elapsed());
            } else if watch.elapsed().saturating_sub(last.1) > SETTLED {
                return Ok(last.1);
            }
        }
        bail!("after {PATIENCE:?} messages, reports or events are still on their way")
    }
}

/// Adds an endpoint for all events to each organization.
fn endpoints(site: &Site, receiver: &Receiver, whose: &[Organization]) -> Result<()> {
    for (number, organization) in whose.iter().enumerate() {
        let email = format!("ada{number}@nodes.example");
        site.operator().member(&organization.id, &email, PASSWORD)?;
        let mut member = Member::sign_in(site.port, &email, PASSWORD)?;
        member.add_endpoint(&receiver.url(&format!("/{}", organization.id)))?;
    }
    Ok(())
}

fn measure(
    root: &Path,
    site: &Site,
    nodes: &[Node],
    (whose, others): (&[Organization], Others<'_>),
) -> Result<Run> {
    let files = tempfile::tempdir().context("no directory for the keys")?;
    let keys = files.path().join("keys");
    let mut lines = String::new();
    for Organization { key, .. } in whose {
        writeln!(lines, "{} {}", key.client_id, key.client_secret)?;
    }
    fs::write(&keys, lines).context("no file for keys")?;
    let load = (root, keys.as_path());
    let arrived = others.channel.count();
    let warm_up = send(load, site, CONNECTIONS, WARM_UP)?;
    others.until_done(arrived + usize::try_from(warm_up.requests)?)?;
    let taken =
        || nodes.iter().map(|node| taken_by_family(node.process)).collect::<Result<Vec<_>>>();
    let (at_first, quiet) = (taken()?, Stopwatch::start());
    interrupt::sleep(QUIET)?;
    let prepared = counted(nodes)?;
    let before = taken()?;
    let (quiet, busy) = (quiet.elapsed().as_secs_f64(), Stopwatch::start());
    let (arrived, events) = (others.channel.count(), others.receiver.count());
    let outcome = send(load, site, CONNECTIONS, SECONDS)?;
    ensure!(
        outcome.refused == 0 && outcome.broken == 0,
        "{} requests were refused and {} got no answer",
        outcome.refused,
        outcome.broken
    );
    let rest = others.until_done(arrived + usize::try_from(outcome.requests)?)?;
    let (after, busy) = (taken()?, busy.elapsed().as_secs_f64());
    let then = counted(nodes)?;
    let idle: Vec<f64> =
        before.iter().zip(at_first).map(|(before, at_first)| (before - at_first) / quiet).collect();
    let beyond = |((after, before), idle): ((&f64, &f64), &f64)| after - before - idle * busy;
    let two_phase = then.iter().zip(prepared).map(|(then, before)| then.1.saturating_sub(before.1));
    Ok(Run {
        accepted: outcome.per_second,
        through: float(outcome.requests) / (f64::from(SECONDS) + rest.as_secs_f64()),
        messages: outcome.requests,
        events: others.receiver.count() - events,
        taken: after.iter().zip(&before).zip(&idle).map(beyond).collect(),
        idle: idle.into_iter().map(|idle| 100.0 * idle).collect(),
        two_phase: two_phase.sum(),
    })
}

fn of_runs(runs: &[Run]) -> Result<Vec<Figure>> {
    let figure = |what: String, value: f64, bound| Figure::new(DRILL, what, value, bound);
    let mut figures = Vec::new();
    for (nodes, run) in (1_u8..).zip(runs) {
        let (coordinator, workers) = run.taken.split_first().context("no nodes")?;
        let workers: f64 = workers.iter().sum();
        let each = |seconds: f64| 1000.0 * seconds / float(run.messages.max(1));
        let what = format!("accepted by {nodes} with {PERCENT} % of a core each");
        figures.push(figure(what, (10.0 * run.accepted).round() / 10.0, Bound::None).of("/s"));
        let what = format!("{nodes}: done with, reports and {} events too", run.events);
        figures.push(figure(what, (10.0 * run.through).round() / 10.0, Bound::None).of("/s"));
        let what = format!("{nodes}: processor time of the coordinator for a message, all of it");
        figures.push(figure(what, each(*coordinator), Bound::None).of("ms"));
        let what = format!("{nodes}: processor time of the nodes for a message, all of it");
        figures.push(figure(what, each(workers), Bound::None).of("ms"));
        let share = 100.0 * coordinator / (coordinator + workers);
        let what = format!("{nodes}: the coordinator's part of that");
        figures.push(figure(what, share.round(), Bound::AtMost(SHARE)).of("%"));
        let (coordinator, workers) = run.idle.split_first().context("no nodes")?;
        let worker = workers.iter().sum::<f64>() / f64::from(nodes);
        let what = format!("{nodes}: of a core while nothing is sent, the coordinator");
        figures.push(figure(what, *coordinator, Bound::None).of("%"));
        let what = format!("{nodes}: of a core while nothing is sent, each node");
        figures.push(figure(what, worker, Bound::None).of("%"));
        let what = format!("{nodes}: commits in two phases, of {} messages", run.messages);
        figures.push(figure(what, float(run.two_phase), Bound::None));
    }
    let [one, two, three] = runs else { return Ok(figures) };
    let ratio = |run: &Run| run.accepted / one.accepted;
    figures.push(figure("accepted, two of one".to_owned(), ratio(two), Bound::AtLeast(TWO)));
    figures.push(figure("accepted, three of one".to_owned(), ratio(three), Bound::AtLeast(THREE)));
    let ratio = |run: &Run| run.through / one.through;
    figures.push(figure("done with, two of one".to_owned(), ratio(two), Bound::AtLeast(TWO)));
    figures.push(figure("done with, three of one".to_owned(), ratio(three), Bound::AtLeast(THREE)));
    Ok(figures)
}

/// Counts the statements of calls of one organization. The statements that servers execute without
/// any call are subtracted.
fn statements(site: &Site, nodes: &[Node], whose: &[Organization]) -> Result<Vec<Figure>> {
    let key = &whose.first().context("no organization")?.key;
    let mut figures = Vec::new();
    let calls: [(&str, &str, &str, &str); 3] = [
        ("a message accepted and handed over", "POST", "/api/v1/messages", BODY),
        ("`GET /me`", "GET", "/api/v1/me", ""),
        ("a history", "GET", HISTORY, ""),
    ];
    for (what, method, path, body) in calls {
        // The first calls execute statements that later ones do not.
        ask(site, key, (method, path, body), 3)?;
        let counts = around(nodes, || ask(site, key, (method, path, body), CALLS))?;
        for ((all, two_phase), place) in counts.into_iter().zip(0..) {
            let node =
                if place == 0 { "the coordinator".to_owned() } else { format!("node {place}") };
            let each = all / f64::from(CALLS);
            let named = format!("{what}: statements on {node}");
            let noted = format!("{two_phase:.0} commits in two phases in {CALLS}");
            figures.push(
                Figure::new(DRILL, named, (each * 10.0).round() / 10.0, Bound::None).noted(noted),
            );
        }
    }
    Ok(figures)
}

fn ask(
    site: &Site,
    key: &Credentials,
    (method, path, body): (&str, &str, &str),
    calls: u32,
) -> Result<()> {
    let mut client = site.client(key);
    for _ in 0..calls {
        let answer = client.ask(method, path, &[], body)?;
        ensure!(answer.status < 300, "{method} {path}: {} {}", answer.status, answer.body);
        // The calls are made one at a time, so that nothing is batched.
        interrupt::sleep(Duration::from_millis(60))?;
    }
    Ok(())
}

/// Counts the statements during `work` and during the work that it causes. The statements of an
/// idle period of the same length are subtracted.
fn around(nodes: &[Node], work: impl FnOnce() -> Result<()>) -> Result<Vec<(f64, f64)>> {
    let quiet = Stopwatch::start();
    let before = counted(nodes)?;
    interrupt::sleep(2 * FOLLOWS)?;
    let idle = counted(nodes)?;
    let (quiet, busy) = (quiet.elapsed().as_secs_f64(), Stopwatch::start());
    work()?;
    interrupt::sleep(FOLLOWS)?;
    let after = counted(nodes)?;
    let times = busy.elapsed().as_secs_f64() / quiet;
    let less = |before: u64, idle: u64, after: u64| {
        float(after.saturating_sub(idle)) - times * float(idle.saturating_sub(before))
    };
    let each = before.iter().zip(&idle).zip(&after);
    Ok(each
        .map(|((before, idle), after)| {
            (less(before.0, idle.0, after.0), less(before.1, idle.1, after.1))
        })
        .collect())
}

fn counted(nodes: &[Node]) -> Result<Counted> {
    let asked = "SELECT coalesce(sum(calls), 0)::bigint, \
                 coalesce(sum(calls) FILTER (WHERE query LIKE 'PREPARE TRANSACTION%'), 0)::bigint FROM pg_stat_statements";
    let mut counts = Counted::new();
    for node in nodes {
        let numbers = node.database.numbers(asked)?;
        let [all, two_phase] = numbers[..] else { bail!("no counts") };
        counts.push((all, two_phase));
    }
    Ok(counts)
}
