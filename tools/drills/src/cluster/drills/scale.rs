//! Scale drill: sends per second that one, two and three instances accept, each with the same part
//! of a core. Because of this limit the result does not depend on the number of the machine's
//! cores. The result is the same as if each instance had its own machine.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result, ensure};

use super::super::cpu::{Idle, Limit};
use super::super::site::{Plan, Site};
use super::Stage;
use crate::proof::evidence;
use crate::proof::operator::{Organization, UNLIMITED};
use crate::proof::report::{Bound, Figure};
use bench::load::usage::Processor;
use bench::load::{float, wrk};
use servers::step::step;
use servers::{interrupt, process, programs};

const DRILL: &str = "scale";
const SCRIPT: &str = "tests/load/organizations.lua";
/// The CPU limit of each instance in hundredths of a core. The rest is for `PostgreSQL`, the proxy
/// and the load.
const PERCENT: u16 = 10;
/// The conditions of a valid run, in percent. If the instances received less than `GIVEN` of their
/// CPU limit although they had work, and the machine had less than `SPARE` idle, the machine
/// limited the run. Such a run with one or two instances is repeated.
const GIVEN: f64 = 90.0;
const SPARE: f64 = 10.0;
const TRIES: u32 = 3;
/// The largest number of instances.
const MOST: usize = 3;
/// The number of organizations. Each send locks the row with its organization's usage. With this
/// many organizations, two instances rarely need the same row.
const ORGANIZATIONS: usize = 240;
const WARM_UP: u32 = 4;
const SECONDS: u32 = 15;
/// The numbers of connections. Messages that arrive together are stored in one batch, so the result
/// depends on the number of connections per instance. One load has `EACH` connections per instance.
/// The other load has `IN_ALL` connections in total, which suffices for three instances. In that
/// load, the batches are smaller the more instances there are.
const EACH: u32 = 128;
const IN_ALL: u32 = 384;
/// The number of rounds, of which the median counts.
const ROUNDS: usize = 3;
/// The target of two instances, as a multiple of one instance's result.
const LEAST: f64 = 1.6;

/// The result of one run.
#[derive(Clone, Copy)]
struct Carried {
    accepted: f64,
    handed_over: f64,
    /// The CPU time that the instances took, in percent of their limits.
    taken: f64,
    /// The idle CPU time of the machine, in percent.
    idle: f64,
}

impl Carried {
    /// Returns the messages per second that were both accepted and sent.
    fn through(&self) -> f64 {
        self.accepted.min(self.handed_over)
    }

    fn is_of_the_instances(&self) -> bool {
        self.taken >= GIVEN || self.idle >= SPARE
    }
}

/// The limits of the running instances.
struct Limited {
    // Values are dropped in reverse order. The limits are created before the site, so they are
    // dropped after the instances have ended, even after an error.
    limits: Vec<Limit>,
}

/// Runs the drill with one, two and three instances in turn, on one database.
pub fn run(stage: &Stage) -> Result<Vec<Figure>> {
    let mut limited = Limited { limits: Vec::new() };
    let mut site = Site::start(&Plan { instances: MOST, ..stage.plan.clone() })?;
    let files = tempfile::tempdir().context("no directory for the keys")?;
    let keys = files.path().join("keys");
    step(&format!("making {ORGANIZATIONS} organizations"), || {
        fs::write(&keys, made(&site)?).context("no file for keys")
    })?;
    let (mut each, mut in_all) = (Runs::default(), Runs::default());
    for round in 1..=ROUNDS {
        for (instances, (each, in_all)) in (1..).zip(each.iter_mut().zip(&mut in_all)) {
            let name = format!("{instances} instances, round {round} of {ROUNDS}");
            let instances = u16::try_from(instances)?;
            step(&name, || {
                limited.run_only(&mut site, stage, instances)?;
                let load = Load {
                    root: &stage.plan.root,
                    keys: &keys,
                    instances,
                    connections: EACH * u32::from(instances),
                };
                each.push(load.with_cores_to_spare(&site)?);
                in_all.push(Load { connections: IN_ALL, ..load }.with_cores_to_spare(&site)?);
                Ok(())
            })?;
        }
    }
    let each = figures(&each, &format!("{EACH} connections for each"));
    let in_all = figures(&in_all, &format!("{IN_ALL} connections in all"));
    Ok([each, in_all].concat())
}

