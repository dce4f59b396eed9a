//! The send rate of an account that the channel has slowed down
//! (`docs/contract.md#health-of-a-number`).
//!
//! The rate follows the rule "additive increase, multiplicative decrease". Each time the channel
//! reports that messages come too fast, the rate is halved. Between such reports, the rate grows
//! steadily until there is no limit anymore.

use crate::time::Timestamp;
use std::time::Duration;

/// After a report that messages come too fast, further such reports are ignored for this long. They
/// concern messages that were sent at the previous, higher rate.
const REACTION: Duration = Duration::from_secs(1);
/// Maximum time without messages that is made up for. After a pause, the messages for which there
/// were slots in this time are sent at once.
const CREDIT: Duration = Duration::from_millis(250);
/// Maximum time after which a delayed message asks for a slot again, because the rate may have
/// grown by then. If the next free slot is later, the message waits for that slot.
const HORIZON: Duration = Duration::from_mins(1);

/// A send rate in thousandths of a message per second.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Rate(pub u32);

/// The parameters by which a send rate falls and grows, in thousandths of a message per second.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounds {
    /// The rate after the first report that messages come too fast.
    first: u32,
    /// The lowest rate. Reports do not reduce the rate further.
    least: u32,
    /// The amount by which the rate grows in each second.
    growth: u32,
    /// The rate at which the limit ends: when the rate has grown to this value, there is no limit
    /// anymore.
    most: u32,
}

/// Bounds for all messages of one account together. The channel accepts 80 messages per second from
/// most accounts.
pub const OF_A_NUMBER: Bounds = Bounds { first: 40_000, least: 100, growth: 100, most: 80_000 };
/// Bounds for the messages of one account to one contact. After a burst, the channel accepts one
/// message to the contact in six seconds.
pub const OF_A_PAIR: Bounds = Bounds { first: 166, least: 16, growth: 1, most: 1_000 };

/// The rate after the channel's last report that messages came too fast, and the time of that
/// report.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pace {
    pub rate: Rate,
    pub since: Timestamp,
}

impl Rate {
    /// Returns the time between two messages at this rate.
    #[must_use]
    pub const fn interval(self) -> Duration {
        let rate = if self.0 == 0 { 1 } else { self.0 };
        Duration::from_micros(1_000_000_000 / rate as u64)
    }

    /// Returns the rate in messages per second.
    #[must_use]
    pub fn per_second(self) -> f64 {
        f64::from(self.0) / 1000.0
    }
}

impl Pace {
    /// Returns the limit of the account's send rate at `now`, or `None` if there is no limit.
    #[must_use]
    pub fn at(self, now: Timestamp) -> Option<Rate> {
        self.bounded(OF_A_NUMBER, now)
    }

    /// Returns the limit of the send rate at `now` with these bounds, or `None` if there is no
    /// limit.
    #[must_use]
    pub fn bounded(self, bounds: Bounds, now: Timestamp) -> Option<Rate> {
        let grown = u64::from(bounds.growth).saturating_mul(now.since(self.since).as_secs());
        match u32::try_from(grown.saturating_add(u64::from(self.rate.0))) {
            Ok(rate) if rate < bounds.most => Some(Rate(rate)),
            _ => None,
        }
    }

    /// Returns the pace after the channel reported at `now` that messages come too fast. `before`
    /// is the pace before the report, if the channel had slowed the account down already.
    #[must_use]
    pub fn slowed(before: Option<Self>, bounds: Bounds, now: Timestamp) -> Self {
        let Some(pace) = before else { return Self { rate: Rate(bounds.first), since: now } };
        if now.since(pace.since) < REACTION {
            return pace;
        }
        let rate = pace.bounded(bounds, now).map_or(bounds.first, |rate| rate.0 / 2);
        Self { rate: Rate(rate.max(bounds.least)), since: now }
    }
}

/// The slots in which messages are sent at a limited rate. Each slot is for one message.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Slots {
    /// The time of the next free slot, or `None` if no slot was taken yet.
    next: Option<Timestamp>,
    /// The time until which the last message that got no slot waits before it asks again.
    put_off: Option<Timestamp>,
}

/// The answer to a message that asks for a slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SendSlot {
    /// The message may be sent now.
    Free,
    /// The message has to wait until this time, and then ask for a slot again.
    At(Timestamp),
}

impl Slots {
    /// Whether a slot is free at `now`.
    #[must_use]
    pub fn is_free(&self, now: Timestamp) -> bool {
        self.next.is_none_or(|next| next <= now)
    }

    /// Makes the next message wait for at least one interval from `now`.
    pub fn wait(&mut self, rate: Rate, now: Timestamp) {
        self.next = self.next.max(Some(now.plus(rate.interval())));
    }

    /// Takes the next slot for a message if the slot is free. Otherwise returns the time at which
    /// the message has to ask again.
    pub fn reserve(&mut self, rate: Rate, now: Timestamp) -> SendSlot {
        let next = self.next.unwrap_or(now);
        if next <= now {
            self.next = Some(next.max(now.minus(CREDIT)).plus(rate.interval()));
            return SendSlot::Free;
        }
        let end = now.plus(HORIZON);
        let behind = self.put_off.filter(|it| *it >= next && *it < end);
        let at = behind.map_or(next, |it| it.plus(rate.interval())).min(end.max(next));
        self.put_off = Some(at);
        SendSlot::At(at)
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
                match slots.reserve(rate, now) {
                    SendSlot::Free => left += 1,
                    SendSlot::At(at) => prop_assert!(at > now && at.since(now) <= HORIZON.max(rate.interval())),
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
                if let SendSlot::At(at) = slots.reserve(rate, now) {
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
                    let before = pace.and_then(|it: Pace| it.bounded(bounds, now));
                    prop_assert!(before.is_none_or(|before| slowed.bounded(bounds, now).is_some_and(|it| it <= before.max(Rate(bounds.least)))));
                    pace = Some(slowed);
                }
            }
        }
    }
}
