//! The medians, and their ratios to the bare handler of the same run.

use std::fs;
use std::path::Path;

use anyhow::{Context as _, Result};
use serde_json::{Value, json};

use super::load::{Load, Measured};

/// What is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Subject {
    /// A GET that does nothing.
    BareRead,
    /// An authenticated read.
    SqliteRead,
    /// An authenticated read.
    PostgresRead,
    /// A POST that does nothing.
    BareSend,
    /// A message that is accepted.
    SqliteSend,
    /// A message that is accepted.
    PostgresSend,
    /// A POST that does nothing.
    BareCallback,
    /// A message of a person's that is stored.
    SqliteCallback,
    /// A message of a person's that is stored.
    PostgresCallback,
}

impl Subject {
    /// In the order in which they take turns.
    pub const READS: [Self; 3] = [Self::BareRead, Self::SqliteRead, Self::PostgresRead];
    /// In the order in which they take turns.
    pub const SENDS: [Self; 3] = [Self::BareSend, Self::SqliteSend, Self::PostgresSend];
    /// In the order in which they take turns.
    pub const CALLBACKS: [Self; 3] =
        [Self::BareCallback, Self::SqliteCallback, Self::PostgresCallback];

    /// For people.
    pub fn name(self) -> &'static str {
        match self {
            Self::BareRead => "bare GET",
            Self::SqliteRead => "authenticated read, SQLite",
            Self::PostgresRead => "authenticated read, PostgreSQL",
            Self::BareSend => "bare POST",
            Self::SqliteSend => "send, SQLite",
            Self::PostgresSend => "send, PostgreSQL",
            Self::BareCallback => "bare POST of a callback",
            Self::SqliteCallback => "callback, SQLite",
            Self::PostgresCallback => "callback, PostgreSQL",
        }
    }

    /// For machines.
    fn key(self) -> &'static str {
        match self {
            Self::BareRead => "bare_get",
            Self::SqliteRead => "read_sqlite",
            Self::PostgresRead => "read_postgresql",
            Self::BareSend => "bare_post",
            Self::SqliteSend => "send_sqlite",
            Self::PostgresSend => "send_postgresql",
            Self::BareCallback => "bare_callback",
            Self::SqliteCallback => "callback_sqlite",
            Self::PostgresCallback => "callback_postgresql",
        }
    }

    /// What is asked for.
    pub fn path(self) -> &'static str {
        match self {
            Self::BareRead | Self::BareSend | Self::BareCallback => "/",
            Self::SqliteRead | Self::PostgresRead => "/api/v1/me",
            Self::SqliteSend | Self::PostgresSend => "/api/v1/messages",
            Self::SqliteCallback | Self::PostgresCallback => "/channel/cloud/webhook",
        }
    }

    /// wrk's script, from the root of the workspace.
    pub fn script(self) -> &'static str {
        match self.bare() {
            Self::BareRead => "tests/load/read.lua",
            Self::BareSend => "tests/load/send.lua",
            _ => "tests/load/callback.lua",
        }
    }

    fn bare(self) -> Self {
        match self {
            Self::BareRead | Self::SqliteRead | Self::PostgresRead => Self::BareRead,
            Self::BareSend | Self::SqliteSend | Self::PostgresSend => Self::BareSend,
            Self::BareCallback | Self::SqliteCallback | Self::PostgresCallback => {
                Self::BareCallback
            }
        }
    }
}

/// One subject's line.
struct Row {
    subject: Subject,
    /// The round with the median of the requests a second.
    median: Measured,
    rounds: Vec<f64>,
    /// Over all rounds.
    failed: u64,
    /// Requests a second against the bare handler's.
    ratio: f64,
}

/// All lines.
pub struct Report {
    load: Load,
    rows: Vec<Row>,
}

impl Report {
    /// Sums up what was measured under `load`.
    pub fn of(load: Load, measured: &[(Subject, Measured)]) -> Self {
        let of = |subject: Subject| -> Vec<Measured> {
            measured
                .iter()
                .filter(|(whose, _)| *whose == subject)
                .map(|(_, measured)| *measured)
                .collect()
        };
        let subjects = [Subject::READS, Subject::SENDS, Subject::CALLBACKS].into_iter().flatten();
        let rows = subjects.filter_map(|subject| {
            let rounds = of(subject);
            let median = median(&rounds)?;
            let bare = self::median(&of(subject.bare()))?;
            Some(Row {
                subject,
                median,
                rounds: rounds.iter().map(|round| round.per_second).collect(),
                failed: rounds.iter().map(|round| round.failed).sum(),
                ratio: median.per_second / bare.per_second,
            })
        });
        Self { load, rows: rows.collect() }
    }

    /// How many requests failed in all.
    pub fn failed(&self) -> u64 {
        self.rows.iter().map(|row| row.failed).sum()
    }

    /// For people.
    pub fn table(&self) -> String {
        let mut text = format!(
            "\n{} connections, {} s a measurement, median of the rounds; ratio: to the bare handler of this run\n\n\
             {:32}{:>12}{:>11}{:>11}{:>8}{:>9}\n",
            self.load.connections,
            self.load.seconds,
            "",
            "requests/s",
            "p50 ms",
            "p99 ms",
            "ratio",
            "failed"
        );
        for row in &self.rows {
            let Measured { per_second, p50, p99, .. } = row.median;
            let line = format!(
                "{:32}{per_second:>12.0}{p50:>11.2}{p99:>11.2}{:>8.2}{:>9}\n",
                row.subject.name(),
                row.ratio,
                row.failed
            );
            text.push_str(&line);
        }
        text
    }

