//! A timeline from two clocks: a wall clock, which may be set at any time, and a monotonic clock,
//! which only measures elapsed time.

use crate::time::Timestamp;
use std::time::Duration;

/// If the wall clock is ahead of the timeline by at most this much, the timeline jumps to the wall
/// clock's time at once.
const FOLLOWED_AT_ONCE: Duration = Duration::from_hours(24);
/// If the wall clock is further ahead, the timeline jumps only after the wall clock has stayed so
/// far ahead for this long. A clock that was set wrong for a moment is thus ignored.
const ACCEPT_STEP_AFTER: Duration = Duration::from_mins(1);
/// While the wall clock is behind the timeline, the timeline runs slower by one part in this many:
/// by 1 %.
const SLOWER_BY: u32 = 100;

/// The current time, computed from a wall clock, which may be set, and a monotonic clock, which
/// never is.
///
/// The timeline never goes back. After the wall clock is set back, the timeline runs at 99 % of the
/// monotonic clock's speed until the wall clock has caught up. If the wall clock was set back ten
/// minutes, that takes 17 hours. If the wall clock is set forward, the timeline follows it.
#[derive(Clone, Debug)]
pub struct Timeline {
    /// The times of the wall clock and of the monotonic clock when the timeline last followed the
    /// wall clock.
    anchor: (Timestamp, Duration),
    /// The time of the monotonic clock when the wall clock's lead first became too large to be
    /// followed at once. `None` if the lead is not too large.
    ahead_since: Option<Duration>,
    last: Timestamp,
}

impl Timeline {
    /// Starts a timeline. At its start, the wall clock reads `wall` and the monotonic clock reads
    /// `elapsed`.
    #[must_use]
    pub const fn starting(wall: Timestamp, elapsed: Duration) -> Self {
        Self { anchor: (wall, elapsed), ahead_since: None, last: wall }
    }

    /// Returns the timeline's time, given the current times of the two clocks.
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
        // The wall clock was set back ten minutes, 0 s after the start. After 60 s of the monotonic
        // clock, the timeline has gained 59.4 s.
        assert_eq!(timeline.read(at(-540), after(110)), at(0).plus(Duration::from_millis(59_400)));
        // After another 60 s of the monotonic clock, the timeline has gained another 59.4 s.
        assert_eq!(timeline.read(at(-480), after(170)), at(0).plus(Duration::from_millis(118_800)));
        // After 1,000 minutes, the wall clock has caught up with the timeline.
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
        // The wall clock was corrected within a minute, and the timeline never followed its wrong
        // time.
        assert_eq!(timeline.read(at(61), after(111)), at(61));
        // The wall clock is far ahead again. The timeline follows it only after a minute.
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
