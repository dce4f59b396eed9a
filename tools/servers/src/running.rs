//! A background process that ends with this program.

use std::fs::{self, File};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use rustix::process::{Pid, Signal, kill_process, kill_process_group};

use crate::clock::Stopwatch;
use crate::interrupt;

const POLL: Duration = Duration::from_millis(20);
/// How long a server may take to end after its stop signal.
const GRACE: Duration = Duration::from_secs(35);
/// The number of log lines that an error shows if a server does not start.
const LOG_LINES: usize = 20;

/// A background server. Dropping it stops it.
pub struct Running {
    what: &'static str,
    child: Child,
    group: Pid,
    stop: Signal,
    stopped: bool,
    log: PathBuf,
}

impl Running {
    /// Starts `command` and writes its output to the file `log`. `stop` is the signal that will end
    /// it.
    pub fn spawn(
        what: &'static str,
        command: &mut Command,
        log: PathBuf,
        stop: Signal,
    ) -> Result<Self> {
        interrupt::check()?;
        let file = File::create(&log).with_context(|| format!("cannot write {}", log.display()))?;
        let errors = file.try_clone().with_context(|| format!("cannot write {}", log.display()))?;
        // The process has its own process group, so that Ctrl-C in the terminal does not end it
        // during the tests.
        let child = command
            .stdin(Stdio::null())
            .stdout(file)
            .stderr(errors)
            .process_group(0)
            .spawn()
            .with_context(|| format!("cannot start {what}"))?;
        let group = Pid::from_child(&child);
        Ok(Self { what, child, group, stop, stopped: false, log })
    }

    /// Waits until `ready` returns true. Fails if the process ends first, or if it is not ready
    /// within the time `within`.
    pub fn until_ready(&mut self, within: Duration, mut ready: impl FnMut() -> bool) -> Result<()> {
        let watch = Stopwatch::start();
        loop {
            interrupt::check()?;
            if let Some(status) = self.ended()? {
                bail!(
                    "{} ended immediately ({status}); its last lines:\n{}",
                    self.what,
                    tail(&self.log)
                );
            }
            if ready() {
                return Ok(());
            }
            if watch.elapsed() > within {
                bail!(
                    "{} is not ready after {} s; its last words:\n{}",
                    self.what,
                    within.as_secs(),
                    tail(&self.log)
                );
            }
            thread::sleep(POLL);
        }
    }

    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Returns the last lines of the log, for error messages.
    pub fn last_words(&self) -> String {
        tail(&self.log)
    }

    /// Returns the exit status if the process has ended.
    pub fn ended(&mut self) -> Result<Option<ExitStatus>> {
        self.child.try_wait().with_context(|| format!("cannot wait for {}", self.what))
    }

    /// Sends a signal to the process group.
    pub fn signal(&self, signal: Signal) {
        // The process may have ended by itself.
        let _ = kill_process_group(self.group, signal);
    }
}

impl Running {
    /// Sends the server its stop signal and returns its exit status. Fails if the server does not
    /// end in time.
    pub fn end(&mut self) -> Result<ExitStatus> {
        self.signal(self.stop);
        let watch = Stopwatch::start();
        loop {
            if let Some(status) = self.ended()? {
                self.stop();
                return Ok(status);
            }
            if watch.elapsed() > GRACE {
                bail!("{} did not end within {} s", self.what, GRACE.as_secs());
            }
            thread::sleep(POLL);
        }
    }

    /// Kills the server without its stop signal, as in a crash.
    pub fn kill(&mut self) {
        self.signal(Signal::KILL);
        self.stop();
    }

    /// Sends a signal to the process and to all of its child processes, which may be in other
    /// process groups.
    pub fn signal_family(&self, signal: Signal) -> Result<()> {
        // The parent gets the signal first. Otherwise it would react to the signals of its
        // children.
        self.signal(signal);
        for child in children(self.id())? {
            // The child may have ended by itself.
            let _ = kill_process(child, signal);
        }
        Ok(())
    }

    /// Ends the server and waits until it has ended.
    pub fn stop(&mut self) {
        // Only the first call sends signals. After it, another process group may have the same id.
        if std::mem::replace(&mut self.stopped, true) {
            return;
        }
        if matches!(self.ended(), Ok(None)) {
            self.signal(Signal::CONT);
            self.signal(self.stop);
            let watch = Stopwatch::start();
            while matches!(self.ended(), Ok(None)) && watch.elapsed() < GRACE {
                thread::sleep(POLL);
            }
        }
        if matches!(self.ended(), Ok(None)) {
            eprintln!(
                "[xtask] {} did not stop within {} s and was killed",
                self.what,
                GRACE.as_secs()
            );
        }
        // The signal goes to the process group, so it also kills processes that the server has left
        // behind.
        self.signal(Signal::KILL);
        let _ = self.child.wait();
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.stop();
    }
}

