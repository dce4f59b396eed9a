//! `cargo xtask sbom`: writes a software bill of materials of the server, in `CycloneDX`'s JSON
//! format, with cargo-cyclonedx.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use clap::Args;
use serde_json::Value;
use servers::process;
use servers::workspace::Workspace;

use crate::cargo_tools;

/// The package of the server.
const PACKAGE: &str = "delivery";

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
    fs::create_dir_all(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
    let name = write(workspace, workspace.source_date()?, &folder)?;
    println!("{}", folder.join(name).display());
    Ok(())
}

/// Writes the document with this date into the folder, and returns the file name.
pub fn write(workspace: &Workspace, date: u64, folder: &Path) -> Result<String> {
    let members = workspace.members()?;
    // cargo-cyclonedx writes a file beside the manifest of each package of the workspace.
    let name = format!("bill-{}", std::process::id());
    let written = generate(workspace, date, &name).and_then(|()| {
        let (_, manifest) =
            members.iter().find(|(package, _)| package == PACKAGE).context("no server")?;
        read(workspace, &beside(manifest, &name))
    });
    for (_, manifest) in &members {
        // If the tool failed, some packages have no file.
        let _ = fs::remove_file(beside(manifest, &name));
    }
    let document = written?;
    let version = document.pointer("/metadata/component/version").and_then(Value::as_str);
    let name = format!("switchboard-{}.cdx.json", version.context("the server has no version")?);
    let file = folder.join(&name);
    fs::write(&file, format!("{document:#}\n"))
        .with_context(|| format!("cannot write {}", file.display()))?;
    Ok(name)
}

fn generate(workspace: &Workspace, date: u64, name: &str) -> Result<()> {
    let mut cargo = cargo_tools::CYCLONEDX.command(workspace)?;
    cargo
        .args(["--format", "json", "--spec-version", "1.5", "--quiet", "--override-filename", name])
        .env("SOURCE_DATE_EPOCH", date.to_string());
    process::run(&mut cargo)
}

fn beside(manifest: &Path, name: &str) -> PathBuf {
    manifest.with_file_name(format!("{name}.json"))
}

/// Reads a document, and removes the path of this checkout from its references to packages of the
/// workspace.
fn read(workspace: &Workspace, file: &Path) -> Result<Value> {
    let text =
        fs::read_to_string(file).with_context(|| format!("cannot read {}", file.display()))?;
    let here = format!("path+file://{}/", workspace.root().display());
    serde_json::from_str(&text.replace(&here, "path+file://")).context("the bill is not JSON")
}
