//! Requests with an `Idempotency-Key`: those that are being processed, and how long answers are kept.

use domain::id::KeyId;
use std::collections::HashSet;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// How long an answer is kept (`docs/contract.md#idempotency`).
pub const ANSWERS_RETENTION: Duration = Duration::from_hours(24);

type Entry = (KeyId, &'static str, String);

/// The requests that have come in and are not answered yet.
#[derive(Debug, Default)]
pub struct InFlight(Mutex<HashSet<Entry>>);

/// Holds a request's place until it is answered, whichever way.
#[derive(Debug)]
pub struct InFlightGuard<'a> {
    within: &'a InFlight,
    entry: Entry,
}

impl InFlight {
    /// Takes the place, unless the same request is being processed.
    pub fn hold(&self, key: KeyId, path: &'static str, name: &str) -> Option<InFlightGuard<'_>> {
        let entry = (key, path, name.to_owned());
        let mut entries = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let fresh = entries.insert(entry.clone());
        // Not `then_some`: an `InFlightGuard` that is dropped lets go of a place that another request holds.
        fresh.then(|| InFlightGuard { within: self, entry })
    }
}

impl Drop for InFlightGuard<'_> {
    fn drop(&mut self) {
        let mut entries = self.within.0.lock().unwrap_or_else(PoisonError::into_inner);
        entries.remove(&self.entry);
    }
}
