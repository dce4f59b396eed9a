//! The results of all measurements: as JSON, as a table, and compared with an earlier run.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use anyhow::{Context as _, Result};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::machine::{Machine, Run};
use super::measured::{Measured, Subject, median, rounded};
use super::table::{Bound, ROWS, Row, Unit};

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Report {
    pub machine: Machine,
    /// The number of connections that the load kept busy.
    pub connections: u32,
    /// The results in the order of the table.
    pub results: Vec<RowResult>,
}

/// The results of one row.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RowResult {
    pub name: String,
    /// The duration of each measurement.
    pub seconds: u32,
    /// The time and version of the measurement.
    pub run: Run,
    pub subjects: Vec<SubjectResult>,
    /// The subjects whose version of the server lacks something that the row needs.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub unsupported: Vec<Subject>,
}

/// The result of one row for one subject.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SubjectResult {
    pub subject: Subject,
    /// The median of the rounds.
    pub value: f64,
    /// The ratio to the bare handler of the same run, if the row is judged by it.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub ratio: Option<f64>,
    /// Whether the target is reached; `None` if there is none.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub reached: Option<bool>,
    /// The values of all rounds.
    pub rounds: Vec<f64>,
    /// The further values of the median round.
    pub details: Map<String, Value>,
}

impl RowResult {
    /// Summarizes the rounds of a row.
    pub fn of(row: &Row, seconds: u32, run: &Run, measured: &[(Subject, Measured)]) -> Self {
        let of = |subject: Subject| -> Vec<Measured> {
            let theirs = measured.iter().filter(|(whose, _)| *whose == subject);
            theirs.map(|(_, measured)| measured.clone()).collect()
        };
        let bare = median(&of(Subject::Bare)).map(|measured| measured.value);
        let subjects = row.subjects().iter().filter_map(|subject| {
            let rounds = of(*subject);
            let middle = median(&rounds)?;
            let ratio = bare.map(|bare| middle.value / bare);
            let judged = if row.unit == Unit::Ratio { ratio } else { Some(middle.value) };
            Some(SubjectResult {
                subject: *subject,
                value: rounded(middle.value),
                ratio: ratio.map(|ratio| (ratio * 1e4).round() / 1e4),
                reached: judged.and_then(|judged| row.bound(*subject).reached(judged)),
                rounds: rounds.iter().map(|round| rounded(round.value)).collect(),
                details: middle.details.clone(),
            })
        });
        let subjects = subjects.collect();
        let (name, run) = (row.name.to_owned(), run.clone());
        Self { name, seconds, run, subjects, unsupported: Vec::new() }
    }

    /// Returns the result of a subject.
    pub fn of_subject(&self, subject: Subject) -> Option<&SubjectResult> {
        self.subjects.iter().find(|result| result.subject == subject)
    }

    /// Tells whether no measurement of the row failed.
    pub fn is_complete(&self) -> bool {
        self.row().is_some_and(|row| row.subjects().len() == self.subjects.len())
    }

    /// Returns the declaration of the row, if it still exists.
    pub fn row(&self) -> Option<&'static Row> {
        ROWS.iter().find(|row| row.name == self.name)
    }
}

impl SubjectResult {
    /// Returns the judged value: the ratio, or the value itself.
    pub fn judged(&self, unit: Unit) -> Option<f64> {
        if unit == Unit::Ratio { self.ratio } else { Some(self.value) }
    }

    /// Formats the value for the report.
    pub fn shown(&self, unit: Unit) -> String {
        let (value, suffix) = (self.value, unit.suffix());
        match unit {
            Unit::Ratio | Unit::PerSecond => format!("{value:.0}{suffix}"),
            Unit::Milliseconds | Unit::Megabytes => format!("{value:.1}{suffix}"),
            Unit::Percent | Unit::Factor => format!("{value:.2}{suffix}"),
        }
    }

    /// Formats the details for the report.
    pub fn details(&self) -> String {
        let shown = |(name, value): (&String, &Value)| {
            let (name, unit) = match name.rsplit_once('_') {
                Some((name, unit @ ("ms" | "s" | "mb" | "percent"))) => (name, unit),
                _ => (name.as_str(), ""),
            };
            let (name, unit) = match (name.strip_suffix("_per"), unit) {
                (Some(name), "s") => (name, "/s"),
                (_, "ms") => (name, " ms"),
                (_, "s") => (name, " s"),
                (_, "mb") => (name, " MB"),
                (_, "percent") => (name, " %"),
                _ => (name, ""),
            };
            let value = value.as_f64().map_or_else(String::new, short);
            format!("{} {value}{unit}", name.replace('_', " "))
        };
        self.details.iter().map(shown).collect::<Vec<_>>().join(", ")
    }
}

