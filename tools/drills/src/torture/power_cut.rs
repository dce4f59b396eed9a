//! Power-cut part, on SQLite: each page of data that was written but not synced is dropped, torn or
//! kept.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result};
use rustix::process::Signal;
use tempfile::TempDir;

use super::Stage;
use super::judge::Judge;
use super::preload::Library;
use super::subject::{Engine, SENDERS, Setup, Subject};
use crate::proof::chance::Chance;
use crate::proof::evidence::Evidence;
use crate::proof::operator::client;
use crate::proof::order;
use crate::proof::report::{Bound, Figure};
use crate::proof::sender::{Failed, people};
use bench::load::float;
use servers::clock::Stopwatch;
use servers::interrupt;

const PART: &str = "power-cut";
/// The time limit for being ready again.
const READY: Duration = Duration::from_secs(2);
/// The duration of the load after the last cut.
const CALM: Duration = Duration::from_secs(2);
/// The range of operations. A cut without a signal happens at a random one of this many operations
/// after the start.
const OPERATIONS: u64 = 1500;
/// The time after which a signal causes the cut, if the chosen operation was not reached.
const PATIENCE: Duration = Duration::from_secs(20);
/// The number of runs on a disk that does not sync. There are several, because a single cut may
/// drop nothing.
const CONTROLS: u64 = 4;

/// A simulated disk that loses unsynced data.
struct Disk {
    library: PathBuf,
    report: PathBuf,
    folder: TempDir,
}

/// The power cuts of a run.
#[derive(Default)]
struct Cuts {
    at: Vec<Duration>,
    /// Whether the simulated disk makes the next cut itself, at a random file operation such as a
    /// write. Otherwise a signal causes the cut.
    is_due: bool,
    longest_start: Duration,
}

/// The effects of the cuts, as the library reports them.
#[derive(Default)]
struct Done {
    by_operation: u64,
    pages: u64,
    kept: u64,
    dropped: u64,
    torn: u64,
    names: u64,
}

/// Runs the part on a disk that syncs, and then on a disk that does not sync, on which data must be
/// lost.
pub fn run(stage: &Stage) -> Result<Vec<Figure>> {
    let judge = Judge { part: PART, run: Engine::Sqlite.name().to_owned() };
    let disk = Disk::new()?;
    let mut subject = Subject::start(&Setup::with_agent(&stage.binary, Engine::Sqlite))?;
    let mut chance = Chance::seeded(stage.seed);
    let mut cuts = Cuts::default();
    subject.server()?.stop()?;
    cuts.is_due = disk.prepare(&mut subject, &mut chance, false)?;
    cuts.start(&mut subject)?;
    let outcome = subject.under_load(Failed::Repeat, |subject| {
        let watch = Stopwatch::start();
        while watch.elapsed() < stage.power_cut {
            cuts.one(&disk, subject, &mut chance)?;
        }
        cuts.last(subject)?;
        interrupt::sleep(CALM)
    })?;
    let mut figures = cuts.figures(&judge, &disk.done()?);
    let failures =
        judge.figure("requests that senders had to repeat", float(outcome.failed.len() as u64));
    figures.push(failures.noted(outcome.failures()));
    figures.extend(judge.figures(&subject, &outcome, &cuts.at)?);
    drop(subject);
    figures.push(control(stage, &mut chance)?);
    Ok(figures)
}

/// Checks that acknowledged messages are lost on a disk that does not sync. If none were lost, the
/// cuts would prove nothing.
fn control(stage: &Stage, chance: &mut Chance) -> Result<Figure> {
    let mut lost = 0;
    for _ in 0..CONTROLS {
        let disk = Disk::new()?;
        let mut subject = Subject::start(&Setup::plain(&stage.binary, Engine::Sqlite))?;
        subject.server()?.stop()?;
        disk.prepare(&mut subject, chance, true)?;
        let binary = subject.binary.clone();
        subject.server()?.start(&binary)?;
        let outcome = subject.under_load(Failed::Note, |subject| {
            interrupt::sleep(Duration::from_secs(2))?;
            subject.server()?.signal(Signal::USR1);
            until_cut(subject).map(drop)
        })?;
        subject.server()?.set("LD_PRELOAD", String::new());
        let sent = outcome.sent.iter().filter(|it| it.organization == 0);
        let sent: Vec<&str> = sent.map(|it| it.id.as_str()).collect();
        let found = match subject.server()?.start(&binary) {
            Ok(_) => {
                let [bakery, _] = &subject.organizations;
                Evidence::of(&mut client(subject.port()?, &bakery.key), &people(0, 2, SENDERS))
            }
            Err(error) => Err(error),
        };
        lost += match &found {
            Ok(found) => order::compare(sent, found.created().into_keys()).0.len(),
            // If the server does not start on the database, all messages are lost.
            Err(_) => sent.len(),
        };
    }
    let what = "control: acknowledged messages lost where a sync is none";
    Ok(Figure::new(PART, what, float(lost as u64), Bound::AtLeast(1.0)))
}

