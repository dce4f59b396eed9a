//! Builds the Debian package with cargo-deb, from `[package.metadata.deb]` in
//! `crates/delivery/Cargo.toml`.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use servers::process;
use servers::workspace::Workspace;

use super::Compression;
use super::staging::Staging;
use crate::cargo_tools;

/// Builds the package in this folder. Returns its file name.
pub fn make(
    workspace: &Workspace,
    staging: &Staging,
    date: u64,
    compression: Compression,
    folder: &Path,
) -> Result<String> {
    let mut cargo = cargo_tools::DEB.command(workspace)?;
    // The version has no Debian revision, because each version is packaged once.
    cargo
        .args(["--package", "delivery", "--no-build", "--no-strip", "--deb-revision", ""])
        .args(compression.fast().then_some("--fast"))
        .arg("--output")
        .arg(folder)
        // cargo-deb looks for the files under `target/release/` in this folder.
        .env("CARGO_TARGET_DIR", staging.folder())
        .env("SOURCE_DATE_EPOCH", date.to_string());
    let printed = process::stdout(&mut cargo)?;
    let package = printed.lines().last().map(PathBuf::from).unwrap_or_default();
    let name = package.file_name().context("cargo-deb named no package")?;
    Ok(name.to_string_lossy().into_owned())
}
