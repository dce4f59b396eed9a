//! One node: a Patroni, and the `PostgreSQL` that it starts.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread;
use std::time::Duration;

use anyhow::{Context, Result};
use rustix::process::{Pid, Signal, kill_process};

use super::Member;
use super::configuration::{self, Place};
use crate::clock::Stopwatch;
use crate::programs;
use crate::servers::account::Account;
use crate::servers::{Running, answers, free_port, request};

/// What a node's name begins with, before its number.
pub const NAME: &str = "node";
const START: Duration = Duration::from_secs(30);
/// How long `PostgreSQL` may take to end at once.
const GRACE: Duration = Duration::from_secs(10);
const POLL: Duration = Duration::from_millis(20);

/// It: running, killed or frozen.
pub struct Node {
    pub name: String,
    account: Account,
    folder: PathBuf,
    starts: u32,
    patroni: Option<Running>,
    /// Where its `PostgreSQL` listens.
    pub postgres: u16,
    /// Where its Patroni listens.
    pub api: u16,
}

impl Node {
    /// One that does not run yet, configured as `page` shows.
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
            programs: programs.parent().context("initdb is in no folder")?,
        };
        fs::write(&file, configuration::of(page, &place)?)
            .with_context(|| format!("cannot write {}", file.display()))?;
        Ok(node)
    }

    fn data(&self) -> PathBuf {
        self.folder.join("data")
    }

    /// Starts Patroni, which starts `PostgreSQL` once it knows in which role.
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

    /// Kills both, and waits until nobody answers any more.
    pub fn kill(&mut self) {
        if let Some(mut patroni) = self.patroni.take() {
            patroni.signal(Signal::KILL);
            self.signal_postgres(Signal::KILL);
            patroni.kill();
        }
    }

    /// Stops both where they are.
    pub fn freeze(&self) -> Result<()> {
        self.patroni()?.signal(Signal::STOP);
        self.signal_postgres(Signal::STOP);
        Ok(())
    }

    /// Lets both go on.
    pub fn thaw(&self) -> Result<()> {
        self.signal_postgres(Signal::CONT);
        self.patroni()?.signal(Signal::CONT);
        Ok(())
    }

    fn patroni(&self) -> Result<&Running> {
        self.patroni.as_ref().context("the node does not run")
    }

    /// Whether it leads and takes writes.
    pub fn is_primary(&self) -> bool {
        self.patroni.is_some() && answers(self.api, "/primary", &[], 200)
    }

    /// The members of the cluster, if it answers.
    pub fn members(&self) -> Option<Vec<Member>> {
        self.patroni.as_ref()?;
        let answer = request(self.api, "GET", "/cluster", &[], "").ok()?;
        Member::all(&serde_json::from_str(&answer.body).ok()?)
    }

    /// What Patroni has logged lately.
    pub fn last_words(&self) -> String {
        let words = self.patroni.as_ref().map(Running::last_words).unwrap_or_default();
        format!("{}:\n{words}", self.name)
    }

    /// To all processes of `PostgreSQL`, which are in groups of their own: the first one first, so that it starts no other.
    fn signal_postgres(&self, signal: Signal) {
        let Some(first) = self.postmaster() else { return };
        // Whoever has ended by itself is none of ours any more.
        let _ = kill_process(first, signal);
        for child in children(first) {
            let _ = kill_process(child, signal);
        }
    }

    /// The first process of its `PostgreSQL`, unless its number is somebody else's by now.
    fn postmaster(&self) -> Option<Pid> {
        let state = fs::read_to_string(self.data().join("postmaster.pid")).ok()?;
        let number: i32 = state.lines().next()?.trim().parse().ok()?;
        let command = fs::read_to_string(format!("/proc/{number}/cmdline")).ok()?;
        command.contains(&*self.data().to_string_lossy()).then(|| Pid::from_raw(number)).flatten()
    }
}

impl Drop for Node {
    fn drop(&mut self) {
        // Patroni would start again what ends, or wait for its standbys.
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

/// The processes that a process has started.
fn children(of: Pid) -> Vec<Pid> {
    let all = fs::read_dir("/proc").into_iter().flatten().flatten();
    let numbers = all.filter_map(|it| it.file_name().to_str()?.parse::<i32>().ok());
    let is_child = |number: &i32| {
        let state = fs::read_to_string(format!("/proc/{number}/stat"));
        state.is_ok_and(|state| parent(&state) == Some(of.as_raw_nonzero().get()))
    };
    numbers.filter(is_child).filter_map(Pid::from_raw).collect()
}

/// The second word after the name, which is in parentheses and may hold any other.
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
