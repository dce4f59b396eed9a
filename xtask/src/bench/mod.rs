//! `cargo xtask bench`: the server under load, next to a handler that does nothing.

mod callbacks;
mod load;
mod report;
mod targets;

use std::path::{Path, PathBuf};
use std::thread;

use anyhow::{Context, Result, bail};
use clap::Args;

use self::load::{Load, Measured};
use self::report::{Earlier, Report, Subject};
use self::targets::{Bare, Switchboard};
use crate::programs;
use crate::servers::{Durability, Postgres};
use crate::step::step;
use crate::workspace::Workspace;

/// Each number is the median of that many rounds, in which the subjects take turns.
const ROUNDS: usize = 3;

/// On disk on every Debian, where `/tmp` may be in memory and an fsync worth nothing.
const FILES: &str = "/var/tmp";

/// How to measure.
#[derive(Args)]
pub struct Options {
    /// Seconds that each of the 27 measurements takes, after two seconds of warm-up
    #[arg(long, default_value_t = 10, value_parser = clap::value_parser!(u32).range(1..=600))]
    seconds: u32,
    /// Connections that are kept busy
    #[arg(long, default_value_t = 64, value_parser = clap::value_parser!(u32).range(1..=4096))]
    connections: u32,
    /// Print JSON instead of a table
    #[arg(long)]
    json: bool,
    /// Measure this server instead of building one: an earlier version, say
    #[arg(long, value_name = "FILE")]
    binary: Option<PathBuf>,
    /// Show how each ratio has changed since this file was printed by `--json`
    #[arg(long, value_name = "FILE")]
    compare: Option<PathBuf>,
}

/// Builds, starts, measures, reports, and stops everything.
pub fn run(workspace: &Workspace, options: &Options) -> Result<()> {
    let earlier = options.compare.as_deref().map(Earlier::read).transpose()?;
    programs::ensure(programs::FOR_BENCH)?;
    let server = if options.binary.is_some() { &[][..] } else { &["--bin", "switchboard"] };
    let targets = [&["--release", "-p", "delivery", "--example", "bare"], server].concat();
    let built = step(&format!("cargo build {}", targets.join(" ")), || workspace.build(&targets))?;
    let disk = Path::new(FILES);
    let postgres = step("starting PostgreSQL", || Postgres::start(Durability::Durable, disk))?;
    let files = tempfile::Builder::new()
        .prefix("switchboard-bench-")
        .tempdir_in(disk)
        .with_context(|| format!("cannot make a directory in {FILES}"))?;
    #[expect(clippy::disallowed_methods, reason = "one worker is right where nobody knows better")]
    let workers = thread::available_parallelism().map_or(1, usize::from);
    let bare = step("starting the bare server", || {
        Bare::start(built.get("bare")?, workers, files.path())
    })?;
    let binary = match &options.binary {
        Some(binary) => binary.as_path(),
        None => built.get("switchboard")?,
    };
    let on_sqlite = step("starting switchboard on SQLite", || {
        let folder = files.path().join("sqlite");
        let url = format!("sqlite:{}", folder.join("switchboard.db").display());
        Switchboard::start(binary, &url, &folder)
    })?;
    let on_postgres = step("starting switchboard on PostgreSQL", || {
        Switchboard::start(binary, &postgres.url(), &files.path().join("postgres"))
    })?;
    let servers = Servers { workspace, bare, on_sqlite, on_postgres };
    let load = Load { connections: options.connections, seconds: options.seconds };
    let report = Report::of(load, &servers.measure(load)?);
    if options.json {
        println!("{}", report.json());
    } else {
        print!("{}", report.table());
    }
    if let Some(earlier) = earlier {
        eprint!("{}", report.changes(&earlier));
    }
    if report.failed() > 0 {
        let (on_sqlite, on_postgres) =
            (servers.on_sqlite.last_words(), servers.on_postgres.last_words());
        bail!(
            "{} requests failed, so the numbers mean nothing. Logged last on SQLite:\n{on_sqlite}\non PostgreSQL:\n{on_postgres}",
            report.failed()
        );
    }
    Ok(())
}

/// The servers that are measured.
struct Servers<'a> {
    workspace: &'a Workspace,
    bare: Bare,
    on_sqlite: Switchboard,
    on_postgres: Switchboard,
}

impl Servers<'_> {
    /// All rounds: first those that read, for what was sent is still being processed when the last of it has been
    /// answered.
    fn measure(&self, load: Load) -> Result<Vec<(Subject, Measured)>> {
        self.pause()?;
        let mut measured = Vec::new();
        for subjects in [Subject::READS, Subject::SENDS, Subject::CALLBACKS] {
            for round in 1..=ROUNDS {
                for subject in subjects {
                    let name = format!("round {round} of {ROUNDS}: {}", subject.name());
                    measured.push((subject, step(&name, || self.one(subject, load))?));
                }
            }
        }
        Ok(measured)
    }

    /// One measurement, during which nobody else is awake.
    fn one(&self, subject: Subject, load: Load) -> Result<Measured> {
        let (target, running) = match subject {
            // The bare handler gets the same bytes, so it needs some credentials too.
            Subject::BareRead | Subject::BareSend | Subject::BareCallback => {
                (self.bare.target(&self.on_sqlite), self.bare.running())
            }
            Subject::SqliteRead | Subject::SqliteSend | Subject::SqliteCallback => {
                (self.on_sqlite.target(), self.on_sqlite.running())
            }
            Subject::PostgresRead | Subject::PostgresSend | Subject::PostgresCallback => {
                (self.on_postgres.target(), self.on_postgres.running())
            }
        };
        running.resume()?;
        let measured = load.run(self.workspace, &target, subject.path(), subject.script());
        running.pause()?;
        measured
    }

    fn pause(&self) -> Result<()> {
        self.bare.running().pause()?;
        self.on_sqlite.running().pause()?;
        self.on_postgres.running().pause()
    }
}
