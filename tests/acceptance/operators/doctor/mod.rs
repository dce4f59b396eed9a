//! `switchboard doctor`: it finds each fault, gives advice, and changes nothing.

mod channel;
mod database;
mod surroundings;

use super::{Output, folder, run};
use crate::world::{Process, free_port};
use serde_json::{Value, json};
use std::path::Path;
use std::sync::LazyLock;
use tempfile::TempDir;

/// Values that must never be printed.
const SECRETS: [&str; 5] = [
    "hunter2",
    "EAAG-test-token",
    crate::cloud::APP_SECRET,
    crate::cloud::VERIFY_TOKEN,
    "c3dpdGNo",
];

/// The schema of the output of `doctor --json`.
static SCHEMA: LazyLock<jsonschema::Validator> = LazyLock::new(|| {
    let finding = json!({
        "type": "object",
        "properties": {
            "subject": {"type": "string", "minLength": 1},
            "state": {"enum": ["ok", "warning", "failed"]},
            "found": {"type": "string", "minLength": 1},
            "advice": {"type": ["string", "null"], "minLength": 1},
        },
        "required": ["subject", "state", "found", "advice"],
        "additionalProperties": false,
    });
    let schema = json!({
        "type": "object",
        "properties": {
            "ok": {"type": "boolean"},
            "failed": {"type": "integer", "minimum": 0},
            "warnings": {"type": "integer", "minimum": 0},
            "findings": {"type": "array", "minItems": 1, "items": finding},
        },
        "required": ["ok", "failed", "warnings", "findings"],
        "additionalProperties": false,
    });
    jsonschema::validator_for(&schema).unwrap()
});

/// The doctor's findings and its whole output.
pub struct DoctorReport {
    findings: Vec<Value>,
    everything: String,
}

impl DoctorReport {
    /// Returns the findings in this state, each with its subject.
    pub fn of(&self, state: &str) -> Vec<String> {
        let of_it = self.findings.iter().filter(|it| it["state"] == state);
        let text = |it: &Value, field: &str| it[field].as_str().unwrap_or_default().to_owned();
        of_it
            .map(|it| [text(it, "subject"), text(it, "found"), text(it, "advice")].join(" | "))
            .collect()
    }

    /// Asserts that no finding failed, and that these words stand together in one finding with
    /// state `ok`.
    #[track_caller]
    pub fn is_well(&self, words: &[&str]) -> &Self {
        assert_eq!(self.of("failed"), [""; 0], "{}", self.everything);
        self.says("ok", words)
    }

    /// Asserts that these words stand together in one finding in this state.
    #[track_caller]
    pub fn says(&self, state: &str, words: &[&str]) -> &Self {
        let found = self.of(state);
        let says = |line: &String| words.iter().all(|word| line.contains(word));
        assert!(found.iter().any(says), "{words:?} in {state} of {}", self.everything);
        self
    }

    /// Asserts that exactly one finding failed and that it contains these words, one of them a
    /// setting.
    #[track_caller]
    pub fn fails(&self, words: &[&str]) -> &Self {
        assert_eq!(self.of("failed").len(), 1, "{}", self.everything);
        self.says("failed", words)
    }
}

/// Runs the doctor in a directory with this environment, as JSON and as a table, and asserts that
/// both agree.
pub async fn examine(folder: &Path, variables: &[(&str, &str)]) -> DoctorReport {
    let said = run(folder, &["doctor", "--json"], variables).await;
    let report: Value = serde_json::from_str(&said.out).expect("JSON and nothing else");
    assert!(SCHEMA.is_valid(&report), "{report}");
    let findings = report["findings"].as_array().unwrap().clone();
    let failed = findings.iter().filter(|it| it["state"] == "failed").count();
    assert_eq!(report["failed"], failed);
    assert_eq!(report["ok"], failed == 0);
    let table = run(folder, &["doctor"], variables).await;
    for Output { code, err, .. } in [&said, &table] {
        assert_eq!(*code, Some(i32::from(failed > 0)), "{}{err}", table.out);
        assert_eq!(err.is_empty(), failed == 0, "{err}");
    }
    // Each finding has advice unless it is `ok`, and appears in the table.
    for finding in &findings {
        assert_eq!(finding["advice"].is_null(), finding["state"] == "ok", "{finding}");
        assert!(table.out.contains(finding["subject"].as_str().unwrap()), "{}", table.out);
    }
    let everything = [said.out, said.err, table.out, table.err].concat();
    for secret in SECRETS {
        assert!(!everything.contains(secret), "{secret} in {everything}");
    }
    DoctorReport { findings, everything }
}

