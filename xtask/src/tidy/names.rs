//! How files and directories are named, and how long a file and a crate may be.

use std::collections::BTreeMap;
use std::path::Path;

use super::{Tree, Violation};

/// Names that say nothing about what is inside.
const EMPTY: [&str; 7] = ["common", "helper", "helpers", "manager", "misc", "util", "utils"];

/// How long a file may be.
pub const LINES: usize = 400;
/// A crate that grows beyond this is divided.
const CRATE_LINES: usize = 13_000;

/// Written by diesel, one table after the other: no file to read from top to bottom.
const MAY_BE_LONG: [&str; 1] = ["crates/tables/src/schema.rs"];

/// Checks every path, and the length of every Rust file and of every crate.
pub fn check(tree: &Tree) -> Vec<Violation> {
    let mut found: Vec<Violation> = tree.paths().filter_map(empty).collect();
    for (path, text) in tree.rust() {
        let lines = text.lines().count();
        if lines > LINES && !MAY_BE_LONG.contains(&path) {
            found.push(Violation::at(
                path,
                LINES + 1,
                format!("{lines} lines, of which {LINES} are allowed: split the file by what its parts are about"),
            ));
        }
    }
    let mut crates: BTreeMap<&str, usize> = BTreeMap::new();
    for (path, text) in tree.rust() {
        if let Some((name, _)) = path.strip_prefix("crates/").and_then(|it| it.split_once('/')) {
            *crates.entry(name).or_default() += text.lines().count();
        }
    }
    for (name, lines) in crates.into_iter().filter(|(_, lines)| *lines > CRATE_LINES) {
        found.push(Violation::file(
            format!("crates/{name}"),
            format!("{lines} lines, of which {CRATE_LINES} are allowed: take a crate out of it"),
        ));
    }
    found
}

fn empty(path: &str) -> Option<Violation> {
    if path.starts_with("migrations/") {
        return None;
    }
    let part = path.split('/').find(|part| {
        let stem = Path::new(part).file_stem().map(|stem| stem.to_string_lossy().to_lowercase());
        stem.is_some_and(|stem| EMPTY.contains(&stem.as_str()))
    })?;
    Some(Violation::file(path, format!("`{part}` says nothing: name it after what it holds")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(path: &str, text: &str) -> Vec<String> {
        check(&Tree::from([(path, text)])).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn a_name_that_says_nothing_is_refused() {
        for path in [
            "crates/domain/src/utils.rs",
            "crates/domain/src/util/phone.rs",
            "tests/src/common/mod.rs",
            "tests/load/helpers.lua",
            "xtask/src/Manager.rs",
            "crates/misc/Cargo.toml",
        ] {
            assert_eq!(found(path, "").len(), 1, "{path}");
        }
        for path in [
            "crates/domain/src/utility_bill.rs",
            "crates/auth/src/password.rs",
            "tests/src/common_name.rs",
        ] {
            assert!(found(path, "").is_empty(), "{path}");
        }
    }

    #[test]
    fn a_file_has_an_end() {
        let path = "crates/domain/src/message.rs";
        assert!(found(path, &"//\n".repeat(400)).is_empty());
        let long = "//\n".repeat(401);
        assert_eq!(
            found(path, &long),
            [format!(
                "{path}:401: 401 lines, of which 400 are allowed: split the file by what its parts are about"
            )]
        );
        assert!(found("crates/tables/src/schema.rs", &long).is_empty());
        assert_eq!(found("tests/examples/samples/messages.rs", &long).len(), 1);
        assert_eq!(found("crates/delivery/src/schema.rs", &long).len(), 1);
        assert!(found("crates/delivery/notes.md", &long).is_empty());
    }
}
