//! One timeline of two clocks: a wall clock, which may be set at any moment, and a monotonic one, which
//! only says how long something took.

use crate::time::Timestamp;
use std::time::Duration;

/// A timeline that is behind the wall clock by so much or less follows it at once.
const FOLLOWED_AT_ONCE: Duration = Duration::from_hours(24);
/// A longer way it follows when the wall clock has stood there for so long: what is set for a moment by
/// mistake is not believed.
const ACCEPT_STEP_AFTER: Duration = Duration::from_mins(1);
/// While it waits for the wall clock, it loses one part in so many.
const SLOWER_BY: u32 = 100;

/// What time it is, by a wall clock that may be set and a monotonic one that may not.
///
/// It never goes back. When the wall clock is set back, the timeline goes on from where it is, by the
/// monotonic clock and 1 % slower than that, until the wall clock has caught up: ten minutes take 17 hours.
/// When the wall clock is set forward, the timeline follows.
#[derive(Clone, Debug)]
pub struct Timeline {
    /// The wall clock and the monotonic one when they were last followed.
    anchor: (Timestamp, Duration),
    /// When the wall clock was first found too far ahead to be believed, by the monotonic clock.
    ahead_since: Option<Duration>,
    last: Timestamp,
}

impl Timeline {
    /// A timeline that begins at `wall`, when the monotonic clock says `elapsed`.
    #[must_use]
    pub const fn starting(wall: Timestamp, elapsed: Duration) -> Self {
        Self { anchor: (wall, elapsed), ahead_since: None, last: wall }
    }

    /// The time, when the two clocks say this.
    pub fn read(&mut self, wall: Timestamp, elapsed: Duration) -> Timestamp {
        let (at, then) = self.anchor;
        let passed = elapsed.saturating_sub(then);
        let slowly = at.plus(passed.saturating_sub(passed / SLOWER_BY));
        let now = if wall < slowly {
            self.ahead_since = None;
            slowly
        } else if self.is_believed(wall.since(at.plus(passed)), elapsed) {
            self.anchor = (wall, elapsed);
            self.ahead_since = None;
            wall
        } else {
            at.plus(passed)
        };
        self.last = self.last.max(now);
        self.last
    }

    fn is_believed(&mut self, ahead: Duration, elapsed: Duration) -> bool {
        if ahead <= FOLLOWED_AT_ONCE {
            return true;
        }
        let since = *self.ahead_since.get_or_insert(elapsed);
        elapsed.saturating_sub(since) >= ACCEPT_STEP_AFTER
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const START: i64 = 1_800_000_000;

    fn at(seconds: i64) -> Timestamp {
        Timestamp::from_seconds(START + seconds)
    }

    fn after(seconds: u64) -> Duration {
        Duration::from_secs(seconds)
    }

    fn timeline() -> Timeline {
        Timeline::starting(at(0), after(50))
    }

    #[test]
    fn it_is_the_wall_clock_while_nobody_sets_that() {
        let mut timeline = timeline();
        for second in [0, 1, 60, 100_000] {
            let now = timeline.read(at(i64::try_from(second).unwrap()), after(50 + second));
            assert_eq!(now, at(i64::try_from(second).unwrap()));
        }
    }

    #[test]
    fn it_goes_on_one_percent_slower_when_the_wall_clock_is_set_back() {
        let mut timeline = timeline();
        // Ten minutes back, at once: a minute later 59.4 s have passed,
        assert_eq!(timeline.read(at(-540), after(110)), at(0).plus(Duration::from_millis(59_400)));
        // a minute later than that as many,
        assert_eq!(timeline.read(at(-480), after(170)), at(0).plus(Duration::from_millis(118_800)));
        // and after 1,000 minutes the wall clock has caught up.
        assert_eq!(
            timeline.read(at(59_399), after(60_049)),
            at(0).plus(Duration::from_millis(59_399_010))
        );
        assert_eq!(timeline.read(at(59_401), after(60_051)), at(59_401));
    }

    #[test]
    fn it_follows_the_wall_clock_forward() {
        let mut timeline = timeline();
        assert_eq!(timeline.read(at(3600), after(51)), at(3600));
        assert_eq!(timeline.read(at(3601), after(52)), at(3601));
        assert_eq!(timeline.read(at(3601 + 86_400), after(53)), at(3601 + 86_400));
    }

    #[test]
    fn a_leap_of_more_than_a_day_is_believed_after_a_minute() {
        const YEARS: i64 = 400_000_000;
        let mut timeline = timeline();
        assert_eq!(timeline.read(at(YEARS), after(51)), at(1));
        assert_eq!(timeline.read(at(YEARS + 59), after(110)), at(60));
        // It was a mistake that somebody mended: nothing has happened.
        assert_eq!(timeline.read(at(61), after(111)), at(61));
        // It lasts: then it is right.
        assert_eq!(timeline.read(at(YEARS), after(112)), at(62));
        assert_eq!(timeline.read(at(YEARS + 60), after(172)), at(YEARS + 60));
    }

    proptest! {
        #[test]
        fn it_never_goes_back(steps in proptest::collection::vec((-2_000_000_i64..2_000_000, 0_u64..100_000), 1..200)) {
            let (mut wall, mut elapsed) = (START * 1000, 0);
            let mut timeline = Timeline::starting(Timestamp::from_micros(wall * 1000), Duration::ZERO);
            let mut last = Timestamp::from_micros(0);
            for (set, passed) in steps {
                elapsed += passed;
                wall += i64::try_from(passed).unwrap() + set;
                let now = timeline.read(Timestamp::from_micros(wall * 1000), Duration::from_millis(elapsed));
                prop_assert!(now >= last);
                last = now;
            }
        }
    }
}
