//! This server among those that share the database: what it claims is its own as long as it renews this.

use crate::clock::Stopwatch;
use domain::id::InstanceId;
use domain::instance::CLAIMS_HOLD;
use persistence::records::Claim;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Under which name this server claims things, and whether that still holds.
#[derive(Debug)]
pub struct Lease {
    instance: Mutex<InstanceId>,
    last_claim: AtomicI64,
    /// When the last successful renewal began. Never, where no other server could take anything over, and
    /// in tests that step the workers by hand: then claims always hold.
    renewed: Mutex<Option<Stopwatch>>,
}

fn open<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Lease {
    /// Of a server that has been entered under this id.
    #[must_use]
    pub const fn of(instance: InstanceId) -> Self {
        let (instance, renewed) = (Mutex::new(instance), Mutex::new(None));
        Self { instance, last_claim: AtomicI64::new(0), renewed }
    }

    /// The id under which this server is entered.
    pub fn instance(&self) -> InstanceId {
        *open(&self.instance)
    }

    /// From now on it is entered under another id: the others took it for dead. Older claims hold no more.
    pub fn replace(&self, instance: InstanceId) {
        *open(&self.instance) = instance;
    }

    /// It has been renewed, which began at `begun`.
    pub fn renewed(&self, begun: Stopwatch) {
        *open(&self.renewed) = Some(begun);
    }

    /// A claim that nothing has been claimed by yet.
    pub fn next_claim(&self) -> Claim {
        let number = self.last_claim.fetch_add(1, Ordering::Relaxed) + 1;
        Claim { instance: self.instance(), number }
    }

    /// The number of the claim that was made last.
    pub fn last_claim(&self) -> i64 {
        self.last_claim.load(Ordering::Relaxed)
    }

    /// Whether what was claimed by it is surely still ours.
    pub fn holds(&self, claim: Claim) -> bool {
        let fresh = open(&self.renewed).is_none_or(|renewed| renewed.elapsed() < CLAIMS_HOLD);
        fresh && claim.instance == self.instance()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::time::Timestamp;

    #[test]
    fn a_claim_holds_until_the_server_gets_another_id() {
        let instance = |number| InstanceId::new(Timestamp::from_seconds(0), [number; 10]);
        let lease = Lease::of(instance(1));
        let (one, other) = (lease.next_claim(), lease.next_claim());
        assert_ne!(one, other);
        lease.renewed(Stopwatch::start());
        assert!(lease.holds(one) && lease.holds(other));
        lease.replace(instance(2));
        assert!(!lease.holds(one) && lease.holds(lease.next_claim()));
    }
}
