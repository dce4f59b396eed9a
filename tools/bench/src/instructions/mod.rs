//! `cargo xtask instructions`: counts the instructions of the hottest calls and compares them with
//! recorded counts.
//!
//! A duration depends on the machine as much as on the program, so a small loss is not noticed, and
//! many small losses add up. A count of instructions is nearly the same in every run on every
//! machine, so it can have a bound.

mod calls;
mod counter;
mod reference;
mod server;

use std::path::PathBuf;

use anyhow::Result;
use clap::Args;

use self::calls::Count;
use self::reference::{Built, Reference};
use self::server::Server;
use servers::programs;
use servers::step::step;
use servers::workspace::Workspace;

#[derive(Args, Default)]
pub struct Options {
    /// The server's binary; built as for the tests if it is not given
    #[arg(long, value_name = "FILE")]
    binary: Option<PathBuf>,
    /// Print JSON instead of a table
    #[arg(long)]
    json: bool,
    /// Write the counts to docs/instructions.json as the new reference
    #[arg(long)]
    write: bool,
}

/// Counts, prints, and compares with the reference or writes it.
pub fn run(workspace: &Workspace, options: &Options) -> Result<()> {
    programs::ensure(programs::FOR_INSTRUCTIONS)?;
    let built = Built::of(workspace)?;
    // The reference is read before measuring, so that an incompatible reference fails early.
    let reference = if options.write { None } else { Some(Reference::read(workspace, &built)?) };
    let mut counts = measure(workspace, options)?;
    // On a busy machine threads wait for each other more often, which costs up to 6 % of the
    // cheapest call. So if a count exceeds its bound, it is repeated, and the measurement fails
    // only if the second count exceeds the bound too.
    if reference.as_ref().is_some_and(|it| it.judge(&counts).is_err()) {
        eprintln!("[xtask] a call exceeds its bound: counting again");
        counts = calls::least(counts, measure(workspace, options)?);
    }
    if options.json {
        println!("{}", reference::json(&counts, reference.as_ref()));
    } else {
        print!("{}", reference::table(&counts, reference.as_ref()));
    }
    match reference {
        Some(reference) => reference.judge(&counts),
        None => Reference::write(workspace, built, &counts),
    }
}

fn measure(workspace: &Workspace, options: &Options) -> Result<Vec<Count>> {
    let binary = if let Some(binary) = &options.binary {
        std::path::absolute(binary)?
    } else {
        let built = step("building the server", || workspace.build_for_tests())?;
        built.get("switchboard")?.to_owned()
    };
    let server = step("starting the server in callgrind", || Server::start(&binary))?;
    step("counting instructions", || calls::count(&server))
}
