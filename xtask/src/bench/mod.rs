//! `cargo xtask bench`: the server under load, next to a handler that does nothing.
//!
//! [`table`] declares what is measured, [`scenarios`] how; [`report`] and [`document`] show it.

mod companions;
mod database;
mod document;
mod machine;
mod measured;
mod paced;
mod report;
mod scenarios;
mod stage;
mod switchboard;
mod table;
pub mod usage;
pub mod wrk;

use std::path::PathBuf;

use anyhow::{Result, bail};
use clap::Args;

pub use self::database::Database;
pub use self::machine::Machine;
pub use self::measured::float;
pub use self::switchboard::Credentials;

use self::machine::Run;
use self::measured::Subject;
use self::report::{Report, RowResult};
use self::stage::{Programs, Stage};
use self::table::{ROWS, Row};
use crate::step::step;
use crate::workspace::Workspace;
use crate::{interrupt, programs};

/// The bare handler does the same all the time.
const BARE_SECONDS: u32 = 20;

/// How to measure.
#[derive(Args)]
pub struct Options {
    /// Measure these rows only, by their names, with commas between; the names are those that `--json` prints
    #[arg(long, value_delimiter = ',', value_parser = row)]
    only: Vec<&'static Row>,
    /// Seconds that each measurement takes, after two seconds of warm-up; each row has a default of its own
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=3600))]
    seconds: Option<u32>,
    /// How many times each is measured, of which the median counts; each row has a default of its own
    #[arg(long)]
    rounds: Option<std::num::NonZeroUsize>,
    /// Connections that are kept busy
    #[arg(long, default_value_t = 64, value_parser = clap::value_parser!(u32).range(1..=4096))]
    connections: u32,
    /// Print JSON instead of a table
    #[arg(long)]
    json: bool,
    /// Measure this server instead of building one: an earlier version, say
    #[arg(long, value_name = "FILE")]
    binary: Option<PathBuf>,
    /// Show how each figure has changed since this file was printed by `--json`
    #[arg(long, value_name = "FILE")]
    compare: Option<PathBuf>,
    /// Write what was measured into docs/performance.md and docs/performance.json; other rows stay there as they are
    #[arg(long)]
    write: bool,
}

fn row(name: &str) -> Result<&'static Row, String> {
    let names = || ROWS.iter().map(|row| row.name).collect::<Vec<_>>().join(", ");
    let found = ROWS.iter().find(|row| row.name == name);
    found.ok_or_else(|| format!("no such row; there are {}", names()))
}

/// Builds, measures, reports, and stops everything.
pub fn run(workspace: &Workspace, options: &Options) -> Result<()> {
    let earlier = options.compare.as_deref().map(Report::read).transpose()?;
    programs::ensure(programs::FOR_BENCH)?;
    let programs = build(workspace, options)?;
    let run = Run::this(workspace, options.binary.is_some())?;
    let stage =
        step("starting PostgreSQL", || Stage::new(workspace, programs, options.connections))?;
    let mut report =
        Report { machine: Machine::this()?, connections: options.connections, results: Vec::new() };
    let mut failures = Vec::new();
    for row in ROWS.iter().filter(|row| options.selects(row)) {
        report.results.push(measure(&stage, row, options, &run, &mut failures)?);
    }
    drop(stage);
    if options.json {
        println!("{}", report.json()?);
    } else {
        print!("{}", report.table());
    }
    if let Some(earlier) = earlier {
        eprint!("{}", report.changes(&earlier));
    }
    if options.write {
        document::write(workspace, &report)?;
    }
    if !failures.is_empty() {
        bail!("{} measurements failed:\n{}", failures.len(), failures.join("\n"));
    }
    Ok(())
}

impl Options {
    fn selects(&self, row: &Row) -> bool {
        self.only.is_empty() || self.only.iter().any(|only| only.name == row.name)
    }
}

/// The small servers, and the server unless one is given.
fn build(workspace: &Workspace, options: &Options) -> Result<Programs> {
    let server = if options.binary.is_some() {
        &[][..]
    } else {
        &["-p", "delivery", "--bin", "switchboard"]
    };
    let targets = [&["--release", "-p", "load", "--bin", "bare", "--bin", "sink"], server].concat();
    let built = step(&format!("cargo build {}", targets.join(" ")), || workspace.build(&targets))?;
    Ok(Programs {
        switchboard: match &options.binary {
            Some(binary) => std::path::absolute(binary)?,
            None => built.get("switchboard")?.to_owned(),
        },
        bare: built.get("bare")?.to_owned(),
        sink: built.get("sink")?.to_owned(),
    })
}

/// All rounds of a row, in which the subjects take turns. A failure ends the row for its subject, and the run goes on:
/// a later row may tell more.
fn measure(
    stage: &Stage,
    row: &Row,
    options: &Options,
    run: &Run,
    failures: &mut Vec<String>,
) -> Result<RowResult> {
    let seconds = options.seconds.unwrap_or(row.seconds);
    let rounds = options.rounds.map_or(row.rounds, std::num::NonZeroUsize::get);
    let (mut measured, mut failed) = (Vec::new(), Vec::new());
    for round in 1..=rounds {
        for subject in row.subjects() {
            if failed.contains(subject) {
                continue;
            }
            let name = format!("{} on {}, round {round} of {rounds}", row.name, subject.name());
            let seconds = match subject {
                Subject::Bare => seconds.min(BARE_SECONDS),
                _ => seconds,
            };
            match step(&name, || (row.scenario)(stage, *subject, seconds)) {
                Ok(one) => {
                    eprintln!("[xtask] {name}: {:.3}{}", one.value, row.unit.suffix());
                    measured.push((*subject, one));
                }
                Err(error) => {
                    interrupt::check()?;
                    eprintln!("[xtask] {error:#}");
                    failures.push(format!("{name}: {error:#}"));
                    failed.push(*subject);
                }
            }
        }
    }
    measured.retain(|(subject, _)| !failed.contains(subject));
    Ok(RowResult::of(row, seconds, run, &measured))
}
