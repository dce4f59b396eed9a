//! Gives a process a part of a core, as a container's limit does: by a control group of Linux.

use std::fs;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use anyhow::{Context, Result, bail};

use crate::bench::float;

/// Version 1 mounts its controller of the processor here, version 2 everything.
const VERSION_1: &str = "/sys/fs/cgroup/cpu";
const VERSION_2: &str = "/sys/fs/cgroup";
/// Microseconds in which a part of a core is given: so short that a request does not wait for long for the next part,
/// or else the connections would be the limit.
const PERIOD: u64 = 20_000;

/// The time that the cores of the machine had nothing to do, from here on.
pub struct Idle {
    idle: u64,
    all: u64,
}

impl Idle {
    /// Starts to look.
    pub fn watch() -> Result<Self> {
        let (idle, all) = ticks()?;
        Ok(Self { idle, all })
    }

    /// What part of all cores it was since, in per cent.
    pub fn percent(&self) -> Result<f64> {
        let (idle, all) = ticks()?;
        Ok(100.0 * float(idle - self.idle) / float((all - self.all).max(1)))
    }
}

fn ticks() -> Result<(u64, u64)> {
    let stat = fs::read_to_string("/proc/stat").context("no /proc/stat")?;
    parsed(&stat).context("/proc/stat says nothing of processor time")
}

/// The fourth number is what was idle, the fifth what waited for a disk meanwhile; the first eight are everything.
fn parsed(stat: &str) -> Option<(u64, u64)> {
    let words = stat.lines().find_map(|line| line.strip_prefix("cpu "))?;
    let words: Vec<u64> =
        words.split_whitespace().take(8).map_while(|it| it.parse().ok()).collect();
    Some((words.get(3)? + words.get(4)?, words.iter().sum()))
}

/// A limit on one process; dropping it, after the process has ended, takes the group away.
pub struct Limit(PathBuf);

impl Limit {
    /// Gives the process so many hundredths of a core.
    pub fn on(process: u32, percent: u64) -> Result<Self> {
        let quota = PERIOD * percent / 100;
        let (base, settings) = if Path::new(VERSION_1).join("cpu.cfs_quota_us").is_file() {
            let (period, quota) = (PERIOD.to_string(), quota.to_string());
            (VERSION_1, vec![("cpu.cfs_period_us", period), ("cpu.cfs_quota_us", quota)])
        } else {
            let enabled = Path::new(VERSION_2).join("cgroup.subtree_control");
            if !fs::read_to_string(&enabled)
                .is_ok_and(|it| it.split_whitespace().any(|it| it == "cpu"))
            {
                bail!(
                    "the processor time of a process cannot be limited here: there is neither {VERSION_1}/cpu.cfs_quota_us \
                     nor `cpu` in {}",
                    enabled.display()
                );
            }
            (VERSION_2, vec![("cpu.max", format!("{quota} {PERIOD}"))])
        };
        let group = Path::new(base).join(format!("switchboard-cluster-{process}"));
        fs::create_dir(&group).with_context(|| {
            format!(
                "the processor time of a process cannot be limited: cannot make {} (as root?)",
                group.display()
            )
        })?;
        let limit = Self(group);
        for (name, value) in settings {
            limit.write(name, &value)?;
        }
        limit.write("cgroup.procs", &process.to_string())?;
        Ok(limit)
    }

    fn write(&self, name: &str, value: &str) -> Result<()> {
        let file = self.0.join(name);
        fs::write(&file, value)
            .with_context(|| format!("cannot write {value} to {}", file.display()))
    }
}

impl Drop for Limit {
    fn drop(&mut self) {
        // A process that has just ended is counted for another moment.
        thread::sleep(Duration::from_millis(50));
        if let Err(error) = fs::remove_dir(&self.0) {
            eprintln!("[xtask] {} stays: {error}", self.0.display());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waiting_for_a_disk_is_idle() {
        let stat = "cpu  10 1 5 100 20 0 2 3 50 50\ncpu0 1 1 1 1 1 1 1 1 0 0\n";
        assert_eq!(parsed(stat), Some((120, 141)));
        assert_eq!(parsed("intr 1\n"), None);
    }
}
