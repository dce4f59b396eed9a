//! The machine and the version of a measurement.

use std::fs;
use std::process::Command;
use std::thread;

use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};

use super::measured::float;
use servers::workspace::Workspace;
use servers::{clock, process};

/// The machine of a measurement.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Machine {
    /// The model of the processor.
    pub processor: String,
    /// The number of cores that programs may use.
    pub cores: usize,
    /// The memory in gigabytes of a billion bytes.
    pub memory_gb: f64,
}

impl Machine {
    pub fn this() -> Result<Self> {
        let processors = fs::read_to_string("/proc/cpuinfo").context("no /proc/cpuinfo")?;
        let memory = fs::read_to_string("/proc/meminfo").context("no /proc/meminfo")?;
        let cores =
            thread::available_parallelism().context("the number of cores is unknown")?.get();
        Ok(Self {
            processor: field(&processors, "model name").unwrap_or("unknown").to_owned(),
            cores,
            memory_gb: gigabytes(&memory).unwrap_or_default(),
        })
    }

    /// Formats the machine for reports.
    pub fn describe(&self) -> String {
        format!("{} cores of {}, {:.0} GB of memory", self.cores, self.processor, self.memory_gb)
    }
}

/// The version and time of a measurement.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Run {
    /// The checked-out commit, with `+` if files were changed. A binary given with `--binary` may
    /// be of another commit.
    pub commit: String,
    /// The date in UTC.
    pub date: String,
    /// The command as typed.
    pub command: String,
}

impl Run {
    /// Describes this run. `given` tells whether the binary was given instead of built.
    pub fn this(workspace: &Workspace, given: bool) -> Result<Self> {
        let git = |arguments: &[&str]| {
            process::stdout(Command::new("git").args(arguments).current_dir(workspace.root()))
        };
        let commit = git(&["rev-parse", "--short=10", "HEAD"])?;
        let changed = git(&["status", "--porcelain", "--untracked-files=no", "--", "crates"])?;
        let sign = if changed.trim().is_empty() { "" } else { "+" };
        let origin = if given { ", binary given" } else { "" };
        // The first two arguments are the program and its command, `load`.
        let arguments: Vec<String> = std::env::args().skip(2).collect();
        Ok(Self {
            commit: format!("{}{sign}{origin}", commit.trim()),
            date: clock::now().date().to_string(),
            command: format!("cargo xtask bench {}", arguments.join(" ")),
        })
    }
}

fn field<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    text.lines().find_map(|line| {
        let (its, value) = line.split_once(':')?;
        (its.trim() == name).then(|| value.trim())
    })
}

fn gigabytes(memory: &str) -> Option<f64> {
    let kibibytes: u64 = field(memory, "MemTotal")?.strip_suffix(" kB")?.parse().ok()?;
    Some((float(kibibytes * 1024) / 1e9).round())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn linux_describes_the_machine() {
        assert_eq!(
            field("processor\t: 0\nmodel name\t: AMD EPYC\n", "model name"),
            Some("AMD EPYC")
        );
        assert_eq!(gigabytes("MemTotal:       24000000 kB\n"), Some(25.0));
        assert!(Machine::this().unwrap().cores > 0);
    }
}
