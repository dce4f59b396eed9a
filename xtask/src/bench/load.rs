//! wrk, and what it says.

use std::process::Command;

use anyhow::{Context, Result};
use serde_json::Value;

use super::targets::Target;
use super::{FILES, callbacks};
use crate::workspace::Workspace;
use crate::{process, programs};

const WARM_UP_SECONDS: u32 = 2;

/// How much is asked for.
#[derive(Clone, Copy)]
pub struct Load {
    /// Connections that are kept busy.
    pub connections: u32,
    /// How long.
    pub seconds: u32,
}

/// What came of it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Measured {
    /// Answers a second.
    pub per_second: f64,
    /// The median latency in milliseconds.
    pub p50: f64,
    /// The latency that one answer in a hundred exceeds, in milliseconds.
    pub p99: f64,
    /// Answers of 400 and above, and requests without an answer, also while warming up.
    pub failed: u64,
}

impl Load {
    /// Warms `target` up, then measures it.
    pub fn run(
        self,
        workspace: &Workspace,
        target: &Target,
        path: &str,
        script: &str,
    ) -> Result<Measured> {
        let warm_up =
            wrk(workspace, target, path, script, Self { seconds: WARM_UP_SECONDS, ..self })?;
        let measured = wrk(workspace, target, path, script, self)?;
        Ok(Measured { failed: measured.failed + warm_up.failed, ..measured })
    }
}

fn wrk(
    workspace: &Workspace,
    target: &Target,
    path: &str,
    script: &str,
    load: Load,
) -> Result<Measured> {
    let callbacks = tempfile::NamedTempFile::new_in(FILES).context("no file for callbacks")?;
    if script.ends_with("callback.lua") {
        callbacks::write(callbacks.path(), load.seconds)?;
    }
    let mut command = Command::new(programs::require(&["wrk"])?);
    command
        .args(["--threads", "1", "--timeout", "10s"])
        .args(["--connections", &load.connections.to_string()])
        .args(["--duration", &format!("{}s", load.seconds)])
        .args(["--script", script])
        .arg(format!("http://127.0.0.1:{}{path}", target.port))
        // Not as arguments, which everybody on the machine may read.
        .env("SWITCHBOARD_BENCH_CLIENT_ID", &target.client_id)
        .env("SWITCHBOARD_BENCH_CLIENT_SECRET", &target.client_secret)
        .env("SWITCHBOARD_BENCH_CALLBACKS", callbacks.path())
        .current_dir(workspace.root());
    let printed = process::stdout(&mut command)?;
    measured(&printed)
        .with_context(|| format!("wrk and {script} say something else than expected:\n{printed}"))
}

#[expect(
    clippy::cast_precision_loss,
    reason = "microseconds and requests of minutes are far below 2^52"
)]
fn measured(printed: &str) -> Option<Measured> {
    let line = printed.lines().find_map(|line| line.strip_prefix("measured "))?;
    let value: Value = serde_json::from_str(line).ok()?;
    let number = |name: &str| value.get(name)?.as_u64();
    let seconds = number("duration").filter(|duration| *duration > 0)? as f64 / 1e6;
    Some(Measured {
        per_second: number("requests")? as f64 / seconds,
        p50: number("p50")? as f64 / 1e3,
        p99: number("p99")? as f64 / 1e3,
        failed: number("refused")? + number("broken")?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_summary_is_read() {
        let printed = "Running 1s test\n  12 requests\n\
            measured {\"requests\":9000,\"duration\":2000000,\"p50\":1500,\"p99\":20000,\"refused\":3,\"broken\":4}\n";
        let expected = Measured { per_second: 4500.0, p50: 1.5, p99: 20.0, failed: 7 };
        assert_eq!(measured(printed), Some(expected));
        assert_eq!(measured("Running 1s test\n"), None);
        assert_eq!(measured("measured {\"requests\":9000}\n"), None);
    }
}
