//! Crash part: `kill -9` at random moments under load.

use std::time::Duration;

use anyhow::Result;

use super::Stage;
use super::judge::Judge;
use super::subject::{Engine, Setup, Subject};
use crate::proof::chance::Chance;
use crate::proof::report::Figure;
use crate::proof::sender::{Failed, Outcome};
use bench::load::float;
use servers::clock::Stopwatch;
use servers::interrupt;

const PART: &str = "crash";
/// The time limit for being ready again.
const READY: Duration = Duration::from_secs(2);
/// The duration of the load after the last crash.
const CALM: Duration = Duration::from_secs(2);

/// The crashes of a run.
#[derive(Default)]
struct Crashes {
    /// The times of the crashes.
    at: Vec<Duration>,
    /// The number of crashes before the server was ready.
    early: usize,
    longest_start: Duration,
}

/// Runs the part on the databases.
pub fn run(stage: &Stage) -> Result<Vec<Figure>> {
    let mut figures = Vec::new();
    for (number, engine) in (1..).zip(&stage.engines) {
        figures.extend(on(stage, *engine, number)?);
    }
    Ok(figures)
}

fn on(stage: &Stage, engine: Engine, number: u64) -> Result<Vec<Figure>> {
    let judge = Judge { part: PART, run: engine.name().to_owned() };
    let mut subject = Subject::start(&Setup::with_agent(&stage.binary, engine))?;
    let mut chance = Chance::seeded(stage.seed.wrapping_add(number));
    let mut crashes = Crashes::default();
    let outcome = subject.under_load(Failed::Repeat, |subject| {
        let watch = Stopwatch::start();
        while watch.elapsed() < stage.crash {
            crashes.one(subject, &mut chance)?;
        }
        interrupt::sleep(CALM)
    })?;
    let mut figures = crashes.figures(&judge, &outcome);
    figures.extend(judge.figures(&subject, &outcome, &crashes.at)?);
    Ok(figures)
}

impl Crashes {
    /// Kills the server after a random time, sometimes soon after it has become ready, and
    /// sometimes a second time before it is ready. On PostgreSQL the server sometimes runs for
    /// several seconds, because it can take over the claims of its predecessor only after a while.
    fn one(&mut self, subject: &mut Subject, chance: &mut Chance) -> Result<()> {
        let alive = match chance.below(3) {
            0 => chance.millis(0, 250),
            2 if subject.postgres.is_some() => chance.millis(4500, 3000),
            _ => chance.millis(0, 1500),
        };
        interrupt::sleep(alive)?;
        self.kill(subject)?;
        let binary = subject.binary.clone();
        if chance.below(4) == 0 {
            subject.server()?.launch(&binary)?;
            interrupt::sleep(chance.millis(0, 150))?;
            self.kill(subject)?;
            self.early += 1;
        }
        self.longest_start = self.longest_start.max(subject.server()?.start(&binary)?);
        Ok(())
    }

    fn kill(&mut self, subject: &mut Subject) -> Result<()> {
        let at = subject.watch.elapsed();
        subject.server()?.kill();
        self.at.push(at);
        Ok(())
    }

    fn figures(&self, judge: &Judge, outcome: &Outcome) -> Vec<Figure> {
        let failures = float(outcome.failed.len() as u64);
        vec![
            judge.figure("crashes by kill -9", float(self.at.len() as u64)),
            judge.figure("of them before it was ready", float(self.early as u64)),
            judge.within("longest from the start to ready", self.longest_start, READY),
            judge.figure("requests that senders had to repeat", failures).noted(outcome.failures()),
        ]
    }
}
