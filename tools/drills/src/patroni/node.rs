//! One node: a Patroni and the `PostgreSQL` that it starts.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread;
use std::time::Duration;

use anyhow::{Context, Result};
use rustix::process::{Pid, Signal, kill_process};

use super::Member;
use super::configuration::{self, Place};
use bench::client::{answers, request};
use servers::clock::Stopwatch;
use servers::{Account, Running, free_port, programs};

/// The prefix of a node's name. The node's number follows it.
pub const NAME: &str = "node";
const START: Duration = Duration::from_secs(30);
/// The time limit for an immediate shutdown of `PostgreSQL`.
const GRACE: Duration = Duration::from_secs(10);
const POLL: Duration = Duration::from_millis(20);

/// A node: running, killed or frozen.
pub struct Node {
    pub name: String,
    account: Account,
    folder: PathBuf,
    starts: u32,
    patroni: Option<Running>,
    /// The port of the node's PostgreSQL.
    pub postgres: u16,
    /// The port of the node's Patroni.
    pub api: u16,
}

impl Node {
    /// Creates a node that is not running yet, with the configuration of `page`.
    pub fn new(
        page: &str,
        number: usize,
        account: Account,
        files: &Path,
        etcd: u16,
    ) -> Result<Self> {
        let name = format!("{NAME}{number}");
        let folder = files.join(&name);
        fs::create_dir(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
        account.own(&folder)?;
        let (postgres, api) = (free_port()?, free_port()?);
        let node = Self { name, account, folder, starts: 0, patroni: None, postgres, api };
        let file = node.folder.join("patroni.yml");
        let programs = programs::require(&["initdb"])?;
        let place = Place {
            name: &node.name,
            api,
            postgres,
            etcd,
            folder: &node.folder,
            data: &node.data(),
            programs: programs.parent().context("initdb has no parent folder")?,
        };
        fs::write(&file, configuration::of(page, &place)?)
            .with_context(|| format!("cannot write {}", file.display()))?;
        Ok(node)
    }

    fn data(&self) -> PathBuf {
        self.folder.join("data")
    }

    /// Starts Patroni, which starts `PostgreSQL` once it knows the node's role.
    pub fn start(&mut self) -> Result<()> {
        self.starts += 1;
        let mut command = Command::new(programs::require(&["patroni"])?);
        self.account.apply(&mut command).current_dir(&self.folder).env("LC_ALL", "C");
        command.arg("patroni.yml").env_remove("PGDATA").env_remove("PGPORT");
        let log = self.folder.join(format!("start-{}.log", self.starts));
        let mut patroni = Running::spawn("Patroni", &mut command, log, Signal::TERM)?;
        let api = self.api;
        patroni.until_ready(START, || answers(api, "/liveness", &[], 200))?;
        self.patroni = Some(patroni);
        Ok(())
    }

    /// Kills Patroni and PostgreSQL, and waits until they have ended.
    pub fn kill(&mut self) {
        if let Some(mut patroni) = self.patroni.take() {
            patroni.signal(Signal::KILL);
            self.signal_postgres(Signal::KILL);
            patroni.kill();
        }
    }

    /// Suspends the processes of Patroni and PostgreSQL.
    pub fn freeze(&self) -> Result<()> {
        self.patroni()?.signal(Signal::STOP);
        self.signal_postgres(Signal::STOP);
        Ok(())
    }

    /// Continues the processes of Patroni and PostgreSQL.
    pub fn thaw(&self) -> Result<()> {
        self.signal_postgres(Signal::CONT);
        self.patroni()?.signal(Signal::CONT);
        Ok(())
    }

    fn patroni(&self) -> Result<&Running> {
        self.patroni.as_ref().context("the node does not run")
    }

    /// Whether the node is the leader and accepts writes.
    pub fn is_primary(&self) -> bool {
        self.patroni.is_some() && answers(self.api, "/primary", &[], 200)
    }

    /// Returns the members of the cluster, if Patroni answers.
    pub fn members(&self) -> Option<Vec<Member>> {
        self.patroni.as_ref()?;
        let answer = request(self.api, "GET", "/cluster", &[], "").ok()?;
        Member::all(&serde_json::from_str(&answer.body).ok()?)
    }

    /// Returns the last lines of Patroni's log.
    pub fn last_words(&self) -> String {
        let words = self.patroni.as_ref().map(Running::last_words).unwrap_or_default();
        format!("{}:\n{words}", self.name)
    }

    /// Sends a signal to all processes of PostgreSQL, which have their own process groups. The
    /// postmaster gets it first, so that it starts no more processes.
    fn signal_postgres(&self, signal: Signal) {
        let Some(first) = self.postmaster() else { return };
        // A process may have ended by itself.
        let _ = kill_process(first, signal);
        for child in children(first) {
            let _ = kill_process(child, signal);
        }
    }

    /// Returns the postmaster's process id. Returns `None` if a different process has that id now.
    fn postmaster(&self) -> Option<Pid> {
        let state = fs::read_to_string(self.data().join("postmaster.pid")).ok()?;
        let number: i32 = state.lines().next()?.trim().parse().ok()?;
        let command = fs::read_to_string(format!("/proc/{number}/cmdline")).ok()?;
        command.contains(&*self.data().to_string_lossy()).then(|| Pid::from_raw(number)).flatten()
    }
}

impl Drop for Node {
    fn drop(&mut self) {
        // Patroni is killed first. Otherwise it would start PostgreSQL again, or wait for standbys.
        if let Some(mut patroni) = self.patroni.take() {
            patroni.signal(Signal::KILL);
            patroni.kill();
        }
        self.signal_postgres(Signal::CONT);
        if let Some(first) = self.postmaster() {
            let _ = kill_process(first, Signal::QUIT);
        }
        let watch = Stopwatch::start();
        while self.postmaster().is_some() && watch.elapsed() < GRACE {
            thread::sleep(POLL);
        }
        self.signal_postgres(Signal::KILL);
    }
}

/// Returns the children of a process.
fn children(of: Pid) -> Vec<Pid> {
    let all = fs::read_dir("/proc").into_iter().flatten().flatten();
    let numbers = all.filter_map(|it| it.file_name().to_str()?.parse::<i32>().ok());
    let is_child = |number: &i32| {
        let state = fs::read_to_string(format!("/proc/{number}/stat"));
        state.is_ok_and(|state| parent(&state) == Some(of.as_raw_nonzero().get()))
    };
    numbers.filter(is_child).filter_map(Pid::from_raw).collect()
}

/// Parses the parent in `/proc/PID/stat`: the second field after the name, which is in parentheses
/// and may contain anything.
fn parent(state: &str) -> Option<i32> {
    state.rsplit_once(')')?.1.split_whitespace().nth(1)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_names_its_parent() {
        assert_eq!(parent("71 (postgres: a) b) S 70 71 71 0 -1"), Some(70));
        assert_eq!(parent(""), None);
    }

    #[test]
    fn the_processes_that_one_has_started_are_found() {
        let mut child = Command::new("sleep").arg("60").spawn().unwrap();
        let found = children(rustix::process::getpid());
        child.kill().unwrap();
        child.wait().unwrap();
        assert!(found.contains(&Pid::from_child(&child)), "{found:?}");
    }
}
