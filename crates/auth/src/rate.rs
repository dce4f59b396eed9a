//! The rate limit: an exact rolling window (`docs/contract.md#rate-limit`).
//!
//! A call is admitted if fewer than N calls were admitted in the 60 seconds before it. The times of
//! the admitted calls are stored, because the window cannot be exact without them.

use domain::number::saturating;
use domain::time::Timestamp;
use std::collections::VecDeque;
use std::time::Duration;

/// The length of the window.
pub const WINDOW: Duration = Duration::from_mins(1);

/// The times of the admitted calls of one key within the window, oldest first.
#[derive(Clone, Debug, Default)]
pub struct RateWindow {
    admitted: VecDeque<Timestamp>,
}

/// Whether a call was admitted, and the state of the key's limit after it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RateLimitStatus {
    /// Whether the call was admitted.
    pub admitted: bool,
    /// The number of calls that may follow immediately.
    pub remaining: u32,
    /// The time until the oldest call leaves the window. If the window is empty, its whole length.
    pub resets_in: Duration,
    /// The time until the next call is admitted. Zero if a call is admitted now.
    pub retry_in: Duration,
}

impl RateWindow {
    /// Admits or rejects a call at `now`. A rejected call does not count.
    pub fn admit(&mut self, limit: u32, now: Timestamp) -> RateLimitStatus {
        self.advance(now);
        let admitted = self.admitted.len() < limit as usize;
        if admitted {
            self.admitted.push_back(now);
        }
        self.status(admitted, limit, now)
    }

    /// Returns the state of the limit at `now` without counting a call.
    pub fn peek(&mut self, limit: u32, now: Timestamp) -> RateLimitStatus {
        self.advance(now);
        let room = self.admitted.len() < limit as usize;
        self.status(room, limit, now)
    }

    /// Whether the window is empty at `now`.
    #[must_use]
    pub fn is_idle(&self, now: Timestamp) -> bool {
        self.admitted.back().is_none_or(|last| last.plus(WINDOW) <= now)
    }

    /// Removes the calls that have left the window. If the clock was set back, the recorded calls
    /// are moved back by the same time, so that the last one is at `now`. The limit then still
    /// holds, and no caller waits longer than one window.
    fn advance(&mut self, now: Timestamp) {
        let ahead = self.admitted.back().map_or(Duration::ZERO, |last| last.since(now));
        if !ahead.is_zero() {
            self.admitted.iter_mut().for_each(|at| *at = at.minus(ahead));
        }
        while self.admitted.front().is_some_and(|first| first.plus(WINDOW) <= now) {
            self.admitted.pop_front();
        }
    }

    fn status(&self, admitted: bool, limit: u32, now: Timestamp) -> RateLimitStatus {
        let used = self.admitted.len();
        let blocker = blocking(used, limit).and_then(|index| self.admitted.get(index));
        let oldest = self.admitted.front();
        RateLimitStatus::new(admitted, limit, used, oldest.copied(), blocker.copied(), now)
    }
}

/// Returns the index of the call that has to leave the window before another one is admitted, or
/// nothing if another one is admitted now. The window holds more calls than the limit if the limit
/// was lowered.
#[must_use]
pub fn blocking(used: usize, limit: u32) -> Option<usize> {
    used.checked_sub(limit as usize)
}

