//! Fairness drill: one organization queues many messages, and the messages of another organization
//! leave as fast as without that queue. The drill runs on SQLite and on PostgreSQL, each time with
//! a single server, which must share its capacity between the two organizations.
//!
//! The channel answers with a delay, so that messages are queued faster than they are sent. The
//! latency of a message counts from its 201 to its arrival at the stand-in. Each message goes to a
//! different contact, so no message waits for another one.

use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

use anyhow::{Result, bail, ensure};

use super::Stage;
use crate::proof::channel::Delay;
use crate::proof::operator::client;
use crate::proof::report::{Bound, Figure};
use crate::proof::sender::{id, text};
use crate::torture::subject::{Engine, Setup, Subject};
use bench::load::{Credentials, float};
use servers::clock::Stopwatch;
use servers::interrupt;
use servers::step::step;

const DRILL: &str = "fairness";
/// The tolerated extra latency in milliseconds, compared with a run without the other organization.
const MOST: f64 = 100.0;
/// The delay of the channel's stand-in, in milliseconds.
const DELAY: Delay = Delay { least: 400, more: 200 };
/// The number of connections of the queuing organization, and of contacts to which it writes over
/// each connection.
const SENDERS: u64 = 32;
const PEOPLE: u64 = 60;
/// The number of messages of the other organization, and the pause between two of them.
const MESSAGES: u64 = 300;
const PAUSE: Duration = Duration::from_millis(40);

/// Runs the drill on both databases, one after the other.
pub fn run(stage: &Stage) -> Result<Vec<Figure>> {
    let mut figures = Vec::new();
    for engine in Engine::BOTH {
        figures.extend(step(engine.name(), || on(stage, engine))?);
    }
    Ok(figures)
}

fn on(stage: &Stage, engine: Engine) -> Result<Vec<Figure>> {
    let setup = Setup { delay: DELAY, ..Setup::plain(&stage.plan.binary, engine) };
    let subject = Subject::start(&setup)?;
    let other = subject.operator.other_at_meta("Ferry")?.key;
    let [_, busy] = &subject.organizations;
    let alone = latencies(&subject, &other, 0)?;
    let watch = Stopwatch::start();
    queue(subject.port()?, &busy.key, stage.queued)?;
    let took = watch.elapsed().as_secs_f64();
    let waiting = || -> Result<f64> {
        let rows = subject.operator.database.numbers("SELECT count(*) FROM outbox")?;
        Ok(float(rows.into_iter().sum()))
    };
    let before = waiting()?;
    let beside = latencies(&subject, &other, 1)?;
    let after = waiting()?;
    let name = engine.name();
    let figure =
        |what: &str, value, bound| Figure::new(DRILL, format!("{name}: {what}"), value, bound);
    let queued = figure("messages queued by one organization", float(stage.queued), Bound::None);
    let mut figures = vec![
        queued.noted(format!("in {took:.0} s")),
        figure("of them waiting before the other one sends", before, Bound::None),
        figure("and after", after, Bound::AtLeast(1.0)),
    ];
    for (percent, bound) in [(50, None), (99, Some(MOST))] {
        let (without, with) = (rank(&alone, percent), rank(&beside, percent));
        let bound = bound.map_or(Bound::None, Bound::AtMost);
        for (when, value, bound) in [
            ("without what is queued", without, Bound::None),
            ("with it", with, Bound::None),
            ("so much later", (with - without).max(0.0), bound),
        ] {
            let what = format!("p{percent} until the other one's message leaves, {when}");
            figures.push(figure(&what, value, bound).of("ms"));
        }
    }
    Ok(figures)
}

/// Queues `many` messages over several connections, as fast as they are accepted.
fn queue(port: u16, key: &Credentials, many: u64) -> Result<()> {
    let next = AtomicU64::new(0);
    thread::scope(|scope| {
        let senders: Vec<_> = (0..SENDERS)
            .map(|sender| {
                let next = &next;
                scope.spawn(move || -> Result<()> {
                    let mut client = client(port, key);
                    loop {
                        let number = next.fetch_add(1, Ordering::Relaxed);
                        if number >= many {
                            return Ok(());
                        }
                        interrupt::check()?;
                        let to = format!("+12026{sender:03}{:03}", number / SENDERS % PEOPLE);
                        let answer = text(&mut client, &to, &format!("queued-{number}"))?;
                        ensure!(answer.status == 201, "{}: {}", answer.status, answer.body);
                    }
                })
            })
            .collect();
        for sender in senders {
            match sender.join() {
                Ok(done) => done?,
                Err(_) => bail!("a sender panicked"),
            }
        }
        Ok(())
    })
}

/// Returns the latencies of the other organization's messages in milliseconds, in ascending order.
fn latencies(subject: &Subject, key: &Credentials, round: u64) -> Result<Vec<f64>> {
    const PATIENCE: Duration = Duration::from_mins(1);
    let mut client = client(subject.port()?, key);
    let mut sent = Vec::new();
    for number in 0..MESSAGES {
        let to = format!("+13036{round}{number:05}");
        let answer = text(&mut client, &to, &format!("other-{round}-{number}"))?;
        ensure!(answer.status == 201, "{}: {}", answer.status, answer.body);
        sent.push((id(&answer)?, subject.watch.elapsed()));
        interrupt::sleep(PAUSE)?;
    }
    let watch = Stopwatch::start();
    loop {
        let arrived = subject.channel.arrived();
        let took = |(id, acked): &(String, Duration)| {
            let arrived = arrived.get(id)?;
            Some(arrived.saturating_sub(*acked).as_secs_f64() * 1e3)
        };
        let mut all: Vec<f64> = sent.iter().filter_map(took).collect();
        if all.len() == sent.len() {
            all.sort_by(f64::total_cmp);
            return Ok(all);
        }
        ensure!(watch.elapsed() < PATIENCE, "{} messages never left", sent.len() - all.len());
        interrupt::sleep(Duration::from_millis(200))?;
    }
}

/// Returns a percentile of values that are in ascending order.
fn rank(sorted: &[f64], percent: usize) -> f64 {
    let last = sorted.len().saturating_sub(1);
    sorted.get((last * percent).div_ceil(100)).copied().unwrap_or(f64::MAX)
}
