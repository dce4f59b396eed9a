//! Medians of calls that are made one at a time.

use std::time::Duration;

use anyhow::Result;

use crate::client::Answer;
use servers::clock::Stopwatch;
use servers::interrupt;

/// The time limit of a measurement. A slow call is repeated only a few times.
const PATIENCE: Duration = Duration::from_secs(6);

/// The result of one measurement.
#[derive(Clone, Debug, PartialEq)]
pub struct Measured {
    /// The name, which is the same at every size.
    pub name: String,
    /// The median in milliseconds.
    pub ms: f64,
    /// The HTTP status, if a call was measured.
    pub status: Option<u16>,
}

impl Measured {
    /// Returns the result of a single measurement.
    pub fn once(name: impl Into<String>, took: Duration) -> Self {
        Self { name: name.into(), ms: millis(took), status: None }
    }
}

/// Makes one call to warm up, and then up to `calls` measured ones.
pub fn median(
    name: &str,
    calls: usize,
    mut ask: impl FnMut() -> Result<Answer>,
) -> Result<Measured> {
    interrupt::check()?;
    let first = ask()?;
    let (watch, mut times) = (Stopwatch::start(), Vec::new());
    while times.is_empty() || times.len() < calls && watch.elapsed() < PATIENCE {
        interrupt::check()?;
        times.push(ask()?.took);
    }
    Ok(Measured { name: name.to_owned(), ms: millis(middle(times)), status: Some(first.status) })
}

/// Returns the median.
pub fn middle(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times.get(times.len() / 2).copied().unwrap_or_default()
}

/// Converts to milliseconds with fractions.
pub fn millis(took: Duration) -> f64 {
    took.as_secs_f64() * 1000.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_answer_warms_up() {
        let mut took = [100, 3, 1, 2].into_iter().map(Duration::from_millis);
        let measured = median("a", 3, || {
            Ok(Answer { status: 204, took: took.next().unwrap(), ..Answer::default() })
        });
        let expected = Measured { name: "a".to_owned(), ms: 2.0, status: Some(204) };
        assert_eq!(measured.unwrap(), expected);
    }
}
