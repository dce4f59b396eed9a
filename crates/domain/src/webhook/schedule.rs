//! The schedule of the attempts to deliver an event to a webhook endpoint.

use std::time::Duration;

/// The waits between the attempts: the first is the wait after the first failed attempt
/// (`docs/contract.md#webhooks`).
const WAITS: [Duration; 9] = [
    Duration::from_secs(5),
    Duration::from_mins(5),
    Duration::from_mins(30),
    Duration::from_hours(2),
    Duration::from_hours(5),
    Duration::from_hours(10),
    Duration::from_hours(14),
    Duration::from_hours(20),
    Duration::from_hours(24),
];

/// Maximum number of attempts for one delivery.
#[expect(clippy::cast_possible_truncation, reason = "there are ten")]
pub const MAX_ATTEMPTS: u32 = WAITS.len() as u32 + 1;

/// Returns the wait after `failed` failed attempts, or `None` if no other attempt follows. A random
/// extra wait of up to a tenth is added, so that attempts that failed at the same time are not
/// repeated at the same time. `chance` (0 to 65535) is the random number.
#[must_use]
pub fn next_attempt(failed: u32, chance: u16) -> Option<Duration> {
    let place = usize::try_from(failed).ok()?.checked_sub(1)?;
    let wait = *WAITS.get(place)?;
    Some(wait + wait / 10 * u32::from(chance) / u32::from(u16::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_waits_are_those_of_the_contract() {
        let waits: Vec<u64> =
            (1..MAX_ATTEMPTS).map(|failed| next_attempt(failed, 0).unwrap().as_secs()).collect();
        let hour = 3600;
        let rest = [2, 5, 10, 14, 20, 24].map(|hours| hours * hour);
        assert_eq!(waits, [&[5, 300, 1800], rest.as_slice()].concat());
        assert_eq!(next_attempt(MAX_ATTEMPTS, 0), None);
        assert_eq!(next_attempt(0, 0), None);
        assert_eq!(next_attempt(u32::MAX, 0), None);
    }

    proptest! {
        #[test]
        fn chance_adds_a_tenth_at_most(failed in 1..MAX_ATTEMPTS, chance: u16) {
            let least = next_attempt(failed, 0).unwrap();
            let wait = next_attempt(failed, chance).unwrap();
            prop_assert!(wait >= least && wait <= least + least / 10);
        }

        #[test]
        fn it_ends(failed: u32, chance: u16) {
            let tried = next_attempt(failed, chance).is_some();
            prop_assert_eq!(tried, (1..MAX_ATTEMPTS).contains(&failed));
        }
    }
}
