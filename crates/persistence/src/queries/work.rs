//! The organizations that have work due, and the instances that work on it. These rows only say
//! which organization has work; a table for each kind of work says which rows are due.
use super::{Conn, RunQueryDsl, SharedConn, Transactional, inserts};
use crate::records::Claim;
use crate::schema::{instances, organization_work, outbox_conversations, scheduled_messages};
use crate::types::{Col, Literal};
use crate::{Error, Result};
use diesel::dsl;
use diesel::prelude::*;
use diesel::upsert::excluded;
use domain::id::{InstanceId, OrganizationId};
use domain::instance::WorkKind;
use domain::message::ScheduleState;
use domain::time::Timestamp;
use std::collections::{BTreeMap, BTreeSet};

/// Records that work is due for organizations. Their rows stay locked, in the order of their ids,
/// until the transaction ends. A transaction that releases an organization waits for this lock, and
/// then sees the new due work.
pub(super) async fn record_due(
    conn: &mut SharedConn<'_>,
    kind: WorkKind,
    due: &BTreeMap<OrganizationId, Timestamp>,
) -> Result<()> {
    // Diesel's prelude does not contain `filter` for an `INSERT`.
    use diesel::query_dsl::methods::FilterDsl;
    let row = |(organization, due): (&OrganizationId, &Timestamp)| {
        (
            organization_work::organization_id.eq(Col(*organization)),
            organization_work::kind.eq(Col(kind)),
            organization_work::due_at.eq(Some(Col(*due))),
        )
    };
    let rows: Vec<_> = due.iter().map(row).collect();
    for rows in inserts(&rows) {
        let earlier = organization_work::due_at.is_null().or(organization_work::due_at
            .gt(excluded(organization_work::due_at))
            .assume_not_null());
        let upsert = diesel::insert_into(organization_work::table)
            .values(rows)
            .on_conflict((organization_work::organization_id, organization_work::kind))
            .do_update()
            .set(organization_work::due_at.eq(excluded(organization_work::due_at)))
            .filter(earlier);
        prepared!(upsert).execute(conn).await?;
    }
    Ok(())
}

/// Returns unclaimed organizations with the times at which something is due for them, in the order
/// of these times.
pub async fn unclaimed_work(
    conn: &mut Conn,
    kind: WorkKind,
    most: i64,
) -> Result<Vec<(OrganizationId, Timestamp)>> {
    let due = organization_work::table
        .filter(organization_work::kind.eq(Literal(kind)))
        .filter(organization_work::claimed_by.is_null())
        .filter(organization_work::due_at.is_not_null())
        .order(organization_work::due_at)
        .limit(most)
        .select((organization_work::organization_id, organization_work::due_at.assume_not_null()));
    let rows: Vec<(Col<OrganizationId>, Col<Timestamp>)> = due.load(conn).await?;
    Ok(rows.into_iter().map(|(organization, due)| (*organization, *due)).collect())
}

/// Claims the organizations among these that no instance has claimed. A claim lasts until the
/// instance releases it or dies. Returns `None` if the other instances consider this instance dead
/// and have released its claims. With several nodes the rows of instances may be on another node
/// than the organizations. In that case there is no such check, and each claim is a commit of its
/// own (decision 114).
pub async fn claim_work(
    conn: &mut Conn,
    organizations: Vec<OrganizationId>,
    by: Claim,
    kind: WorkKind,
    several_nodes: bool,
) -> Result<Option<Vec<OrganizationId>>> {
    if several_nodes {
        return claim_each(conn, &organizations, by, kind).await.map(Some);
    }
    conn.transaction(async |conn| {
        // If another instance considers this one dead, it waits for this transaction before it
        // releases the claims. It therefore also releases the claims made here.
        let own = instances::table.find(Col(by.instance)).select(instances::id);
        let own: Option<Col<InstanceId>> = for_key_share!(own).get_result(conn).await.optional()?;
        if own.is_none() {
            return Ok(None);
        }
        claim_each(conn, &organizations, by, kind).await.map(Some)
    })
    .await
}

async fn claim_each(
    conn: &mut Conn,
    organizations: &[OrganizationId],
    by: Claim,
    kind: WorkKind,
) -> Result<Vec<OrganizationId>> {
    let shared = shared!(conn);
    let claimed = pipelined_each!(shared; organization in organizations.iter() => claim_one(shared, by, kind, *organization))?;
    let claimed = organizations.iter().zip(claimed).filter(|(_, claimed)| *claimed);
    Ok(claimed.map(|(organization, _)| *organization).collect())
}

async fn claim_one(
    conn: &mut SharedConn<'_>,
    by: Claim,
    kind: WorkKind,
    organization: OrganizationId,
) -> Result<bool> {
    // This instance may have claimed the organization before, without receiving the database's
    // answer.
    let free = organization_work::claimed_by.is_null();
    let free = free.or(organization_work::claimed_by.eq(Some(Col(by.instance))).assume_not_null());
    let row = organization_work::table.find((Col(organization), Col(kind))).filter(free);
    let claimed = (
        organization_work::claimed_by.eq(Some(Col(by.instance))),
        organization_work::claim.eq(Some(by.number)),
    );
    Ok(prepared!(diesel::update(row).set(claimed)).execute(conn).await? > 0)
}

