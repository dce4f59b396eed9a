//! How fast messages leave where the channel slows them down (`docs/contract.md#health-of-a-number`).
//!
//! Additive increase, multiplicative decrease: each time the channel says that it is too fast the rate is halved, and it
//! grows steadily with time until it bounds nothing any more.

use crate::time::Timestamp;
use std::time::Duration;

/// Refusals of so short a time are one: what was on its way already does not slow it down again.
const REACTION: Duration = Duration::from_secs(1);
/// What was not used of the rate is made up for as far as this.
const CREDIT: Duration = Duration::from_millis(250);
/// No message is put off for longer at a time: the rate may have grown meanwhile.
const HORIZON: Duration = Duration::from_mins(1);

/// Messages per second, in thousandths.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Rate(pub u32);

/// How rates change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounds {
    /// Where it begins, when the channel says for the first time that it is too fast.
    first: u32,
    /// The slowest.
    least: u32,
    /// What it grows by in a second.
    growth: u32,
    /// From here on it is not bounded.
    most: u32,
}

/// Of a number: the channel takes 80 messages a second of most.
pub const OF_A_NUMBER: Bounds = Bounds { first: 40_000, least: 100, growth: 100, most: 80_000 };
/// Of a number and one person: the channel takes a message in six seconds, after a burst.
pub const OF_A_PAIR: Bounds = Bounds { first: 166, least: 16, growth: 1, most: 1_000 };

/// The rate when the channel last slowed something down, and when that was.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pace {
    /// The rate.
    pub rate: Rate,
    /// When.
    pub since: Timestamp,
}

impl Rate {
    /// The time between two messages.
    #[must_use]
    pub const fn interval(self) -> Duration {
        let rate = if self.0 == 0 { 1 } else { self.0 };
        Duration::from_micros(1_000_000_000 / rate as u64)
    }

    /// In messages per second.
    #[must_use]
    pub fn per_second(self) -> f64 {
        f64::from(self.0) / 1000.0
    }
}

impl Pace {
    /// The rate of a number at this time; none if it is not bounded any more.
    #[must_use]
    pub fn at(self, now: Timestamp) -> Option<Rate> {
        self.within(OF_A_NUMBER, now)
    }

    /// The rate at this time; none if it is not bounded any more.
    #[must_use]
    pub fn within(self, bounds: Bounds, now: Timestamp) -> Option<Rate> {
        let grown = u64::from(bounds.growth).saturating_mul(now.since(self.since).as_secs());
        match u32::try_from(grown.saturating_add(u64::from(self.rate.0))) {
            Ok(rate) if rate < bounds.most => Some(Rate(rate)),
            _ => None,
        }
    }

    /// What comes of it that the channel says it is too fast.
    #[must_use]
    pub fn slowed(before: Option<Self>, bounds: Bounds, now: Timestamp) -> Self {
        let Some(pace) = before else { return Self { rate: Rate(bounds.first), since: now } };
        if now.since(pace.since) < REACTION {
            return pace;
        }
        let rate = pace.within(bounds, now).map_or(bounds.first, |rate| rate.0 / 2);
        Self { rate: Rate(rate.max(bounds.least)), since: now }
    }
}

/// When messages may leave at a rate.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Slots {
    /// When the next one may.
    next: Option<Timestamp>,
    /// The last time for which one was put off.
    put_off: Option<Timestamp>,
}

/// Whether a message may leave.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Slot {
    /// Now.
    Free,
    /// It asks again at this time, when its turn comes at the earliest.
    At(Timestamp),
}

impl Slots {
    /// Whether a message could leave now.
    #[must_use]
    pub fn is_free(&self, now: Timestamp) -> bool {
        self.next.is_none_or(|next| next <= now)
    }

    /// Lets the next message wait for as long as lies between two.
    pub fn wait(&mut self, rate: Rate, now: Timestamp) {
        self.next = self.next.max(Some(now.plus(rate.interval())));
    }

