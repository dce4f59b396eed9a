//! Requests with an `Idempotency-Key` that are being processed, and the retention of their answers.

use domain::id::KeyId;
use parking_lot::Mutex;
use std::collections::HashSet;
use std::time::Duration;

/// The time for which an answer is kept (`docs/contract.md#idempotency`).
pub const ANSWERS_RETENTION: Duration = Duration::from_hours(24);

type RequestKey = (KeyId, &'static str, String);

/// The requests that are being processed.
#[derive(Debug, Default)]
pub struct InFlight(Mutex<HashSet<RequestKey>>);

/// Marks a request as being processed until this value is dropped.
#[derive(Debug)]
pub struct InFlightGuard<'a> {
    within: &'a InFlight,
    entry: RequestKey,
}

impl InFlight {
    /// Marks a request as being processed. Returns `None` if the same request is already being
    /// processed.
    pub fn hold(&self, key: KeyId, path: &'static str, name: &str) -> Option<InFlightGuard<'_>> {
        let entry = (key, path, name.to_owned());
        let mut entries = self.0.lock();
        let fresh = entries.insert(entry.clone());
        // `then_some` would always create an `InFlightGuard`. Dropping it would remove the entry of
        // the other request.
        fresh.then(|| InFlightGuard { within: self, entry })
    }
}

impl Drop for InFlightGuard<'_> {
    fn drop(&mut self) {
        let mut entries = self.within.0.lock();
        entries.remove(&self.entry);
    }
}
