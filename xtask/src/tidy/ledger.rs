//! Checks that listed migrations never change: `migrations/checksums.txt` holds the digest of each
//! of their files.
//!
//! The file has the format of `sha256sum`, so `sha256sum -c checksums.txt` in `migrations/` checks
//! it too.

use std::collections::BTreeSet;
use std::fmt::{self, Display, Formatter, Write};

use sha2::{Digest, Sha256};

use super::tree::DATABASES;
use super::{Findings, Tree, Violation};

/// The file with the checksums.
pub const CHECKSUMS: &str = "migrations/checksums.txt";

/// The files of a migration.
const FILES: [&str; 2] = ["up.sql", "down.sql"];

/// A line of the list.
#[derive(Debug, PartialEq, Eq)]
pub struct Entry {
    digest: String,
    /// The path below `migrations/`.
    pub path: String,
}

impl Display for Entry {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{}  {}", self.digest, self.path)
    }
}

/// Checks that the listed files are unchanged, that every file is listed, and that both databases
/// have the same migrations.
pub fn check(tree: &Tree) -> Findings {
    let mut found = broken(tree);
    found.extend(unlisted(tree).into_iter().map(|entry| {
        let what = format!("this migration is not in {CHECKSUMS}: run `cargo xtask migrate lock`");
        Violation::file(format!("migrations/{}", entry.path), what)
    }));
    found.extend(incomplete(tree));
    let migrations = tree.migrations();
    let files = migrations.values().flat_map(|databases| databases.values());
    let looked_at = files.map(BTreeSet::len).sum();
    Findings { of: "files of migrations", looked_at, violations: found }
}

/// Returns the violations in the file with the checksums: malformed or repeated lines, and lines
/// whose migration file is missing or was changed.
pub fn broken(tree: &Tree) -> Vec<Violation> {
    let mut seen = BTreeSet::new();
    let mut found = Vec::new();
    for (number, line) in (1..).zip(tree.text(CHECKSUMS).unwrap_or_default().lines()) {
        if line.trim().is_empty() {
            continue;
        }
        let what = match parse(line) {
            None => Some(
                "a line is a SHA-256 digest, two spaces and a path: restore it from the history"
                    .to_owned(),
            ),
            Some(entry) if !seen.insert(entry.path.clone()) => {
                Some(format!("{} is listed twice: delete the line that was added last", entry.path))
            }
            Some(entry) => match tree.bytes(&format!("migrations/{}", entry.path)) {
                None => Some(format!(
                    "{} has landed and is gone: restore it from the history",
                    entry.path
                )),
                Some(bytes) if digest(bytes) != entry.digest => Some(format!(
                    "{} has landed and was changed: restore it, and make another migration with \
                     `cargo xtask migrate new` (if it never left this branch, delete its line and lock it again)",
                    entry.path
                )),
                Some(_) => None,
            },
        };
        found.extend(what.map(|what| Violation::at(CHECKSUMS, number, what)));
    }
    found
}

/// Returns the files that are not in the list yet.
pub fn unlisted(tree: &Tree) -> Vec<Entry> {
    let text = tree.text(CHECKSUMS).unwrap_or_default();
    let listed: BTreeSet<String> = text.lines().filter_map(parse).map(|entry| entry.path).collect();
    let mut new = Vec::new();
    for (name, databases) in tree.migrations() {
        for database in databases.keys() {
            for file in FILES {
                let path = format!("{database}/{name}/{file}");
                if listed.contains(&path) {
                    continue;
                }
                if let Some(bytes) = tree.bytes(&format!("migrations/{path}")) {
                    new.push(Entry { digest: digest(bytes), path });
                }
            }
        }
    }
    new
}

