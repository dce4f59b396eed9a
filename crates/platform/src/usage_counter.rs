//! Counts in memory that are written to the database once a second: the last use of keys, and the
//! calls of organizations. On SQLite, one process counts all calls. On PostgreSQL, each instance
//! counts the calls of organizations without a ceiling and adds them to the database.
//!
//! A crash loses the counts of the last second. On SQLite, a ceiling may therefore be exceeded by
//! the calls of that second. A new ceiling may be exceeded by the calls of the second before it. A
//! ceiling is never exceeded otherwise.
use domain::id::{KeyId, OrganizationId};
use domain::plan::{Meter, Usage};
use domain::time::Timestamp;
use parking_lot::{Mutex, MutexGuard};
use persistence::records::{CountQuestion, Counted, KeyUse, UnreadableRow};
use persistence::{Db, Result};
use std::collections::{BTreeMap, HashMap};

#[derive(Debug, Default)]
pub struct UsageCounter {
    last_used: Mutex<HashMap<(OrganizationId, KeyId), Timestamp>>,
    calls: Mutex<HashMap<OrganizationId, Day>>,
    /// For each organization the last day on which the event about the reached ceiling was
    /// recorded.
    reported: Mutex<HashMap<OrganizationId, i32>>,
}

/// The calls of an organization on one day, as far as this process knows.
#[derive(Clone, Copy, Debug)]
struct Day {
    period: i32,
    used: u32,
    /// The number of calls that are written to the database or being written.
    written: u32,
}

impl Day {
    const fn unwritten(&self) -> u32 {
        self.used.saturating_sub(self.written)
    }
}

fn open<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock()
}

/// The maximum number of key uses recorded in one commit. The limit keeps their rows from being
/// locked for long.
const USES: usize = 128;

impl UsageCounter {
    /// Records that an organization's key authenticated at `now`.
    pub fn used(&self, organization: OrganizationId, key: KeyId, now: Timestamp) {
        open(&self.last_used).insert((organization, key), now);
    }

