//! `cargo xtask sbom`: writes a software bill of materials of the server, in `CycloneDX`'s JSON
//! format.
//!
//! It contains the packages that cargo resolves for the program: linked ones are `required`, those
//! only used for building are `excluded`. The crates of this workspace are the program itself.

mod document;
mod graph;
mod lock;

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use clap::Args;
use serde_json::Value;

use self::graph::Graph;
use servers::process;
use servers::workspace::Workspace;

#[derive(Args)]
pub struct Options {
    /// The folder for the file; target/package if it is not given
    #[arg(long, value_name = "FOLDER")]
    folder: Option<PathBuf>,
}

/// Writes the document and prints its path.
pub fn run(workspace: &Workspace, options: &Options) -> Result<()> {
    let folder = match &options.folder {
        Some(folder) => std::path::absolute(folder)?,
        None => workspace.target_directory()?.join("package"),
    };
    std::fs::create_dir_all(&folder)
        .with_context(|| format!("cannot make {}", folder.display()))?;
    let name = write(workspace, workspace.source_date()?, &folder)?;
    println!("{}", folder.join(name).display());
    Ok(())
}

/// Writes the document with this date into the folder, and returns the file name.
pub fn write(workspace: &Workspace, date: u64, folder: &Path) -> Result<String> {
    let graph = Graph::of_program(&resolved(workspace)?)?;
    let locked = std::fs::read_to_string(workspace.root().join("Cargo.lock"))
        .context("cannot read Cargo.lock")?;
    let document = document::of(&graph, &lock::checksums(&locked)?, date)?;
    let name = format!("switchboard-{}.cdx.json", graph.version);
    let file = folder.join(&name);
    std::fs::write(&file, format!("{document:#}\n"))
        .with_context(|| format!("cannot write {}", file.display()))?;
    Ok(name)
}

/// Returns cargo's resolution, without dependencies for other platforms.
fn resolved(workspace: &Workspace) -> Result<Value> {
    let described = process::stdout(std::process::Command::new("rustc").arg("-vV"))?;
    let host = described.lines().find_map(|line| line.strip_prefix("host: "));
    let host = host.context("rustc does not show its host platform")?;
    let arguments = ["metadata", "--format-version=1", "--locked", "--filter-platform", host];
    let printed = process::stdout(workspace.cargo().args(arguments))?;
    serde_json::from_str(&printed).context("cargo metadata printed no JSON")
}
