//! How a failing store is reported: to operators in full once a minute, callers whether
//! a repetition helps.

use super::{StorageFault, StoreError};
use crate::error_chain::chain;
use domain::time::Timestamp;
use std::collections::{BTreeSet, HashMap};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// A failure of a kind is logged once in this time.
const LOGGED_INTERVAL: Duration = Duration::from_mins(1);

/// The error of a caller.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outage {
    /// A repetition may succeed.
    Passing,
    /// None does until somebody has changed something.
    OutOfOrder,
}

/// When which kind of failure was logged last, and which settings are to be looked at.
#[derive(Debug, Default)]
pub struct Reports {
    last: Mutex<HashMap<StorageFault, LastReport>>,
    settings: Mutex<BTreeSet<&'static str>>,
}

/// The last line, and the failures since.
#[derive(Debug)]
struct LastReport {
    at: Timestamp,
    since: u64,
}

impl Reports {
    /// Logs a failure, unless one of its kind was logged within the last minute, and says what to tell the
    /// call that met it. `now` is the time by a clock that never goes back.
    pub fn failed(&self, error: &StoreError, now: Timestamp) -> Outage {
        let fault = StorageFault::of(error);
        self.settings.lock().unwrap_or_else(PoisonError::into_inner).insert(fault.setting());
        if let Some(failures) = self.to_log(fault, now) {
            let (error, advice) = (chain(error), fault.advice());
            let setting = fault.setting();
            tracing::error!(error, setting, failures, "files cannot be stored or read; {advice}");
        }
        if fault.is_temporary() { Outage::Passing } else { Outage::OutOfOrder }
    }

    /// The settings whose store has failed since [`Reports::clear`].
    #[must_use]
    pub fn settings(&self) -> Vec<&'static str> {
        self.settings.lock().unwrap_or_else(PoisonError::into_inner).iter().copied().collect()
    }

    /// Forgets the failures, once the store has been tried out again.
    pub fn clear(&self) {
        self.settings.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }

    /// How many failures a log line is about, if there is to be one.
    fn to_log(&self, fault: StorageFault, now: Timestamp) -> Option<u64> {
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
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
        let reports = Reports::default();
        let at = |seconds: i64| Timestamp::from_seconds(1_000_000 + seconds);
        assert_eq!(reports.to_log(StorageFault::NoBucket, at(0)), Some(1));
        assert_eq!(reports.to_log(StorageFault::NoBucket, at(1)), None);
        assert_eq!(reports.to_log(StorageFault::Credentials, at(2)), Some(1));
        assert_eq!(reports.to_log(StorageFault::NoBucket, at(59)), None);
        assert_eq!(reports.to_log(StorageFault::NoBucket, at(60)), Some(3));
        assert_eq!(reports.to_log(StorageFault::NoBucket, at(61)), None);
    }
}