/// Releases organizations, except those that have been claimed again since, and records when the
/// next work of each is due.
pub async fn release_work(
    conn: &mut Conn,
    mut claimed: Vec<(OrganizationId, Claim)>,
    kind: WorkKind,
) -> Result<()> {
    claimed.sort_unstable_by_key(|(organization, _)| *organization);
    conn.transaction(async |conn| {
        for (organization, claim) in claimed {
            let row = || organization_work::table.find((Col(organization), Col(kind)));
            let own = row()
                .filter(organization_work::claimed_by.eq(Some(Col(claim.instance))))
                .filter(organization_work::claim.eq(Some(claim.number)))
                .select(organization_work::organization_id);
            let own: Option<Col<OrganizationId>> =
                for_update!(own).get_result(conn).await.optional()?;
            if own.is_none() {
                continue;
            }
            // The due time is read after the row is locked. A request that accepts a message at the
            // same time waits for the lock, and then records that the message is due.
            let due = match kind {
                WorkKind::Messages => next_message_due(conn, organization).await?,
                WorkKind::Scheduled => next_scheduled_due(conn, organization).await?,
            };
            let free = (organization_work::due_at.eq(due.map(Col)), unclaimed_columns());
            prepared!(diesel::update(row()).set(free)).execute(conn).await?;
        }
        Ok::<_, Error>(())
    })
    .await
}

async fn next_message_due(
    conn: &mut Conn,
    organization: OrganizationId,
) -> Result<Option<Timestamp>> {
    let first = outbox_conversations::table
        .filter(outbox_conversations::organization_id.eq(Col(organization)))
        .order(outbox_conversations::due_at)
        .limit(1)
        .select(outbox_conversations::due_at);
    let first: Option<Col<Timestamp>> = first.get_result(conn).await.optional()?;
    Ok(first.map(|due| *due))
}

/// Returns the time of the organization's next scheduled message.
async fn next_scheduled_due(
    conn: &mut Conn,
    organization: OrganizationId,
) -> Result<Option<Timestamp>> {
    let first = scheduled_messages::table
        .filter(scheduled_messages::organization_id.eq(Col(organization)))
        .filter(scheduled_messages::state.eq(Literal(ScheduleState::Scheduled)))
        .order((scheduled_messages::send_at, scheduled_messages::id))
        .limit(1)
        .select(scheduled_messages::send_at);
    let first: Option<Col<Timestamp>> = first.get_result(conn).await.optional()?;
    Ok(first.map(|due| *due))
}

type Unclaimed = (
    dsl::Eq<organization_work::claimed_by, Option<Col<InstanceId>>>,
    dsl::Eq<organization_work::claim, Option<i64>>,
);

/// Returns the values that mark an organization as unclaimed.
fn unclaimed_columns() -> Unclaimed {
    (
        organization_work::claimed_by.eq(None::<Col<InstanceId>>),
        organization_work::claim.eq(None::<i64>),
    )
}

/// Returns the instances that have claimed organizations.
pub async fn claimants(conn: &mut Conn) -> Result<BTreeSet<InstanceId>> {
    let servers = organization_work::table
        .filter(organization_work::claimed_by.is_not_null())
        .select(organization_work::claimed_by.assume_not_null())
        .distinct();
    let servers: Vec<Col<InstanceId>> = servers.load(conn).await?;
    Ok(servers.into_iter().map(|id| id.0).collect())
}

/// Releases the organizations that an instance had claimed, and returns how many.
pub async fn release_work_of(conn: &mut Conn, server: InstanceId) -> Result<usize> {
    // The rows are released in the order in which all transactions lock them, to avoid deadlocks.
    // No new claims of the instance can follow.
    let claimed_work = organization_work::table
        .filter(organization_work::claimed_by.eq(Some(Col(server))))
        .order((organization_work::organization_id, organization_work::kind))
        .select((organization_work::organization_id, organization_work::kind));
    let claimed_work: Vec<(Col<OrganizationId>, Col<WorkKind>)> = claimed_work.load(conn).await?;
    let shared = shared!(conn);
    let freed = pipelined_each!(shared; (organization, kind) in claimed_work.into_iter() => release_one(shared, server, organization, kind))?;
    Ok(freed.into_iter().sum())
}

async fn release_one(
    conn: &mut SharedConn<'_>,
    server: InstanceId,
    organization: Col<OrganizationId>,
    kind: Col<WorkKind>,
) -> Result<usize> {
    let row = organization_work::table
        .find((organization, kind))
        .filter(organization_work::claimed_by.eq(Some(Col(server))));
    Ok(prepared!(diesel::update(row).set(unclaimed_columns())).execute(conn).await?)
}

pub(super) async fn release_all_work(conn: &mut Conn) -> Result<usize> {
    let claimed = organization_work::table.filter(organization_work::claimed_by.is_not_null());
    Ok(diesel::update(claimed).set(unclaimed_columns()).execute(conn).await?)
}