impl Report {
    /// Reads an output of `--json`.
    pub fn read(file: &Path) -> Result<Self> {
        let text =
            fs::read_to_string(file).with_context(|| format!("cannot read {}", file.display()))?;
        serde_json::from_str(&text)
            .with_context(|| format!("{} is not what --json prints", file.display()))
    }

    pub fn json(&self) -> Result<String> {
        Ok(serde_json::to_string_pretty(self)?)
    }

    /// Replaces the rows that `newer` also has, and adds the other rows of `newer`.
    pub fn updated_by(mut self, newer: &Self) -> Self {
        self.results.retain(|old| newer.results.iter().all(|new| new.name != old.name));
        self.results.extend(newer.results.iter().cloned());
        let place = |result: &RowResult| ROWS.iter().position(|row| row.name == result.name);
        // A row without a declaration is not shown.
        self.results.retain(|result| place(result).is_some());
        self.results.sort_by_key(place);
        Self { machine: newer.machine.clone(), connections: newer.connections, ..self }
    }

    /// Formats the results as a table.
    pub fn table(&self) -> String {
        let mut text = format!(
            "\n{}; {} connections; median of the rounds; ratio: to the bare handler of this run\n\n",
            self.machine.describe(),
            self.connections
        );
        for (result, row) in self.rows() {
            let _ = writeln!(text, "{} ({}, {} s)", row.title, row.name, result.seconds);
            for it in &result.subjects {
                let ratio = it.ratio.map(|ratio| format!("{ratio:.3}")).unwrap_or_default();
                let target = row.bound(it.subject).text(row.unit);
                let _ = writeln!(
                    text,
                    "  {:11}{:>13}{ratio:>8}  {target:9} {:8} {}",
                    it.subject.name(),
                    it.shown(row.unit),
                    verdict(it.reached),
                    it.details()
                );
            }
            for subject in &result.unsupported {
                let _ = writeln!(text, "  {:11}{:>13}", subject.name(), "-");
            }
        }
        text
    }

    /// Formats the change of each judged figure since an earlier run. `-` stands for a figure that
    /// one of the runs does not have.
    pub fn changes(&self, earlier: &Self) -> String {
        let mut text = format!("\n{:38}{:>12}{:>12}{:>10}\n", "", "before", "now", "change");
        for (result, row) in self.rows() {
            let before = earlier.results.iter().find(|before| before.name == result.name);
            for subject in Subject::DATABASES {
                let judged = |of: &RowResult| of.of_subject(subject)?.judged(row.unit);
                let (before, now) = (before.and_then(judged), judged(result));
                if before.is_none() && now.is_none() {
                    continue;
                }
                let change = before.zip(now).map(|(before, now)| (now / before - 1.0) * 100.0);
                let change = change.map_or("-".to_owned(), |change| format!("{change:+.1}%"));
                let name = format!("{}, {}", row.name, subject.name());
                let (before, now) = (figure(before), figure(now));
                let _ = writeln!(text, "{name:38}{before:>12}{now:>12}{change:>10}");
            }
        }
        text
    }

    /// Returns the results with their declarations.
    pub fn rows(&self) -> impl Iterator<Item = (&RowResult, &'static Row)> {
        self.results.iter().filter_map(|result| Some((result, result.row()?)))
    }
}

fn figure(judged: Option<f64>) -> String {
    judged.map_or("-".to_owned(), |judged| format!("{judged:.3}"))
}

/// Formats a number with three significant digits, at most two of them decimals.
pub fn short(number: f64) -> String {
    match number.abs() {
        0.0 => "0".to_owned(),
        100.0.. => format!("{number:.0}"),
        10.0.. => format!("{number:.1}"),
        _ => format!("{number:.2}"),
    }
}

pub const fn verdict(reached: Option<bool>) -> &'static str {
    match reached {
        Some(true) => "reached",
        Some(false) => "missed",
        None => "",
    }
}

