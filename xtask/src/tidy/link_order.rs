//! The list of functions that the linker puts next to each other belongs to dependencies and a toolchain: its names hold hashes of
//! them, and the linker skips a name that it does not find. Then a server takes a third more memory, and nothing else tells.

use std::fmt::Write as _;

use sha2::{Digest as _, Sha256};

use super::{Tree, Violation};

/// The list.
pub const LIST: &str = "crates/delivery/layout.txt";
/// What the hashes in names depend on.
const INPUTS: [&str; 2] = ["Cargo.lock", "rust-toolchain.toml"];

/// The first line of the list: a comment, as the linker reads it, with the digest of what the names depend on.
pub fn heading(tree: &Tree) -> String {
    let mut digest = Sha256::new();
    for input in INPUTS {
        digest.update(tree.bytes(input).unwrap_or_default());
    }
    let mut line = format!("# {}: ", INPUTS.join(" and "));
    for byte in digest.finalize().iter().take(16) {
        // Writing to a string cannot fail.
        let _ = write!(line, "{byte:02x}");
    }
    line
}

/// Checks that the list was written for these dependencies and this toolchain.
pub fn check(tree: &Tree) -> Vec<Violation> {
    let Some(list) = tree.text(LIST) else { return Vec::new() };
    if list.lines().next() == Some(heading(tree).as_str()) {
        return Vec::new();
    }
    let what = format!(
        "it is of other versions of {}: write it with `cargo xtask layout`",
        INPUTS.join(" or ")
    );
    vec![Violation::at(LIST, 1, what)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_belongs_to_its_dependencies() {
        let with = |lock: &str, list: &str| {
            Tree::from([("Cargo.lock", lock), ("rust-toolchain.toml", ""), (LIST, list)])
        };
        let list = format!("{}\nfirst\nsecond\n", heading(&with("serde 1", "")));
        assert_eq!(check(&with("serde 1", &list)), []);
        for (lock, list) in [("serde 2", list.as_str()), ("serde 1", "first\n"), ("serde 1", "")] {
            assert_eq!(check(&with(lock, list)).len(), 1, "{lock} {list}");
        }
        assert_eq!(check(&Tree::from([("Cargo.lock", "serde 1")])), [], "nothing is listed");
    }
}