/// The results of one, two and three instances.
type Runs = [Vec<Carried>; MOST];

fn figures(runs: &Runs, connections: &str) -> Vec<Figure> {
    let figure = |what: &str, value: f64, bound| {
        Figure::new(DRILL, format!("{connections}: {what}"), value, bound)
    };
    let mut figures = Vec::new();
    for (instances, runs) in (1..).zip(runs) {
        let what = format!("accepted by {instances} with {PERCENT} % of a core each");
        let [accepted, handed_over, taken] = [
            median(runs, |it| it.accepted),
            median(runs, |it| it.handed_over),
            median(runs, |it| it.taken),
        ];
        let also = format!("{handed_over:.0}/s handed over; {taken:.0} % of their part taken");
        figures.push(figure(&what, accepted.round(), Bound::None).of("/s").noted(also));
    }
    let by_few = runs.iter().take(2).flatten();
    let invalid = by_few.filter(|it| !it.is_of_the_instances()).count();
    let what = "runs of one or two in which the machine was the limit";
    figures.push(figure(what, float(invalid as u64), Bound::Exactly(0.0)));
    // An overloaded instance accepts more messages than it can send. Its real throughput is the
    // number of messages per second that it both accepts and sends.
    for (what, of, bound) in [
        ("accepted", accepted as fn(&Carried) -> f64, Bound::None),
        ("accepted and handed over", Carried::through, Bound::AtLeast(LEAST)),
    ] {
        let [one, two, three] = runs;
        let (two, three) = (ratio(two, one, of), ratio(three, one, of));
        figures.push(figure(&format!("{what}, two of one"), two, bound));
        figures.push(figure(&format!("{what}, three of one"), three, Bound::None));
    }
    figures
}

fn accepted(run: &Carried) -> f64 {
    run.accepted
}

/// Returns the median of the ratios of each round, because other load on the machine changes
/// between rounds.
fn ratio(of: &[Carried], to: &[Carried], what: fn(&Carried) -> f64) -> f64 {
    middle(of.iter().zip(to).map(|(of, to)| what(of) / what(to)).collect())
}

impl Limited {
    /// Restarts this many instances and stops the others, so that all runs begin with newly started
    /// instances.
    fn run_only(&mut self, site: &mut Site, stage: &Stage, instances: u16) -> Result<()> {
        for instance in &mut site.instances {
            if instance.process().is_ok() {
                instance.stop()?;
            }
        }
        self.limits.clear();
        for instance in site.instances.iter_mut().take(instances.into()) {
            instance.start(&stage.plan.binary)?;
            self.limits.push(Limit::on(instance.process()?, PERCENT.into())?);
        }
        // The proxy needs this long to notice which instances are running.
        interrupt::sleep(Duration::from_secs(4))
    }
}

fn median(runs: &[Carried], of: impl Fn(&Carried) -> f64) -> f64 {
    middle(runs.iter().map(of).collect())
}

fn middle(mut numbers: Vec<f64>) -> f64 {
    numbers.sort_by(f64::total_cmp);
    numbers.get(numbers.len() / 2).copied().unwrap_or_default()
}

/// A load of one run.
#[derive(Clone, Copy)]
struct Load<'a> {
    root: &'a Path,
    keys: &'a Path,
    instances: u16,
    connections: u32,
}