/// Returns the migrations that one database lacks, or that lack a file.
fn incomplete(tree: &Tree) -> Vec<Violation> {
    let mut found = Vec::new();
    for (name, databases) in tree.migrations() {
        for database in databases.keys() {
            let folder = format!("migrations/{database}/{name}");
            for other in DATABASES.iter().filter(|other| !databases.contains_key(**other)) {
                let what =
                    format!("{other} has no migration of this name: add migrations/{other}/{name}");
                found.push(Violation::file(&folder, what));
            }
            for file in FILES {
                if tree.bytes(&format!("{folder}/{file}")).is_none() {
                    found.push(Violation::file(
                        &folder,
                        format!("a migration has a {file}: write it"),
                    ));
                }
            }
        }
    }
    found
}

fn parse(line: &str) -> Option<Entry> {
    let (digest, path) = line.split_once("  ")?;
    let good = digest.len() == 64 && digest.bytes().all(|byte| byte.is_ascii_hexdigit());
    good.then(|| Entry { digest: digest.to_owned(), path: path.to_owned() })
}

fn digest(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().fold(String::new(), |mut text, byte| {
        // Writing into a string cannot fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const UP: &str = "CREATE TABLE a (b text);\n";
    /// The digest as `sha256sum` prints it.
    const DIGEST: &str = "676d74e44bdc0fff979b3e87231ce096b7ddab943f7ed01faf9689de2472d81a";

    fn complete(sqlite_up: &str, list: &str) -> Vec<String> {
        let tree = Tree::from([
            ("migrations/sqlite/1_a/up.sql", sqlite_up),
            ("migrations/sqlite/1_a/down.sql", UP),
            ("migrations/postgres/1_a/up.sql", UP),
            ("migrations/postgres/1_a/down.sql", UP),
            (CHECKSUMS, list),
        ]);
        check(&tree).violations.iter().map(ToString::to_string).collect()
    }

    fn list() -> String {
        let paths = [
            "sqlite/1_a/up.sql",
            "sqlite/1_a/down.sql",
            "postgres/1_a/up.sql",
            "postgres/1_a/down.sql",
        ];
        let lines = paths.iter().map(|path| format!("{DIGEST}  {path}\n"));
        lines.collect::<Vec<_>>().concat()
    }

    #[test]
    fn what_is_listed_and_unchanged_is_fine() {
        assert_eq!(digest(UP.as_bytes()), DIGEST);
        let none: [&str; 0] = [];
        assert_eq!(complete(UP, &list()), none);
    }

    #[test]
    fn a_change_is_found_where_it_is_listed() {
        let found = complete("CREATE TABLE a (c text);\n", &list());
        assert_eq!(found.len(), 1);
        let begin = "migrations/checksums.txt:1: sqlite/1_a/up.sql has landed and was changed";
        assert!(found.iter().all(|found| found.starts_with(begin)), "{found:?}");
    }

    #[test]
    fn what_is_gone_twice_or_no_line_is_found() {
        for (extra, said) in [
            (format!("{DIGEST}  sqlite/0_z/up.sql\n"), "is gone"),
            (format!("{DIGEST}  sqlite/1_a/up.sql\n"), "listed twice"),
            ("sqlite/1_a/up.sql\n".to_owned(), "a line is"),
        ] {
            let found = complete(UP, &(list() + &extra));
            assert_eq!(found.len(), 1, "{extra}");
            assert!(
                found
                    .iter()
                    .all(|found| found.contains("checksums.txt:5: ") && found.contains(said)),
                "{found:?}"
            );
        }
    }

    #[test]
    fn what_is_not_listed_is_to_be_locked() {
        let found = complete(UP, "");
        assert_eq!(found.len(), 4);
        assert!(found.iter().all(|found| found.contains("cargo xtask migrate lock")), "{found:?}");
    }

    #[test]
    fn both_databases_have_both_files() {
        let tree = Tree::from([("migrations/sqlite/1_a/up.sql", UP)]);
        let found: Vec<String> = incomplete(&tree).iter().map(ToString::to_string).collect();
        assert_eq!(
            found,
            [
                "migrations/sqlite/1_a: postgres has no migration of this name: add migrations/postgres/1_a",
                "migrations/sqlite/1_a: a migration has a down.sql: write it",
            ]
        );
    }
}