    /// How each ratio has changed since an earlier run; the bare handlers are what the others are compared to.
    pub fn changes(&self, earlier: &Earlier) -> String {
        let mut text = format!("\n{:32}{:>10}{:>10}{:>10}\n", "ratio", "before", "now", "change");
        for row in self.rows.iter().filter(|row| row.subject.bare() != row.subject) {
            let name = row.subject.name();
            let before = earlier.0.iter().find(|(key, _)| key == row.subject.key());
            let line = match before {
                Some((_, before)) => {
                    let change = (row.ratio / before - 1.0) * 100.0;
                    format!("{name:32}{before:>10.3}{:>10.3}{change:>+9.1}%\n", row.ratio)
                }
                None => format!("{name:32}{:>10}{:>10.3}\n", "none", row.ratio),
            };
            text.push_str(&line);
        }
        text
    }

    /// For machines.
    pub fn json(&self) -> Value {
        let row = |row: &Row| {
            json!({
                "name": row.subject.key(),
                "requests_per_second": rounded(row.median.per_second),
                "p50_ms": rounded(row.median.p50),
                "p99_ms": rounded(row.median.p99),
                "ratio_to_bare": rounded(row.ratio),
                "failed": row.failed,
                "rounds": row.rounds.iter().map(|round| rounded(*round)).collect::<Vec<f64>>(),
            })
        };
        json!({
            "connections": self.load.connections,
            "seconds": self.load.seconds,
            "results": self.rows.iter().map(row).collect::<Vec<Value>>(),
        })
    }
}

/// The ratios of an earlier run.
pub struct Earlier(Vec<(String, f64)>);

impl Earlier {
    /// Reads what `--json` printed.
    pub fn read(file: &Path) -> Result<Self> {
        let text =
            fs::read_to_string(file).with_context(|| format!("cannot read {}", file.display()))?;
        let json: Value = serde_json::from_str(&text)
            .with_context(|| format!("{} is not what --json prints", file.display()))?;
        let results = json.get("results").and_then(Value::as_array).into_iter().flatten();
        let ratio = |it: &Value| {
            Some((it.get("name")?.as_str()?.to_owned(), it.get("ratio_to_bare")?.as_f64()?))
        };
        Ok(Self(results.filter_map(ratio).collect()))
    }
}

/// The one in the middle by requests a second, with its own latencies.
fn median(rounds: &[Measured]) -> Option<Measured> {
    let mut sorted = rounds.to_vec();
    sorted.sort_by(|a, b| a.per_second.total_cmp(&b.per_second));
    sorted.get(sorted.len() / 2).copied()
}

fn rounded(number: f64) -> f64 {
    (number * 1000.0).round() / 1000.0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report() -> Report {
        let round = |subject, per_second, p99, failed| {
            (subject, Measured { per_second, p50: 1.0, p99, failed })
        };
        Report::of(
            Load { connections: 64, seconds: 10 },
            &[
                round(Subject::BareRead, 900.0, 9.0, 0),
                round(Subject::SqliteRead, 600.0, 3.0, 0),
                round(Subject::BareRead, 1000.0, 5.0, 0),
                round(Subject::SqliteRead, 100.0, 70.0, 2),
                round(Subject::BareRead, 5000.0, 1.0, 0),
                round(Subject::SqliteRead, 500.0, 4.0, 1),
            ],
        )
    }

    #[test]
    fn a_line_is_the_median_round_and_the_ratio_is_to_the_bare_one() {
        let json = report().json();
        let of = |index: usize, name: &str| json["results"][index][name].clone();
        assert_eq!(of(0, "name"), "bare_get");
        assert_eq!(of(0, "requests_per_second"), 1000.0);
        assert_eq!(of(0, "p99_ms"), 5.0);
        assert_eq!(of(0, "ratio_to_bare"), 1.0);
        assert_eq!(of(1, "name"), "read_sqlite");
        assert_eq!(of(1, "p99_ms"), 4.0);
        assert_eq!(of(1, "ratio_to_bare"), 0.5);
        assert_eq!(of(1, "rounds"), json!([600.0, 100.0, 500.0]));
    }

    #[test]
    fn a_change_is_shown_in_percent_of_the_ratio_before() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("before.json");
        let before = json!({"results": [{"name": "read_sqlite", "ratio_to_bare": 0.4}]});
        fs::write(&file, before.to_string()).unwrap();
        let changes = report().changes(&Earlier::read(&file).unwrap());
        let line = changes.lines().find(|line| line.starts_with("authenticated read, SQLite"));
        let words: Vec<&str> = line.unwrap().split_whitespace().skip(3).collect();
        assert_eq!(words, ["0.400", "0.500", "+25.0%"]);
        assert!(!changes.contains("bare GET"), "{changes}");
    }

    #[test]
    fn failures_of_every_round_are_shown() {
        assert_eq!(report().failed(), 3);
        let table = report().table();
        let line =
            table.lines().find(|line| line.starts_with("authenticated read, SQLite")).unwrap();
        let words: Vec<&str> = line.split_whitespace().skip(3).collect();
        assert_eq!(words, ["500", "1.00", "4.00", "0.50", "3"]);
    }
}
