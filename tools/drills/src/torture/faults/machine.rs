//! Faults of the machine: the disk is full, the server is paused until other servers take over its
//! work, or the clock is changed.

use std::fs::{self, File};
use std::io::Write;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, Result};
use rustix::process::Signal;

use super::super::Stage;
use super::super::judge::Judge;
use super::super::preload::Library;
use super::super::subject::{Engine, SENDERS, Setup, Subject};
use super::database::{judged, postgres};
use super::{Answers, Tried};
use crate::proof::evidence::{self, Evidence, MOST_DELAY};
use crate::proof::operator::client;
use crate::proof::report::{Bound, Figure};
use crate::proof::sender::people;
use servers::{interrupt, process};

const FULL: Duration = Duration::from_secs(10);
/// The size of the disk in megabytes.
const DISK: u32 = 64;
/// The size of `PostgreSQL`'s disk in megabytes. A new database cluster takes a third of it.
const POSTGRES_DISK: u32 = 160;
const SUSPENDED: Duration = Duration::from_secs(10);
/// The time between two changes of the clock.
const STEP: Duration = Duration::from_secs(5);
const HOUR: i64 = 3600;
/// The number of seconds that the server's time must be ahead at the end. It is less than an hour,
/// because the server's time runs more slowly once the clock has been set back.
const AHEAD: f64 = 3500.0;
const ME: &str = "/api/v1/me";

/// A file system in memory with a limited size.
struct Disk(PathBuf);

impl Disk {
    fn mount(at: &Path, megabytes: u32) -> Result<Self> {
        let size = format!("size={megabytes}m,mode=755");
        let mut mount = Command::new("mount");
        mount.args(["-t", "tmpfs", "-o", &size, "tmpfs"]).arg(at);
        process::run(&mut mount).context("only root can mount a small disk")?;
        Ok(Self(at.to_owned()))
    }

    /// Fills up the disk. Removing the returned file makes room again.
    fn fill(&self) -> Result<PathBuf> {
        let path = self.0.join("filler");
        let mut file = File::create(&path)?;
        // Large blocks are written first, and then smaller ones that still fit.
        for size in [1 << 16, 1 << 12, 1] {
            while file.write_all(&vec![0; size]).is_ok() {}
        }
        Ok(path)
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        let _ = process::run(Command::new("umount").arg("--lazy").arg(&self.0));
    }
}

/// Fills the disk of SQLite. Sends are refused and reads are answered. When there is room again,
/// everything works without a restart.
pub fn disk_full(stage: &Stage, judge: &Judge) -> Result<Vec<Figure>> {
    let place = tempfile::tempdir().context("cannot make a directory")?;
    let disk = Disk::mount(place.path(), DISK)?;
    let folder = Some(place.path().to_owned());
    let setup = Setup { folder, ..Setup::plain(&stage.binary, Engine::Sqlite) };
    let mut reads = Answers::default();
    let tried = Tried::new(&setup, |subject| {
        let filler = disk.fill()?;
        let key = &subject.organizations[0].key;
        let answers = Answers::of(subject.port()?, key, "/api/v1/events?limit=1", FULL);
        fs::remove_file(&filler)?;
        reads = answers?;
        Ok(())
    })?;
    let mut figures = tried.of_failures(judge)?;
    figures.push(
        judge.none("reads that were not answered 200", reads.other_than(200)).noted(reads.seen()),
    );
    figures.extend(tried.of_the_rest(judge)?);
    // The order matters: the server is stopped before its disk is unmounted.
    drop(tried);
    drop(disk);
    Ok(figures)
}

/// Fills the disk of `PostgreSQL`, which works as long as its log needs no new segment.
pub fn postgres_disk_full(stage: &Stage, judge: &Judge) -> Result<Vec<Figure>> {
    postgres_on_a_full_disk(stage, judge, Bound::None, |_| ())
}

/// Fills the disk of `PostgreSQL` and forces it to need a new segment of its log, so that it shuts
/// down.
pub fn postgres_log_full(stage: &Stage, judge: &Judge) -> Result<Vec<Figure>> {
    postgres_on_a_full_disk(stage, judge, Bound::AtLeast(1.0), |subject| {
        // The call may fail or shut down PostgreSQL. Both are intended.
        let _ = subject.operator.database.ask("SELECT pg_switch_wal()");
    })
}

/// Runs the fault. If `PostgreSQL` has shut down, restarts it, as an operator does after making
/// room.
fn postgres_on_a_full_disk(
    stage: &Stage,
    judge: &Judge,
    ends: Bound,
    when_full: impl FnOnce(&Subject),
) -> Result<Vec<Figure>> {
    let place = tempfile::tempdir().context("cannot make a directory")?;
    let open = fs::Permissions::from_mode(0o755);
    fs::set_permissions(place.path(), open)?;
    let disk = Disk::mount(place.path(), POSTGRES_DISK)?;
    let postgres_files = Some(place.path().to_owned());
    let setup = Setup { postgres_files, ..Setup::plain(&stage.binary, Engine::Postgres) };
    let mut ended = 0;
    let tried = Tried::new(&setup, |subject| {
        let filler = disk.fill()?;
        when_full(subject);
        let slept = interrupt::sleep(FULL);
        fs::remove_file(&filler)?;
        slept?;
        let postgres = postgres(subject)?;
        if postgres.has_ended()? {
            ended += 1;
            postgres.start_again()?;
        }
        Ok(())
    })?;
    let what = format!("{}: PostgreSQL ended itself", judge.run);
    let mut figures = vec![Figure::new(judge.part, what, f64::from(ended), ends)];
    figures.extend(judged(judge, &tried)?);
    // The order matters: the server is stopped before its disk is unmounted.
    drop(tried);
    drop(disk);
    Ok(figures)
}

