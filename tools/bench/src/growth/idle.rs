//! The cost of an idle server.

use std::fs;
use std::path::Path;
use std::thread;
use std::time::Duration;

use anyhow::{Context, Result};

use super::measure::Measured;
use super::server::Server;
use crate::fill::{Database, Filled};

/// The duration of the measurement, and the time before it in which the server settles.
const WATCHED: u32 = 10;
const SETTLES: Duration = Duration::from_secs(8);
/// Linux counts CPU time in hundredths of a second.
const TICK: Duration = Duration::from_millis(10);

/// Measures the CPU time of the idle server and of the database backends of its connections, in
/// milliseconds per second.
pub fn at_rest(server: &Server, filled: &Filled) -> Result<Measured> {
    thread::sleep(SETTLES);
    let mut processes = vec![server.process()];
    if let Database::Postgres(_) = filled.database {
        let backends = filled.database.run(
            "SELECT pid FROM pg_stat_activity WHERE backend_type = 'client backend' \
             AND datname = current_database() AND pid <> pg_backend_pid()",
        )?;
        processes.extend(backends.lines().filter_map(|pid| pid.parse::<u32>().ok()));
    }
    let before = spent(&processes)?;
    thread::sleep(Duration::from_secs(WATCHED.into()));
    let took = spent(&processes)?.saturating_sub(before);
    Ok(Measured::once("at rest: processor time in each second", took / WATCHED))
}

fn spent(processes: &[u32]) -> Result<Duration> {
    let mut ticks = 0;
    for process in processes {
        // A connection may have been closed in the meantime, or be on another machine.
        let stat = Path::new("/proc").join(process.to_string()).join("stat");
        if let Ok(stat) = fs::read_to_string(stat) {
            ticks += parse(&stat).context("unexpected format of /proc/PID/stat")?;
        }
    }
    Ok(TICK * ticks)
}

/// Parses user and system time. The name in parentheses may contain spaces.
fn parse(stat: &str) -> Option<u32> {
    let (_, fields) = stat.rsplit_once(')')?;
    let mut fields = fields.split_whitespace().skip(11);
    Some(fields.next()?.parse::<u32>().ok()? + fields.next()?.parse::<u32>().ok()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_of_a_process_may_be_anything() {
        let stat = "7 (a b) c) S 1 7 7 0 -1 4194560 1 0 0 0 12 30 0 0 20 0 1 0 5 1 1";
        assert_eq!(parse(stat), Some(42));
        assert_eq!(parse(""), None);
    }
}
