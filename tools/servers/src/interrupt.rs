//! Handling of Ctrl-C and SIGTERM. The signal is passed on to the foreground commands. Everything
//! else stops when its value is dropped.
//!
//! Child processes run in their own process groups. Ctrl-C in a terminal therefore reaches the test
//! runner first, and not the databases that the tests use.

use parking_lot::{Mutex, MutexGuard};
use std::fmt::{self, Display, Formatter};
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, ExitCode};
use std::thread;
use std::time::Duration;

use anyhow::{Context, Result};
use rustix::process::{Pid, Signal, kill_process_group};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;

use crate::clock::Stopwatch;

/// The interval at which a sleeping thread checks for a signal.
const POLL: Duration = Duration::from_millis(100);

struct State {
    received: Option<i32>,
    /// The process groups of the foreground commands. Each thread runs at most one.
    foreground: Vec<Pid>,
}

static STATE: Mutex<State> = Mutex::new(State { received: None, foreground: Vec::new() });

/// The error for a run that a signal has ended. The field is the number of the signal.
#[derive(Debug)]
pub struct Interrupted(i32);

impl Interrupted {
    /// Returns the exit code that a shell reports for a process ended by the signal.
    fn exit_code(&self) -> u8 {
        #[expect(clippy::disallowed_methods, reason = "signal numbers are small")]
        u8::try_from(self.0).map_or(u8::MAX, |signal| signal.saturating_add(128))
    }
}

impl Display for Interrupted {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "stopped by signal {}; the servers that were started are stopped too", self.0)
    }
}

impl std::error::Error for Interrupted {}

/// Handles SIGINT, SIGTERM and SIGHUP until the process ends.
fn watch() -> Result<()> {
    let mut signals =
        Signals::new([SIGINT, SIGTERM, SIGHUP]).context("cannot listen for signals")?;
    thread::spawn(move || {
        for received in signals.forever() {
            let mut state = state();
            state.received = Some(received);
            for group in &state.foreground {
                // The group may have just ended.
                let _ = kill_process_group(*group, signal(received));
            }
        }
    });
    Ok(())
}

/// Runs the work of a program, prints its error, and returns the program's exit code.
pub fn exit_code(work: impl FnOnce() -> Result<()>) -> ExitCode {
    match watch().and_then(|()| work()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            match error.downcast_ref::<Interrupted>() {
                Some(interrupted) => ExitCode::from(interrupted.exit_code()),
                None => ExitCode::FAILURE,
            }
        }
    }
}

/// Fails if a signal has arrived. Call it before starting something and while waiting.
pub fn check() -> Result<()> {
    match state().received {
        Some(signal) => Err(Interrupted(signal).into()),
        None => Ok(()),
    }
}

/// Sleeps for this duration, and fails if a signal arrives.
pub fn sleep(duration: Duration) -> Result<()> {
    let watch = Stopwatch::start();
    loop {
        check()?;
        let left = duration.saturating_sub(watch.elapsed());
        if left.is_zero() {
            return Ok(());
        }
        thread::sleep(left.min(POLL));
    }
}

/// A foreground command in its own process group. Signals are passed on to the group until this
/// value is dropped.
pub struct Foreground {
    /// The group's first process.
    pub child: Child,
    group: Pid,
}

impl Foreground {
    /// Starts `command`, unless a signal has arrived.
    pub fn spawn(command: &mut Command) -> Result<Self> {
        // The state stays locked until the group is in the list. Otherwise a signal that arrives in
        // between would reach neither this function nor the group.
        let mut state = state();
        if let Some(signal) = state.received {
            return Err(Interrupted(signal).into());
        }
        let program = command.get_program().to_owned();
        let child = command
            .process_group(0)
            .spawn()
            .with_context(|| format!("cannot start {}", program.display()))?;
        let group = Pid::from_child(&child);
        state.foreground.push(group);
        Ok(Self { child, group })
    }
}

impl Drop for Foreground {
    fn drop(&mut self) {
        let mut state = state();
        state.foreground.retain(|group| *group != self.group);
        if state.received.is_some() {
            // Kills processes that the command has left behind. For example, SIGTERM ends `cargo
            // test` before the tests that it started.
            let _ = kill_process_group(self.group, Signal::KILL);
        }
    }
}

fn state() -> MutexGuard<'static, State> {
    STATE.lock()
}

fn signal(number: i32) -> Signal {
    Signal::from_named_raw(number).unwrap_or(Signal::TERM)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_exit_code_is_a_shells() {
        assert_eq!(Interrupted(SIGINT).exit_code(), 130);
        assert_eq!(Interrupted(SIGTERM).exit_code(), 143);
    }
}
