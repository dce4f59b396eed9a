//! Gives a process a part of a core, as a container's limit does: by a control group of Linux.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

/// Version 1 mounts its controller of the processor here, version 2 everything.
const VERSION_1: &str = "/sys/fs/cgroup/cpu";
const VERSION_2: &str = "/sys/fs/cgroup";
/// Microseconds in which a part of a core is given.
const PERIOD: u64 = 100_000;

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
        if let Err(error) = fs::remove_dir(&self.0) {
            eprintln!("[xtask] {} stays: {error}", self.0.display());
        }
    }
}
