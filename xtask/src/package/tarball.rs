//! The tarball for other systems: one folder with the program and its files.

use std::env::consts::ARCH;
use std::path::Path;
use std::process::Command;

use anyhow::Result;
use servers::process;

use super::Compression;
use super::staging::Staging;

/// Makes the tarball in this folder and returns its file name.
pub fn make(
    staging: &Staging,
    version: &str,
    date: u64,
    compression: Compression,
    folder: &Path,
) -> Result<String> {
    let inner = format!("switchboard-{version}");
    let name = format!("{inner}-{ARCH}-linux.tar.gz");
    let compressor = if compression.fast() { "gzip -1n" } else { "gzip -9n" };
    let mut tar = Command::new("tar");
    tar.args(["--create", "--format=gnu", "--sort=name", "--numeric-owner"])
        .args(["--owner=0", "--group=0", "--mode=u=rwX,go=rX"])
        .arg(format!("--mtime=@{date}"))
        .arg(format!("--use-compress-program={compressor}"))
        .arg(format!("--transform=s,^\\.,{inner},"))
        .arg("--file")
        .arg(folder.join(&name))
        .arg("--directory")
        .arg(staging.root())
        .arg(".");
    process::run(&mut tar)?;
    Ok(name)
}
