//! Usage that counts against a plan's limits.
use super::{Conn, RunQueryDsl, SharedConn, Transactional as _, events, inserts};
use crate::Result;
use crate::records::{CountQuestion, Counted, UnreadableRow};
use crate::schema::usage;
use crate::types::Col;
use diesel::prelude::*;
use diesel::upsert::excluded;
use domain::acceptance::{self, Admission};
use domain::event::NewEvent;
use domain::id::OrganizationId;
use domain::plan::{Meter, Usage};
use domain::time::Timestamp;
use std::collections::BTreeMap;

pub async fn used(
    conn: &mut Conn,
    organization: OrganizationId,
    meter: Meter,
    period: i32,
) -> Result<u32> {
    let row = usage::table
        .filter(usage::organization_id.eq(Col(organization)))
        .filter(usage::meter.eq(Col(meter)))
        .filter(usage::period.eq(period))
        .select(usage::used);
    let used = prepared!(row).get_result::<Col<u32>>(conn).await.optional()?;
    Ok(used.map_or(0, |used| used.0))
}

/// A stored count, and whether the organization has been notified that the limit is reached.
#[derive(Clone, Copy, Debug)]
pub(super) struct UsageState {
    stored: i32,
    reported: bool,
}

pub(super) type Counter = (OrganizationId, i32);
pub(super) type Totals = BTreeMap<Counter, UsageState>;

/// Returns the counts as they were before `more` was added.
pub(super) fn counts_before(
    totals: &Totals,
    more: &BTreeMap<Counter, i32>,
) -> Result<BTreeMap<Counter, acceptance::UsageCount>> {
    let before = |(at, total): (&Counter, &UsageState)| Ok((*at, count_before(at, *total, more)?));
    totals.iter().map(before).collect()
}

fn count_before(
    at: &Counter,
    total: UsageState,
    more: &BTreeMap<Counter, i32>,
) -> Result<acceptance::UsageCount> {
    let before = total.stored.checked_sub(more.get(at).copied().unwrap_or(0));
    let before = before.and_then(|it| u32::try_from(it).ok());
    let before = before.ok_or_else(|| UnreadableRow::new("count", &at.0, "it is negative"))?;
    Ok(acceptance::UsageCount::new(before, total.reported))
}

/// Adds `more` to the counts, in the order of the keys, and returns the new counts.
pub(super) async fn add(
    conn: &mut SharedConn<'_>,
    meter: Meter,
    more: &BTreeMap<Counter, i32>,
) -> Result<Totals> {
    let rows: Vec<_> = more
        .iter()
        .map(|((organization, period), more)| {
            (
                usage::organization_id.eq(Col(*organization)),
                usage::meter.eq(Col(meter)),
                usage::period.eq(*period),
                usage::used.eq(*more),
            )
        })
        .collect();
    let mut totals = BTreeMap::new();
    for rows in inserts(&rows) {
        let upsert = diesel::insert_into(usage::table)
            .values(rows)
            .on_conflict((usage::organization_id, usage::meter, usage::period))
            .do_update()
            .set(usage::used.eq(usage::used + excluded(usage::used)))
            .returning(((usage::organization_id, usage::period), usage::used, usage::is_reported));
        let rows = prepared!(upsert).load::<((Col<OrganizationId>, i32), i32, bool)>(conn).await?;
        totals.extend(rows.into_iter().map(|((of, period), stored, reported)| {
            ((of.0, period), UsageState { stored, reported })
        }));
    }
    Ok(totals)
}

