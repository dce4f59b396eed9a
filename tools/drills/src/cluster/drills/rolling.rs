//! Rolling drill: instances are restarted one after the other under load, and no request fails. No
//! request fails either while a newer version replaces the running one. Meanwhile, instances of the
//! old version work on a database that the new version has migrated.

use std::time::Duration;

use anyhow::Result;

use super::super::site::{Plan, Site};
use super::Stage;
use crate::proof::evidence::{self, Evidence, zero};
use crate::proof::operator::UNLIMITED;
use crate::proof::report::{Bound, Figure};
use crate::proof::sender::{Failed, Load, people};
use bench::load::float;
use servers::clock::Stopwatch;
use servers::interrupt;

const DRILL: &str = "rolling";
const SENDERS: usize = 24;
const PAUSE: u64 = 15;
/// The quiet time before the first restart and after the last one.
const CALM: Duration = Duration::from_secs(3);

/// The durations and failures of restarts.
#[derive(Default)]
struct Restarts {
    count: u64,
    /// Instances that did not exit with 0.
    failed: Vec<String>,
    longest_stop: Duration,
    longest_start: Duration,
}

pub fn run(stage: &Stage) -> Result<Vec<Figure>> {
    let first = stage.old_binary.as_ref().unwrap_or(&stage.plan.binary);
    let mut site = Site::start(&Plan { binary: first.clone(), ..stage.plan.clone() })?;
    let migrations = migrations(&site)?;
    let organizations = [site.operator().organization("Bakery", UNLIMITED)?];
    let load = Load {
        port: site.port,
        organizations: &organizations,
        senders: SENDERS,
        pause: PAUSE,
        failed: Failed::Note,
        watch: Stopwatch::start(),
    };
    let mut restarts = Restarts::default();
    let outcome = load.during(|| {
        interrupt::sleep(CALM)?;
        for _ in 0..stage.rounds {
            restarts.all(&mut site, stage)?;
        }
        interrupt::sleep(CALM)
    })?;
    evidence::until_done(&site.database())?;
    let failures = outcome.failed.len() as u64;
    let version =
        if stage.old_binary.is_some() { ", the first time by a newer version" } else { "" };
    let Restarts { count, failed, longest_stop, longest_start } = &restarts;
    let seconds = |what: &str, took: Duration| {
        Figure::new(DRILL, what, took.as_secs_f64(), Bound::None).of("s")
    };
    let mut figures = vec![
        Figure::new(DRILL, format!("instances restarted{version}"), float(*count), Bound::None),
        zero(DRILL, "requests that failed".to_owned(), failures).noted(outcome.failures()),
        zero(DRILL, "instances that did not end with 0".to_owned(), failed.len() as u64)
            .noted(failed.join(", ")),
        seconds("longest from SIGTERM to the end", *longest_stop),
        seconds("longest from the start to ready", *longest_start),
        seconds("longest from a request to its 201", outcome.longest_wait()),
    ];
    if stage.old_binary.is_some() {
        let ran = self::migrations(&site)?.saturating_sub(migrations);
        let what = "migrations that the newer version ran beside the earlier one";
        figures.push(Figure::new(DRILL, what, float(ran), Bound::None));
    }
    if failures == 0 {
        let [bakery] = &organizations;
        let found = Evidence::of(&mut site.client(&bakery.key), &people(0, 1, SENDERS))?;
        figures.extend(found.of_messages(DRILL, "sandbox", &outcome.sent));
        figures.extend(found.of_handover(DRILL, "sandbox"));
        figures.extend(found.of_events(DRILL, "sandbox", &["message.queued", "message.sent"]));
    }
    Ok(figures)
}

fn migrations(site: &Site) -> Result<u64> {
    let counted = site.database().numbers("SELECT count(*) FROM __diesel_schema_migrations")?;
    Ok(counted.into_iter().sum())
}

impl Restarts {
    /// Restarts all instances as docs/deploy/haproxy.md says: one after the other, each when the
    /// previous one is ready.
    fn all(&mut self, site: &mut Site, stage: &Stage) -> Result<()> {
        for (number, instance) in (1..).zip(&mut site.instances) {
            interrupt::check()?;
            let (status, took) = instance.stop()?;
            if !status.success() {
                self.failed.push(format!("instance {number}: {status}"));
            }
            self.longest_stop = self.longest_stop.max(took);
            self.longest_start = self.longest_start.max(instance.start(&stage.plan.binary)?);
            self.count += 1;
            interrupt::sleep(Duration::from_millis(500))?;
        }
        Ok(())
    }
}
