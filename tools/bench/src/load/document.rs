//! docs/performance.md: measurements next to their targets.
//!
//! The section between the markers is generated from docs/performance.json, which contains the
//! latest measurement of each row. The rest of the file is written by hand and is not changed.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result, bail};

use super::machine::Run;
use super::measured::Subject;
use super::report::{Report, RowResult, short, target, verdict};
use super::table::{Row, Unit};
use servers::workspace::{Workspace, text_or_nothing};

const DOCUMENT: &str = "docs/performance.md";
const DATA: &str = "docs/performance.json";
const BEGIN: &str = "<!-- measured: written by `cargo xtask bench --write` -->";
const END: &str = "<!-- end of what was measured -->";

/// Writes the complete rows and keeps the other rows of the file.
pub fn write(workspace: &Workspace, newer: &Report) -> Result<()> {
    let mut newer = newer.clone();
    newer.results.retain(RowResult::is_complete);
    let (document, data) = (workspace.root().join(DOCUMENT), workspace.root().join(DATA));
    let known = if data.is_file() { Report::read(&data)? } else { Report::default() };
    let report = known.updated_by(&newer);
    let text = text_or_nothing(&document)?;
    put(&document, &with_region(&text, &region(&report))?)?;
    put(&data, &(report.json()? + "\n"))
}

fn put(file: &Path, text: &str) -> Result<()> {
    fs::write(file, text).with_context(|| format!("cannot write {}", file.display()))?;
    eprintln!("[xtask] {}: written", file.display());
    Ok(())
}

/// Replaces the text between the markers.
fn with_region(document: &str, region: &str) -> Result<String> {
    let parts = document.split_once(BEGIN).and_then(|(before, rest)| {
        let (_, after) = rest.split_once(END)?;
        Some((before, after))
    });
    let Some((before, after)) = parts else {
        bail!("{DOCUMENT} lacks `{BEGIN}` or `{END}`, which enclose the table");
    };
    Ok(format!("{before}{BEGIN}\n\n{region}\n{END}{after}"))
}

/// Renders the text between the markers.
fn region(report: &Report) -> String {
    let mut text = format!(
        "Measured on {}, with {} connections.\n\n",
        report.machine.describe(),
        report.connections
    );
    text.push_str(
        "| work | SQLite | target | | PostgreSQL | target | |\n|---|---|---|---|---|---|---|\n",
    );
    for (result, row) in report.rows() {
        let _ = write!(text, "| {} (`{}`)", row.title, row.name);
        for subject in Subject::DATABASES {
            let cells = cells(result, row, subject);
            let _ = write!(text, " | {} | {} | {}", cells.0, target(row, subject), cells.1);
        }
        text.push_str(" |\n");
    }
    text.push_str("\nWhat else was seen in the round of the median:\n\n| row | subject | value | all rounds | details |\n|---|---|---|---|---|\n");
    for (result, row) in report.rows() {
        for it in &result.subjects {
            let rounds: Vec<String> = it.rounds.iter().map(|round| short(*round)).collect();
            let _ = writeln!(
                text,
                "| `{}` | {} | {} | {} | {} |",
                row.name,
                it.subject.name(),
                it.shown(row.unit),
                rounds.join(", "),
                it.details()
            );
        }
    }
    text.push('\n');
    text.push_str(&runs(report));
    text
}

/// Formats a value with its ratio, and whether it reaches the target.
fn cells(result: &RowResult, row: &Row, subject: Subject) -> (String, &'static str) {
    let Some(it) = result.of_subject(subject) else {
        return ("not measured".to_owned(), "");
    };
    let shown = it.shown(row.unit);
    let shown = match it.ratio {
        Some(ratio) if row.unit == Unit::Ratio => format!("**{ratio:.3}** ({shown})"),
        _ => format!("**{shown}**"),
    };
    (shown, verdict(it.reached))
}

/// Lists the version and the duration of each row's measurements.
fn runs(report: &Report) -> String {
    let mut runs: BTreeMap<(&str, &str, &str), Vec<String>> = BTreeMap::new();
    for (result, row) in report.rows() {
        let Run { commit, date, command } = &result.run;
        let rows = runs.entry((date, commit, command)).or_default();
        rows.push(format!("`{}` ({} s)", row.name, result.seconds));
    }
    let mut text = String::new();
    for ((date, commit, command), rows) in runs {
        let _ = writeln!(text, "- {date}, commit {commit}, `{command}`: {}", rows.join(", "));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::load::measured::Measured;
    use crate::load::table::ROWS;

    fn result(name: &str, commit: &str, per_second: f64) -> RowResult {
        let row = ROWS.iter().find(|row| row.name == name).unwrap();
        let run = Run { commit: commit.to_owned(), ..Run::default() };
        let measured = [
            (Subject::Bare, Measured::of(100_000.0)),
            (Subject::Sqlite, Measured::of(per_second).with("p99_ms", 4.0)),
        ];
        RowResult::of(row, 20, &run, &measured)
    }

    #[test]
    fn what_is_written_by_hand_stays() {
        let before = format!("# Title\n{BEGIN}\nold\n{END}\n## Where the time goes\n");
        let after = with_region(&before, "new").unwrap();
        assert_eq!(after, format!("# Title\n{BEGIN}\n\nnew\n{END}\n## Where the time goes\n"));
        assert!(with_region("# Title\n", "new").is_err());
        assert!(with_region(include_str!("../../../../docs/performance.md"), "new").is_ok());
    }

    #[test]
    fn a_row_has_its_value_target_and_verdict() {
        let results = vec![result("send", "abc", 12_345.0)];
        let text = region(&Report { results, ..Report::default() });
        let row = text.lines().find(|line| line.contains("(`send`)")).unwrap();
        let expected = "| **0.123** (12345/s) | ≥ 0.10 | reached | not measured | ≥ 0.10 |  |";
        assert!(row.ends_with(expected), "{row}");
        assert!(text.contains("| `send` | SQLite | 12345/s | 12345 | p99 4.00 ms |"), "{text}");
        assert!(text.contains("commit abc"), "{text}");
    }

    #[test]
    fn rows_that_were_not_measured_again_stay() {
        let report = |results| Report { results, ..Report::default() };
        let old = report(vec![result("send", "a", 1.0), result("token", "a", 1.0)]);
        let new = report(vec![result("me", "b", 2.0), result("token", "b", 2.0)]);
        let merged = old.updated_by(&new);
        let seen: Vec<(&str, &str)> = merged
            .results
            .iter()
            .map(|result| (result.name.as_str(), result.run.commit.as_str()))
            .collect();
        assert_eq!(seen, [("me", "b"), ("send", "a"), ("token", "b")]);
    }
}
