//! Runs wrk and parses its output.

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result};
use serde_json::Value;
use tempfile::NamedTempFile;

use super::measured::float;
use super::stage::Stage;
use super::switchboard::Credentials;
use servers::{clock, process, programs};

/// A function that creates this many single-use requests and writes them into the file.
pub type Once<'a> = dyn Fn(&Path, u64) -> Result<()> + 'a;

/// The requests of a load.
pub struct Requests<'a> {
    /// The wrk script, relative to the workspace root.
    pub script: &'static str,
    /// The path with its query.
    pub path: String,
    /// The credentials of the calls.
    pub key: Credentials,
    /// Whether each request has an `Idempotency-Key`.
    pub idempotent: bool,
    /// The function that creates single-use requests; `None` if a request can be repeated.
    pub once: Option<Box<Once<'a>>>,
}

impl Requests<'_> {
    /// Returns GET requests with a key.
    pub fn get(path: &str, key: Credentials) -> Self {
        let (script, path) = ("tests/load/read.lua", path.to_owned());
        Self { script, path, key, idempotent: false, once: None }
    }
}

/// The outcome of a load.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Outcome {
    pub requests: u64,
    /// The number of answers per second.
    pub per_second: f64,
    /// The median latency in milliseconds.
    pub p50: f64,
    /// The 99th percentile of the latency, in milliseconds.
    pub p99: f64,
    /// The number of answers with status 400 or above.
    pub refused: u64,
    /// The number of requests without an answer.
    pub broken: u64,
}

/// Creates a file with `enough` bodies of single-use requests. If the requests can be repeated, the
/// file is empty.
pub fn bodies(stage: &Stage, requests: &Requests, enough: u64) -> Result<NamedTempFile> {
    let bodies = NamedTempFile::new_in(stage.files()).context("no file for bodies")?;
    if let Some(once) = &requests.once {
        once(bodies.path(), enough)?;
    }
    Ok(bodies)
}

/// Runs wrk for this many seconds.
pub fn run(
    stage: &Stage,
    port: u16,
    requests: &Requests,
    seconds: u32,
    bodies: &NamedTempFile,
) -> Result<Outcome> {
    let mut command = Command::new(programs::require(&["wrk"])?);
    command
        .args(["--threads", "1", "--timeout", "10s"])
        .args(["--connections", &stage.connections().to_string()])
        .args(["--duration", &format!("{seconds}s")])
        .args(["--script", requests.script])
        .arg(format!("http://127.0.0.1:{port}{}", requests.path))
        // The credentials are in environment variables, because every user of the machine can read
        // arguments.
        .env("SWITCHBOARD_BENCH_CLIENT_ID", &requests.key.client_id)
        .env("SWITCHBOARD_BENCH_CLIENT_SECRET", &requests.key.client_secret)
        .env("SWITCHBOARD_BENCH_BODIES", bodies.path())
        .env_remove("SWITCHBOARD_BENCH_IDEMPOTENCY")
        .current_dir(stage.workspace().root());
    if requests.idempotent {
        let run = format!("bench-{}", clock::now().unix_timestamp_nanos());
        command.env("SWITCHBOARD_BENCH_IDEMPOTENCY", run);
    }
    let printed = process::stdout(&mut command)?;
    outcome(&printed).with_context(|| {
        format!("wrk and {} did not print what was expected:\n{printed}", requests.script)
    })
}

/// Writes lines into the file that a script reads.
pub fn write_lines(file: &Path, lines: &str) -> Result<()> {
    fs::write(file, lines).with_context(|| format!("cannot write {}", file.display()))
}

/// Parses the output that a script prints at its end.
pub fn outcome(printed: &str) -> Option<Outcome> {
    let line = printed.lines().find_map(|line| line.strip_prefix("measured "))?;
    let value: Value = serde_json::from_str(line).ok()?;
    let number = |name: &str| value.get(name)?.as_u64();
    let seconds = float(number("duration").filter(|duration| *duration > 0)?) / 1e6;
    Some(Outcome {
        requests: number("requests")?,
        per_second: float(number("requests")?) / seconds,
        p50: float(number("p50")?) / 1e3,
        p99: float(number("p99")?) / 1e3,
        refused: number("refused")?,
        broken: number("broken")?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_summary_is_read() {
        let printed = "Running 1s test\n  12 requests\n\
            measured {\"requests\":9000,\"duration\":2000000,\"p50\":1500,\"p99\":20000,\"refused\":3,\"broken\":4}\n";
        let expected = Outcome {
            requests: 9000,
            per_second: 4500.0,
            p50: 1.5,
            p99: 20.0,
            refused: 3,
            broken: 4,
        };
        assert_eq!(outcome(printed), Some(expected));
        assert_eq!(outcome("Running 1s test\n"), None);
        assert_eq!(outcome("measured {\"requests\":9000}\n"), None);
    }
}
