//! The accounts and conversations for which this instance sends at a reduced rate, because the
//! channel demands it.

use domain::account::pace::{Bounds, OF_A_NUMBER, OF_A_PAIR, Pace, SendSlot, Slots};
use domain::id::{AccountId, ConversationId};
use domain::time::Timestamp;
use parking_lot::{Mutex, MutexGuard};
use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};

/// An account or a conversation with a reduced rate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Paced {
    Number(AccountId),
    /// One contact of an account.
    Pair(ConversationId),
}

/// All reduced rates.
#[derive(Debug, Default)]
pub struct SendRates {
    /// Whether there are reduced rates. If there are none, messages are sent without taking the
    /// lock.
    any: AtomicBool,
    known: Mutex<HashMap<Paced, AccountSendRate>>,
}

#[derive(Clone, Copy, Debug)]
struct AccountSendRate {
    pace: Pace,
    slots: Slots,
}

impl Paced {
    const fn bounds(self) -> Bounds {
        match self {
            Self::Number(_) => OF_A_NUMBER,
            Self::Pair(_) => OF_A_PAIR,
        }
    }
}

impl SendRates {
    /// Returns whether a message may be sent now, and if not, from when on. `recorded` is the
    /// account's pace in the database, which another instance may have set.
    pub fn reserve(
        &self,
        account: AccountId,
        recorded: Option<Pace>,
        conversation: ConversationId,
        now: Timestamp,
    ) -> SendSlot {
        let recorded = recorded.filter(|pace| pace.at(now).is_some());
        if recorded.is_none() && !self.any.load(Ordering::Relaxed) {
            return SendSlot::Free;
        }
        let mut rates = self.open();
        if let Some(pace) = recorded {
            let new = AccountSendRate { pace, slots: Slots::default() };
            let number = rates.entry(Paced::Number(account)).or_insert(new);
            if number.pace.since < pace.since {
                number.pace = pace;
            }
        }
        let limits = [Paced::Pair(conversation), Paced::Number(account)];
        // If the account or the conversation has to wait, no slot of the other is used up.
        let waits = limits.iter().find(|it| rates.get(it).is_some_and(|it| !it.slots.is_free(now)));
        let taken = waits.map_or(&limits[..], std::slice::from_ref);
        let mut slot = SendSlot::Free;
        for paced in taken {
            let Some(it) = rates.get_mut(paced) else { continue };
            match it.pace.bounded(paced.bounds(), now) {
                Some(rate) => slot = it.slots.reserve(rate, now),
                None => drop(rates.remove(paced)),
            }
        }
        self.any.store(!rates.is_empty(), Ordering::Relaxed);
        slot
    }

    /// Reduces a rate after the channel reported that messages come too fast. Returns the new pace
    /// if it has changed.
    pub fn slow(&self, paced: Paced, now: Timestamp) -> Option<Pace> {
        let mut rates = self.open();
        rates.retain(|paced, it| it.pace.bounded(paced.bounds(), now).is_some());
        let before = rates.get(&paced).map(|it| it.pace);
        let pace = Pace::slowed(before, paced.bounds(), now);
        let it = rates.entry(paced).or_insert(AccountSendRate { pace, slots: Slots::default() });
        it.pace = pace;
        // Without this wait the refused message would be sent again at once.
        it.slots.wait(pace.rate, now);
        self.any.store(true, Ordering::Relaxed);
        (before != Some(pace)).then_some(pace)
    }

    fn open(&self) -> MutexGuard<'_, HashMap<Paced, AccountSendRate>> {
        self.known.lock()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn who_is_slowed_down_holds_up_nobody_else() {
        let (paces, now) = (SendRates::default(), Timestamp::from_seconds(1_800_000_000));
        let number = |of: u8| AccountId::new(now, [of; 10]);
        let person = |of: u8| ConversationId::new(now, [of; 10]);
        let free = |of: u8, to: u8, now| {
            paces.reserve(number(of), None, person(to), now) == SendSlot::Free
        };
        assert!((0..100).all(|_| free(1, 1, now)), "nobody is slowed down");
        assert!(paces.slow(Paced::Pair(person(1)), now).is_some());
        assert_eq!(paces.slow(Paced::Pair(person(1)), now), None);
        assert!(!free(1, 1, now) && free(1, 2, now) && free(2, 3, now));
        let slowed = paces.slow(Paced::Number(number(1)), now).unwrap();
        assert!(!free(1, 2, now) && free(2, 3, now));
        // Another instance knows the pace from the database.
        let (other, later) = (SendRates::default(), now.plus(Duration::from_secs(10)));
        let taken: Vec<_> =
            (0..20).map(|_| other.reserve(number(1), Some(slowed), person(2), now)).collect();
        assert!(taken[0] == SendSlot::Free && taken[19] != SendSlot::Free);
        assert!(free(1, 2, later));
        let much_later = now.plus(Duration::from_hours(1));
        assert!((0..100).all(|_| free(1, 1, much_later)), "it is over");
        assert!(!paces.any.load(Ordering::Relaxed));
    }
}
