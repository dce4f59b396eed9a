//! The files that the checks look at, read once.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use anyhow::{Context, Result};

/// The databases, as the directories under `migrations/` are named.
pub const DATABASES: [&str; 2] = ["sqlite", "postgres"];

/// The files beside them that are looked at.
const FILES: [&str; 4] = ["ARCHITECTURE.md", "Cargo.lock", "Cargo.toml", "rust-toolchain.toml"];

/// The directories that are looked at.
const ROOMS: [&str; 5] = ["crates", "docs", "tests", "xtask", "migrations"];

/// Files by their path from the root, with `/` between its parts.
#[derive(Default)]
pub struct Tree(BTreeMap<String, Vec<u8>>);

impl Tree {
    /// Reads the workspace at `root`, without what builds have made.
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

    /// How many files there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Every path.
    pub fn paths(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(String::as_str)
    }

    /// Every Rust file.
    pub fn rust(&self) -> impl Iterator<Item = (&str, String)> {
        self.0
            .iter()
            .filter(|(path, _)| Path::new(path).extension().is_some_and(|ending| ending == "rs"))
            .map(|(path, bytes)| (path.as_str(), String::from_utf8_lossy(bytes).into_owned()))
    }

    /// What is in the file.
    pub fn bytes(&self, path: &str) -> Option<&[u8]> {
        self.0.get(path).map(Vec::as_slice)
    }

    /// What is in the file, as text.
    pub fn text(&self, path: &str) -> Option<String> {
        self.bytes(path).map(|bytes| String::from_utf8_lossy(bytes).into_owned())
    }

    /// The migrations by name, each with the databases and the files that it has there.
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
            if entry.file_type().with_context(|| format!("cannot look at {path}"))?.is_dir() {
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
