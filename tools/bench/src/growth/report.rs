//! The growth report: times at each size next to each other, as a table in Markdown.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use serde_json::{Value, json};

use super::measure::Measured;

/// The ratio above which a time counts as dependent on the size of the tables.
const MOST: f64 = 1.3;
/// The difference in milliseconds below which times count as equal.
const NOISE: f64 = 0.3;

/// All measurements of one database at one size.
pub struct Subject {
    pub database: &'static str,
    /// The number of messages in the database.
    pub rows: i64,
    pub measured: Vec<Measured>,
    /// The number of rows of each table.
    pub tables: Vec<(String, i64)>,
    /// The time of filling the database, in seconds.
    pub filled_in: Option<f64>,
}

pub fn table(subjects: &[Subject]) -> String {
    let mut text = String::new();
    for database in databases(subjects) {
        let of: Vec<&Subject> = subjects.iter().filter(|it| it.database == database).collect();
        let sizes: Vec<String> = of.iter().map(|it| format!("ms at {}", it.rows)).collect();
        let _ = writeln!(text, "\n### {database}\n\n| what | {} | ratio | |", sizes.join(" | "));
        let _ = writeln!(text, "|---|{}---:|---|", "---:|".repeat(of.len()));
        for (name, times) in rows(&of) {
            let shown =
                times.iter().map(|time| time.map_or("–".to_owned(), |it| format!("{:.2}", it.0)));
            let shown = shown.collect::<Vec<_>>().join(" | ");
            let ratio = ratio(&times).map_or("–".to_owned(), |ratio| format!("{ratio:.2}"));
            let mark = mark(&times);
            let name = name.replace('|', "\\|");
            let _ = writeln!(text, "| `{name}` | {shown} | {ratio} | {mark} |");
        }
        let _ = writeln!(
            text,
            "\n| table | {} |",
            of.iter().map(|it| it.rows.to_string()).collect::<Vec<_>>().join(" | ")
        );
        let _ = writeln!(text, "|---|{}", "---:|".repeat(of.len()));
        let Some(largest) = of.last() else { continue };
        for (name, _) in &largest.tables {
            let count = |it: &&Subject| {
                it.tables.iter().find(|(of, _)| of == name).map_or(0, |(_, rows)| *rows)
            };
            let counts: Vec<String> = of.iter().map(|it| count(it).to_string()).collect();
            let _ = writeln!(text, "| `{name}` | {} |", counts.join(" | "));
        }
    }
    text
}

/// Formats the results as JSON.
pub fn json(subjects: &[Subject]) -> String {
    let subject = |it: &Subject| {
        let times = it.measured.iter();
        let times: Vec<Value> = times
            .map(|one| json!({"name": one.name, "ms": one.ms, "status": one.status}))
            .collect();
        let tables: BTreeMap<_, _> = it.tables.iter().cloned().collect();
        json!({
            "database": it.database, "rows": it.rows, "filled_in_seconds": it.filled_in,
            "measured": times, "tables": tables,
        })
    };
    let all: Vec<Value> = subjects.iter().map(subject).collect();
    format!("{:#}", Value::from(all))
}

fn databases(subjects: &[Subject]) -> Vec<&'static str> {
    let mut names: Vec<_> = subjects.iter().map(|it| it.database).collect();
    names.dedup();
    names
}

type Times = Vec<Option<(f64, Option<u16>)>>;

/// Returns the names of all measurements, each with its times at every size.
fn rows(of: &[&Subject]) -> Vec<(String, Times)> {
    let mut names: Vec<String> = Vec::new();
    for measured in of.iter().flat_map(|it| &it.measured) {
        if !names.contains(&measured.name) {
            names.push(measured.name.clone());
        }
    }
    names
        .into_iter()
        .map(|name| {
            let time = |subject: &&Subject| {
                let found = subject.measured.iter().find(|it| it.name == name);
                found.map(|it| (it.ms, it.status))
            };
            let times = of.iter().map(time).collect();
            (name, times)
        })
        .collect()
}

/// Returns the ratio of the time at the largest size to the time at the smallest.
fn ratio(times: &Times) -> Option<f64> {
    let (first, last) = ((*times.first()?)?, (*times.last()?)?);
    (times.len() > 1 && first.0 > 0.0).then(|| last.0 / first.0)
}

fn mark(times: &Times) -> String {
    let statuses: Vec<String> = times
        .iter()
        .flatten()
        .filter_map(|it| it.1)
        .filter(|it| *it >= 400)
        .map(|it| it.to_string())
        .collect();
    let difference = match (times.first(), times.last()) {
        (Some(Some(first)), Some(Some(last))) => last.0 - first.0,
        _ => 0.0,
    };
    let grows = ratio(times).is_some_and(|ratio| ratio > MOST) && difference > NOISE;
    let mut mark = if grows { "> 1.3".to_owned() } else { String::new() };
    if !statuses.is_empty() {
        let _ = write!(mark, " status {}", statuses.join(", "));
    }
    mark.trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn subject(rows: i64, times: &[(&str, f64)]) -> Subject {
        let measured = times.iter().map(|(name, ms)| Measured {
            name: (*name).to_owned(),
            ms: *ms,
            status: Some(200),
        });
        let tables = vec![("messages".to_owned(), rows)];
        Subject { database: "SQLite", rows, measured: measured.collect(), tables, filled_in: None }
    }

    #[test]
    fn what_grows_is_marked() {
        let small = subject(10, &[("a", 1.0), ("b", 1.0), ("c", 0.1)]);
        let large = subject(20, &[("a", 1.2), ("b", 2.0), ("c", 0.2), ("d", 1.0)]);
        let table = table(&[small, large]);
        assert!(table.contains("| `a` | 1.00 | 1.20 | 1.20 |  |"), "{table}");
        assert!(table.contains("| `b` | 1.00 | 2.00 | 2.00 | > 1.3 |"), "{table}");
        assert!(table.contains("| `c` | 0.10 | 0.20 | 2.00 |  |"), "{table}");
        assert!(table.contains("| `d` | – | 1.00 | – |  |"), "{table}");
        assert!(table.contains("| `messages` | 10 | 20 |"), "{table}");
    }
}
