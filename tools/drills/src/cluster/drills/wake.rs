//! Wake drill: a message that one instance accepts leaves immediately, even if another instance
//! works on its conversation.
//!
//! Two instances take turns in accepting the messages of a few conversations, at random times.
//! Sometimes the other instance is sending an earlier message of the conversation, sometimes it is
//! releasing the conversation, and sometimes no instance has claimed the conversation. A message
//! can leave once it is acknowledged and the channel has answered for the message before it. The
//! latency counts from that moment until the arrival at the stand-in.

use std::collections::BTreeMap;
use std::thread;
use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};

use super::super::site::{Plan, Site};
use super::Stage;
use crate::proof::chance::Chance;
use crate::proof::channel::{Arrival, Channel, Delay};
use crate::proof::operator::client;
use crate::proof::report::{Bound, Figure};
use crate::proof::sender::{id, text};
use bench::load::{Credentials, float};
use servers::clock::Stopwatch;
use servers::interrupt;

const DRILL: &str = "wake";
/// The target latency in milliseconds.
const MOST: f64 = 50.0;
/// The number of simultaneous conversations, and of messages in each.
const CONVERSATIONS: u64 = 6;
const MESSAGES: u64 = 300;
/// The delay of the channel's stand-in, in milliseconds.
const DELAY: Delay = Delay { least: 2, more: 40 };
/// The longest pause before the next message of a conversation, in milliseconds. It is about as
/// long as the channel's delay, so that some messages hit the moment at which a conversation is
/// released.
const PAUSE: u64 = 70;

/// A message as its sender saw it.
struct Sent {
    id: String,
    /// The instance that accepted the message, counted from 1.
    by: usize,
    begun: Duration,
    acked: Duration,
}

pub fn run(stage: &Stage) -> Result<Vec<Figure>> {
    let watch = Stopwatch::start();
    let channel = Channel::start(watch, DELAY)?;
    let site = Site::start(&Plan { graph: Some(channel.url()), ..stage.plan.clone() })?;
    let key = site.operator().organization_at_meta("Florist")?.key;
    let ports: Vec<u16> = site.instances.iter().map(|it| it.port).take(2).collect();
    let ports = <[u16; 2]>::try_from(ports).ok().context("two instances are needed")?;
    judge(&converse(ports, &key, watch)?, &channel)
}

/// Runs all conversations simultaneously.
fn converse(ports: [u16; 2], key: &Credentials, watch: Stopwatch) -> Result<Vec<Vec<Sent>>> {
    thread::scope(|scope| {
        let each: Vec<_> = (0..CONVERSATIONS)
            .map(|number| scope.spawn(move || conversation(number, ports, key, watch)))
            .collect();
        let joined = each.into_iter().map(|it| match it.join() {
            Ok(sent) => sent,
            Err(_) => bail!("a sender panicked"),
        });
        joined.collect()
    })
}

fn conversation(
    number: u64,
    ports: [u16; 2],
    key: &Credentials,
    watch: Stopwatch,
) -> Result<Vec<Sent>> {
    let mut clients = ports.map(|port| client(port, key));
    let (mut chance, mut sent) = (Chance::new(number), Vec::new());
    let to = format!("+1202610{number:04}");
    for turn in 0..MESSAGES {
        interrupt::check()?;
        let [one, other] = &mut clients;
        let (by, client) = if turn % 2 == 0 { (1, one) } else { (2, other) };
        let begun = watch.elapsed();
        let answer = text(client, &to, &format!("{number}-{turn}"))?;
        let acked = watch.elapsed();
        ensure!(answer.status == 201, "a message was answered {}: {}", answer.status, answer.body);
        sent.push(Sent { id: id(&answer)?, by, begun, acked });
        thread::sleep(chance.millis(0, PAUSE));
    }
    Ok(sent)
}

