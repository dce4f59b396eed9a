//! Usage that counts against a plan's limits.
use super::{Conn, events, inserts};
use crate::cached::Cached;
use crate::rows::{Count, Counted, NewEvent};
use crate::schema::usage;
use crate::types::{Col, Document};
use crate::{Error, Result};
use diesel::prelude::*;
use diesel::upsert::excluded;
use diesel_async::{AsyncConnection, RunQueryDsl};
use domain::acceptance::{self, Admission};
use domain::id::OrganizationId;
use domain::plan::Meter;
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
        .select(usage::used)
        .get_result::<i32>(conn)
        .await;
    Ok(number(row.optional()?.unwrap_or_default()))
}

/// What stands there, and whether the organization has been notified that the limit is reached.
#[derive(Clone, Copy, Debug)]
pub(super) struct UsageState {
    pub used: i32,
    pub told: bool,
}

/// Adds `more` to each, in their order, and gives what stands there then.
pub(super) async fn add(
    conn: &mut Conn,
    meter: Meter,
    more: &BTreeMap<(OrganizationId, i32), i32>,
) -> Result<BTreeMap<(OrganizationId, i32), UsageState>> {
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
    let mut stand = BTreeMap::new();
    for rows in inserts(&rows) {
        let upsert = diesel::insert_into(usage::table)
            .values(rows)
            .on_conflict((usage::organization_id, usage::meter, usage::period))
            .do_update()
            .set(usage::used.eq(usage::used + excluded(usage::used)))
            .returning(((usage::organization_id, usage::period), usage::used, usage::told));
        let rows = Cached(upsert).load::<((Col<OrganizationId>, i32), i32, bool)>(conn).await?;
        let rows = rows.into_iter();
        stand.extend(
            rows.map(|((of, period), used, told)| ((of.0, period), UsageState { used, told })),
        );
    }
    Ok(stand)
}

/// Counts calls, each if there is room under its ceiling. What was counted too much is taken back:
/// until then others are refused too, rightly, for the ceiling is reached.
pub async fn count(conn: &mut Conn, calls: Vec<Count>) -> Result<Vec<Counted>> {
    let mut more = BTreeMap::new();
    for call in &calls {
        *more.entry((call.organization, call.period)).or_insert(0) += 1;
    }
    let stand = add(conn, Meter::ApiCalls, &more).await?;
    let mut counts = BTreeMap::new();
    for (at, stand) in &stand {
        let before = stand.used - more.get(at).copied().unwrap_or_default();
        counts.insert(*at, acceptance::Count::new(number(before), stand.told));
    }
    let mut refused = BTreeMap::new();
    let mut answers = Vec::with_capacity(calls.len());
    for call in calls {
        let at = (call.organization, call.period);
        let count = counts.get_mut(&at);
        let count = count.ok_or_else(|| Error::Unknown("a day's count went missing".to_owned()))?;
        let Admission { admitted, used, .. } = count.admit(call.limit);
        if !admitted {
            *refused.entry(at).or_insert(0) -= 1;
        }
        // What others counted too much and have not taken back yet is none of the caller's business.
        let used = if admitted { used } else { call.limit.map_or(used, |limit| used.min(limit)) };
        answers.push(Counted { admitted, used });
    }
    if !refused.is_empty() {
        add(conn, Meter::ApiCalls, &refused).await?;
    }
    Ok(answers)
}

/// Notes that the organization is notified of a limit. `false` if it had been notified of that in this period.
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
        usage::used.eq(i32::try_from(used).unwrap_or(i32::MAX)),
        usage::told.eq(true),
    );
    let noted = diesel::insert_into(usage::table)
        .values(row)
        .on_conflict((usage::organization_id, usage::meter, usage::period))
        .do_update()
        .set(usage::told.eq(true));
    let noted = diesel::query_dsl::methods::FilterDsl::filter(noted, usage::told.eq(false));
    Ok(noted.execute(conn).await? == 1)
}

/// Tells an organization that it has reached its ceiling of calls, once in a period, whichever instance
/// met it first.
pub async fn record_reached_ceiling(
    conn: &mut Conn,
    organization: OrganizationId,
    period: i32,
    used: u32,
    data: Document,
    at: Timestamp,
) -> Result<()> {
    conn.transaction(async |conn| {
        if mark_limit_reported(conn, organization, Meter::ApiCalls, period, used).await? {
            events::record(conn, vec![NewEvent::of_limit(organization, data, at)]).await?;
        }
        Ok(())
    })
    .await
}

/// Records what one process counted by itself.
pub async fn write_calls(conn: &mut Conn, calls: Vec<(OrganizationId, i32, u32)>) -> Result<()> {
    for (organization, period, used) in calls {
        let used = i32::try_from(used).unwrap_or(i32::MAX);
        let row = (
            usage::organization_id.eq(Col(organization)),
            usage::meter.eq(Col(Meter::ApiCalls)),
            usage::period.eq(period),
            usage::used.eq(used),
        );
        let upsert = diesel::insert_into(usage::table)
            .values(row)
            .on_conflict((usage::organization_id, usage::meter, usage::period))
            .do_update()
            .set(usage::used.eq(used));
        Cached(upsert).execute(conn).await?;
    }
    Ok(())
}

/// A count of the database's, which has no unsigned integers.
pub(super) fn number(count: i32) -> u32 {
    u32::try_from(count).unwrap_or_default()
}
