//! What a developer and CI run: `cargo xtask --help` lists it.
//!
//! Links none of the project's crates, so that it builds while they do not.

mod bench;
mod ci;
mod clock;
mod cluster;
mod docs;
mod fill;
mod foreign;
mod growth;
mod instructions;
mod interrupt;
mod migrations;
mod package;
mod process;
mod programs;
mod proof;
mod sbom;
mod servers;
mod step;
mod suite;
mod tidy;
mod torture;
mod workspace;

use std::process::ExitCode;

use anyhow::Result;
use clap::{Parser, Subcommand};

use crate::workspace::Workspace;

/// Tests, checks, migrations and measurements of the workspace.
#[derive(Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask")]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Run every test, with a `PostgreSQL` and a Redis of its own.
    ///
    /// Installs what is missing with Debian's packages (as root, or by `sudo -n`), starts private servers on free
    /// ports, runs the documentation's tests and then all others, with cargo-nextest where it is installed.
    Test {
        /// What tests that want a `PostgreSQL` get
        #[arg(long, value_enum, default_value = "postgres")]
        database: suite::Database,
        /// Handed to the test runner, such as a part of a test's name; the documentation's tests are left out then
        #[arg(last = true, value_name = "FILTER")]
        filter: Vec<String>,
    },
    /// What to run before a commit: tidy, format, lints, and the tests that need no server.
    Check,
    /// Everything that must pass before a change lands: tidy, format, lints, documentation, licences, tests.
    Ci,
    /// Write the reference of the REST API to docs/, as the program itself tells it.
    Docs {
        /// Change nothing, and fail where the files are not what the program says
        #[arg(long)]
        check: bool,
    },
    /// Run, list, add or lock the database's migrations.
    Migrate {
        #[command(subcommand)]
        command: migrations::Command,
    },
    /// Check the architecture's invariants and list every place that breaks one.
    Tidy,
    /// Measure the server under load beside a bare handler, on `SQLite` and on `PostgreSQL`.
    ///
    /// A number is the median of its rounds, next to the ratio to a handler that does nothing, measured in the same run:
    /// compare ratios between machines, never requests a second. Everything takes about an hour and a half; `--only` chooses.
    Bench(bench::Options),
    /// Fill a new database with the messages of a year: ten million of them, in minutes.
    ///
    /// The server's program migrates the database and makes the organization, so that its key, which is printed, can
    /// call the API afterwards. All other rows are written past the server, as it would have written them: messages in
    /// conversations, one of them long, with events and their deliveries of the last 28 days; endpoints, templates, keys,
    /// applications and organizations that are connected with one.
    Fill(fill::Options),
    /// Measure what gets slower as the tables grow: every GET of the API with each of its parameters, every page, what
    /// is posted, and what workers do, on filled databases of several sizes.
    ///
    /// Every number is the median of calls that are made one at a time. Prints a table in Markdown.
    Growth(growth::Options),
    /// Start several servers on one `PostgreSQL`, with Redis, behind `HAProxy`; or prove what they promise together.
    ///
    /// Without a drill it prints their addresses and a command that sends a message, and waits until Ctrl-C. Each drill
    /// starts servers of its own, does something to them under load, and judges by what clients, the API and the
    /// channel have seen. Prints a table in Markdown, and fails if a bound is not kept.
    Cluster(cluster::Options),
    /// Try to break what is promised: crashes, power cuts, faults of what the server depends on, hostile clients.
    ///
    /// Each part starts servers of its own, does something to them under load, and judges by a history of calls and
    /// outcomes, the database, the channel and a receiver of webhooks. Prints a table in Markdown, and fails if a
    /// promise is broken.
    Torture(torture::Options),
    /// Make what operators install: a Debian package and a tarball, with a bill of materials and checksums.
    ///
    /// The same program makes the same bytes: everything bears the time of the last commit, or of `SOURCE_DATE_EPOCH`.
    Package(package::Options),
    /// Write a software bill of materials of the server's program, as `CycloneDX` has it.
    Sbom(sbom::Options),
    /// Count the instructions of the five hottest calls in Callgrind, and fail if one takes more than it may.
    ///
    /// The program is the one that the tests use, on an `SQLite` of its own. What a call may take is what
    /// docs/instructions.json says and a little more. Takes a minute.
    Instructions(instructions::Options),
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    match interrupt::watch().and_then(|()| run(arguments.command)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            match error.downcast_ref::<interrupt::Interrupted>() {
                Some(interrupted) => ExitCode::from(interrupted.exit_code()),
                None => ExitCode::FAILURE,
            }
        }
    }
}

fn run(command: Command) -> Result<()> {
    let workspace = Workspace::find()?;
    match command {
        Command::Test { database, filter } => suite::run(&workspace, database, &filter),
        Command::Docs { check } => docs::run(&workspace, check),
        Command::Check => ci::check(&workspace),
        Command::Ci => ci::run(&workspace),
        Command::Migrate { command } => migrations::run(&workspace, command),
        Command::Tidy => tidy::run(&workspace),
        Command::Bench(options) => bench::run(&workspace, &options),
        Command::Fill(options) => fill::run(&workspace, &options),
        Command::Growth(options) => growth::run(&workspace, &options),
        Command::Cluster(options) => cluster::run(&workspace, &options),
        Command::Torture(options) => torture::run(&workspace, &options),
        Command::Package(options) => package::run(&workspace, &options),
        Command::Sbom(options) => sbom::run(&workspace, &options),
        Command::Instructions(options) => instructions::run(&workspace, &options),
    }
}