/// Waits for all messages to arrive and evaluates their latencies.
fn judge(sent: &[Vec<Sent>], channel: &Channel) -> Result<Vec<Figure>> {
    const PATIENCE: Duration = Duration::from_secs(20);
    let many: usize = sent.iter().map(Vec::len).sum();
    let watch = Stopwatch::start();
    while channel.arrivals().len() < many && watch.elapsed() < PATIENCE {
        interrupt::sleep(Duration::from_millis(100))?;
    }
    let arrivals = channel.arrivals();
    let seen: BTreeMap<&str, &Arrival> =
        arrivals.iter().map(|it| (it.message.as_str(), it)).collect();
    let (mut busy, mut free, mut missing) = (Vec::new(), Vec::new(), 0_u64);
    for messages in sent {
        let mut before: Option<&Arrival> = None;
        for message in messages {
            let Some(arrival) = seen.get(message.id.as_str()).copied() else {
                missing += 1;
                continue;
            };
            let answered = before.map_or(Duration::ZERO, |it| it.answered);
            let took = arrival.arrived.saturating_sub(message.acked.max(answered));
            let took = (millis(took), message.id.as_str());
            // Another instance was sending a message of this conversation when this one was
            // accepted.
            if before.is_some_and(|it| it.by != message.by && it.answered > message.begun) {
                busy.push(took);
            } else {
                free.push(took);
            }
            before = Some(arrival);
        }
    }
    let mut figures = vec![Figure::new(
        DRILL,
        "messages that never arrived",
        float(missing),
        Bound::Exactly(0.0),
    )];
    figures.extend(latencies("while another instance is at work there", busy));
    figures.extend(latencies("while no other instance is at work there", free));
    // Accepting a message does not depend on another instance. So if it is slow, the machine is
    // slow.
    let accepting = sent.iter().flatten();
    let accepting = accepting.map(|it| (millis(it.acked.saturating_sub(it.begun)), it.id.as_str()));
    let mut accepting: Vec<_> = accepting.collect();
    accepting.sort_by(|a, b| a.0.total_cmp(&b.0));
    let what = "for comparison, from a request to its 201: p99";
    figures.push(Figure::new(DRILL, what, rank(&accepting, 99).0, Bound::None).of("ms"));
    Ok(figures)
}

fn millis(took: Duration) -> f64 {
    took.as_secs_f64() * 1e3
}

/// Returns a percentile of values that are in ascending order.
fn rank<'a>(sorted: &[(f64, &'a str)], percent: usize) -> (f64, &'a str) {
    let last = sorted.len().saturating_sub(1);
    let found = sorted.get((last * percent).div_ceil(100)).copied();
    found.unwrap_or((f64::MAX, "no such message"))
}

fn latencies(when: &str, mut took: Vec<(f64, &str)>) -> Vec<Figure> {
    took.sort_by(|a, b| a.0.total_cmp(&b.0));
    let late = took.iter().filter(|it| it.0 > MOST).count();
    let figure = |name: &str, percent, bound| {
        let (value, id) = rank(&took, percent);
        Figure::new(DRILL, format!("{when}: {name}"), value, bound).of("ms").noted(id)
    };
    vec![
        Figure::new(DRILL, format!("{when}: messages"), float(took.len() as u64), Bound::None)
            .noted(format!("{late} of them later than {MOST} ms")),
        figure("p50", 50, Bound::None),
        figure("p99", 99, Bound::AtMost(MOST)),
        figure("the slowest", 100, Bound::AtMost(MOST)),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_slowest_is_named() {
        let took = (1_u32..=100).map(|ms| (f64::from(ms), "msg")).collect();
        let figures = latencies("then", took);
        let values: Vec<String> = figures.iter().map(|it| it.value.to_string()).collect();
        assert_eq!(values, ["100", "51", "100", "100"]);
        assert_eq!(figures[3].passes(), Some(false));
        assert_eq!(latencies("then", Vec::new())[2].passes(), Some(false));
    }
}
