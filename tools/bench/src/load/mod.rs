//! `cargo xtask bench`: measures the server under load, next to a handler that does nothing.
//!
//! The module `table` declares the measured rows, and `scenarios` implements them. `report` and
//! `document` show the results.

mod companions;
mod database;
mod document;
mod machine;
mod measured;
mod paced;
mod report;
mod scenarios;
mod stage;
mod streams;
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
use servers::step::step;
use servers::workspace::Workspace;
use servers::{interrupt, programs};

/// The bare handler's speed is constant, so a short measurement suffices.
const BARE_SECONDS: u32 = 20;

#[derive(Args)]
pub struct Options {
    /// Measure only these rows, separated by commas; `--json` prints the names
    #[arg(long, value_delimiter = ',', value_parser = row)]
    only: Vec<&'static Row>,
    /// Seconds of each measurement, after two seconds of warm-up; each row has its own default
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=3600))]
    seconds: Option<u32>,
    /// Number of measurements, of which the median counts; each row has its own default
    #[arg(long)]
    rounds: Option<std::num::NonZeroUsize>,
    /// Number of connections that are kept busy
    #[arg(long, default_value_t = 64, value_parser = clap::value_parser!(u32).range(1..=4096))]
    connections: u32,
    /// Print JSON instead of a table
    #[arg(long)]
    json: bool,
    /// Measure this binary instead of building one, for example an earlier version
    #[arg(long, value_name = "FILE")]
    binary: Option<PathBuf>,
    /// Compare with this file, an earlier output of `--json`
    #[arg(long, value_name = "FILE")]
    compare: Option<PathBuf>,
    /// Write the results into docs/performance.md and docs/performance.json; other rows are kept
    #[arg(long)]
    write: bool,
}

fn row(name: &str) -> Result<&'static Row, String> {
    let names = || ROWS.iter().map(|row| row.name).collect::<Vec<_>>().join(", ");
    let found = ROWS.iter().find(|row| row.name == name);
    found.ok_or_else(|| format!("no such row; the rows are {}", names()))
}

/// Builds, measures and reports. All servers are stopped at the end.
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

/// Builds the small servers, and the measured server unless a binary is given.
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

/// Measures all rounds of a row. The subjects take turns. A failure ends the row only for its
/// subject, and the run continues, because later rows may still be useful.
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
