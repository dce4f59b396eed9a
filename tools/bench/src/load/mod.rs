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

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use clap::Args;

pub use self::database::Database;
pub use self::machine::Machine;
pub use self::measured::float;
pub use self::switchboard::Credentials;

use self::machine::Run;
use self::measured::{Measured, Subject, Unsupported};
use self::report::{Report, RowResult};
use self::stage::{Companions, Environment, Stage};
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
    /// Compare with this file: an earlier output of `--json`, or an earlier version's binary, which
    /// is measured in turn with this one. `-` stands for what a version cannot do
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

/// The earlier version to compare with.
enum Earlier {
    /// The results of a run.
    Report(Report),
    /// A program that is measured in this run.
    Program(PathBuf),
}

impl Earlier {
    /// Reads the results in a file, unless the file is a program.
    fn of(file: &Path) -> Result<Self> {
        let metadata = fs::metadata(file);
        let metadata = metadata.with_context(|| format!("cannot read {}", file.display()))?;
        if metadata.permissions().mode() & 0o111 == 0 {
            Ok(Self::Report(Report::read(file)?))
        } else {
            Ok(Self::Program(std::path::absolute(file)?))
        }
    }
}

/// Builds, measures and reports. All servers are stopped at the end.
pub fn run(workspace: &Workspace, options: &Options) -> Result<()> {
    let earlier = options.compare.as_deref().map(Earlier::of).transpose()?;
    programs::ensure(programs::FOR_BENCH)?;
    let (program, companions) = build(workspace, options)?;
    let run = Run::this(workspace, options.binary.is_some())?;
    let environment = step("starting PostgreSQL", || {
        Environment::new(workspace, companions, options.connections)
    })?;
    let mut stages = vec![environment.stage(&program)];
    if let Some(Earlier::Program(program)) = &earlier {
        stages.push(environment.stage(program));
    }
    let machine = Machine::this()?;
    let empty = || Report {
        machine: machine.clone(),
        connections: options.connections,
        results: Vec::new(),
    };
    let (mut report, mut report_of_earlier) = (empty(), empty());
    let mut failures = Vec::new();
    for row in ROWS.iter().filter(|row| options.selects(row)) {
        let mut results = measure(&stages, row, options, &run, &mut failures)?.into_iter();
        report.results.extend(results.next());
        report_of_earlier.results.extend(results.next());
    }
    drop(stages);
    drop(environment);
    if options.json {
        println!("{}", report.json()?);
    } else {
        print!("{}", report.table());
    }
    match earlier {
        Some(Earlier::Report(earlier)) => eprint!("{}", report.changes(&earlier)),
        Some(Earlier::Program(_)) => eprint!("{}", report.changes(&report_of_earlier)),
        None => {}
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

/// Builds the small servers, and the measured server unless a binary is given. Returns the measured
/// server first.
fn build(workspace: &Workspace, options: &Options) -> Result<(PathBuf, Companions)> {
    let server = if options.binary.is_some() {
        &[][..]
    } else {
        &["-p", "delivery", "--bin", "switchboard"]
    };
    let targets = [&["--release", "-p", "load", "--bin", "bare", "--bin", "sink"], server].concat();
    let built = step(&format!("cargo build {}", targets.join(" ")), || workspace.build(&targets))?;
    let switchboard = match &options.binary {
        Some(binary) => std::path::absolute(binary)?,
        None => built.get("switchboard")?.to_owned(),
    };
    let (bare, sink) = (built.get("bare")?.to_owned(), built.get("sink")?.to_owned());
    Ok((switchboard, Companions { bare, sink }))
}

/// What is measured: the index of the program's stage, and the subject.
type Measurement = (usize, Subject);

/// Measures all rounds of a row. The subjects and the programs take turns. A failure ends the row
/// only for its subject and program, and the run continues, because later rows may still be useful.
/// Returns a result for each stage.
fn measure(
    stages: &[Stage],
    row: &Row,
    options: &Options,
    run: &Run,
    failures: &mut Vec<String>,
) -> Result<Vec<RowResult>> {
    let seconds = options.seconds.unwrap_or(row.seconds);
    let rounds = options.rounds.map_or(row.rounds, std::num::NonZeroUsize::get);
    let mut measured: Vec<(Measurement, Measured)> = Vec::new();
    let (mut failed, mut unsupported) = (Vec::new(), Vec::new());
    for round in 1..=rounds {
        for subject in row.subjects() {
            for (number, stage) in stages.iter().enumerate() {
                let this = (number, *subject);
                // The bare handler is the same for all programs.
                let is_repeated = *subject == Subject::Bare && number > 0;
                if is_repeated || failed.contains(&this) || unsupported.contains(&this) {
                    continue;
                }
                let version = if number == 0 { "" } else { " (earlier version)" };
                let subject = subject.name();
                let name = format!("{} on {subject}{version}, round {round} of {rounds}", row.name);
                match step(&name, || (row.scenario)(stage, this.1, duration(this.1, seconds))) {
                    Ok(one) => {
                        eprintln!("[xtask] {name}: {:.3}{}", one.value, row.unit.suffix());
                        measured.push((this, one));
                    }
                    Err(error) => {
                        interrupt::check()?;
                        eprintln!("[xtask] {error:#}");
                        if error.downcast_ref::<Unsupported>().is_some() {
                            unsupported.push(this);
                        } else {
                            failures.push(format!("{name}: {error:#}"));
                            failed.push(this);
                        }
                    }
                }
            }
        }
    }
    measured.retain(|(of, _)| !failed.contains(of));
    let results = (0..stages.len()).map(|number| {
        let of_stage = |(stage, subject): Measurement| {
            (stage == number || subject == Subject::Bare).then_some(subject)
        };
        let rounds: Vec<(Subject, Measured)> =
            measured.iter().filter_map(|(of, one)| Some((of_stage(*of)?, one.clone()))).collect();
        let unsupported = unsupported.iter().filter_map(|of| of_stage(*of)).collect();
        RowResult { unsupported, ..RowResult::of(row, seconds, run, &rounds) }
    });
    Ok(results.collect())
}

/// Returns the duration of a measurement.
fn duration(subject: Subject, seconds: u32) -> u32 {
    match subject {
        Subject::Bare => seconds.min(BARE_SECONDS),
        _ => seconds,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_is_told_from_results() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("switchboard");
        fs::write(&file, Report::default().json().unwrap()).unwrap();
        assert!(matches!(Earlier::of(&file), Ok(Earlier::Report(_))));
        fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).unwrap();
        assert!(matches!(Earlier::of(&file), Ok(Earlier::Program(_))));
        assert!(Earlier::of(&folder.path().join("missing")).is_err());
    }
}
