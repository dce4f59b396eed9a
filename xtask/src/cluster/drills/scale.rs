//! How many sends a second one, two and three instances accept, each with the same part of a core: then the machine's
//! cores are not the limit, as they are not where each instance has a machine of its own.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::thread;
use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};

use super::super::cpu::{Idle, Limit};
use super::super::report::{Bound, Figure};
use super::super::site::{Organization, Plan, Site, UNLIMITED};
use super::Stage;
use crate::bench::usage::Processor;
use crate::bench::{float, wrk};
use crate::step::step;
use crate::{process, programs};

const DRILL: &str = "scale";
const SCRIPT: &str = "tests/load/organizations.lua";
/// Hundredths of a core for each instance: the others are for `PostgreSQL`, the proxy, and the load.
const PERCENT: u16 = 6;
/// Where instances were given less of it than this, although they had work, and the machine had less than that to spare,
/// the machine was the limit after all: such a run tells nothing, and is repeated.
const GIVEN: f64 = 90.0;
const SPARE: f64 = 10.0;
const TRIES: u32 = 4;
/// An organization's usage is one row, for which its sends wait: there are enough of them.
const ORGANIZATIONS: usize = 24;
const CONNECTIONS: u32 = 128;
const WARM_UP: u32 = 5;
const SECONDS: u32 = 20;
/// The median counts.
const ROUNDS: usize = 3;
/// What two have to carry, of what one carries.
const LEAST: f64 = 1.6;

/// What one run has brought.
struct Carried {
    accepted: f64,
    handed_over: f64,
    /// Of the processor time that the instances may take, in per cent.
    taken: f64,
    /// Of the machine's processor time, in per cent.
    idle: f64,
}

impl Carried {
    fn is_of_the_instances(&self) -> bool {
        self.taken >= GIVEN || self.idle >= SPARE
    }
}

/// One, two and three take turns.
pub fn run(stage: &Stage) -> Result<Vec<Figure>> {
    let mut runs = [Vec::new(), Vec::new(), Vec::new()];
    for round in 1..=ROUNDS {
        for (instances, runs) in (1..).zip(&mut runs) {
            let name = format!("{instances} instances, round {round} of {ROUNDS}");
            runs.push(step(&name, || with_cores_to_spare(stage, instances))?);
        }
    }
    let accepted = runs.each_ref().map(|runs| median(runs, |it| it.accepted));
    let handed_over = runs.each_ref().map(|runs| median(runs, |it| it.handed_over));
    let taken = runs.each_ref().map(|runs| median(runs, |it| it.taken));
    let mut figures = Vec::new();
    let each = accepted.iter().zip(handed_over).zip(taken);
    for (instances, ((accepted, handed_over), taken)) in (1..).zip(each) {
        let what = format!("accepted by {instances} with {PERCENT} % of a core each");
        let also = format!("{handed_over:.0}/s handed over; {taken:.0} % of that taken");
        figures.push(Figure::new(DRILL, what, accepted.round(), Bound::None).of("/s").noted(also));
    }
    let [one, two, three] = accepted;
    figures.push(Figure::new(DRILL, "two of one", two / one, Bound::AtLeast(LEAST)));
    figures.push(Figure::new(DRILL, "three of one", three / one, Bound::None));
    Ok(figures)
}

fn median(runs: &[Carried], of: impl Fn(&Carried) -> f64) -> f64 {
    let mut sorted: Vec<f64> = runs.iter().map(of).collect();
    sorted.sort_by(f64::total_cmp);
    sorted.get(sorted.len() / 2).copied().unwrap_or_default()
}

fn with_cores_to_spare(stage: &Stage, instances: usize) -> Result<Carried> {
    let mut seen = String::new();
    for _ in 0..TRIES {
        let carried = measure(stage, instances)?;
        let Carried { accepted, taken, idle, .. } = &carried;
        seen = format!(
            "{accepted:.0}/s; the instances had {taken:.0} % of their part, the machine {idle:.0} % to spare"
        );
        eprintln!("[xtask] {instances} instances: {seen}");
        if carried.is_of_the_instances() {
            return Ok(carried);
        }
    }
    bail!("the machine is too busy for this drill: {seen}")
}

fn measure(stage: &Stage, instances: usize) -> Result<Carried> {
    let site = Site::start(&Plan { instances, ..stage.plan.clone() })?;
    let mut organizations = Vec::new();
    for number in 0..ORGANIZATIONS {
        organizations.push(site.organization(&format!("Shop {number}"), UNLIMITED)?);
    }
    let files = tempfile::tempdir().context("no directory for the keys")?;
    let keys = files.path().join("keys");
    fs::write(&keys, lines(&organizations))?;
    let mut limits = Vec::new();
    for instance in &site.instances {
        limits.push(Limit::on(instance.process()?, PERCENT.into())?);
    }
    load(&stage.plan.root, site.port, &keys, WARM_UP)?;
    let before = handed_over(&site)?;
    let mut times = Vec::new();
    for instance in &site.instances {
        times.push(Processor::watch(instance.process()?)?);
    }
    let idle = Idle::watch()?;
    let outcome = load(&stage.plan.root, site.port, &keys, SECONDS)?;
    let idle = idle.percent()?;
    let taken: f64 = times.iter().map(Processor::percent).sum::<Result<f64>>()?;
    let after = handed_over(&site)?;
    ensure!(
        outcome.refused == 0 && outcome.broken == 0,
        "{} requests were refused and {} got no answer",
        outcome.refused,
        outcome.broken
    );
    drop(site);
    // The groups are empty now.
    thread::sleep(Duration::from_millis(100));
    drop(limits);
    let handed_over = float(after.saturating_sub(before)) / f64::from(SECONDS);
    let taken = 100.0 * taken / f64::from(PERCENT) / float(instances as u64);
    Ok(Carried { accepted: outcome.per_second, handed_over, taken, idle })
}

fn lines(organizations: &[Organization]) -> String {
    let mut lines = String::new();
    for Organization { key, .. } in organizations {
        let _ = writeln!(lines, "{} {}", key.client_id, key.client_secret);
    }
    lines
}

fn handed_over(site: &Site) -> Result<u64> {
    let counted =
        site.database().numbers("SELECT count(*) FROM messages WHERE sent_at IS NOT NULL")?;
    counted.first().copied().context("no count")
}

fn load(root: &Path, port: u16, keys: &Path, seconds: u32) -> Result<wrk::Outcome> {
    let mut command = Command::new(programs::require(&["wrk"])?);
    command
        .args(["--threads", "1", "--timeout", "10s", "--script", SCRIPT])
        .args(["--connections", &CONNECTIONS.to_string()])
        .args(["--duration", &format!("{seconds}s")])
        .arg(format!("http://127.0.0.1:{port}/api/v1/messages"))
        .env("SWITCHBOARD_BENCH_KEYS", keys)
        .current_dir(root);
    let printed = process::stdout(&mut command)?;
    wrk::outcome(&printed)
        .with_context(|| format!("wrk says something else than expected:\n{printed}"))
}
