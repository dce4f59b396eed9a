//! The measurements; `cargo xtask bench`, `fill`, `growth` and `instructions` run this program.

use std::process::ExitCode;

use bench::{fill, growth, instructions, load};
use clap::{Parser, Subcommand};
use servers::interrupt;
use servers::workspace::Workspace;

/// Measurements of the server, and databases that are filled for them.
#[derive(Parser)]
#[command(name = "bench", bin_name = "bench")]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Measure the server under load next to a bare handler, on `SQLite` and on `PostgreSQL`.
    ///
    /// A number is the median of its rounds, with its ratio to a handler that does nothing,
    /// measured in the same run. Compare ratios between machines, never requests per second. All
    /// rows take about two hours; `--only` selects some.
    Load(load::Options),
    /// Fill a new database with the messages of a year: ten million of them, in minutes.
    ///
    /// The server's binary migrates the database and creates the organization, so that its key,
    /// which is printed, works with the API afterwards. All other rows are written directly, as the
    /// server would have written them: messages in conversations, one of them long, with the events
    /// and deliveries of the last 28 days; endpoints, templates, keys, applications, and
    /// organizations connected with one of them.
    Fill(fill::Options),
    /// Measure what gets slower as the tables grow: every GET of the API with each of its
    /// parameters, every page, the POST requests, and the workers, on filled databases of several
    /// sizes.
    ///
    /// Every number is the median of calls made one at a time. Prints a table in Markdown.
    Growth(growth::Options),
    /// Count the instructions of the five hottest calls in Callgrind, and fail if one exceeds its
    /// bound.
    ///
    /// The program is the one that the tests use, on its own `SQLite`. The bounds are the counts in
    /// docs/instructions.json and a tolerance. Takes a minute.
    Instructions(instructions::Options),
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    interrupt::exit_code(|| {
        let workspace = Workspace::find()?;
        match arguments.command {
            Command::Load(options) => load::run(&workspace, &options),
            Command::Fill(options) => fill::run(&workspace, &options),
            Command::Growth(options) => growth::run(&workspace, &options),
            Command::Instructions(options) => instructions::run(&workspace, &options),
        }
    })
}
