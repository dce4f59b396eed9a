//! Turns part: `kill -9` at random moments while an AI agent's model is being asked.

use std::thread;
use std::time::Duration;

use anyhow::{Result, ensure};

use super::Stage;
use super::judge::Judge;
use super::subject::{Engine, Setup, Subject};
use crate::proof::chance::Chance;
use crate::proof::report::{Bound, Figure};
use bench::load::float;
use servers::clock::Stopwatch;
use servers::interrupt;

const PART: &str = "turns";
/// The time limit for being ready again.
const READY: Duration = Duration::from_secs(2);
/// The time for which customers continue to write after the last kill.
const CALM: Duration = Duration::from_secs(2);
/// The time limit after a start until the model is asked. On `PostgreSQL` the server can take over
/// its predecessor's claims only after a while.
const PATIENCE: Duration = Duration::from_mins(1);
const LOOK_EVERY: Duration = Duration::from_millis(1);
/// The number of kills between two lines of progress.
const SHOWN_EVERY: u32 = 10;

/// The kills of a run.
#[derive(Default)]
struct Kills {
    count: u32,
    /// The number of kills at moments when the model had open questions.
    during_questions: u32,
    /// The number of questions that kills interrupted.
    cut_off: usize,
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
    let mut kills = Kills::default();
    subject.while_customers_write(|subject| {
        while kills.count < stage.kills {
            kills.one(subject, &mut chance)?;
            if kills.count.is_multiple_of(SHOWN_EVERY) {
                let asked = subject.agent()?.model.asked();
                let (done, all) = (kills.count, stage.kills);
                eprintln!(
                    "[xtask] turns on {}: {done} of {all} kills, {asked} questions",
                    judge.run
                );
            }
        }
        interrupt::sleep(CALM)
    })?;
    eprintln!("[xtask] turns on {}: waiting for the end of every turn", judge.run);
    let mut figures = kills.figures(&judge);
    let (found, summary) = judge.figures_of_agent(&subject)?;
    figures.extend(found);
    eprintln!("[xtask] turns on {}: {} kills, {summary}", judge.run, kills.count);
    Ok(figures)
}

impl Kills {
    /// Kills the server while the model is being asked or right after it has answered, and starts
    /// the server again.
    fn one(&mut self, subject: &mut Subject, chance: &mut Chance) -> Result<()> {
        interrupt::sleep(chance.millis(0, 500))?;
        let model = &subject.agent()?.model;
        until(|| model.open() > 0)?;
        if chance.below(2) == 0 {
            // The server processes an answer within milliseconds, so the kill may come before,
            // during or after that.
            let before = model.ended();
            until(|| model.ended() > before)?;
            thread::sleep(chance.millis(0, 12));
        } else {
            thread::sleep(chance.millis(0, 60));
        }
        subject.server()?.kill();
        let cut_off = subject.agent()?.model.forget_open();
        self.count += 1;
        self.cut_off += cut_off;
        self.during_questions += u32::from(cut_off > 0);
        let binary = subject.binary.clone();
        self.longest_start = self.longest_start.max(subject.server()?.start(&binary)?);
        Ok(())
    }

    fn figures(&self, judge: &Judge) -> Vec<Figure> {
        let questions = format!("{}: kills while the model was asked", judge.run);
        let during = f64::from(self.during_questions);
        vec![
            judge.figure("kills by kill -9", f64::from(self.count)),
            Figure::new(PART, questions, during, Bound::AtLeast(1.0)),
            judge.figure("questions that were cut off", float(self.cut_off as u64)),
            judge.within("longest from the start to ready", self.longest_start, READY),
        ]
    }
}

/// Waits until a condition about the model holds, and fails after the time limit.
fn until(is_so: impl Fn() -> bool) -> Result<()> {
    let watch = Stopwatch::start();
    while !is_so() {
        interrupt::check()?;
        ensure!(watch.elapsed() < PATIENCE, "the model was not asked for {} s", PATIENCE.as_secs());
        thread::sleep(LOOK_EVERY);
    }
    Ok(())
}