/// Formats a row's bound for a database.
pub fn target(row: &Row, subject: Subject) -> String {
    match row.bound(subject) {
        Bound::None => "none".to_owned(),
        bound => bound.text(row.unit),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn result(name: &str, measured: &[(Subject, f64)]) -> RowResult {
        let row = ROWS.iter().find(|row| row.name == name).unwrap();
        let measured: Vec<_> = measured
            .iter()
            .map(|(subject, value)| (*subject, Measured::of(*value).with("p99_ms", value / 100.0)))
            .collect();
        RowResult::of(row, 10, &Run::default(), &measured)
    }

    fn report() -> Report {
        let rounds = [
            (Subject::Bare, 900.0),
            (Subject::Sqlite, 600.0),
            (Subject::Bare, 1000.0),
            (Subject::Sqlite, 100.0),
            (Subject::Bare, 5000.0),
            (Subject::Sqlite, 400.0),
        ];
        let results = vec![result("me", &rounds), result("start", &[(Subject::Sqlite, 60.0)])];
        Report { results, connections: 64, ..Report::default() }
    }

    #[test]
    fn a_result_is_the_median_round_and_the_ratio_is_to_the_bare_one() {
        let report = report();
        let me = report.results.first().unwrap();
        let bare = me.of_subject(Subject::Bare).unwrap();
        assert!((bare.value - 1000.0).abs() < f64::EPSILON);
        assert_eq!(bare.ratio, Some(1.0));
        assert_eq!(bare.reached, None);
        let sqlite = me.of_subject(Subject::Sqlite).unwrap();
        assert!((sqlite.value - 400.0).abs() < f64::EPSILON);
        assert_eq!(sqlite.ratio, Some(0.4));
        assert_eq!(sqlite.reached, Some(false));
        assert_eq!(sqlite.rounds, [600.0, 100.0, 400.0]);
        assert_eq!(sqlite.details(), "p99 4.00 ms");
        assert!(me.of_subject(Subject::Postgres).is_none());
        let start = report.results.last().unwrap().of_subject(Subject::Sqlite).unwrap();
        assert_eq!(start.ratio, None);
        assert_eq!(start.reached, Some(true));
    }

    #[test]
    fn what_is_printed_is_read_again() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("before.json");
        fs::write(&file, report().json().unwrap()).unwrap();
        assert_eq!(Report::read(&file).unwrap(), report());
    }

    #[test]
    fn a_change_is_shown_in_percent() {
        let rounds = [(Subject::Bare, 1000.0), (Subject::Sqlite, 320.0)];
        let before = Report { results: vec![result("me", &rounds)], ..Report::default() };
        let changes = report().changes(&before);
        let words = |start: &str| -> Vec<String> {
            let line = changes.lines().find(|line| line.starts_with(start)).unwrap();
            line.split_whitespace().map(str::to_owned).collect()
        };
        assert_eq!(words("me, SQLite"), ["me,", "SQLite", "0.320", "0.400", "+25.0%"]);
        assert_eq!(words("start, SQLite"), ["start,", "SQLite", "-", "60.000", "-"]);
        assert!(!changes.contains("bare"), "{changes}");
    }

    #[test]
    fn a_row_that_a_version_does_not_support_is_a_dash() {
        let earlier = Report {
            results: vec![result("start", &[(Subject::Sqlite, 60.0)])],
            ..Report::default()
        };
        let unsupported = vec![Subject::Sqlite];
        let now = RowResult { unsupported, ..result("start", &[]) };
        let now = Report { results: vec![now], ..Report::default() };
        let table = now.table();
        let line = table.lines().find(|line| line.starts_with("  SQLite")).unwrap();
        assert_eq!(line.split_whitespace().collect::<Vec<_>>(), ["SQLite", "-"]);
        let changes = now.changes(&earlier);
        let line = changes.lines().find(|line| line.starts_with("start")).unwrap();
        let words: Vec<&str> = line.split_whitespace().collect();
        assert_eq!(words, ["start,", "SQLite", "60.000", "-", "-"]);
        assert!(!now.results.iter().any(RowResult::is_complete));
    }

    #[test]
    fn a_line_has_everything() {
        let table = report().table();
        let line = table.lines().find(|line| line.starts_with("  SQLite")).unwrap();
        let words: Vec<&str> = line.split_whitespace().collect();
        assert_eq!(words, ["SQLite", "400/s", "0.400", "≥", "0.50", "missed", "p99", "4.00", "ms"]);
    }
}
