//! The position in the queue of callbacks at which queries start.
//!
//! PostgreSQL keeps index entries of deleted rows until a vacuum, and a query for the first row
//! reads all of them. After half a minute of load, that took 8 ms per query. Each query therefore
//! starts where the previous one found a row.
use crate::clock::Stopwatch;
use domain::time::Timestamp;
use parking_lot::{Mutex, MutexGuard};
use std::time::Duration;

/// The margin by which a query starts before the first known due time. A callback may be stored
/// with a due time that is already this far in the past, because its transaction took long or the
/// clock of its server is behind.
const MARGIN: Duration = Duration::from_secs(1);
/// Interval at which the whole queue is read, to find callbacks that were stored with even older
/// due times.
const WHOLE_INTERVAL: Duration = Duration::from_secs(1);

/// The position from which this instance reads the queue.
#[derive(Debug, Default)]
pub struct CallbackQueue(Mutex<QueueState>);

#[derive(Debug, Default)]
struct QueueState {
    /// The due time of the first callback in the last read, if that callback was due.
    first: Option<Timestamp>,
    /// Runs since the last read of the whole queue.
    whole: Option<Stopwatch>,
}

impl CallbackQueue {
    /// Returns the time from which to read: the first known due time, or the beginning of the
    /// queue.
    pub fn begin(&self) -> Timestamp {
        let mut state = self.lock();
        let is_recent = state.whole.as_ref().is_some_and(|it| it.elapsed() < WHOLE_INTERVAL);
        if let (Some(first), true) = (state.first, is_recent) {
            return first.minus(MARGIN);
        }
        state.whole = Some(Stopwatch::start());
        beginning()
    }

    /// Records the due time of the first callback that a read found.
    pub fn found(&self, first: Option<Timestamp>, now: Timestamp) {
        self.lock().first = first.filter(|first| *first <= now);
    }

    fn lock(&self) -> MutexGuard<'_, QueueState> {
        self.0.lock()
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
        let (queue, all) = (CallbackQueue::default(), beginning());
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
