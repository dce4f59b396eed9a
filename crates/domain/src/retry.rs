//! The schedule on which a failed attempt is repeated (`docs/contract.md#messages`).

use crate::time::Timestamp;
use std::time::Duration;

const FIRST: Duration = Duration::from_millis(500);
/// The minimum wait before the next attempt, if the other side asks for a shorter one.
const LEAST: Duration = Duration::from_millis(100);
const LONGEST: Duration = Duration::from_mins(5);
/// The maximum wait before the next attempt, if the other side asks for a longer one. A message can
/// be sent only within one day.
const MAX_REQUESTED_DELAY: Duration = Duration::from_hours(1);
/// How long after it was accepted a message is given up.
pub const GIVE_UP_AFTER: Duration = Duration::from_hours(24);

/// Returns the time of the next attempt after `failed` failed attempts, or `None` if that time
/// would be [`GIVE_UP_AFTER`] or more after the message was accepted.
///
/// The waits double from half a second to five minutes. Each wait is shortened by a random part of
/// up to a quarter, so that attempts that failed together are not repeated together. `jitter` (0 to
/// 255) is the random number. If the other side asks for a wait (`asked`), that wait is used
/// instead.
#[must_use]
pub fn next_attempt(
    accepted_at: Timestamp,
    failed: u32,
    asked: Option<Duration>,
    jitter: u8,
    now: Timestamp,
) -> Option<Timestamp> {
    let next = now.plus(wait(failed, asked, jitter));
    (next.since(accepted_at) < GIVE_UP_AFTER).then_some(next)
}

/// Returns the wait before the next attempt, for work that is never given up. The arguments are
/// those of [`next_attempt`].
#[must_use]
pub fn wait(failed: u32, asked: Option<Duration>, jitter: u8) -> Duration {
    if let Some(asked) = asked {
        return asked.clamp(LEAST, MAX_REQUESTED_DELAY);
    }
    let doubled = FIRST.saturating_mul(1 << failed.min(10));
    let wait = doubled.min(LONGEST);
    wait.saturating_sub(wait / 4 * u32::from(jitter) / 255)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn waits_double_and_end_after_a_day() {
        let start = Timestamp::from_seconds(1_800_000_000);
        let wait = |failed| next_attempt(start, failed, None, 0, start).unwrap().since(start);
        assert_eq!(wait(0), Duration::from_millis(500));
        assert_eq!(wait(3), Duration::from_secs(4));
        assert_eq!(wait(40), LONGEST);
        let late = start.plus(GIVE_UP_AFTER);
        assert_eq!(next_attempt(start, 9, None, 0, late), None);
        // An attempt exactly one day after acceptance, or later, is too late.
        let moment = Duration::from_millis(1);
        let last = |before| next_attempt(start, 0, None, 0, late.minus(FIRST + before));
        assert_eq!(last(Duration::ZERO), None);
        assert_eq!(last(moment), Some(late.minus(moment)));
        let asked = next_attempt(start, 0, Some(Duration::from_secs(90)), 0, start);
        assert_eq!(asked, Some(start.plus(Duration::from_secs(90))));
        let absurd = next_attempt(start, 0, Some(Duration::from_hours(48)), 0, start);
        assert_eq!(absurd, Some(start.plus(MAX_REQUESTED_DELAY)));
    }

    proptest! {
        #[test]
        fn chance_takes_a_quarter_at_most(failed in 0_u32..50, jitter: u8) {
            let start = Timestamp::from_seconds(1_800_000_000);
            let full = next_attempt(start, failed, None, 0, start).unwrap().since(start);
            let wait = next_attempt(start, failed, None, jitter, start).unwrap().since(start);
            prop_assert!(wait <= full && wait >= full * 3 / 4);
        }
    }
}
