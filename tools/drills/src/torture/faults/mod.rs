//! Faults of the services and resources that the server depends on. They are tried one after the
//! other, each under load.

mod database;
mod limits;
mod machine;
mod neighbors;
mod vanished;

use std::time::Duration;

use anyhow::{Context, Result};

use super::Stage;
use super::judge::Judge;
use super::subject::{Setup, Subject};
use crate::proof::operator::client;
use crate::proof::report::{Bound, Figure};
use crate::proof::sender::{Failed, Outcome};
use bench::load::{Credentials, float};
use servers::clock::Stopwatch;
use servers::interrupt;
use servers::step::step;

const PART: &str = "faults";
/// The duration of the load before and after a fault.
const CALM: Duration = Duration::from_secs(4);
/// The time limit of every answer, during every fault.
const ANSWER: Duration = Duration::from_millis(5500);
/// The time after a fault within which everything works again.
const BACK: Duration = Duration::from_secs(5);

#[derive(Clone, Copy)]
pub struct Fault {
    /// The name on the command line.
    pub name: &'static str,
    run: fn(&Stage, &Judge) -> Result<Vec<Figure>>,
}

const fn fault(name: &'static str, run: fn(&Stage, &Judge) -> Result<Vec<Figure>>) -> Fault {
    Fault { name, run }
}

const FAULTS: &[Fault] = &[
    fault("postgres-restarted", database::restarted),
    fault("postgres-killed", database::killed),
    fault("postgres-stalled", database::stalled),
    fault("postgres-table-locked", database::locked),
    fault("postgres-connections-taken", database::connections_taken),
    fault("postgres-vanished", vanished::postgres),
    fault("postgres-disk-full", machine::postgres_disk_full),
    fault("postgres-log-full", machine::postgres_log_full),
    fault("redis-killed", limits::killed),
    fault("redis-stalled", limits::stalled),
    fault("redis-vanished", vanished::redis),
    fault("channel-closes", neighbors::channel_closes),
    fault("channel-fails", neighbors::channel_fails),
    fault("channel-silent", neighbors::channel_silent),
    fault("channel-vanished", vanished::channel),
    fault("endpoint-closes", neighbors::endpoint_closes),
    fault("endpoint-slow", neighbors::endpoint_slow),
    fault("endpoint-vanished", vanished::endpoint),
    fault("disk-full", machine::disk_full),
    fault("suspended-sqlite", machine::suspended_alone),
    fault("suspended-postgres", machine::suspended_beside_another),
    fault("clock-sqlite", machine::clock_sqlite),
    fault("clock-postgres", machine::clock_postgres),
];

/// Returns the fault of this name.
pub fn named(name: &str) -> Result<Fault, String> {
    let names = || FAULTS.iter().map(|it| it.name).collect::<Vec<_>>().join(", ");
    let found = FAULTS.iter().find(|it| it.name == name).copied();
    found.ok_or_else(|| format!("no such fault; the faults are {}", names()))
}

/// Tries the selected faults. A fault that cannot be tried counts as a failure, and the others are
/// still tried.
pub fn run(stage: &Stage) -> Result<Vec<Figure>> {
    let mut figures = Vec::new();
    let wanted = |it: &&Fault| stage.faults.is_empty() || stage.faults.contains(&it.name);
    for fault in FAULTS.iter().filter(wanted) {
        let judge = Judge { part: PART, run: fault.name.to_owned() };
        match step(&format!("fault {}", fault.name), || (fault.run)(stage, &judge)) {
            Ok(found) => figures.extend(found),
            Err(error) => {
                interrupt::check()?;
                figures.push(judge.none("could not be tried", 1).noted(format!("{error:#}")));
            }
        }
    }
    Ok(figures)
}

/// The time span of a fault.
#[derive(Clone, Copy)]
struct Span {
    begun: Duration,
    ended: Duration,
}

/// The result of a fault under load.
struct Tried {
    subject: Subject,
    outcome: Outcome,
    span: Span,
}

impl Tried {
    /// Starts the subject and runs `fault` under load. `fault` returns when the fault is over.
    fn new(setup: &Setup, fault: impl FnOnce(&mut Subject) -> Result<()>) -> Result<Self> {
        Self::on(Subject::start(setup)?, fault)
    }

