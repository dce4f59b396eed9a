//! The CPU time and memory of a process, read from Linux's /proc.

use std::fs;

use anyhow::{Context, Result};

use super::measured::float;
use servers::clock::Stopwatch;

/// Linux counts CPU time in hundredths of a second on every architecture that we support.
const TICKS_PER_SECOND: f64 = 100.0;

/// Memory in megabytes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Memory {
    /// The memory that is resident now.
    pub resident: f64,
    /// The part of the resident memory that no file backs.
    pub anonymous: f64,
    /// The peak of the resident memory.
    pub most: f64,
}

impl Memory {
    /// Reads the memory of a process.
    pub fn of(process: u32) -> Result<Self> {
        let path = format!("/proc/{process}/status");
        let status = fs::read_to_string(&path).with_context(|| format!("cannot read {path}"))?;
        memory(&status).with_context(|| format!("{path} does not show the memory"))
    }
}

fn memory(status: &str) -> Option<Memory> {
    let megabytes = |name: &str| {
        let line = status.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'))?;
        let kibibytes: u64 = line.trim().strip_suffix(" kB")?.parse().ok()?;
        Some(float(kibibytes * 1024) / 1e6)
    };
    Some(Memory {
        resident: megabytes("VmRSS")?,
        anonymous: megabytes("RssAnon")?,
        most: megabytes("VmHWM")?,
    })
}

/// A measurement of a process's CPU time.
pub struct Processor {
    process: u32,
    ticks: u64,
    watch: Stopwatch,
}

impl Processor {
    /// Starts measuring a process.
    pub fn watch(process: u32) -> Result<Self> {
        Ok(Self { process, ticks: read_ticks(process)?, watch: Stopwatch::start() })
    }

    /// Returns the CPU time since the start, in percent of one core.
    pub fn percent(&self) -> Result<f64> {
        let seconds = float(read_ticks(self.process)? - self.ticks) / TICKS_PER_SECOND;
        Ok(100.0 * seconds / self.watch.elapsed().as_secs_f64())
    }
}

fn read_ticks(process: u32) -> Result<u64> {
    let path = format!("/proc/{process}/stat");
    let stat = fs::read_to_string(&path).with_context(|| format!("cannot read {path}"))?;
    ticks(&stat).with_context(|| format!("{path} does not show the CPU time"))
}

/// Parses fields 14 and 15: CPU time in user mode and in the kernel. Field 2 is a name in
/// parentheses that may contain anything.
fn ticks(stat: &str) -> Option<u64> {
    let (_, after_name) = stat.rsplit_once(')')?;
    let mut words = after_name.split_whitespace().skip(11);
    let (user, system): (u64, u64) = (words.next()?.parse().ok()?, words.next()?.parse().ok()?);
    Some(user + system)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_in_millions_of_bytes() {
        let status = "Name:\tit\nVmHWM:\t    3000 kB\nVmRSS:\t    2000 kB\nRssAnon:\t    1000 kB\n";
        let expected = Memory { resident: 2.048, anonymous: 1.024, most: 3.072 };
        assert_eq!(memory(status), Some(expected));
        assert_eq!(memory("Name:\tit\n"), None);
    }

    #[test]
    fn a_name_with_spaces_shifts_nothing() {
        let stat = "7 (a b) c) S 1 7 7 0 -1 4194304 100 0 0 0 25 17 0 0 20 0 1 0";
        assert_eq!(ticks(stat), Some(42));
        assert!(Memory::of(std::process::id()).unwrap().resident > 0.0);
        assert!(Processor::watch(std::process::id()).is_ok());
    }
}
