//! What is counted in memory and recorded once a second: the last use of keys, and on SQLite,
//! where one process serves all calls, the calls of each organization.
//!
//! A crash loses the last second, so a limit may be exceeded by the calls of that second; it is never exceeded
//! otherwise.
use crate::rows::{Count, Counted};
use crate::{Db, Result};
use domain::id::{KeyId, OrganizationId};
use domain::plan::{Meter, Usage};
use domain::time::Timestamp;
use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Counts held in memory.
#[derive(Debug, Default)]
pub struct Ledger {
    last_used: Mutex<HashMap<KeyId, Timestamp>>,
    calls: Mutex<HashMap<OrganizationId, Day>>,
    /// The last day on which an organization was told that its ceiling is reached.
    reported: Mutex<HashMap<OrganizationId, i32>>,
}

#[derive(Clone, Copy, Debug)]
struct Day {
    period: i32,
    used: u32,
    written: u32,
}

fn open<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Keys stamped in one commit, lest their rows are held for long.
const STAMPS: usize = 100;

impl Ledger {
    /// Notes that `key` authenticated at `now`.
    pub fn used(&self, key: KeyId, now: Timestamp) {
        open(&self.last_used).insert(key, now);
    }

    /// Counts a call against the day's ceiling: exactly, however many ask at the same time.
    pub async fn count(&self, db: &Db, call: Count) -> Result<Counted> {
        if let Db::Postgres(postgres) = db {
            return postgres.gathered().counts.ask(call).await;
        }
        if let Some(counted) = self.count_here(&call) {
            return Ok(counted);
        }
        let written = db.organization(call.organization).used(Meter::ApiCalls, call.period).await?;
        // Whoever else loaded it in the meantime has counted on it already.
        open(&self.calls)
            .entry(call.organization)
            .and_modify(|day| {
                if day.period < call.period {
                    *day = Day { period: call.period, used: written, written };
                }
            })
            .or_insert(Day { period: call.period, used: written, written });
        Ok(self.count_here(&call).unwrap_or(Counted { admitted: true, used: written }))
    }

    fn count_here(&self, call: &Count) -> Option<Counted> {
        let mut calls = open(&self.calls);
        let day = calls.get_mut(&call.organization)?;
        // A call that began before midnight counts for the day that the ledger has come to.
        if day.period < call.period {
            return None;
        }
        let admitted = call.limit.is_none_or(|limit| day.used < limit);
        day.used += u32::from(admitted);
        Some(Counted { admitted, used: day.used })
    }

    /// Tells the organization that it has reached the day's ceiling, if nobody has told it yet. The call
    /// that met it goes on whatever comes of that: the next one that is refused retries.
    pub async fn reached(&self, db: &Db, call: &Count, usage: &Usage, at: Timestamp) {
        let Count { organization, period, .. } = *call;
        if open(&self.reported).get(&organization) == Some(&period) {
            return;
        }
        match db.organization(organization).record_reached_ceiling(period, *usage, at).await {
            Ok(()) => drop(open(&self.reported).insert(organization, period)),
            Err(error) => tracing::error!(%error, "the event of a reached limit was not written"),
        }
    }

    /// How many calls were counted for the organization in this period.
    pub async fn calls(&self, db: &Db, organization: OrganizationId, period: i32) -> Result<u32> {
        if matches!(db, Db::Sqlite(_))
            && let Some(day) = open(&self.calls).get(&organization)
            && day.period == period
        {
            return Ok(day.used);
        }
        db.organization(organization).used(Meter::ApiCalls, period).await
    }

    /// Records what has changed since the last time.
    pub async fn flush(&self, db: &Db) -> Result<()> {
        let last_used = std::mem::take(&mut *open(&self.last_used));
        if !last_used.is_empty() {
            let mut stamps: Vec<_> = last_used.into_iter().collect();
            // In the order of ids, lest two instances wait for each other.
            stamps.sort_unstable();
            for some in stamps.chunks(STAMPS) {
                db.operator().touch_keys(some.to_vec()).await?;
            }
        }
        let changed: Vec<_> = open(&self.calls)
            .iter()
            .filter(|(_, day)| day.used != day.written)
            .map(|(organization, day)| (*organization, day.period, day.used))
            .collect();
        if changed.is_empty() {
            return Ok(());
        }
        db.operator().write_calls(changed.clone()).await?;
        let mut calls = open(&self.calls);
        for (organization, period, used) in changed {
            if let Some(day) = calls.get_mut(&organization)
                && day.period == period
            {
                day.written = used;
            }
        }
        Ok(())
    }
}
