//! Checks that ARCHITECTURE.md says for every table how long its rows are kept.

use super::{Findings, Tree, Violation};

const ARCHITECTURE: &str = "ARCHITECTURE.md";
const SECTION: &str = "## What is kept, and how long";
const SCHEMA: &str = "crates/tables/src/schema";

/// Checks the tables of the schema.
pub fn check(tree: &Tree) -> Findings {
    let text = tree.text(ARCHITECTURE).unwrap_or_default();
    let section = text.split_once(SECTION).map_or("", |(_, rest)| rest);
    let section = section.split("\n## ").next().unwrap_or_default();
    let mut findings = Findings::of("tables");
    for (path, text) in tree.rust().filter(|(path, _)| path.starts_with(SCHEMA)) {
        let before = findings.looked_at;
        for (at, line) in text.lines().enumerate() {
            let Some(name) = table(line) else { continue };
            findings.looked_at += 1;
            if !section.contains(&format!("`{name}`")) {
                let what = format!(
                    "say under \"{SECTION}\" in {ARCHITECTURE} how long the rows of {name} stay"
                );
                findings.violations.push(Violation::at(path, at + 1, what));
            }
        }
        let (named, declared) = (findings.looked_at - before, text.matches("table! {").count());
        if named != declared {
            let what =
                format!("{declared} tables are declared, but this check reads {named} names");
            findings.violations.push(Violation::file(path, what));
        }
    }
    findings
}

/// Returns the table that a line declares: `    events (organization_id, sequence) {`.
fn table(line: &str) -> Option<&str> {
    let (name, key) = line.strip_prefix("    ")?.split_once(" (")?;
    let is_name = name.chars().all(|it| it.is_ascii_lowercase() || it == '_');
    (is_name && key.ends_with(") {")).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_of_which_nothing_is_said_is_found() {
        let architecture =
            "`codes`\n## What is kept, and how long\n| `events` | 30 days |\n## More\n`keys`";
        let schema = "diesel::table! {\n    events (organization_id, sequence) {\n    }\n}\n\
            diesel::table! {\n    codes (digest) {\n        digest -> Binary,\n    }\n}\n";
        let schema_path = "crates/tables/src/schema.rs";
        let tree = Tree::from([("ARCHITECTURE.md", architecture), (schema_path, schema)]);
        let found = check(&tree).violations;
        assert_eq!(found.len(), 1, "{found:?}");
        assert_eq!(found[0].path, schema_path);
        assert_eq!(found[0].line, 6);
    }

    #[test]
    fn a_declaration_that_cannot_be_read_is_found() {
        let schema = "diesel::table! {\n  codes(digest) {\n    }\n}\n";
        let found = check(&Tree::from([("crates/tables/src/schema.rs", schema)]));
        assert_eq!(found.looked_at, 0, "{found:?}");
        assert_eq!(found.violations.len(), 1, "{found:?}");
    }
}
