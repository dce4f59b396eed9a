//! The names of files and directories.

use std::path::Path;

use super::{Findings, Tree, Violation};

/// Names that say nothing about the contents.
const EMPTY: [&str; 7] = ["common", "helper", "helpers", "manager", "misc", "util", "utils"];

pub fn check(tree: &Tree) -> Findings {
    let violations = tree.paths().filter_map(empty).collect();
    Findings { of: "files", looked_at: tree.paths().count(), violations }
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
        check(&Tree::from([(path, text)])).violations.iter().map(ToString::to_string).collect()
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
}