    fn on(mut subject: Subject, fault: impl FnOnce(&mut Subject) -> Result<()>) -> Result<Self> {
        let mut span = Span { begun: Duration::ZERO, ended: Duration::ZERO };
        let outcome = subject.under_load(Failed::Repeat, |subject| {
            interrupt::sleep(CALM)?;
            span.begun = subject.watch.elapsed();
            fault(subject)?;
            span.ended = subject.watch.elapsed();
            interrupt::sleep(BACK + CALM)
        })?;
        Ok(Self { subject, outcome, span })
    }

    /// Checks a fault under which calls may fail. They may fail only with 503 and `Retry-After`,
    /// after a short time, and not for long after the end of the fault.
    fn of_failures(&self, judge: &Judge) -> Result<Vec<Figure>> {
        let log = self.subject.instances.first().context("no server")?.log()?;
        let is_one = |line: &&str| line.contains(" WARN ") || line.contains(" ERROR ");
        let complaints = float(log.lines().filter(is_one).count() as u64);
        let what = format!("{}: warnings and errors in the log", judge.run);
        let failed = &self.outcome.failed;
        let other = failed.iter().filter(|it| it.status != Some(503) || !it.says_when);
        let other: Vec<&str> = other.map(|it| it.what.as_str()).collect();
        let last = failed.iter().map(|it| it.ended).max().unwrap_or_default();
        Ok(vec![
            judge
                .figure("calls that were answered 503", float((failed.len() - other.len()) as u64))
                .noted(self.outcome.failures()),
            judge
                .none("calls that failed in another way", other.len())
                .noted(other.first().copied().unwrap_or_default()),
            judge.within("longest until an answer", self.longest(), ANSWER),
            judge.within(
                "from the end of the fault to the last failure",
                last.saturating_sub(self.span.ended),
                BACK,
            ),
            Figure::new(judge.part, what, complaints, Bound::AtLeast(1.0)),
        ])
    }

    /// Checks a fault under which no call may fail.
    fn of_calls(&self, judge: &Judge) -> Vec<Figure> {
        let failed = judge.none("calls that failed", self.outcome.failed.len());
        let longest = judge.figure("longest until an answer", self.longest().as_secs_f64()).of("s");
        vec![failed.noted(self.outcome.failures()), longest]
    }

    fn longest(&self) -> Duration {
        let failed = self.outcome.failed.iter().map(|it| it.ended.saturating_sub(it.begun));
        failed.chain(self.outcome.sent.iter().map(|it| it.took)).max().unwrap_or_default()
    }

    /// Checks that nothing is missing afterwards. Messages in flight at the beginning or the end of
    /// the fault may have arrived twice.
    fn of_the_rest(&self, judge: &Judge) -> Result<Vec<Figure>> {
        let Span { begun, ended } = self.span;
        judge.in_short(&self.subject, &self.outcome, &[begun, ended])
    }
}

/// The answers to a call that is made again and again: their statuses, and the longest wait.
#[derive(Default)]
struct Answers {
    statuses: Vec<u16>,
    without_retry: usize,
    longest: Duration,
}

impl Answers {
    /// Makes the same call again and again for this long.
    fn of(port: u16, key: &Credentials, path: &str, length: Duration) -> Result<Self> {
        const PAUSE: Duration = Duration::from_millis(100);
        let (watch, mut answers) = (Stopwatch::start(), Self::default());
        let mut client = client(port, key);
        while watch.elapsed() < length {
            let asked = Stopwatch::start();
            let answer = client.ask("GET", path, &[], "");
            answers.longest = answers.longest.max(asked.elapsed());
            match answer {
                Ok(answer) => {
                    let is_503 = answer.status == 503;
                    answers.without_retry +=
                        usize::from(is_503 && answer.header("retry-after").is_none());
                    answers.statuses.push(answer.status);
                }
                Err(_) => answers.statuses.push(0),
            }
            interrupt::sleep(PAUSE)?;
        }
        Ok(answers)
    }

    fn count(&self, status: u16) -> usize {
        self.statuses.iter().filter(|it| **it == status).count()
    }

    /// Returns the number of answers with any other status.
    fn other_than(&self, status: u16) -> usize {
        self.statuses.len() - self.count(status)
    }

    fn seen(&self) -> String {
        let mut statuses = self.statuses.clone();
        statuses.sort_unstable();
        statuses.dedup();
        let each = statuses.iter().map(|it| format!("{it}: {}", self.count(*it)));
        each.collect::<Vec<_>>().join(", ")
    }
}