impl RateLimitStatus {
    /// Creates the status of a key with `used` calls in its window.
    #[must_use]
    pub fn new(
        admitted: bool,
        limit: u32,
        used: usize,
        oldest: Option<Timestamp>,
        blocker: Option<Timestamp>,
        now: Timestamp,
    ) -> Self {
        let leaves = |at: Timestamp| at.plus(WINDOW).since(now);
        let remaining = (limit as usize).saturating_sub(used);
        Self {
            admitted,
            remaining: saturating(remaining, u32::MAX),
            resets_in: oldest.map_or(WINDOW, leaves),
            retry_in: blocker.map_or(Duration::ZERO, leaves),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn at(millis: u64) -> Timestamp {
        Timestamp::from_seconds(1_800_000_000).plus(Duration::from_millis(millis))
    }

    #[test]
    fn a_full_minute_around_an_edge_admits_no_more_than_the_limit() {
        let mut window = RateWindow::default();
        for _ in 0..100 {
            assert!(window.admit(100, at(59_999)).admitted);
        }
        let refused = window.admit(100, at(60_001));
        assert!(!refused.admitted, "a fixed window would start again here");
        assert_eq!(refused.retry_in, Duration::from_millis(59_998));
        assert!(!window.admit(100, at(119_998)).admitted);
        assert!(window.admit(100, at(119_999)).admitted);
    }

    #[test]
    fn a_changed_limit_holds_from_the_next_call() {
        let mut window = RateWindow::default();
        for second in 0..10 {
            assert!(window.admit(10, at(second * 1000)).admitted);
        }
        let lowered = window.admit(3, at(10_000));
        assert!(!lowered.admitted);
        assert_eq!(lowered.remaining, 0);
        // The calls were at 0 to 9 s. With a limit of 3, another call is admitted when two calls
        // are left in the window: after the call at 7 s has left it.
        assert_eq!(lowered.retry_in, Duration::from_secs(57));
        assert!(window.admit(11, at(10_000)).admitted);
    }

    #[test]
    fn a_clock_that_is_set_back_makes_nobody_wait_longer_than_the_window() {
        let mut window = RateWindow::default();
        for second in 600..602 {
            assert!(window.admit(2, at(second * 1000)).admitted);
        }
        // The clock was set back ten minutes. The last call is moved to `now`, and the other one to
        // a second before.
        let refused = window.admit(2, at(1_000));
        assert!(!refused.admitted);
        assert_eq!(refused.retry_in, Duration::from_secs(59));
        assert!(!window.admit(2, at(59_999)).admitted);
        assert!(window.admit(2, at(60_000)).admitted);
        assert!(!window.admit(2, at(60_999)).admitted);
        assert!(window.admit(2, at(61_000)).admitted);
    }

    #[test]
    fn a_look_at_a_limit_takes_no_place() {
        let mut window = RateWindow::default();
        assert!(window.is_idle(at(0)));
        for _ in 0..2 {
            let status = window.peek(1, at(0));
            assert!(status.admitted);
            assert_eq!(status.remaining, 1);
            assert_eq!(status.resets_in, WINDOW);
        }
        assert!(window.admit(1, at(0)).admitted);
        let status = window.peek(1, at(20_000));
        let left = Duration::from_secs(40);
        assert!(!status.admitted);
        assert_eq!(status.remaining, 0);
        assert_eq!(status.resets_in, left);
        assert_eq!(status.retry_in, left);
        assert!(window.peek(2, at(20_000)).admitted && !window.peek(0, at(20_000)).admitted);
        assert!(!window.is_idle(at(59_999)) && window.is_idle(at(60_000)));
        assert!(window.peek(1, at(60_000)).admitted);
    }

    proptest! {
        /// Compares the window with the definition of the limit for each call.
        #[test]
        fn is_the_definition(limit in 1_u32..8, gaps in proptest::collection::vec(0_u64..30_000, 1..200)) {
            let mut window = RateWindow::default();
            let mut log: Vec<u64> = Vec::new();
            let mut now = 0;
            for gap in gaps {
                now += gap;
                let counting = log.iter().filter(|then| **then + 60_000 > now).count();
                let status = window.admit(limit, at(now));
                prop_assert_eq!(status.admitted, counting < limit as usize);
                if status.admitted {
                    log.push(now);
                } else {
                    let retry = u64::try_from(status.retry_in.as_millis()).unwrap();
                    let mut early = window.clone();
                    prop_assert!(!early.admit(limit, at(now + retry - 1)).admitted);
                    prop_assert!(window.clone().admit(limit, at(now + retry)).admitted);
                }
            }
        }
    }
}