    /// Counts a call against the daily ceiling. The count is exact, also for concurrent calls.
    pub async fn count(&self, db: &Db, call: CountQuestion) -> Result<Counted> {
        if db.is_shared() && call.limit.is_some() {
            // Calls that this instance counted before there was a ceiling count towards the
            // ceiling.
            self.write_calls(db, Some(call.organization)).await?;
            let counted = db.count_call(call).await?;
            let negative = || UnreadableRow::new("count", &call.organization, "it is negative");
            return counted.ok_or_else(|| negative().into());
        }
        if let Some(counted) = self.count_here(&call) {
            return Ok(counted);
        }
        // The previous day's calls are written before they are removed from memory.
        self.write_calls(db, Some(call.organization)).await?;
        let written = db.organization(call.organization).used(Meter::ApiCalls, call.period).await?;
        // If another task has loaded the day in the meantime, the loaded count is kept, because it
        // is newer.
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

    fn count_here(&self, call: &CountQuestion) -> Option<Counted> {
        let mut calls = open(&self.calls);
        let day = calls.get_mut(&call.organization)?;
        // A call that began before midnight counts for the new day, if the counter has reached that
        // day already.
        if day.period < call.period {
            return None;
        }
        let admitted = call.limit.is_none_or(|limit| day.used < limit);
        day.used += u32::from(admitted);
        Some(Counted { admitted, used: day.used })
    }

    /// Records the event that an organization has reached its daily ceiling, unless it is recorded.
    /// A failure is only logged, and the next refused call tries again.
    pub async fn reached(&self, db: &Db, call: &CountQuestion, usage: &Usage, at: Timestamp) {
        let CountQuestion { organization, period, .. } = *call;
        if open(&self.reported).get(&organization) == Some(&period) {
            return;
        }
        match db.organization(organization).record_reached_ceiling(period, *usage, at).await {
            Ok(()) => drop(open(&self.reported).insert(organization, period)),
            Err(error) => tracing::error!(%error, "the event for a reached limit was not recorded"),
        }
    }

    /// Returns the number of calls counted for the organization in this period.
    pub async fn calls(&self, db: &Db, organization: OrganizationId, period: i32) -> Result<u32> {
        let here = open(&self.calls).get(&organization).copied();
        let here = here.filter(|day| day.period == period);
        if !db.is_shared()
            && let Some(day) = here
        {
            return Ok(day.used);
        }
        let recorded = db.organization(organization).used(Meter::ApiCalls, period).await?;
        Ok(recorded.saturating_add(here.map_or(0, |day| day.unwritten())))
    }

    /// Records all changes since the last call.
    pub async fn flush(&self, db: &Db) -> Result<()> {
        let last_used = std::mem::take(&mut *open(&self.last_used));
        if !last_used.is_empty() {
            // The uses are in the order of ids, so that two instances do not deadlock.
            let in_order: BTreeMap<_, _> = last_used.into_iter().collect();
            let uses: Vec<_> = in_order
                .into_iter()
                .map(|((organization_id, key_id), last_used_at)| KeyUse {
                    organization_id,
                    key_id,
                    last_used_at,
                })
                .collect();
            for some in uses.chunks(USES) {
                db.operator().record_key_uses(some.to_vec()).await?;
            }
        }
        self.write_calls(db, None).await
    }

    /// Records the calls of all organizations, or of one.
    async fn write_calls(&self, db: &Db, only: Option<OrganizationId>) -> Result<()> {
        let changed = self.drain_unwritten(only);
        if changed.is_empty() {
            return Ok(());
        }
        let written = if db.is_shared() {
            let more = |day: &Day| day.unwritten().min(i32::MAX.unsigned_abs()).cast_signed();
            let calls = changed.iter().map(|(of, day)| (*of, day.period, more(day))).collect();
            db.operator().add_calls(calls).await
        } else {
            let calls = changed.iter().map(|(of, day)| (*of, day.period, day.used)).collect();
            db.operator().write_calls(calls).await.map(|()| Vec::new())
        };
        match written {
            Ok(totals) => {
                self.reconcile(&changed, &totals);
                Ok(())
            }
            Err(error) => {
                // On PostgreSQL, the counts are added to the stored ones. If the outcome is
                // unknown, they must not be added again. On SQLite, totals are stored, which can be
                // written any number of times.
                if !db.is_shared() || error.is_refusal() || error.is_unreached() {
                    self.put_back(&changed);
                }
                Err(error)
            }
        }
    }

    /// Takes the calls that are not recorded, and marks them as recorded, so that no other task
    /// records them, too.
    fn drain_unwritten(&self, only: Option<OrganizationId>) -> Vec<(OrganizationId, Day)> {
        let mut calls = open(&self.calls);
        let take = |organization: OrganizationId, day: &mut Day| {
            let taken = (organization, *day);
            day.written = day.used;
            (taken.1.unwritten() > 0).then_some(taken)
        };
        match only {
            Some(only) => {
                let day = calls.get_mut(&only);
                day.and_then(|day| take(only, day)).into_iter().collect()
            }
            None => calls.iter_mut().filter_map(|(of, day)| take(*of, day)).collect(),
        }
    }

    fn put_back(&self, taken: &[(OrganizationId, Day)]) {
        let mut calls = open(&self.calls);
        for (organization, taken) in taken {
            if let Some(day) = calls.get_mut(organization)
                && day.period == taken.period
            {
                day.written = day.written.saturating_sub(taken.unwritten());
            }
        }
    }

    /// Adds the calls that other instances have counted in the meantime.
    fn reconcile(&self, taken: &[(OrganizationId, Day)], totals: &[(OrganizationId, i32, u32)]) {
        let mut calls = open(&self.calls);
        for (organization, period, total) in totals {
            let taken = taken.iter().find(|(of, day)| of == organization && day.period == *period);
            if let (Some((_, taken)), Some(day)) = (taken, calls.get_mut(organization))
                && day.period == *period
            {
                let others = total.saturating_sub(taken.used);
                day.used = day.used.saturating_add(others);
                day.written = day.written.saturating_add(others);
            }
        }
    }
}
