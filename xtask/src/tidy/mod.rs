//! `cargo xtask tidy`: the architecture's invariants, each one as a check.

pub mod ledger;

mod citations;
mod layers;
mod manifest;
mod modules;
mod names;
mod patterns;
mod retention;
mod source;
mod tenants;
mod tree;
mod unused;

use std::fmt::{self, Display, Formatter};

use anyhow::{Result, bail};

pub use self::ledger::CHECKSUMS;
pub use self::tree::{DATABASES, Tree};
use servers::workspace::Workspace;

/// A violation of an invariant.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Violation {
    path: String,
    /// 0 if the whole file is meant.
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

/// Lists all violations, and fails if there are any.
pub fn run(workspace: &Workspace) -> Result<()> {
    let tree = Tree::read(workspace.root())?;
    let violations = check(&tree);
    for violation in &violations {
        println!("{violation}");
    }
    for (path, lines) in names::long_files(&tree) {
        println!("hint: {path} has {lines} lines: consider splitting it");
    }
    match violations.len() {
        0 => {
            println!("tidy: {} files, every invariant holds", tree.len());
            Ok(())
        }
        1 => bail!("tidy found 1 violation, listed above with what to do about it"),
        count => bail!("tidy found {count} violations, listed above with what to do about each"),
    }
}

fn check(tree: &Tree) -> Vec<Violation> {
    let checks = [
        layers::check,
        modules::check,
        names::check,
        patterns::check,
        citations::check,
        ledger::check,
        tenants::check,
        retention::check,
        unused::check,
    ];
    let mut violations: Vec<Violation> = checks.iter().flat_map(|check| check(tree)).collect();
    violations.sort();
    violations
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
        write("Cargo.toml", "[workspace]\n");
        write(
            "crates/domain/Cargo.toml",
            "[package]\nname = \"domain\"\n[dependencies]\nserde = \"1\"\n",
        );
        write("crates/domain/src/lib.rs", "fn f() { todo!() }\n");
        write("crates/domain/src/utils.rs", "");
        write("crates/domain/target/debug/build/out.rs", "fn f() { todo!() }\n");
        write("migrations/sqlite/2026-01-01-000000_first/up.sql", "");
        write("migrations/sqlite/2026-01-01-000000_first/down.sql", "");
        let found = check(&Tree::read(root.path()).unwrap());
        let places: Vec<String> =
            found.iter().map(|found| format!("{}:{}", found.path, found.line)).collect();
        assert_eq!(
            places,
            [
                "crates/domain/Cargo.toml:4",
                "crates/domain/Cargo.toml:4",
                "crates/domain/src/lib.rs:1",
                "crates/domain/src/utils.rs:0",
                "migrations/sqlite/2026-01-01-000000_first:0",
                "migrations/sqlite/2026-01-01-000000_first/down.sql:0",
                "migrations/sqlite/2026-01-01-000000_first/up.sql:0",
            ]
        );
    }
}
