//! The files that the checks read, loaded once.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use anyhow::{Context, Result};

/// The databases, which are also the names of the directories under `migrations/`.
pub const DATABASES: [&str; 2] = ["sqlite", "postgres"];

/// The files in the root directory that are read.
const FILES: [&str; 1] = ["ARCHITECTURE.md"];

/// The directories that are read.
const ROOMS: [&str; 6] = ["crates", "docs", "tests", "tools", "xtask", "migrations"];

/// Files by their path relative to the root, with `/` as the separator.
#[derive(Default)]
pub struct Tree(BTreeMap<String, Vec<u8>>);

impl Tree {
    /// Reads the workspace at `root`, except for build products.
    pub fn read(root: &Path) -> Result<Self> {
        let mut tree = Self::default();
        for file in FILES.into_iter().filter(|file| root.join(file).is_file()) {
            tree.add(root, file)?;
        }
        for room in ROOMS {
            if root.join(room).is_dir() {
                tree.walk(root, room)?;
            }
        }
        Ok(tree)
    }

    pub fn paths(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(String::as_str)
    }

    pub fn rust(&self) -> impl Iterator<Item = (&str, String)> {
        self.0
            .iter()
            .filter(|(path, _)| Path::new(path).extension().is_some_and(|ending| ending == "rs"))
            .map(|(path, bytes)| (path.as_str(), String::from_utf8_lossy(bytes).into_owned()))
    }

    pub fn bytes(&self, path: &str) -> Option<&[u8]> {
        self.0.get(path).map(Vec::as_slice)
    }

    pub fn text(&self, path: &str) -> Option<String> {
        self.bytes(path).map(|bytes| String::from_utf8_lossy(bytes).into_owned())
    }

    /// Returns the migrations by name, each with its databases and files.
    pub fn migrations(&self) -> BTreeMap<&str, BTreeMap<&str, BTreeSet<&str>>> {
        let mut found: BTreeMap<&str, BTreeMap<&str, BTreeSet<&str>>> = BTreeMap::new();
        for path in self.paths() {
            let mut parts = path.splitn(4, '/');
            let (Some("migrations"), Some(database), Some(name), Some(file)) =
                (parts.next(), parts.next(), parts.next(), parts.next())
            else {
                continue;
            };
            found.entry(name).or_default().entry(database).or_default().insert(file);
        }
        found
    }

    fn walk(&mut self, root: &Path, directory: &str) -> Result<()> {
        let entries = fs::read_dir(root.join(directory))
            .with_context(|| format!("cannot list {directory}"))?;
        for entry in entries {
            let entry = entry.with_context(|| format!("cannot list {directory}"))?;
            let name = entry.file_name().to_string_lossy().into_owned();
            if name == "target" || name.starts_with('.') {
                continue;
            }
            let path = format!("{directory}/{name}");
            if entry.file_type().with_context(|| format!("cannot inspect {path}"))?.is_dir() {
                self.walk(root, &path)?;
            } else {
                self.add(root, &path)?;
            }
        }
        Ok(())
    }

    fn add(&mut self, root: &Path, path: &str) -> Result<()> {
        let bytes = fs::read(root.join(path)).with_context(|| format!("cannot read {path}"))?;
        self.0.insert(path.to_owned(), bytes);
        Ok(())
    }
}

#[cfg(test)]
impl<const N: usize> From<[(&str, &str); N]> for Tree {
    fn from(files: [(&str, &str); N]) -> Self {
        Self(
            files
                .into_iter()
                .map(|(path, text)| (path.to_owned(), text.as_bytes().to_vec()))
                .collect(),
        )
    }
}
