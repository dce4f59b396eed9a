//! Runs the tools that are separate programs: `tools/bench` and `tools/drills`.
//!
//! They are compiled together with the packages that the workspace selects. `cargo run --package`
//! would select one package, unify features differently and compile all dependencies a second time.

use std::ffi::OsString;
use std::process::Command;

use anyhow::Result;
use clap::Args;
use servers::process;
use servers::step::step;
use servers::workspace::Workspace;

/// The arguments of a tool's command, which the tool itself reads.
#[derive(Args, Default)]
#[command(disable_help_flag = true)]
pub struct Arguments {
    /// Arguments of the command; `--help` lists them
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    arguments: Vec<OsString>,
}

/// Builds a tool and runs one of its commands.
pub fn run(workspace: &Workspace, tool: &str, command: &str, given: &Arguments) -> Result<()> {
    let built = step(&format!("building {tool}"), || workspace.build_tool(tool))?;
    process::run(Command::new(built.get(tool)?).arg(command).args(&given.arguments))
}
