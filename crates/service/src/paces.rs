//! Numbers, and people of a number, to which less is sent because the channel wants that, as this process knows them.

use domain::account::pace::{Bounds, OF_A_NUMBER, OF_A_PAIR, Pace, Slot, Slots};
use domain::id::{AccountId, ConversationId};
use domain::time::Timestamp;
use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// What is slowed down.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Paced {
    /// A number.
    Number(AccountId),
    /// A number and one person.
    Pair(ConversationId),
}

/// Everything that is slowed down.
#[derive(Debug, Default)]
pub struct Paces {
    /// Whether there is anything: who is not slowed down does not wait for who is.
    any: AtomicBool,
    known: Mutex<HashMap<Paced, Known>>,
}

#[derive(Clone, Copy, Debug)]
struct Known {
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

impl Paces {
    /// Whether a message may leave now. `recorded` is the number's pace as another server may have found it.
    pub fn take(
        &self,
        (account, recorded): (AccountId, Option<Pace>),
        conversation: ConversationId,
        now: Timestamp,
    ) -> Slot {
        let recorded = recorded.filter(|pace| pace.at(now).is_some());
        if recorded.is_none() && !self.any.load(Ordering::Relaxed) {
            return Slot::Free;
        }
        let mut known = self.open();
        if let Some(pace) = recorded {
            let new = Known { pace, slots: Slots::default() };
            let number = known.entry(Paced::Number(account)).or_insert(new);
            if number.pace.since < pace.since {
                number.pace = pace;
            }
        }
        let asked = [Paced::Pair(conversation), Paced::Number(account)];
        // One that has to wait takes nothing from the other.
        let waits = asked.iter().find(|it| known.get(it).is_some_and(|it| !it.slots.is_free(now)));
        let taken = waits.map_or(&asked[..], std::slice::from_ref);
        let mut slot = Slot::Free;
        for paced in taken {
            let Some(it) = known.get_mut(paced) else { continue };
            match it.pace.within(paced.bounds(), now) {
                Some(rate) => slot = it.slots.take(rate, now),
                None => drop(known.remove(paced)),
            }
        }
        self.any.store(!known.is_empty(), Ordering::Relaxed);
        slot
    }

    /// The channel says that messages come too fast. Gives the pace from now on, if it is another.
    pub fn slow(&self, paced: Paced, now: Timestamp) -> Option<Pace> {
        let mut known = self.open();
        known.retain(|paced, it| it.pace.within(paced.bounds(), now).is_some());
        let before = known.get(&paced).map(|it| it.pace);
        let pace = Pace::slowed(before, paced.bounds(), now);
        let it = known.entry(paced).or_insert(Known { pace, slots: Slots::default() });
        it.pace = pace;
        // What was refused just now would leave at once again.
        it.slots.wait(pace.rate, now);
        self.any.store(true, Ordering::Relaxed);
        (before != Some(pace)).then_some(pace)
    }

    fn open(&self) -> MutexGuard<'_, HashMap<Paced, Known>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn who_is_slowed_down_holds_up_nobody_else() {
        let (paces, now) = (Paces::default(), Timestamp::from_seconds(1_800_000_000));
        let number = |of: u8| AccountId::new(now, [of; 10]);
        let person = |of: u8| ConversationId::new(now, [of; 10]);
        let free =
            |of: u8, to: u8, now| paces.take((number(of), None), person(to), now) == Slot::Free;
        assert!((0..100).all(|_| free(1, 1, now)), "nobody is slowed down");
        assert!(paces.slow(Paced::Pair(person(1)), now).is_some());
        assert_eq!(paces.slow(Paced::Pair(person(1)), now), None);
        assert!(!free(1, 1, now) && free(1, 2, now) && free(2, 3, now));
        let slowed = paces.slow(Paced::Number(number(1)), now).unwrap();
        assert!(!free(1, 2, now) && free(2, 3, now));
        // Another server has it from the database.
        let (other, later) = (Paces::default(), now.plus(Duration::from_secs(10)));
        let taken: Vec<_> =
            (0..20).map(|_| other.take((number(1), Some(slowed)), person(2), now)).collect();
        assert!(taken[0] == Slot::Free && taken[19] != Slot::Free);
        assert!(free(1, 2, later));
        let much_later = now.plus(Duration::from_hours(1));
        assert!((0..100).all(|_| free(1, 1, much_later)), "it is over");
        assert!(!paces.any.load(Ordering::Relaxed));
    }
}
