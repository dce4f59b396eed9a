//! `cargo xtask tidy`: checks the invariants of the architecture.

pub mod ledger;

mod assertions;
mod citations;
mod layers;
mod modules;
mod names;
mod patterns;
mod retention;
mod source;
mod tree;

use std::fmt::{self, Display, Formatter};

use anyhow::{Result, bail, ensure};

use self::layers::Packages;
pub use self::ledger::CHECKSUMS;
pub use self::tree::{DATABASES, Tree};
use servers::workspace::Workspace;

/// A violation of an invariant.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Violation {
    path: String,
    /// The line number, or 0 if the violation concerns the whole file.
    line: usize,
    what: String,
}

impl Violation {
    fn at(path: impl Into<String>, line: usize, what: impl Into<String>) -> Self {
        Self { path: path.into(), line, what: what.into() }
    }

    fn file(path: impl Into<String>, what: impl Into<String>) -> Self {
        Self::at(path, 0, what)
    }
}

impl Display for Violation {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self.line {
            0 => write!(f, "{}: {}", self.path, self.what),
            line => write!(f, "{}:{line}: {}", self.path, self.what),
        }
    }
}

/// The number of things that a check examined, and the violations that it found.
#[derive(Debug)]
pub struct Findings {
    /// The name of the things that are counted.
    of: &'static str,
    /// A check that examined nothing is broken, so it counts as failed.
    looked_at: usize,
    violations: Vec<Violation>,
}

impl Findings {
    fn of(of: &'static str) -> Self {
        Self { of, looked_at: 0, violations: Vec::new() }
    }
}

/// Lists all violations, and fails if there are any.
pub fn run(workspace: &Workspace) -> Result<()> {
    let tree = Tree::read(workspace.root())?;
    let all = check(&tree, &Packages::read(workspace)?);
    let mut violations: Vec<&Violation> = all.iter().flat_map(|it| &it.violations).collect();
    violations.sort();
    for violation in &violations {
        println!("{violation}");
    }
    let counts: Vec<String> = all.iter().map(|it| format!("{} {}", it.looked_at, it.of)).collect();
    println!("tidy looked at {}", counts.join(", "));
    let blind: Vec<&str> = all.iter().filter(|it| it.looked_at == 0).map(|it| it.of).collect();
    ensure!(
        blind.is_empty(),
        "tidy found no {}: the check looks in the wrong place",
        blind.join(", ")
    );
    match violations.len() {
        0 => Ok(()),
        1 => bail!("tidy found 1 violation, listed above with what to do about it"),
        count => bail!("tidy found {count} violations, listed above with what to do about each"),
    }
}

fn check(tree: &Tree, packages: &Packages) -> Vec<Findings> {
    let checks = [
        modules::check,
        names::check,
        patterns::check,
        assertions::check,
        citations::check,
        ledger::check,
        retention::check,
    ];
    let of_the_tree = checks.iter().map(|check| check(tree));
    std::iter::once(layers::check(packages)).chain(of_the_tree).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_violation_is_a_place_one_can_click_on() {
        assert_eq!(
            Violation::at("crates/a/src/lib.rs", 7, "no").to_string(),
            "crates/a/src/lib.rs:7: no"
        );
        assert_eq!(Violation::file("xtask/utils.rs", "no").to_string(), "xtask/utils.rs: no");
    }

    #[test]
    fn every_check_is_run_on_what_is_on_the_disk() {
        let root = tempfile::tempdir().unwrap();
        let write = |path: &str, text: &str| {
            let path = root.path().join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        };
        write("crates/domain/src/lib.rs", "use std::fs;\n");
        write("crates/domain/src/utils.rs", "");
        write("crates/domain/target/debug/build/out.rs", "use std::fs;\n");
        write("migrations/sqlite/2026-01-01-000000_first/up.sql", "");
        write("migrations/sqlite/2026-01-01-000000_first/down.sql", "");
        let tree = Tree::read(root.path()).unwrap();
        let packages = serde_json::from_str("{\"packages\": []}").unwrap();
        let all = check(&tree, &packages);
        let mut places: Vec<String> = all
            .iter()
            .flat_map(|it| &it.violations)
            .filter(|found| !found.path.ends_with("Cargo.toml"))
            .map(|found| format!("{}:{}", found.path, found.line))
            .collect();
        places.sort();
        assert_eq!(
            places,
            [
                "crates/domain/src/lib.rs:1",
                "crates/domain/src/utils.rs:0",
                "migrations/sqlite/2026-01-01-000000_first/down.sql:0",
                "migrations/sqlite/2026-01-01-000000_first/up.sql:0",
                "migrations/sqlite/2026-01-01-000000_first:0",
            ]
        );
        // The tree contains no tables, no citations and no assertions.
        let blind: Vec<_> = all.iter().filter(|it| it.looked_at == 0).map(|it| it.of).collect();
        assert_eq!(
            blind,
            ["dependencies", "imports", "comparing assertions", "citations", "tables"]
        );
    }
}
