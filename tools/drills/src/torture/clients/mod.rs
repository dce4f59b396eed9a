//! Hostile clients next to healthy ones, which must not be affected.

mod attack;
mod crowd;
mod faulty;
mod seen;

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use rustix::process::{Resource, getrlimit, setrlimit};

use self::attack::ATTACKS;
pub use self::attack::Attack;
use self::seen::{Seen, Target};
use super::Stage;
use super::judge::Judge;
use super::subject::{Engine, Setup, Subject};
use crate::proof::report::{Bound, Figure};
use crate::proof::sender::{Failed, Outcome};
use bench::load::usage::Memory;
use servers::clock::Stopwatch;
use servers::interrupt;
use servers::step::step;

const PART: &str = "clients";
/// The number of times that each attack is started and stopped. The median is used, because other
/// load on the machine changes during that time.
const ROUNDS: usize = 3;
/// The duration of each observation of healthy clients without the attack.
const WATCHED: Duration = Duration::from_secs(5);
/// The factor by which healthy clients may become slower.
const SLOWER: f64 = 2.0;
/// The memory limit of the server during attacks, in megabytes: its memory under load, plus 16 KiB
/// for each of 10,000 connections.
const MEMORY: f64 = 400.0;
const SAMPLE: Duration = Duration::from_millis(200);

/// The time spans with and without the attack.
#[derive(Default)]
struct Spans {
    without: Vec<(Duration, Duration)>,
    with: Vec<(Duration, Duration)>,
}

/// Runs all attacks in turn, each on a new server.
pub fn run(stage: &Stage) -> Result<Vec<Figure>> {
    many_files()?;
    let mut figures = Vec::new();
    let wanted = |it: &&Attack| stage.attacks.is_empty() || stage.attacks.contains(&it.name);
    for attack in ATTACKS.iter().filter(wanted) {
        let judge = Judge { part: PART, run: attack.name.to_owned() };
        figures.extend(step(&format!("clients {}", attack.name), || one(stage, attack, &judge))?);
    }
    Ok(figures)
}

/// Returns the attack of this name.
pub fn named(name: &str) -> Result<Attack, String> {
    let names = || ATTACKS.iter().map(|it| it.name).collect::<Vec<_>>().join(", ");
    let found = ATTACKS.iter().find(|it| it.name == name).copied();
    found.ok_or_else(|| format!("no such attack; the attacks are {}", names()))
}

/// Raises this process's limit of open files as far as possible.
fn many_files() -> Result<()> {
    let mut limit = getrlimit(Resource::Nofile);
    limit.current = limit.maximum;
    setrlimit(Resource::Nofile, limit).context("the limit of open files cannot be raised")
}

fn one(stage: &Stage, attack: &Attack, judge: &Judge) -> Result<Vec<Figure>> {
    let mut subject = Subject::start(&Setup::plain(&stage.binary, Engine::Sqlite))?;
    let process = subject.server()?.process()?;
    let target = Target {
        port: subject.port()?,
        key: subject.operator.key(&subject.organizations[0].id, "0")?,
    };
    let (mut spans, mut seen) = (Spans::default(), Seen::default());
    let mut most: f64 = 0.0;
    let outcome = subject.under_load(Failed::Repeat, |subject| {
        interrupt::sleep(Duration::from_secs(2))?;
        for _ in 0..ROUNDS {
            let begun = subject.watch.elapsed();
            interrupt::sleep(WATCHED)?;
            spans.without.push((begun, subject.watch.elapsed()));
            let (span, found) = with(attack, &target, subject, || {
                most = most.max(Memory::of(process)?.resident);
                Ok(())
            })?;
            spans.with.push(span);
            seen.add(found);
        }
        Ok(())
    })?;
    let mut figures = seen.figures(judge, attack.expected);
    let without = middle(spans.without.iter().map(|it| p99(&outcome, *it)).collect());
    let ratios = spans.without.iter().zip(&spans.with);
    let ratios = ratios.map(|(without, with)| p99(&outcome, *with) / p99(&outcome, *without));
    let slower = middle(ratios.collect());
    let ratio = format!("{}: p99 of healthy clients, of theirs without the attack", judge.run);
    figures.push(
        judge
            .none("calls of healthy clients that failed", outcome.failed.len())
            .noted(outcome.failures()),
    );
    figures.push(judge.figure("p99 of healthy clients without the attack", without).of("ms"));
    figures.push(Figure::new(PART, ratio, slower, Bound::AtMost(SLOWER)));
    let memory = format!("{}: most memory of the server", judge.run);
    figures.push(Figure::new(PART, memory, most, Bound::AtMost(MEMORY)).of("MB"));
    figures.extend(judge.in_short(&subject, &outcome, &[])?);
    Ok(figures)
}

/// Attacks while the healthy clients are observed, and calls `sample` at intervals.
fn with(
    attack: &Attack,
    target: &Target,
    subject: &Subject,
    mut sample: impl FnMut() -> Result<()>,
) -> Result<((Duration, Duration), Seen)> {
    let (ready, stop) = (AtomicBool::new(false), AtomicBool::new(false));
    thread::scope(|scope| {
        let attacker = scope.spawn(|| (attack.run)(target, &ready, &stop));
        let watched = (|| -> Result<(Duration, Duration)> {
            while !ready.load(Ordering::Relaxed) && !attacker.is_finished() {
                interrupt::sleep(SAMPLE)?;
                sample()?;
            }
            let (begun, watch) = (subject.watch.elapsed(), Stopwatch::start());
            while watch.elapsed() < attack.lasts {
                interrupt::sleep(SAMPLE)?;
                sample()?;
            }
            Ok((begun, subject.watch.elapsed()))
        })();
        stop.store(true, Ordering::Relaxed);
        let Ok(seen) = attacker.join() else { bail!("an attacker panicked") };
        Ok((watched?, seen?))
    })
}

/// Returns the 99th percentile of the latency within a time span, in milliseconds.
fn p99(outcome: &Outcome, (begun, ended): (Duration, Duration)) -> f64 {
    let of = outcome.sent.iter().filter(|it| (begun..ended).contains(&it.accepted.acked));
    let mut took: Vec<Duration> = of.map(|it| it.took).collect();
    took.sort_unstable();
    let place = took.len().saturating_sub(1) * 99 / 100;
    took.get(place).copied().unwrap_or_default().as_secs_f64() * 1e3
}

fn middle(mut numbers: Vec<f64>) -> f64 {
    numbers.sort_by(f64::total_cmp);
    numbers.get(numbers.len() / 2).copied().unwrap_or_default()
}
