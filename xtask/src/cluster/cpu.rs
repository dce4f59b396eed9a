//! Gives a process a part of a core, as a container's limit does: by a control group of Linux.

use std::fs;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use anyhow::{Context, Result, bail};

use crate::bench::float;
use crate::servers::children;

/// Version 1 mounts its controller of the processor here, version 2 everything.
const VERSION_1: &str = "/sys/fs/cgroup/cpu";
const VERSION_2: &str = "/sys/fs/cgroup";
/// Microseconds in which a part of a core is given: so short that a request does not wait for long for the next part,
/// or else the connections would be the limit.
const PERIOD: u64 = 20_000;
/// Linux counts processor time in hundredths of a second, on every architecture that we run on.
const TICKS_PER_SECOND: f64 = 100.0;

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

/// What a process and those that it has started have taken of the processor until now, in seconds, those too that have ended.
pub fn taken_by_family(process: u32) -> Result<f64> {
    let mut ticks = taken(process)?;
    for child in children(process)? {
        // One that has ended is counted with its parent from then on.
        if let Ok(its) = taken(child.as_raw_nonzero().get().unsigned_abs()) {
            ticks += its;
        }
    }
    Ok(float(ticks) / TICKS_PER_SECOND)
}

fn taken(process: u32) -> Result<u64> {
    let path = format!("/proc/{process}/stat");
    let stat = fs::read_to_string(&path).with_context(|| format!("cannot read {path}"))?;
    family_ticks(&stat).with_context(|| format!("{path} says nothing of processor time"))
}

/// The 14th to the 17th word: its own, and of its children that have ended. The second is a name, in which anything may stand.
fn family_ticks(stat: &str) -> Option<u64> {
    let (_, after_name) = stat.rsplit_once(')')?;
    let words: Vec<u64> =
        after_name.split_whitespace().skip(11).take(4).map_while(|it| it.parse().ok()).collect();
    (words.len() == 4).then(|| words.iter().sum())
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

    /// The same for it and for all that it has started and will start.
    pub fn on_family(process: u32, percent: u64) -> Result<Self> {
        let limit = Self::on(process, percent)?;
        for child in children(process)? {
            // It may have ended by itself.
            let _ = limit.write("cgroup.procs", &child.as_raw_nonzero().to_string());
        }
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

    #[test]
    fn those_that_have_ended_are_counted_too() {
        let stat = "7 (a b) c) S 1 7 7 0 -1 4194304 100 0 0 0 25 17 3 2 20 0 1 0";
        assert_eq!(family_ticks(stat), Some(47));
        assert!(taken_by_family(std::process::id()).is_ok());
    }
}