/// Pauses the only server of a SQLite file with SIGSTOP.
pub fn suspended_alone(stage: &Stage, judge: &Judge) -> Result<Vec<Figure>> {
    suspended(&Setup::with_agent(&stage.binary, Engine::Sqlite), judge)
}

/// Pauses one of two servers with SIGSTOP. The other server takes over its work.
pub fn suspended_beside_another(stage: &Stage, judge: &Judge) -> Result<Vec<Figure>> {
    let setup = Setup { instances: 2, ..Setup::with_agent(&stage.binary, Engine::Postgres) };
    suspended(&setup, judge)
}

fn suspended(setup: &Setup, judge: &Judge) -> Result<Vec<Figure>> {
    let tried = Tried::new(setup, |subject| {
        subject.server()?.signal(Signal::STOP);
        let slept = interrupt::sleep(SUSPENDED);
        subject.server()?.signal(Signal::CONT);
        slept
    })?;
    let mut figures = if setup.engine == Engine::Sqlite {
        tried.of_calls(judge)
    } else {
        // The database may have ended the server's transactions during the pause.
        tried.of_failures(judge)?.into_iter().filter(|it| !it.what.contains("longest")).collect()
    };
    if setup.instances > 1 {
        let by_other = tried.subject.channel.arrivals();
        let by_other = by_other.iter().filter(|it| it.by == 2 && it.arrived > tried.span.begun);
        let count = bench::load::float(by_other.count() as u64);
        figures.push(judge.figure("messages that the other server handed over", count));
    }
    figures.extend(tried.of_the_rest(judge)?);
    Ok(figures)
}

/// Changes the clock of a server that counts limits in memory.
pub fn clock_sqlite(stage: &Stage, judge: &Judge) -> Result<Vec<Figure>> {
    clock(stage, judge, Engine::Sqlite)
}

/// Changes the clock of a server whose database has its own clock, which is not changed.
pub fn clock_postgres(stage: &Stage, judge: &Judge) -> Result<Vec<Figure>> {
    clock(stage, judge, Engine::Postgres)
}

/// Sets the clock one hour ahead, and then back by one hour two times.
fn clock(stage: &Stage, judge: &Judge, engine: Engine) -> Result<Vec<Figure>> {
    let folder = tempfile::tempdir().context("cannot make a directory")?;
    let library = Library::Clock.compile(folder.path())?;
    let file = folder.path().join("seconds");
    let set = |seconds: i64| -> Result<()> {
        // The file is overwritten in place, because it is mapped into memory.
        let mut file = File::options().write(true).create(true).truncate(false).open(&file)?;
        Ok(file.write_all(&seconds.to_ne_bytes())?)
    };
    set(0)?;
    let variables = vec![
        ("LD_PRELOAD", library.display().to_string()),
        ("CLOCK_FILE", file.display().to_string()),
    ];
    let setup = Setup { variables, ..Setup::with_agent(&stage.binary, engine) };
    let subject = Subject::start(&setup)?;
    let key = subject.operator.key(&subject.organizations[0].id, "6000")?;
    let mut limited = Answers::default();
    let tried = Tried::on(subject, |subject| {
        for seconds in [HOUR, 0, -HOUR] {
            set(seconds)?;
            let answers = Answers::of(subject.port()?, &key, ME, STEP)?;
            limited.statuses.extend(answers.statuses);
        }
        Ok(())
    })?;
    let arrivals = tried.subject.channel.arrivals();
    let delay = |sent: &crate::proof::sender::Sent| {
        let arrival = arrivals.iter().find(|it| it.message == sent.id)?;
        Some(arrival.arrived.saturating_sub(sent.accepted.acked))
    };
    let delay = tried.outcome.sent.iter().filter_map(delay).max().unwrap_or_default();
    // The server's time never goes back, so its last messages are dated an hour ahead. If they are
    // not, the change of the clock had no effect.
    let mut reader = client(tried.subject.port()?, &tried.subject.organizations[0].key);
    let found = Evidence::of(&mut reader, &people(0, 2, SENDERS))?;
    let last = found.created().into_values().max().context("no message")?;
    let ahead = evidence::between(servers::clock::now(), last);
    let what = format!("{}: control: how far its time was ahead", judge.run);
    let mut figures = vec![Figure::new(judge.part, what, ahead, Bound::AtLeast(AHEAD)).of("s")];
    figures.extend(tried.of_calls(judge));
    figures.push(
        judge
            .none("calls of a limited key that were not answered 200", limited.other_than(200))
            .noted(limited.seen()),
    );
    let most = Duration::from_secs_f64(MOST_DELAY);
    figures.push(judge.within("longest from a 201 to the arrival at the channel", delay, most));
    figures.extend(tried.of_the_rest(judge)?);
    Ok(figures)
}
