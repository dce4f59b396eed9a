//! Progress on standard error: a line when a step begins, and a line with its duration when it
//! ends.

use std::thread;
use std::time::Duration;

use anyhow::{Error, Result};
use parking_lot::Mutex;
use rustix::process::nice;

use crate::clock::Stopwatch;

/// The lowest priority of a process, on the scale of `nice`.
const LOWEST_PRIORITY: i32 = 19;

/// Runs `work` and reports its result and duration.
pub fn step<T>(name: &str, work: impl FnOnce() -> Result<T>) -> Result<T> {
    eprintln!("[xtask] {name} …");
    let watch = Stopwatch::start();
    let result = work();
    let verdict = if result.is_ok() { "done" } else { "FAILED" };
    eprintln!("[xtask] {name}: {verdict} in {}", seconds(watch.elapsed()));
    result
}

/// Formats a duration in seconds.
pub fn seconds(duration: Duration) -> String {
    format!("{:.1} s", duration.as_secs_f64())
}

enum Outcome {
    Passed(Duration),
    Failed(Duration),
    NotRun,
}

struct Step<'a> {
    name: &'static str,
    work: Work<'a>,
}

enum Work<'a> {
    InTurn(Box<dyn FnOnce() -> Result<()> + 'a>),
    Background(Box<dyn FnOnce() -> Result<()> + Send + 'a>),
}

/// A sequence of steps. A failed step ends it. At the end it prints a summary.
#[derive(Default)]
pub struct Plan<'a> {
    steps: Vec<Step<'a>>,
}

/// The outcomes of the steps that have run so far.
struct Progress {
    outcomes: Vec<Outcome>,
    /// The first error.
    failure: Option<Error>,
}

impl<'a> Plan<'a> {
    pub fn then(mut self, name: &'static str, work: impl FnOnce() -> Result<()> + 'a) -> Self {
        self.steps.push(Step { name, work: Work::InTurn(Box::new(work)) });
        self
    }

    /// Adds a step that runs in the background with the lowest priority. It starts at the same time
    /// as the first step, and every step that is added after it waits for it. Several background
    /// steps run one after the other.
    pub fn in_background(
        mut self,
        name: &'static str,
        work: impl FnOnce() -> Result<()> + Send + 'a,
    ) -> Self {
        self.steps.push(Step { name, work: Work::Background(Box::new(work)) });
        self
    }

    /// Runs the steps, prints the summary, and returns the first failure. If a step fails while
    /// another one runs, the other one still runs to its end.
    pub fn run(self) -> Result<()> {
        let names: Vec<&str> = self.steps.iter().map(|step| step.name).collect();
        let outcomes = names.iter().map(|_| Outcome::NotRun).collect();
        let progress = Mutex::new(Progress { outcomes, failure: None });
        let (mut in_turn, mut background) = (Vec::new(), Vec::new());
        for (index, Step { name, work }) in self.steps.into_iter().enumerate() {
            match work {
                Work::InTurn(work) => in_turn.push((index, name, work)),
                Work::Background(work) => background.push((index, name, work)),
            }
        }
        let first_background = background.first().map(|(index, ..)| *index);
        thread::scope(|scope| {
            let progress = &progress;
            let mut other_thread = first_background.map(|_| {
                scope.spawn(move || {
                    // On Linux each thread has its own priority, and commands inherit the priority
                    // of their thread. On other systems the background steps compete with the
                    // others.
                    let _ = nice(LOWEST_PRIORITY);
                    for (index, name, work) in background {
                        perform(progress, index, name, work);
                    }
                })
            });
            for (index, name, work) in in_turn {
                let waits = first_background.is_some_and(|first| first < index);
                if waits
                    && let Some(other_thread) = other_thread.take()
                    && let Err(payload) = other_thread.join()
                {
                    std::panic::resume_unwind(payload);
                }
                perform(progress, index, name, work);
            }
        });
        let Progress { outcomes, failure } = progress.into_inner();
        let rows: Vec<(&str, Outcome)> = names.into_iter().zip(outcomes).collect();
        print!("{}", table(&rows));
        failure.map_or(Ok(()), Err)
    }
}

/// Runs the step with this index, unless a step has failed.
fn perform(
    progress: &Mutex<Progress>,
    index: usize,
    name: &str,
    work: impl FnOnce() -> Result<()>,
) {
    if progress.lock().failure.is_some() {
        return;
    }
    let watch = Stopwatch::start();
    let result = step(name, work);
    let took = watch.elapsed();
    let mut progress = progress.lock();
    let outcome = match result {
        Ok(()) => Outcome::Passed(took),
        Err(error) => {
            progress.failure.get_or_insert(error);
            Outcome::Failed(took)
        }
    };
    if let Some(place) = progress.outcomes.get_mut(index) {
        *place = outcome;
    }
}

fn table(rows: &[(&str, Outcome)]) -> String {
    let width = rows.iter().map(|(name, _)| name.len()).max().unwrap_or_default();
    let mut text = String::from("\n");
    for (name, outcome) in rows {
        let (verdict, took) = match outcome {
            Outcome::Passed(took) => ("passed", seconds(*took)),
            Outcome::Failed(took) => ("FAILED", seconds(*took)),
            Outcome::NotRun => ("not run", String::new()),
        };
        let row = format!("  {name:width$}  {verdict:7}  {took:>9}");
        text.push_str(row.trim_end());
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::sync::mpsc;

    use anyhow::bail;

    use super::*;

    #[test]
    fn a_failed_step_is_the_last_one() {
        let ran = RefCell::new(Vec::new());
        let note = |name| ran.borrow_mut().push(name);
        let outcome = Plan::default()
            .then("one", || {
                note("one");
                Ok(())
            })
            .then("two", || bail!("two broke"))
            .then("three", || {
                note("three");
                Ok(())
            })
            .run();
        assert_eq!(outcome.unwrap_err().to_string(), "two broke");
        assert_eq!(*ran.borrow(), ["one"]);
    }

    #[test]
    fn a_background_step_runs_with_the_others_and_those_after_it_wait() {
        let (sender, receiver) = mpsc::channel();
        let (installed, found) = (AtomicBool::new(false), RefCell::new(None));
        let is_installed = &installed;
        Plan::default()
            .then("clippy", move || Ok(sender.send(())?))
            .in_background("install", move || {
                receiver.recv_timeout(Duration::from_secs(30))?;
                is_installed.store(true, Ordering::SeqCst);
                Ok(())
            })
            .then("test", || {
                *found.borrow_mut() = Some(installed.load(Ordering::SeqCst));
                Ok(())
            })
            .run()
            .unwrap();
        assert_eq!(*found.borrow(), Some(true));
    }

    #[test]
    fn no_step_begins_after_a_background_step_has_failed() {
        let ran = RefCell::new(false);
        let outcome = Plan::default()
            .in_background("install", || bail!("no network"))
            .in_background("more", || bail!("this runs"))
            .then("test", || {
                *ran.borrow_mut() = true;
                Ok(())
            })
            .run();
        assert_eq!(outcome.unwrap_err().to_string(), "no network");
        assert!(!*ran.borrow());
    }

    #[test]
    fn the_summary_lines_up() {
        let took = Duration::from_millis(12_345);
        let rows = [
            ("fmt", Outcome::Passed(took)),
            ("clippy", Outcome::Failed(took)),
            ("test", Outcome::NotRun),
        ];
        assert_eq!(
            table(&rows),
            "\n  fmt     passed      12.3 s\n  clippy  FAILED      12.3 s\n  test    not run\n"
        );
    }
}
