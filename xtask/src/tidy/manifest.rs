//! The dependencies in a `Cargo.toml`, with line numbers.

use std::collections::BTreeMap;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::Violation;

/// The table of a dependency.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A dependency of the code, possibly only for some targets.
    Normal,
    /// A dependency of the tests.
    Dev,
    /// A dependency of the build script.
    Build,
}

/// A line of a manifest that declares a dependency.
#[derive(Debug, PartialEq, Eq)]
pub struct Dependency {
    /// The name in this manifest and in code.
    pub name: String,
    /// The package's own name.
    pub package: String,
    pub kind: Kind,
    /// The line number, counted from 1.
    pub line: usize,
}

const TABLES: [(&str, Kind); 3] = [
    ("dependencies", Kind::Normal),
    ("dev-dependencies", Kind::Dev),
    ("build-dependencies", Kind::Build),
];

/// Returns the packages that the workspace's dependency table renames.
pub fn renames(workspace: &str) -> BTreeMap<String, String> {
    let Ok(root) = DeTable::parse(workspace) else {
        return BTreeMap::new();
    };
    let table = table(root.get_ref(), "workspace")
        .and_then(|workspace| self::table(workspace, "dependencies"));
    table
        .into_iter()
        .flatten()
        .filter_map(|(name, value)| Some((name.to_string(), package(value)?)))
        .collect()
}

/// Returns all dependencies of the manifest at `path`.
pub fn dependencies(
    path: &str,
    text: &str,
    renames: &BTreeMap<String, String>,
) -> Result<Vec<Dependency>, Violation> {
    let root = DeTable::parse(text).map_err(|error| {
        let line = error.span().map_or(0, |span| line(text, span.start));
        Violation::at(path, line, format!("this is not valid TOML: {}", error.message()))
    })?;
    let mut holders = vec![root.get_ref()];
    holders.extend(
        table(root.get_ref(), "target")
            .into_iter()
            .flatten()
            .filter_map(|(_, for_one)| for_one.get_ref().as_table()),
    );
    let mut found = Vec::new();
    for holder in holders {
        for (name, kind) in TABLES {
            for (key, value) in table(holder, name).into_iter().flatten() {
                let called = key.get_ref().to_string();
                let package = package(value)
                    .or_else(|| renames.get(&called).cloned())
                    .unwrap_or_else(|| called.clone());
                let line = line(text, key.span().start);
                found.push(Dependency { name: called, package, kind, line });
            }
        }
    }
    Ok(found)
}

fn table<'a, 'i>(holder: &'a DeTable<'i>, name: &str) -> Option<&'a DeTable<'i>> {
    holder.get(name)?.get_ref().as_table()
}

fn package(value: &Spanned<DeValue<'_>>) -> Option<String> {
    value.get_ref().as_table()?.get("package")?.get_ref().as_str().map(str::to_owned)
}

fn line(text: &str, offset: usize) -> usize {
    text.bytes().take(offset).filter(|byte| *byte == b'\n').count() + 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dependencies_are_found_in_every_table_and_under_every_name() {
        let workspace = "[workspace.dependencies]\nstore = { package = \"persistence\", path = \"p\" }\ntime = \"1\"\n";
        let text = "[package]\nname = \"x\"\n\n[dependencies]\nstore = { workspace = true }\nuuid = \"1\"\n\
                    [dev-dependencies.short]\npackage = \"proptest\"\nversion = \"1\"\n\
                    [target.'cfg(unix)'.build-dependencies]\ncc = \"1\"\n";
        let found = dependencies("Cargo.toml", text, &renames(workspace)).unwrap();
        let found: Vec<_> =
            found.iter().map(|found| (found.package.as_str(), found.kind, found.line)).collect();
        assert_eq!(
            found,
            [
                ("persistence", Kind::Normal, 5),
                ("uuid", Kind::Normal, 6),
                ("proptest", Kind::Dev, 7),
                ("cc", Kind::Build, 11),
            ]
        );
    }

    #[test]
    fn a_broken_manifest_is_a_violation() {
        let broken = dependencies("crates/a/Cargo.toml", "[package]\nname = \n", &BTreeMap::new())
            .unwrap_err();
        assert!(
            broken.to_string().starts_with("crates/a/Cargo.toml:2: this is not valid TOML"),
            "{broken}"
        );
    }
}