impl Disk {
    fn new() -> Result<Self> {
        let folder = tempfile::tempdir().context("cannot make a directory")?;
        let library = Library::Disk.compile(folder.path())?;
        Ok(Self { library, report: folder.path().join("report"), folder })
    }

    /// Sets the environment of the server's next start. Returns whether the simulated disk makes
    /// the cut itself, at a random file operation. Otherwise a signal must cause the cut.
    fn prepare(&self, subject: &mut Subject, chance: &mut Chance, lies: bool) -> Result<bool> {
        let at = if lies || chance.below(2) == 0 { 0 } else { 1 + chance.below(OPERATIONS) };
        let file = subject.folder.join("switchboard.db");
        let _ = fs::remove_file(file.with_extension("db-shm"));
        let server = subject.server()?;
        let shown = |path: &Path| path.display().to_string();
        server.set("LD_PRELOAD", shown(&self.library));
        server.set("DISK_FILE", shown(&file));
        server.set("DISK_REPORT", shown(&self.report));
        server.set("DISK_SEED", chance.below(u64::MAX).to_string());
        server.set("DISK_CUT", at.to_string());
        server.set("DISK_LIES", u8::from(lies).to_string());
        Ok(at > 0)
    }

    fn done(&self) -> Result<Done> {
        let report = fs::read_to_string(&self.report)
            .with_context(|| format!("no cut was reported in {}", self.folder.path().display()))?;
        let mut done = Done::default();
        for line in report.lines() {
            let mut words = line.split(' ');
            done.by_operation += u64::from(words.next() == Some("operation"));
            let numbers: Vec<u64> = words.map_while(|word| word.parse().ok()).collect();
            let [_, pages, kept, dropped, torn, names] = numbers[..] else {
                anyhow::bail!("`{line}` is not a report of a cut");
            };
            done.pages += pages;
            done.kept += kept;
            done.dropped += dropped;
            done.torn += torn;
            done.names += names;
        }
        Ok(done)
    }
}

/// Waits until the server has died of a cut, and returns the time.
fn until_cut(subject: &mut Subject) -> Result<Duration> {
    let watch = Stopwatch::start();
    loop {
        if subject.server()?.has_ended()? {
            let at = subject.watch.elapsed();
            subject.server()?.kill();
            return Ok(at);
        }
        if watch.elapsed() > PATIENCE {
            // The chosen operation was not reached in time, so a signal causes the cut.
            subject.server()?.signal(Signal::USR1);
        }
        interrupt::sleep(Duration::from_millis(2))?;
    }
}

impl Cuts {
    /// Makes one cut and restarts the server. Another cut may interrupt the restart.
    fn one(&mut self, disk: &Disk, subject: &mut Subject, chance: &mut Chance) -> Result<()> {
        interrupt::sleep(chance.millis(0, 1200))?;
        if !self.is_due {
            subject.server()?.signal(Signal::USR1);
        }
        self.at.push(until_cut(subject)?);
        self.is_due = disk.prepare(subject, chance, false)?;
        self.start(subject)
    }

    /// Makes the last cut. No cut happens after the restart.
    fn last(&mut self, subject: &mut Subject) -> Result<()> {
        subject.server()?.signal(Signal::USR1);
        self.at.push(until_cut(subject)?);
        subject.server()?.set("LD_PRELOAD", String::new());
        self.start(subject)
    }

    /// Starts the server. A cut may kill it before it is ready.
    fn start(&mut self, subject: &mut Subject) -> Result<()> {
        let (binary, watch) = (subject.binary.clone(), Stopwatch::start());
        let server = subject.server()?;
        server.launch(&binary)?;
        match server.until_ready() {
            Ok(()) => self.longest_start = self.longest_start.max(watch.elapsed()),
            Err(error) if !server.has_ended()? => return Err(error),
            Err(_) => {}
        }
        Ok(())
    }

    fn figures(&self, judge: &Judge, done: &Done) -> Vec<Figure> {
        let figure = |what: &str, count: u64| judge.figure(what, float(count));
        vec![
            figure("power cuts", self.at.len() as u64),
            figure("of them in the place of a write or sync", done.by_operation),
            figure("pages written and not synced at a cut", done.pages),
            figure("of them kept", done.kept),
            figure("of them dropped", done.dropped),
            figure("of them torn", done.torn),
            figure("names of files that came or went", done.names),
            judge.within("longest from the start to ready", self.longest_start, READY),
        ]
    }
}