/// Counts each call that the ceiling allows. The answer for a call is `None` if the stored count
/// cannot be read. All calls are counted first, and refused calls are subtracted afterwards. Until
/// then the count is too high, and other calls are refused. That is correct, because the ceiling is
/// reached.
///
/// One statement without a transaction is enough, because the counts that it returns decide about
/// each call.
pub async fn count(conn: &mut Conn, calls: Vec<CountQuestion>) -> Result<Vec<Option<Counted>>> {
    let mut more = BTreeMap::new();
    for call in &calls {
        *more.entry((call.organization, call.period)).or_insert(0) += 1;
    }
    let totals = add(shared!(conn), Meter::ApiCalls, &more).await?;
    let mut counts: BTreeMap<Counter, acceptance::UsageCount> = totals
        .iter()
        .filter_map(|(at, total)| Some((*at, count_before(at, *total, &more).ok()?)))
        .collect();
    let mut refused = BTreeMap::new();
    let mut answers = Vec::with_capacity(calls.len());
    for call in calls {
        let at = (call.organization, call.period);
        let Some(count) = counts.get_mut(&at) else {
            answers.push(None);
            continue;
        };
        let Admission { admitted, used, .. } = count.admit(call.limit);
        if !admitted {
            *refused.entry(at).or_insert(0) -= 1;
        }
        // The count may include refused calls of other batches that are not subtracted yet, so the
        // caller sees at most the limit.
        let used = if admitted { used } else { call.limit.map_or(used, |limit| used.min(limit)) };
        answers.push(Some(Counted { admitted, used }));
    }
    if !refused.is_empty()
        && let Err(error) = add(shared!(conn), Meter::ApiCalls, &refused).await
    {
        // The answers are correct even if the subtraction fails. The batch must not fail, because
        // the caller would repeat it and count the calls again.
        tracing::error!(%error, "refused calls could not be subtracted; the day's usage is shown too high");
    }
    Ok(answers)
}

/// Records that the organization is notified of a limit. Returns `false` if it already was in this
/// period.
pub(super) async fn mark_limit_reported(
    conn: &mut Conn,
    organization: OrganizationId,
    meter: Meter,
    period: i32,
    used: u32,
) -> Result<bool> {
    let row = (
        usage::organization_id.eq(Col(organization)),
        usage::meter.eq(Col(meter)),
        usage::period.eq(period),
        usage::used.eq(Col(used)),
        usage::is_reported.eq(true),
    );
    let mark = diesel::insert_into(usage::table)
        .values(row)
        .on_conflict((usage::organization_id, usage::meter, usage::period))
        .do_update()
        .set(usage::is_reported.eq(true));
    let mark = diesel::query_dsl::methods::FilterDsl::filter(mark, usage::is_reported.eq(false));
    Ok(mark.execute(conn).await? == 1)
}

/// Records the event that an organization has reached its ceiling of calls, once per period for all
/// instances together.
pub async fn record_reached_ceiling(
    conn: &mut Conn,
    organization: OrganizationId,
    period: i32,
    usage: Usage,
    at: Timestamp,
) -> Result<()> {
    conn.transaction(async |conn| {
        let (meter, used) = (Meter::ApiCalls, usage.used);
        if mark_limit_reported(conn, organization, meter, period, used).await? {
            let reached = NewEvent::for_limit(organization, meter, usage, at);
            events::record(conn, vec![reached]).await?;
        }
        Ok(())
    })
    .await
}

/// Stores the calls that this instance has counted in memory, if it is the only instance on the
/// database.
pub async fn write_calls(conn: &mut Conn, calls: Vec<(OrganizationId, i32, u32)>) -> Result<()> {
    for (organization, period, used) in calls {
        let row = (
            usage::organization_id.eq(Col(organization)),
            usage::meter.eq(Col(Meter::ApiCalls)),
            usage::period.eq(period),
            usage::used.eq(Col(used)),
        );
        let upsert = diesel::insert_into(usage::table)
            .values(row)
            .on_conflict((usage::organization_id, usage::meter, usage::period))
            .do_update()
            .set(usage::used.eq(Col(used)));
        prepared!(upsert).execute(conn).await?;
    }
    Ok(())
}

/// Adds the calls that this instance has counted in memory to the stored counts. Returns the new
/// totals of all instances. A count that cannot be read is left out.
pub async fn add_calls(
    conn: &mut Conn,
    calls: Vec<(OrganizationId, i32, i32)>,
) -> Result<Vec<(OrganizationId, i32, u32)>> {
    let more = calls.into_iter().map(|(organization, period, more)| ((organization, period), more));
    let totals = add(shared!(conn), Meter::ApiCalls, &more.collect()).await?;
    let totals = totals.into_iter().filter_map(|((organization, period), total)| {
        Some((organization, period, u32::try_from(total.stored).ok()?))
    });
    Ok(totals.collect())
}
