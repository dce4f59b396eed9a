//! The registration of this instance among those that share the database. The claims of an instance
//! hold as long as the instance renews its registration.

use crate::clock::Stopwatch;
use domain::id::InstanceId;
use domain::instance::CLAIMS_HOLD;
use parking_lot::{Mutex, MutexGuard};
use persistence::records::Claim;
use std::sync::atomic::{AtomicI64, Ordering};

/// The id under which this instance claims work, and whether its claims still hold.
#[derive(Debug)]
pub struct InstanceClaims {
    instance: Mutex<InstanceId>,
    last_claim: AtomicI64,
    /// The start of the last successful renewal. `None` means that claims always hold: on SQLite,
    /// where no other instance can take over work, and in tests that call the workers' steps.
    renewed: Mutex<Option<Stopwatch>>,
}

fn open<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock()
}

impl InstanceClaims {
    /// Creates the claims of an instance that is registered under this id.
    #[must_use]
    pub const fn new(instance: InstanceId) -> Self {
        let (instance, renewed) = (Mutex::new(instance), Mutex::new(None));
        Self { instance, last_claim: AtomicI64::new(0), renewed }
    }

    /// Returns the id under which this instance is registered.
    pub fn instance(&self) -> InstanceId {
        *open(&self.instance)
    }

    /// Records the new id of this instance, which registered again because the other instances
    /// considered it dead. Claims under the old id no longer hold.
    pub fn replace(&self, instance: InstanceId) {
        *open(&self.instance) = instance;
    }

    /// Records a successful renewal that began at `begun`.
    pub fn renewed(&self, begun: Stopwatch) {
        *open(&self.renewed) = Some(begun);
    }

    /// Returns a new claim, with a number that was not used before.
    pub fn next_claim(&self) -> Claim {
        let number = self.last_claim.fetch_add(1, Ordering::Relaxed) + 1;
        Claim { instance: self.instance(), number }
    }

    /// Returns the number of the last claim.
    pub fn last_claim(&self) -> i64 {
        self.last_claim.load(Ordering::Relaxed)
    }

    /// Whether the work under this claim is certainly still reserved for this instance.
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
        let lease = InstanceClaims::new(instance(1));
        let (one, other) = (lease.next_claim(), lease.next_claim());
        assert_ne!(one, other);
        lease.renewed(Stopwatch::start());
        assert!(lease.holds(one) && lease.holds(other));
        lease.replace(instance(2));
        assert!(!lease.holds(one) && lease.holds(lease.next_claim()));
    }
}