    /// Whether a message may leave now.
    pub fn take(&mut self, rate: Rate, now: Timestamp) -> Slot {
        let next = self.next.unwrap_or(now);
        if next <= now {
            self.next = Some(next.max(now.minus(CREDIT)).plus(rate.interval()));
            return Slot::Free;
        }
        let end = now.plus(HORIZON);
        let behind = self.put_off.filter(|it| *it >= next && *it < end);
        let at = behind.map_or(next, |it| it.plus(rate.interval())).min(end.max(next));
        self.put_off = Some(at);
        Slot::At(at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn start() -> Timestamp {
        Timestamp::from_seconds(1_800_000_000)
    }

    fn after(millis: u64) -> Timestamp {
        start().plus(Duration::from_millis(millis))
    }

    #[test]
    fn a_rate_is_halved_and_grows_until_it_bounds_nothing() {
        let first = Pace::slowed(None, OF_A_NUMBER, start());
        assert_eq!(first.at(start()), Some(Rate(40_000)));
        assert_eq!(Pace::slowed(Some(first), OF_A_NUMBER, after(900)), first, "one burst");
        let half = Pace::slowed(Some(first), OF_A_NUMBER, after(1_000));
        assert_eq!(half.rate, Rate(20_050));
        assert_eq!(half.at(after(11_000)), Some(Rate(21_050)));
        assert_eq!(half.at(after(1_000_000)), None);
        let again = Pace::slowed(Some(half), OF_A_NUMBER, after(1_000_000));
        assert_eq!(again.rate, Rate(40_000));
        assert_eq!(Rate(166).interval(), Duration::from_micros(6_024_096));
    }

    proptest! {
        #[test]
        fn no_more_leave_than_the_rate_lets(rate in 16_u32..80_000, asked in prop::collection::vec(0_u64..2_000, 1..200)) {
            let (mut slots, rate, mut now, mut left) = (Slots::default(), Rate(rate), start(), 0_u32);
            for wait in asked {
                now = now.plus(Duration::from_millis(wait));
                match slots.take(rate, now) {
                    Slot::Free => left += 1,
                    Slot::At(at) => prop_assert!(at > now && at.since(now) <= HORIZON.max(rate.interval())),
                }
            }
            let time = now.since(start()) + CREDIT;
            let most = 1 + time.as_micros() / rate.interval().as_micros();
            prop_assert!(u128::from(left) <= most, "{left} in {time:?}, at most {most}");
        }

        #[test]
        fn whoever_comes_back_when_told_to_gets_away(rate in 100_u32..80_000, waiting in 1_usize..100) {
            let (mut slots, rate) = (Slots::default(), Rate(rate));
            let mut queue: std::collections::BTreeSet<(Timestamp, usize)> = (0..waiting).map(|of| (start(), of)).collect();
            let mut rounds = 0;
            while let Some((now, of)) = queue.pop_first() {
                rounds += 1;
                if let Slot::At(at) = slots.take(rate, now) {
                    queue.insert((at, of));
                }
                prop_assert!(rounds <= waiting * 40, "each comes back a few times");
            }
        }

        #[test]
        fn a_rate_stays_in_its_bounds(refused in prop::collection::vec(0_u64..100_000, 0..50)) {
            for bounds in [OF_A_NUMBER, OF_A_PAIR] {
                let (mut pace, mut now) = (None, start());
                for wait in &refused {
                    now = now.plus(Duration::from_millis(*wait));
                    let slowed = Pace::slowed(pace, bounds, now);
                    prop_assert!(slowed.rate.0 >= bounds.least && slowed.rate.0 <= bounds.most);
                    let before = pace.and_then(|it: Pace| it.within(bounds, now));
                    prop_assert!(before.is_none_or(|before| slowed.within(bounds, now).is_some_and(|it| it <= before.max(Rate(bounds.least)))));
                    pace = Some(slowed);
                }
            }
        }
    }
}
