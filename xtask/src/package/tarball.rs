//! The tarball for other systems: one folder with the program and its files.

use std::path::Path;
use std::process::Command;

use anyhow::Result;

use super::Compression;
use super::program::Program;
use super::staging::{Places, Staging};
use servers::process;

const PLACES: Places = Places { usr: "", settings: "etc/switchboard.toml", settings_mode: 0o644 };

/// Makes the tarball in this folder and returns its file name.
pub fn make(
    workspace: &Path,
    program: &Program,
    date: u64,
    compression: Compression,
    folder: &Path,
) -> Result<String> {
    let inner = format!("switchboard-{}", program.version);
    let staging = Staging::below(&inner)?;
    staging.fill(workspace, program, &PLACES)?;
    staging.seal(date)?;
    let name = format!("{inner}-{}-linux.tar.gz", program.machine.linux());
    let compressor = match compression {
        Compression::Good => "gzip -9n",
        Compression::Little => "gzip -1n",
    };
    let mut tar = Command::new("tar");
    tar.args(["--create", "--format=gnu", "--sort=name", "--numeric-owner"])
        .args(["--owner=0", "--group=0"])
        .arg(format!("--mtime=@{date}"))
        .arg(format!("--use-compress-program={compressor}"))
        .arg("--file")
        .arg(folder.join(&name))
        .arg("--directory")
        .arg(staging.folder())
        .arg(&inner);
    process::run(&mut tar)?;
    Ok(name)
}
