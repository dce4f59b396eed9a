//! A folder with the files of a package, with their final modes and times.

use std::fs::{self, File, Permissions};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, SystemTime};

use anyhow::{Context, Result};
use tempfile::TempDir;

use super::program::Program;
use servers::process;

const PROGRAM: u32 = 0o755;
const DATA: u32 = 0o644;
const FOLDER: u32 = 0o755;
/// The unit and the settings, relative to the workspace root.
const UNIT: &str = "packaging/switchboard.service";
const SETTINGS: &str = "packaging/switchboard.toml";

/// The paths within a kind of package.
pub struct Places {
    /// The prefix in place of `/usr`.
    pub usr: &'static str,
    pub settings: &'static str,
    /// The mode of the settings file, which may contain passwords.
    pub settings_mode: u32,
}

/// A folder to be packed.
pub struct Staging {
    folder: TempDir,
    root: PathBuf,
}

impl Staging {
    /// Creates a folder whose files go below `inner`.
    pub fn below(inner: &str) -> Result<Self> {
        let folder = tempfile::tempdir().context("cannot make a temporary folder")?;
        let root = folder.path().join(inner);
        fs::create_dir_all(&root).with_context(|| format!("cannot make {}", root.display()))?;
        Ok(Self { folder, root })
    }

    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// Returns the folder that files are written to.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Adds the files that every package has.
    pub fn fill(&self, workspace: &Path, program: &Program, places: &Places) -> Result<()> {
        let usr = |path: &str| format!("{}{path}", places.usr);
        self.copy(&program.file, &usr("bin/switchboard"), PROGRAM)?;
        self.copy(&workspace.join(UNIT), &usr("lib/systemd/system/switchboard.service"), DATA)?;
        self.copy(&workspace.join(SETTINGS), places.settings, places.settings_mode)?;
        for name in ["CHANGELOG.md", "LICENSE", "README.md", "SECURITY.md"] {
            let path = usr(&format!("share/doc/switchboard/{name}"));
            self.copy(&workspace.join(name), &path, DATA)?;
        }
        for (name, page) in &program.manual {
            let path = usr(&format!("share/man/man1/{name}"));
            self.write(&path, page, DATA)?;
            process::run(Command::new("gzip").arg("-9n").arg(self.root.join(&path)))?;
        }
        for (path, text) in &program.completions {
            self.write(&usr(&format!("share/{path}")), text, DATA)?;
        }
        Ok(())
    }

    pub fn copy(&self, from: &Path, to: &str, mode: u32) -> Result<()> {
        let file = self.place(to)?;
        fs::copy(from, &file)
            .with_context(|| format!("cannot copy {} to {}", from.display(), file.display()))?;
        allow(&file, mode)
    }

    pub fn write(&self, to: &str, text: &str, mode: u32) -> Result<()> {
        let file = self.place(to)?;
        fs::write(&file, text).with_context(|| format!("cannot write {}", file.display()))?;
        allow(&file, mode)
    }

    fn place(&self, to: &str) -> Result<PathBuf> {
        let file = self.root.join(to);
        let folder = file.parent().unwrap_or(&self.root);
        fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
        Ok(file)
    }

    /// Returns the paths of all files relative to the root, sorted.
    pub fn files(&self) -> Result<Vec<String>> {
        let mut found = Vec::new();
        walk(&self.root, &mut |path, is_folder| {
            let from_root = path.strip_prefix(&self.root)?.to_string_lossy().into_owned();
            if !is_folder {
                found.push(from_root);
            }
            Ok(())
        })?;
        found.sort_unstable();
        Ok(found)
    }

    /// Returns the total size of the files in bytes.
    pub fn size(&self) -> Result<u64> {
        let sizes = self.files()?.into_iter().map(|it| fs::metadata(self.root.join(it)));
        sizes.map(|it| Ok(it.context("a staged file is gone")?.len())).sum()
    }

    /// Sets the time of everything and the mode of folders, because they depend on the creating
    /// process's umask and clock.
    pub fn seal(&self, date: u64) -> Result<()> {
        let time = SystemTime::UNIX_EPOCH + Duration::from_secs(date);
        walk(self.folder.path(), &mut |path, is_folder| {
            if is_folder {
                allow(path, FOLDER)?;
            }
            let opened = File::open(path).and_then(|it| it.set_modified(time));
            opened.with_context(|| format!("cannot date {}", path.display()))
        })
    }
}

fn allow(path: &Path, mode: u32) -> Result<()> {
    fs::set_permissions(path, Permissions::from_mode(mode))
        .with_context(|| format!("cannot set the mode of {}", path.display()))
}

/// Visits the contents of a folder, and then the folder.
fn walk(folder: &Path, visit: &mut impl FnMut(&Path, bool) -> Result<()>) -> Result<()> {
    let listed = fs::read_dir(folder).with_context(|| format!("cannot list {}", folder.display()));
    for entry in listed? {
        let path = entry?.path();
        if path.is_dir() { walk(&path, visit)? } else { visit(&path, false)? }
    }
    visit(folder, true)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_staged_has_the_mode_and_the_time_that_it_is_to_have() {
        let staging = Staging::below("name").unwrap();
        staging.write("etc/settings", "secret", 0o640).unwrap();
        staging.write("bin/program", "#!", PROGRAM).unwrap();
        staging.seal(1_000_000_000).unwrap();
        assert_eq!(staging.files().unwrap(), ["bin/program", "etc/settings"]);
        assert_eq!(staging.size().unwrap(), 8);
        let of = |path: &str| {
            let metadata = fs::metadata(staging.folder().join(path)).unwrap();
            let time = metadata.modified().unwrap().duration_since(SystemTime::UNIX_EPOCH);
            (metadata.permissions().mode() & 0o7777, time.unwrap().as_secs())
        };
        assert_eq!(of("name/etc/settings"), (0o640, 1_000_000_000));
        assert_eq!(of("name/bin/program"), (0o755, 1_000_000_000));
        assert_eq!(of("name/etc"), (0o755, 1_000_000_000));
    }
}
