//! Reports of a failing store: operators get a full log line at most once a minute, and the error
//! for the caller says whether a retry helps.

use super::{StorageFault, StoreError};
use crate::error_chain::chain;
use domain::time::Timestamp;
use parking_lot::Mutex;
use std::collections::{BTreeSet, HashMap};
use std::time::Duration;

/// Minimum time between two log lines about the same kind of failure.
const LOGGED_INTERVAL: Duration = Duration::from_mins(1);

/// The error that a caller gets when the store fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outage {
    /// A retry may succeed.
    Passing,
    /// A retry fails until an operator has changed something.
    OutOfOrder,
}

/// The last log line of each kind of failure, and the settings that are probably wrong.
#[derive(Debug, Default)]
pub struct StorageReports {
    last: Mutex<HashMap<StorageFault, LastReport>>,
    settings: Mutex<BTreeSet<&'static str>>,
}

/// The time of the last log line, and the number of failures since.
#[derive(Debug)]
struct LastReport {
    at: Timestamp,
    since: u64,
}

impl StorageReports {
    /// Logs a failure, unless one of its kind was logged within the last minute. Returns the error
    /// for the caller. `now` must come from a clock that never goes back.
    pub fn failed(&self, error: &StoreError, now: Timestamp) -> Outage {
        let fault = StorageFault::from_error(error);
        self.settings.lock().insert(fault.setting());
        if let Some(failures) = self.to_log(fault, now) {
            let (error, advice) = (chain(error), fault.advice());
            let setting = fault.setting();
            tracing::error!(error, setting, failures, "files cannot be stored or read; {advice}");
        }
        if fault.is_temporary() { Outage::Passing } else { Outage::OutOfOrder }
    }

    /// Returns the settings that are probably wrong, by the failures since
    /// [`StorageReports::clear`].
    #[must_use]
    pub fn settings(&self) -> Vec<&'static str> {
        self.settings.lock().iter().copied().collect()
    }

    /// Forgets the settings that are probably wrong. Called before the store is tested again.
    pub fn clear(&self) {
        self.settings.lock().clear();
    }

    /// Returns the number of failures to log, or `None` if the last log line of this kind is too
    /// recent.
    fn to_log(&self, fault: StorageFault, now: Timestamp) -> Option<u64> {
        let mut last = self.last.lock();
        match last.get_mut(&fault) {
            Some(last) if now.since(last.at) < LOGGED_INTERVAL => {
                last.since += 1;
                None
            }
            earlier => {
                let failures = 1 + earlier.map_or(0, |last| last.since);
                last.insert(fault, LastReport { at: now, since: 0 });
                Some(failures)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_kind_is_logged_once_a_minute_with_the_failures_since() {
        let reports = StorageReports::default();
        let at = |seconds: i64| Timestamp::from_seconds(1_000_000 + seconds);
        assert_eq!(reports.to_log(StorageFault::NoBucket, at(0)), Some(1));
        assert_eq!(reports.to_log(StorageFault::NoBucket, at(1)), None);
        assert_eq!(reports.to_log(StorageFault::Credentials, at(2)), Some(1));
        assert_eq!(reports.to_log(StorageFault::NoBucket, at(59)), None);
        assert_eq!(reports.to_log(StorageFault::NoBucket, at(60)), Some(3));
        assert_eq!(reports.to_log(StorageFault::NoBucket, at(61)), None);
    }
}