/// Returns the child processes of a process, from Linux's `/proc`.
pub fn children(parent: u32) -> Result<Vec<Pid>> {
    let mut found = Vec::new();
    for entry in fs::read_dir("/proc").context("no /proc")?.flatten() {
        let name = entry.file_name();
        let Some(number) = name.to_str().and_then(|name| name.parse::<i32>().ok()) else {
            continue;
        };
        // The process may have ended meanwhile.
        let Ok(stat) = fs::read_to_string(entry.path().join("stat")) else { continue };
        let after_name = stat.rsplit_once(')').map(|(_, after)| after);
        let its_parent =
            after_name.and_then(|it| it.split_whitespace().nth(1)?.parse::<u32>().ok());
        if its_parent == Some(parent) {
            found.extend(Pid::from_raw(number));
        }
    }
    Ok(found)
}

fn tail(log: &Path) -> String {
    let text = fs::read_to_string(log).unwrap_or_else(|error| error.to_string());
    let lines: Vec<&str> = text.lines().collect();
    let shown = lines.iter().skip(lines.len().saturating_sub(LOG_LINES));
    shown.map(|line| format!("    {line}")).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str, directory: &Path) -> Running {
        let mut command = Command::new("/bin/sh");
        Running::spawn(
            "the shell",
            command.args(["-c", script]),
            directory.join("log"),
            Signal::TERM,
        )
        .unwrap()
    }

    #[test]
    fn a_server_that_ends_at_once_is_quoted() {
        let directory = tempfile::tempdir().unwrap();
        let mut server = shell("echo no such port >&2; exit 7", directory.path());
        let error = server.until_ready(Duration::from_secs(10), || false).unwrap_err().to_string();
        assert_eq!(
            error,
            "the shell ended immediately (exit status: 7); its last lines:\n    no such port"
        );
    }

    #[test]
    fn a_server_that_never_answers_is_an_error() {
        let directory = tempfile::tempdir().unwrap();
        let mut server = shell("exec sleep 60", directory.path());
        let error = server.until_ready(Duration::ZERO, || false).unwrap_err().to_string();
        assert!(error.starts_with("the shell is not ready after 0 s"), "{error}");
    }

    #[test]
    fn dropping_stops_it_and_what_it_started_even_when_paused() {
        let directory = tempfile::tempdir().unwrap();
        let mut server = shell("sleep 60 & echo started; wait", directory.path());
        let log = directory.path().join("log");
        server
            .until_ready(Duration::from_secs(10), || {
                fs::read_to_string(&log).is_ok_and(|text| !text.is_empty())
            })
            .unwrap();
        let group = server.group;
        server.signal(Signal::STOP);
        drop(server);
        let gone = || rustix::process::test_kill_process_group(group).is_err();
        let watch = Stopwatch::start();
        while !gone() && watch.elapsed() < Duration::from_secs(10) {
            thread::sleep(POLL);
        }
        assert!(gone(), "something of the group is still there");
    }

    #[test]
    fn how_it_ended_is_told() {
        let directory = tempfile::tempdir().unwrap();
        let log = directory.path().join("log");
        let start = || {
            let mut server = shell(
                "trap 'exit 3' TERM; echo started; while :; do sleep 0.05; done",
                directory.path(),
            );
            let said = || fs::read_to_string(&log).is_ok_and(|text| !text.is_empty());
            server.until_ready(Duration::from_secs(10), said).unwrap();
            server
        };
        assert_eq!(start().end().unwrap().code(), Some(3));
        let mut killed = start();
        killed.kill();
        assert_eq!(killed.child.wait().unwrap().code(), None);
    }

    #[test]
    fn only_the_end_of_a_log_is_shown() {
        let directory = tempfile::tempdir().unwrap();
        let log = directory.path().join("log");
        let text = (1..=30).map(|number| format!("line {number}")).collect::<Vec<_>>().join("\n");
        fs::write(&log, text).unwrap();
        let shown = tail(&log);
        assert!(shown.starts_with("    line 11\n") && shown.ends_with("    line 30"), "{shown}");
    }
}
