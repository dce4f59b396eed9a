//! `cargo xtask package`: builds a Debian package and a tarball from one program.
//!
//! The packages are reproducible: the same program and the same `SOURCE_DATE_EPOCH` give the same
//! bytes.

mod debian;
mod program;
mod staging;
mod tarball;

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};
use clap::Args;

use self::program::Program;
use self::staging::Staging;
use crate::sbom;
use servers::step::step;
use servers::workspace::Workspace;
use servers::{process, programs};

#[derive(Args)]
pub struct Options {
    /// The server's binary; a release build if it is not given
    #[arg(long, value_name = "FILE")]
    binary: Option<PathBuf>,
    /// The folder for the packages; target/package if it is not given
    #[arg(long, value_name = "FOLDER")]
    folder: Option<PathBuf>,
    /// Compress less: faster, but the files are larger
    #[arg(long)]
    quick: bool,
}

/// The compression level of the packages.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Compression {
    Good,
    Little,
}

impl Compression {
    fn fast(self) -> bool {
        self == Self::Little
    }
}

/// Makes the packages, the bill of materials, and their checksums.
pub fn run(workspace: &Workspace, options: &Options) -> Result<()> {
    programs::ensure(programs::FOR_PACKAGES)?;
    let binary = match &options.binary {
        Some(binary) => std::path::absolute(binary)?,
        None => release(workspace)?,
    };
    let program = Program::of(&binary)?;
    let folder = match &options.folder {
        Some(folder) => std::path::absolute(folder)?,
        None => workspace.target_directory()?.join("package"),
    };
    std::fs::create_dir_all(&folder)
        .with_context(|| format!("cannot make {}", folder.display()))?;
    let compression = if options.quick { Compression::Little } else { Compression::Good };
    let date = workspace.source_date()?;
    let staging = Staging::of(workspace.root(), &program)?;
    let made = [
        step("making the Debian package", || {
            debian::make(workspace, &staging, date, compression, &folder)
        })?,
        step("making the tarball", || {
            tarball::make(&staging, &program.version, date, compression, &folder)
        })?,
        step("writing the bill of materials", || sbom::write(workspace, date, &folder))?,
    ];
    write_checksums(&folder, &made)?;
    for name in &made {
        println!("{}", folder.join(name).display());
    }
    Ok(())
}

fn release(workspace: &Workspace) -> Result<PathBuf> {
    let selection = ["--release", "--workspace", "--bin", "switchboard"];
    let built = step("building the server for release", || workspace.build(&selection))?;
    Ok(built.get("switchboard")?.to_owned())
}

/// Writes the checksums in the format of `sha256sum --check SHA256SUMS`.
fn write_checksums(folder: &Path, names: &[String]) -> Result<()> {
    let sums = process::stdout(Command::new("sha256sum").args(names).current_dir(folder))?;
    std::fs::write(folder.join("SHA256SUMS"), sums).context("cannot write SHA256SUMS")
}
