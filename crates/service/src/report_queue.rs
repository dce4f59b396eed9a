//! Where the queue of reports begins.
//!
//! PostgreSQL keeps index entries of deleted rows until a vacuum, and a query for the first row reads all of them: half a minute of
//! load made that 8 ms for each query. So a query begins where the one before found something.
use crate::clock::Stopwatch;
use domain::time::Timestamp;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// A report may be stored so much after one that is due later: its transaction took longer, or its server's clock is behind.
const MARGIN: Duration = Duration::from_secs(1);
/// How often the whole queue is looked at, for what came later still.
const WHOLE_INTERVAL: Duration = Duration::from_secs(1);

/// What this server knows of the queue's beginning.
#[derive(Debug, Default)]
pub struct QueueFront(Mutex<Known>);

#[derive(Debug, Default)]
struct Known {
    /// When the first report was due, if it was.
    first: Option<Timestamp>,
    /// Since when the whole queue has not been looked at.
    whole: Option<Stopwatch>,
}

impl QueueFront {
    /// From which time on to look: from the first on if something is due, else the whole queue.
    pub fn begin(&self) -> Timestamp {
        let mut known = self.known();
        let is_recent = known.whole.as_ref().is_some_and(|it| it.elapsed() < WHOLE_INTERVAL);
        if let (Some(first), true) = (known.first, is_recent) {
            return first.minus(MARGIN);
        }
        known.whole = Some(Stopwatch::start());
        beginning()
    }

    /// Notes when the first report is due.
    pub fn found(&self, first: Option<Timestamp>, now: Timestamp) {
        self.known().first = first.filter(|first| *first <= now);
    }

    fn known(&self) -> MutexGuard<'_, Known> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn beginning() -> Timestamp {
    Timestamp::from_micros(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_look_begins_at_what_is_due_and_else_at_the_beginning() {
        let (queue, all) = (QueueFront::default(), beginning());
        let now = Timestamp::from_seconds(1_000_000);
        assert_eq!(queue.begin(), all);
        for (first, begins) in [
            (Some(now), now.minus(MARGIN)),
            (Some(now.plus(MARGIN)), all),
            (Some(now), now.minus(MARGIN)),
            (None, all),
        ] {
            queue.found(first, now);
            assert_eq!(queue.begin(), begins, "{first:?}");
        }
    }
}
