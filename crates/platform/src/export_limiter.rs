//! Limits the exports of an organization that run at the same time. An export reads many rows, and
//! lasts until the client has received all of them.

use domain::id::OrganizationId;
use parking_lot::Mutex;
use std::collections::HashMap;
use std::sync::{Arc, Weak};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Number of exports of one organization at a time, on this instance.
pub const MAX_EXPORTS: usize = 2;

/// Limits the exports of each organization.
#[derive(Debug, Default)]
pub struct ExportLimiter(Mutex<HashMap<OrganizationId, Weak<Semaphore>>>);

impl ExportLimiter {
    /// Takes a place for an export, which is free again when the result is dropped. Returns `None`
    /// if [`MAX_EXPORTS`] exports of the organization are running.
    #[must_use]
    pub fn take_place(&self, organization: OrganizationId) -> Option<OwnedSemaphorePermit> {
        let mut all = self.0.lock();
        let known = all.get(&organization).and_then(Weak::upgrade);
        let places = known.unwrap_or_else(|| {
            all.retain(|_, places| places.strong_count() > 0);
            let places = Arc::new(Semaphore::new(MAX_EXPORTS));
            all.insert(organization, Arc::downgrade(&places));
            places
        });
        places.try_acquire_owned().ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_organization_has_two_places_and_gets_them_back() {
        let limiter = ExportLimiter::default();
        let [one, other] = [1, 2].map(|it| OrganizationId::from_bytes([it; 16]));
        let first = limiter.take_place(one).unwrap();
        let second = limiter.take_place(one).unwrap();
        assert!(limiter.take_place(one).is_none());
        // Another organization has places of its own.
        assert!(limiter.take_place(other).is_some());
        drop(first);
        assert!(limiter.take_place(one).is_some());
        drop(second);
    }
}
