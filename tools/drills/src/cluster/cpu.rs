//! Limits a process to a part of a core by a Linux control group, as container runtimes do.

use std::fs;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use anyhow::{Context, Result, bail};

use bench::load::float;
use servers::children;

/// The mount points of control groups: of the CPU controller in version 1, and of all controllers
/// in version 2.
const VERSION_1: &str = "/sys/fs/cgroup/cpu";
const VERSION_2: &str = "/sys/fs/cgroup";
/// The period of a limit in microseconds. A process that has used its part waits for the next
/// period. With a long period, many connections would be needed to keep the process busy.
const PERIOD: u64 = 20_000;
/// Linux counts CPU time in hundredths of a second on every architecture that we support.
const TICKS_PER_SECOND: f64 = 100.0;

/// A measurement of the idle time of the machine's cores.
pub struct Idle {
    idle: u64,
    all: u64,
}

impl Idle {
    pub fn watch() -> Result<Self> {
        let (idle, all) = ticks()?;
        Ok(Self { idle, all })
    }

    /// Returns the idle time since the start, in percent of all cores.
    pub fn percent(&self) -> Result<f64> {
        let (idle, all) = ticks()?;
        Ok(100.0 * float(idle - self.idle) / float((all - self.all).max(1)))
    }
}

fn ticks() -> Result<(u64, u64)> {
    let stat = fs::read_to_string("/proc/stat").context("no /proc/stat")?;
    parsed(&stat).context("/proc/stat does not show the CPU time")
}

/// Parses the idle time and the total. Fields 4 and 5 are idle time, without and with a pending
/// disk access. The first eight fields together are the total.
fn parsed(stat: &str) -> Option<(u64, u64)> {
    let words = stat.lines().find_map(|line| line.strip_prefix("cpu "))?;
    let words: Vec<u64> =
        words.split_whitespace().take(8).map_while(|it| it.parse().ok()).collect();
    Some((words.get(3)? + words.get(4)?, words.iter().sum()))
}

/// Returns the CPU time, in seconds, of a process and its children, including children that have
/// ended.
pub fn taken_by_family(process: u32) -> Result<f64> {
    let mut ticks = taken(process)?;
    for child in children(process)? {
        // If the child has just ended, its time is counted with its parent.
        if let Ok(its) = taken(child.as_raw_nonzero().get().unsigned_abs()) {
            ticks += its;
        }
    }
    Ok(float(ticks) / TICKS_PER_SECOND)
}

fn taken(process: u32) -> Result<u64> {
    let path = format!("/proc/{process}/stat");
    let stat = fs::read_to_string(&path).with_context(|| format!("cannot read {path}"))?;
    family_ticks(&stat).with_context(|| format!("{path} does not show the CPU time"))
}

/// Parses fields 14 to 17: the CPU time of the process and of its children that have ended. Field 2
/// is a name in parentheses that may contain anything.
fn family_ticks(stat: &str) -> Option<u64> {
    let (_, after_name) = stat.rsplit_once(')')?;
    let words: Vec<u64> =
        after_name.split_whitespace().skip(11).take(4).map_while(|it| it.parse().ok()).collect();
    (words.len() == 4).then(|| words.iter().sum())
}

/// A CPU limit on a process. Dropping it after the process has ended removes the control group.
pub struct Limit(PathBuf);

impl Limit {
    /// Limits a process to this many hundredths of a core.
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

    /// Limits a process together with its present and future children.
    pub fn on_family(process: u32, percent: u64) -> Result<Self> {
        let limit = Self::on(process, percent)?;
        for child in children(process)? {
            // The child may have ended meanwhile.
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
        // For a moment, a process that has just ended still belongs to the control group.
        thread::sleep(Duration::from_millis(50));
        if let Err(error) = fs::remove_dir(&self.0) {
            eprintln!("[xtask] {} was not removed: {error}", self.0.display());
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
