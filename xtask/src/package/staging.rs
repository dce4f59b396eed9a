//! A folder with the files of a package.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};
use servers::process;
use tempfile::TempDir;

use super::program::Program;

const PROGRAM: u32 = 0o755;
const DATA: u32 = 0o644;
/// The folder in which cargo puts programs of the profile `release`, below its target folder.
const RELEASE: &str = "release";
/// The files that are the same in every package, with their paths below the prefix.
const FILES: [(&str, &str); 6] = [
    ("CHANGELOG.md", "share/doc/switchboard/CHANGELOG.md"),
    ("LICENSE", "share/doc/switchboard/LICENSE"),
    ("README.md", "share/doc/switchboard/README.md"),
    ("SECURITY.md", "share/doc/switchboard/SECURITY.md"),
    ("packaging/switchboard.service", "lib/systemd/system/switchboard.service"),
    ("packaging/switchboard.toml", "etc/switchboard.toml"),
];

/// A folder to be packed. It contains `bin`, `etc`, `lib` and `share`, as `/usr/local` does.
pub struct Staging {
    folder: TempDir,
    root: PathBuf,
}

impl Staging {
    /// Writes the program and its files into a new folder.
    pub fn of(workspace: &Path, program: &Program) -> Result<Self> {
        let folder = tempfile::tempdir().context("cannot make a temporary folder")?;
        let root = folder.path().join(RELEASE);
        let staging = Self { folder, root };
        staging.copy(&program.file, "bin/switchboard", PROGRAM)?;
        for (from, to) in FILES {
            staging.copy(&workspace.join(from), to, DATA)?;
        }
        for (name, page) in &program.manual {
            let file = staging.write(&format!("share/man/man1/{name}"), page)?;
            process::run(Command::new("gzip").arg("-9n").arg(file))?;
        }
        for (path, text) in &program.completions {
            staging.write(&format!("share/{path}"), text)?;
        }
        Ok(staging)
    }

    /// Returns the parent of the root. To cargo-deb it looks like cargo's target folder.
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// Returns the folder of the files.
    pub fn root(&self) -> &Path {
        &self.root
    }

    fn copy(&self, from: &Path, to: &str, mode: u32) -> Result<()> {
        let file = self.place(to)?;
        fs::copy(from, &file)
            .with_context(|| format!("cannot copy {} to {}", from.display(), file.display()))?;
        fs::set_permissions(&file, Permissions::from_mode(mode))
            .with_context(|| format!("cannot change the mode of {}", file.display()))
    }

    fn write(&self, to: &str, text: &str) -> Result<PathBuf> {
        let file = self.place(to)?;
        fs::write(&file, text).with_context(|| format!("cannot write {}", file.display()))?;
        Ok(file)
    }

    fn place(&self, to: &str) -> Result<PathBuf> {
        let file = self.root.join(to);
        let folder = file.parent().unwrap_or(&self.root);
        fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
        Ok(file)
    }
}
