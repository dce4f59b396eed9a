//! The drills; `cargo xtask cluster` and `cargo xtask torture` run this program.

mod cluster;
mod etcd;
mod patroni;
mod proof;
mod torture;

use std::process::ExitCode;

use clap::{Parser, Subcommand};
use servers::interrupt;
use servers::workspace::Workspace;

/// Attempts to break what the server guarantees.
#[derive(Parser)]
#[command(name = "drills", bin_name = "drills")]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Start several instances on one `PostgreSQL`, with Redis, behind `HAProxy`; or test what they
    /// guarantee together.
    ///
    /// Without a drill, it prints their addresses and a command that sends a message, and waits
    /// until Ctrl-C. Each drill starts its own instances, disturbs them under load, and evaluates
    /// what clients, the API and the channel have seen. Prints a table in Markdown, and fails if a
    /// bound is exceeded.
    Cluster(cluster::Options),
    /// Try to break the guarantees: with crashes, power cuts, failing dependencies, hostile
    /// clients.
    ///
    /// Each part starts its own servers, disturbs them under load, and evaluates a history of calls
    /// and outcomes, the database, the channel and a receiver of webhooks. Prints a table in
    /// Markdown, and fails if a guarantee is broken.
    Torture(torture::Options),
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    interrupt::exit_code(|| {
        let workspace = Workspace::find()?;
        match arguments.command {
            Command::Cluster(options) => cluster::run(&workspace, &options),
            Command::Torture(options) => torture::run(&workspace, &options),
        }
    })
}
