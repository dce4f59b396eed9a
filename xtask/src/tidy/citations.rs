//! Checks that every rule cited in code exists in `docs/`, in the cited place.

use std::collections::BTreeSet;

use super::source;
use super::{Findings, Tree, Violation};

const CONTRACT: &str = "docs/contract.md";
const SECURITY: &str = "docs/security.md";
/// Names of documents that are not in this repository.
const ABSENT: [&str; 4] = ["service.md", "additions.md", "house.md", "architecture.md"];

/// Checks the comments of every Rust file.
pub fn check(tree: &Tree) -> Findings {
    let anchors = anchors(&tree.text(CONTRACT).unwrap_or_default());
    let numbers = numbers(&tree.text(SECURITY).unwrap_or_default());
    let mut findings = Findings::of("citations");
    for (path, text) in tree.rust().filter(|(path, _)| !path.starts_with("xtask/src/tidy/")) {
        for line in source::lines(&text) {
            findings.looked_at += cited(&line.comment);
            let faults = faults(&line.comment, &anchors, &numbers);
            let faults = faults.into_iter().map(|what| Violation::at(path, line.number, what));
            findings.violations.extend(faults);
        }
    }
    findings
}

/// Returns the number of citations in a comment.
fn cited(comment: &str) -> usize {
    [CONTRACT, SECURITY].iter().map(|document| comment.matches(document).count()).sum()
}

fn faults(comment: &str, anchors: &BTreeSet<String>, numbers: &BTreeSet<u32>) -> Vec<String> {
    let mut faults = Vec::new();
    for name in ABSENT.iter().filter(|name| comment.contains(*name)) {
        faults.push(format!("`{name}` is not in the repository: cite {CONTRACT} or {SECURITY}"));
    }
    for (place, _) in comment.match_indices("contract.md") {
        let (before, rest) = comment.split_at(place);
        let anchor = rest.trim_start_matches("contract.md").strip_prefix('#').map(slug_at);
        match anchor {
            Some(anchor) if before.ends_with("docs/") && anchors.contains(&anchor) => {}
            _ => faults
                .push(format!("cite a section of {CONTRACT} that exists: `{CONTRACT}#rate-limit`")),
        }
    }
    for (place, _) in comment.match_indices("security.md") {
        let (before, rest) = comment.split_at(place);
        let rest = rest.trim_start_matches("security.md").trim_start_matches('`').trim_start();
        let digits: String = rest.chars().take_while(char::is_ascii_digit).collect();
        let known =
            digits.is_empty() || digits.parse().is_ok_and(|number| numbers.contains(&number));
        if !before.ends_with("docs/") || !known {
            faults.push(format!("cite a number of {SECURITY} that exists: `{SECURITY}` 16"));
        }
    }
    faults
}

/// Returns the anchor at the beginning of a text.
fn slug_at(text: &str) -> String {
    text.chars().take_while(|it| it.is_ascii_alphanumeric() || *it == '-').collect()
}

/// Returns the anchors of a document's headings.
fn anchors(document: &str) -> BTreeSet<String> {
    let headings =
        document.lines().filter_map(|line| line.trim_start_matches('#').strip_prefix(' '));
    headings
        .map(|heading| {
            let kept = heading.chars().filter(|it| it.is_alphanumeric() || " -".contains(*it));
            kept.collect::<String>().to_lowercase().replace(' ', "-")
        })
        .collect()
}

/// Returns the numbers of a document's list.
fn numbers(document: &str) -> BTreeSet<u32> {
    document.lines().filter_map(|line| line.split_once(". ")?.0.parse().ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_citation_names_a_place_that_exists() {
        let anchors = anchors("# The contract\n\n## Rate limit\n\nText\n### Order of checks\n");
        let numbers = numbers("Text\n\n1. One\n22. Another\n");
        let faults = |comment| faults(comment, &anchors, &numbers).len();
        for right in [
            "the window (`docs/contract.md#rate-limit`)",
            "`docs/contract.md#order-of-checks` and `docs/security.md` 22",
            "as `docs/security.md` says",
        ] {
            assert_eq!(faults(right), 0, "{right}");
        }
        for wrong in [
            "the window (`contract.md` 1)",
            "`docs/contract.md#rate`",
            "`docs/contract.md`",
            "`docs/security.md` 23",
            "`security.md` 22",
            "`service.md` 4.8",
        ] {
            assert_eq!(faults(wrong), 1, "{wrong}");
        }
    }
}
