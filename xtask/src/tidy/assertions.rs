//! Checks that an assertion states one fact.

use super::source;
use super::{Findings, Tree, Violation};

/// The ends of the macros' names, so that `debug_assert_eq!` and `prop_assert_eq!` count, too.
const MACROS: [&str; 2] = ["assert_eq!(", "assert_ne!("];

/// Checks every comparison in every Rust file.
pub fn check(tree: &Tree) -> Findings {
    let mut findings = Findings::of("comparing assertions");
    for (path, text) in tree.rust() {
        let lines: Vec<String> = source::lines(&text).into_iter().map(|line| line.code).collect();
        let code = lines.join("\n");
        for name in MACROS {
            for (before, arguments) in split_at_each(&code, name) {
                findings.looked_at += 1;
                if begins_with_tuple(arguments) {
                    let line = before.matches('\n').count() + 1;
                    let what = "an assertion compares tuples: write one assertion for each fact";
                    findings.violations.push(Violation::at(path, line, what));
                }
            }
        }
    }
    findings
}

/// Returns the text before and after each occurrence of `name`.
fn split_at_each<'a>(code: &'a str, name: &'a str) -> impl Iterator<Item = (&'a str, &'a str)> {
    code.match_indices(name).filter_map(move |(at, _)| {
        let (before, rest) = code.split_at_checked(at)?;
        Some((before, rest.strip_prefix(name)?))
    })
}

/// Tells whether the first argument is a tuple. A parenthesized expression and a method call on a
/// tuple are none.
fn begins_with_tuple(arguments: &str) -> bool {
    let argument = arguments.trim_start_matches(|it: char| it.is_whitespace() || it == '&');
    let Some(inside) = argument.strip_prefix('(') else { return false };
    let mut depth = 0_usize;
    let mut has_comma = false;
    for (at, character) in inside.char_indices() {
        match character {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' if depth > 0 => depth -= 1,
            ')' => {
                let rest = inside.get(at + 1..).unwrap_or_default().trim_start();
                return has_comma && rest.starts_with([',', ')']);
            }
            ',' if depth == 0 => has_comma = true,
            _ => {}
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Vec<String> {
        let findings = check(&Tree::from([("tests/a.rs", text)]));
        assert_eq!(findings.looked_at, 1, "{text}");
        findings.violations.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn a_comparison_of_tuples_is_rejected() {
        for text in [
            "assert_eq!((a, b), (1, 2));",
            "assert_ne!((a, b), (1, 2), \"{a}\");",
            "debug_assert_eq!((a.len(), [b, c]), pair);",
            "prop_assert_eq!((a, b), (1, 2));",
            "assert_eq!(&(a, b), &(1, 2));",
            "assert_eq!(\n    (\n        a, // )\n        \")\",\n    ),\n    pair\n);",
        ] {
            assert_eq!(found(text).len(), 1, "{text}");
        }
    }

    #[test]
    fn other_arguments_are_accepted() {
        for text in [
            "assert_eq!((a + b), 3);",
            "assert_eq!((a + b) * f(c, d), 3);",
            "assert_eq!((a.max(b), c).concat(), 3);",
            "assert_eq!((f(a, b)), 3);",
            "assert_eq!(a, (1, 2));",
            "assert_eq!(pairs, [(1, 2), (3, 4)]);",
        ] {
            assert_eq!(found(text), Vec::<String>::new(), "{text}");
        }
    }

    #[test]
    fn the_line_is_named() {
        let found = found("// assert_eq!((a, b), c)\nfn f() {\n    assert_eq!((a, b), c);\n}\n");
        assert_eq!(found.len(), 1);
        assert!(found[0].starts_with("tests/a.rs:3: an assertion compares"), "{found:?}");
    }
}