/// A running server and its settings, with which the doctor runs too.
struct DoctorTarget {
    server: Process,
    folder: TempDir,
    variables: Vec<(String, String)>,
}

impl DoctorTarget {
    async fn on(url: &str) -> Self {
        let (folder, _) = folder();
        let port = free_port();
        let media = format!("file:{}", folder.path().join("media").display());
        let key = format!("file:{}", folder.path().join("encryption.key").display());
        let variables = [
            ("SWITCHBOARD_DATABASE_URL", url.to_owned()),
            ("SWITCHBOARD_BIND", format!("127.0.0.1:{port}")),
            ("SWITCHBOARD_MEDIA_URL", media),
            ("SWITCHBOARD_ENCRYPTION_KEY", key),
        ];
        let variables = variables.map(|(name, value)| (name.to_owned(), value)).to_vec();
        let given: Vec<_> = variables.iter().map(|(a, b)| (a.as_str(), b.as_str())).collect();
        let server = Process::serve_with(url, port, &given).await;
        Self { server, folder, variables }
    }

    /// Runs the doctor with the server's settings, some of them replaced by `more`.
    async fn examine(&self, more: &[(&str, &str)]) -> DoctorReport {
        let ours = self.variables.iter().map(|(name, value)| (name.as_str(), value.as_str()));
        let ours = ours.filter(|(name, _)| more.iter().all(|(other, _)| other != name));
        let variables: Vec<_> = ours.chain(more.iter().copied()).collect();
        examine(self.folder.path(), &variables).await
    }
}

#[tokio::test]
async fn everything_that_is_wrong_with_the_settings_is_said_at_once() {
    let (folder, _) = folder();
    let variables = [
        ("SWITCHBOARD_BASE_URL", "ftp://x"),
        ("SWITCHBOARD_WORKERS", "0"),
        ("SWITCHBOARD_BINDD", "x"),
        ("SWITCHBOARD_DATABASE_URL", "mysql://root:hunter2@h/d"),
    ];
    let found = examine(folder.path(), &variables).await;
    assert_eq!(found.of("failed").len(), 4, "{}", found.everything);
    found
        .says("failed", &["base_url", "ftp://x", "SWITCHBOARD_BASE_URL"])
        .says("failed", &["workers", "1 to 256", "SWITCHBOARD_WORKERS"])
        .says("failed", &["SWITCHBOARD_BINDD is unknown"])
        .says("failed", &["database_url", "SWITCHBOARD_DATABASE_URL"]);
}

#[tokio::test]
async fn before_the_first_start_there_is_nothing_to_fail_and_nothing_is_made() {
    let (folder, url) = folder();
    let media = format!("file:{}", folder.path().join("media").display());
    let bind = format!("127.0.0.1:{}", free_port());
    let variables = [
        ("SWITCHBOARD_DATABASE_URL", url.as_str()),
        ("SWITCHBOARD_MEDIA_URL", &media),
        ("SWITCHBOARD_BIND", &bind),
    ];
    examine(folder.path(), &variables)
        .await
        .is_well(&["configuration"])
        .says("warning", &["SWITCHBOARD_DATABASE_URL", "no file", "switchboard serve"])
        .says("warning", &["SWITCHBOARD_BIND", "no server answers"]);
    assert_eq!(folder.path().read_dir().unwrap().count(), 0);
}
