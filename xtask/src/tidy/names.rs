//! The names of files and directories, and long files.

use std::path::Path;

use super::{Tree, Violation};

/// Names that say nothing about the contents.
const EMPTY: [&str; 7] = ["common", "helper", "helpers", "manager", "misc", "util", "utils"];

/// The length in lines above which a file is listed. This is a hint, not a limit.
const LONG_FILE: usize = 600;

/// Files that diesel generates: one table after the other.
const GENERATED: [&str; 1] = ["crates/tables/src/schema.rs"];

pub fn check(tree: &Tree) -> Vec<Violation> {
    tree.paths().filter_map(empty).collect()
}

/// Returns the Rust files that may be worth splitting, with their numbers of lines.
pub fn long_files(tree: &Tree) -> Vec<(&str, usize)> {
    let files = tree.rust().filter(|(path, _)| !GENERATED.contains(path));
    files
        .map(|(path, text)| (path, text.lines().count()))
        .filter(|(_, lines)| *lines > LONG_FILE)
        .collect()
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
    fn a_long_file_is_a_hint_and_no_violation() {
        let long = "//\n".repeat(601);
        let tree = Tree::from([
            ("crates/domain/src/message.rs", long.as_str()),
            ("crates/tables/src/schema.rs", long.as_str()),
        ]);
        assert_eq!(check(&tree), []);
        assert_eq!(long_files(&tree), [("crates/domain/src/message.rs", 601)]);
    }
}
