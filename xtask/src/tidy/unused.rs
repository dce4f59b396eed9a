//! Dependencies that no file of their crate uses.

use std::collections::BTreeMap;

use super::{Tree, Violation, manifest, source};

/// Dependencies that are only declared to enable a feature of another package.
const FOR_THEIR_FEATURES: [(&str, &str); 1] = [("crates/database", "libsqlite3-sys")];

/// Checks every manifest except the workspace's.
pub fn check(tree: &Tree) -> Vec<Violation> {
    let workspace = tree.text("Cargo.toml").unwrap_or_default();
    let renames = manifest::renames(&workspace);
    let code: BTreeMap<&str, String> =
        tree.rust().map(|(path, text)| (path, code(&text))).collect();
    let mut found = Vec::new();
    for path in tree.paths() {
        let Some(folder) = path.strip_suffix("/Cargo.toml") else { continue };
        let text = tree.text(path).unwrap_or_default();
        // The check of the layers reports a manifest that cannot be parsed.
        let Ok(dependencies) = manifest::dependencies(path, &text, &renames) else { continue };
        let own: Vec<&String> = code
            .iter()
            .filter(|(file, _)| file.strip_prefix(folder).is_some_and(|it| it.starts_with('/')))
            .map(|(_, code)| code)
            .collect();
        for dependency in dependencies {
            if FOR_THEIR_FEATURES.contains(&(folder, &dependency.package)) {
                continue;
            }
            let word = dependency.name.replace('-', "_");
            if !own.iter().any(|code| begins_a_path(code, &word)) {
                let what = format!("no file here names `{word}`: remove the dependency");
                found.push(Violation::at(path, dependency.line, what));
            }
        }
    }
    found
}

/// Tells whether a crate of this name is used anywhere. Inside a path the name can be a module, so
/// only the beginning of a path counts.
fn begins_a_path(code: &str, word: &str) -> bool {
    let (inner, is_letter) = (format!("::{word}"), |c: char| c.is_alphanumeric() || c == '_');
    let pieces = code.split_inclusive(&inner).map(|piece| match piece.strip_suffix(&inner) {
        Some(before) if before.ends_with(is_letter) => before,
        _ => piece,
    });
    source::names(&pieces.collect::<String>(), word)
}

/// Returns the code of a file without strings and comments.
fn code(text: &str) -> String {
    let mut code = String::with_capacity(text.len());
    for line in source::lines(text) {
        code.push_str(&line.code);
        code.push('\n');
    }
    code
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dependency_is_named_by_its_crate_and_not_only_spoken_of() {
        let manifest = "[package]\nname = \"a\"\n[dependencies]\nserde_json = \"1\"\nserde-path = \"1\"\nredis = \"1\"\npool = \"1\"\n\
                        store = { package = \"persistence\", path = \"p\" }\n[dev-dependencies]\nproptest = \"1\"\n";
        let text = "// proptest would do\nuse serde_path::X;\nuse ::redis::Y;\nuse crate::pool::Z;\nfn f() { store::g(\"serde_json\") }\n";
        let tree = Tree::from([
            ("crates/a/Cargo.toml", manifest),
            ("crates/a/src/lib.rs", text),
            ("crates/ab/src/lib.rs", "use proptest::prelude::*; use serde_json::json;\n"),
        ]);
        let places: Vec<String> = check(&tree).iter().map(ToString::to_string).collect();
        assert_eq!(
            places,
            [
                "crates/a/Cargo.toml:7: no file here names `pool`: remove the dependency",
                "crates/a/Cargo.toml:4: no file here names `serde_json`: remove the dependency",
                "crates/a/Cargo.toml:10: no file here names `proptest`: remove the dependency",
            ]
        );
    }
}
