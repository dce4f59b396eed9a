//! Progress on standard error: a line when a step begins, and a line with its duration when it
//! ends.

use std::time::Duration;

use anyhow::Result;

use crate::clock::Stopwatch;

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
    work: Box<dyn FnOnce() -> Result<()> + 'a>,
}

/// A sequence of steps that ends with the first failure and prints a summary.
#[derive(Default)]
pub struct Plan<'a> {
    steps: Vec<Step<'a>>,
}

impl<'a> Plan<'a> {
    pub fn then(mut self, name: &'static str, work: impl FnOnce() -> Result<()> + 'a) -> Self {
        self.steps.push(Step { name, work: Box::new(work) });
        self
    }

    /// Runs the steps, prints the summary, and returns the first failure.
    pub fn run(self) -> Result<()> {
        let mut outcome = Ok(());
        let mut rows = Vec::new();
        for Step { name, work } in self.steps {
            if outcome.is_err() {
                rows.push((name, Outcome::NotRun));
                continue;
            }
            let watch = Stopwatch::start();
            outcome = step(name, work);
            let took = watch.elapsed();
            rows.push((
                name,
                if outcome.is_ok() { Outcome::Passed(took) } else { Outcome::Failed(took) },
            ));
        }
        print!("{}", table(&rows));
        outcome
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