impl Load<'_> {
    /// Repeats the measurement until the machine did not limit a run. If there is no such run,
    /// returns the best of the other runs.
    fn with_cores_to_spare(&self, site: &Site) -> Result<Carried> {
        let mut best: Option<Carried> = None;
        for _ in 0..TRIES {
            let carried = self.measure(site)?;
            let Carried { accepted, handed_over, taken, idle } = carried;
            eprintln!(
                "[xtask] {} connections to {}: {accepted:.0}/s accepted and {handed_over:.0}/s handed over; the instances \
                 had {taken:.0} % of their part, the machine {idle:.0} % to spare",
                self.connections, self.instances
            );
            // Runs of three instances have no target, so they are not repeated.
            if carried.is_of_the_instances() || self.instances > 2 {
                return Ok(carried);
            }
            if best.is_none_or(|best| best.accepted < accepted) {
                best = Some(carried);
            }
        }
        best.context("nothing was measured")
    }

    fn measure(&self, site: &Site) -> Result<Carried> {
        self.run(site, WARM_UP)?;
        let before = handed_over(site)?;
        let mut times = Vec::new();
        for instance in site.instances.iter().take(self.instances.into()) {
            times.push(Processor::watch(instance.process()?)?);
        }
        let idle = Idle::watch()?;
        let outcome = self.run(site, SECONDS)?;
        let idle = idle.percent()?;
        let taken: f64 = times.iter().map(Processor::percent).sum::<Result<f64>>()?;
        let after = handed_over(site)?;
        ensure!(
            outcome.refused == 0 && outcome.broken == 0,
            "{} requests were refused and {} got no answer",
            outcome.refused,
            outcome.broken
        );
        evidence::until_done(&site.database())?;
        let handed_over = float(after.saturating_sub(before)) / f64::from(SECONDS);
        let taken = 100.0 * taken / f64::from(PERCENT) / f64::from(self.instances);
        Ok(Carried { accepted: outcome.per_second, handed_over, taken, idle })
    }

    fn run(&self, site: &Site, seconds: u32) -> Result<wrk::Outcome> {
        send((self.root, self.keys), site, self.connections, seconds)
    }
}

/// Sends for `seconds` seconds on `connections` connections, with the keys in a file.
pub fn send(
    (root, keys): (&Path, &Path),
    site: &Site,
    connections: u32,
    seconds: u32,
) -> Result<wrk::Outcome> {
    let mut command = Command::new(programs::require(&["wrk"])?);
    command
        .args(["--threads", "1", "--timeout", "10s", "--script", SCRIPT])
        .args(["--connections", &connections.to_string()])
        .args(["--duration", &format!("{seconds}s")])
        .arg(format!("http://127.0.0.1:{}/api/v1/messages", site.port))
        .env("SWITCHBOARD_BENCH_KEYS", keys)
        .current_dir(root);
    let printed = process::stdout(&mut command)?;
    wrk::outcome(&printed).with_context(|| format!("unexpected output of wrk:\n{printed}"))
}

/// Creates the organizations and returns their keys, one per line.
fn made(site: &Site) -> Result<String> {
    let mut lines = String::new();
    for number in 0..ORGANIZATIONS {
        let Organization { key, .. } =
            site.operator().organization(&format!("Shop {number}"), UNLIMITED)?;
        writeln!(lines, "{} {}", key.client_id, key.client_secret)?;
    }
    Ok(lines)
}

fn handed_over(site: &Site) -> Result<u64> {
    let counted =
        site.database().numbers("SELECT count(*) FROM messages WHERE sent_at IS NOT NULL")?;
    counted.first().copied().context("no count")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn carried(accepted: f64, handed_over: f64, taken: f64, idle: f64) -> Carried {
        Carried { accepted, handed_over, taken, idle }
    }

    #[test]
    fn a_ratio_is_one_of_a_round() {
        let one = [100.0, 50.0, 200.0].map(|it| carried(it, it / 2.0, 99.0, 0.0));
        let two = [150.0, 100.0, 340.0].map(|it| carried(it, it, 99.0, 0.0));
        assert!((ratio(&two, &one, accepted) - 1.7).abs() < 1e-9);
        assert!((ratio(&two, &one, Carried::through) - 3.4).abs() < 1e-9);
    }

    #[test]
    fn an_instance_that_waits_on_an_idle_machine_is_the_limit_itself() {
        assert!(carried(1.0, 1.0, 50.0, 40.0).is_of_the_instances());
        assert!(carried(1.0, 1.0, 95.0, 0.0).is_of_the_instances());
        assert!(!carried(1.0, 1.0, 50.0, 0.0).is_of_the_instances());
    }
}
