//! The instances that share the database, and their claims.
use super::{Conn, RunQueryDsl, Transactional, endpoint_work, work};
use crate::schema::{callbacks, fetches, instances, templates};
use crate::types::Col;
use crate::{Error, Result};
use diesel::prelude::*;
use diesel::sql_types::Bool;
use domain::id::InstanceId;
use domain::keyword::Keyword as _;
use domain::media::FetchStep;
use domain::time::Timestamp;

/// Registers an instance that starts.
pub async fn enter(conn: &mut Conn, id: InstanceId) -> Result<()> {
    let new = (instances::id.eq(Col(id)), instances::beat.eq(0));
    diesel::insert_into(instances::table).values(new).execute(conn).await?;
    Ok(())
}

/// Increments an instance's heartbeat and returns the heartbeats of the other instances. Returns
/// `None` if the others consider this instance dead and have removed it.
pub async fn beat(conn: &mut Conn, id: InstanceId) -> Result<Option<Vec<(InstanceId, i64)>>> {
    let own = diesel::update(instances::table.find(Col(id)));
    if own.set(instances::beat.eq(instances::beat + 1)).execute(conn).await? == 0 {
        return Ok(None);
    }
    let others: Vec<(Col<InstanceId>, i64)> = instances::table
        .filter(instances::id.ne(Col(id)))
        .select((instances::id, instances::beat))
        .load(conn)
        .await?;
    Ok(Some(others.into_iter().map(|(id, beat)| (id.0, beat)).collect()))
}

/// Releases the claims of dead instances, each only if its heartbeat has not changed. Returns how
/// many organizations they had claimed.
pub async fn release_dead_instances(
    conn: &mut Conn,
    dead: Vec<(InstanceId, i64)>,
    now: Timestamp,
) -> Result<usize> {
    conn.transaction(async |conn| {
        let mut freed = 0;
        for (id, beat) in dead {
            let row = instances::table.find(Col(id)).filter(instances::beat.eq(beat));
            // A transaction that claims work locks this row until it commits, so no claim of this
            // instance can follow after the row is deleted.
            if diesel::delete(row).execute(conn).await? > 0 {
                freed += work::release_work_of(conn, id).await?;
                endpoint_work::release_endpoints_of(conn, id).await?;
                release_queues(conn, Some(id), now).await?;
            }
        }
        Ok::<_, Error>(freed)
    })
    .await
}

/// Removes an instance that stops, and releases its claims.
pub async fn leave(conn: &mut Conn, id: InstanceId, now: Timestamp) -> Result<usize> {
    conn.transaction(async |conn| {
        diesel::delete(instances::table.find(Col(id))).execute(conn).await?;
        endpoint_work::release_endpoints_of(conn, id).await?;
        release_queues(conn, Some(id), now).await?;
        work::release_work_of(conn, id).await
    })
    .await
}

/// Releases all claims of earlier instances. Must be called only by an instance that is the only
/// one on the database.
pub async fn release_all(conn: &mut Conn, now: Timestamp) -> Result<usize> {
    diesel::delete(instances::table).execute(conn).await?;
    let freed = work::release_all_work(conn).await?;
    let queued = release_queues(conn, None, now).await?;
    let endpoints = endpoint_work::release_endpoints(conn).await?;
    Ok(freed + queued + endpoints)
}

/// Makes the callbacks, template submissions and downloads that the instance `server` had claimed
/// due at once. If `server` is `None`, this is done for those of all instances.
async fn release_queues(
    conn: &mut Conn,
    server: Option<InstanceId>,
    now: Timestamp,
) -> Result<usize> {
    let (due, nobody, any) = (Col(now), None::<Col<InstanceId>>, server.is_none());
    let server = server.map(Col);
    let of = callbacks::claimed_by.eq(server).assume_not_null().or(any.into_sql::<Bool>());
    let reports = callbacks::table.filter(callbacks::claimed_by.is_not_null()).filter(of);
    let reports = diesel::update(reports)
        .set((callbacks::due_at.eq(due), callbacks::claimed_by.eq(nobody)))
        .execute(conn)
        .await?;
    let of =
        templates::submission_claimed_by.eq(server).assume_not_null().or(any.into_sql::<Bool>());
    let submissions = templates::table
        .filter(templates::submission_due_at.is_not_null())
        .filter(templates::submission_claimed_by.is_not_null())
        .filter(of);
    let submissions = diesel::update(submissions)
        .set((
            templates::submission_due_at.eq(Some(due)),
            templates::submission_claimed_by.eq(nobody),
        ))
        .execute(conn)
        .await?;
    let mut files = 0;
    for step in FetchStep::ALL {
        let of = fetches::claimed_by.eq(server).assume_not_null().or(any.into_sql::<Bool>());
        let of = of.and(fetches::step.eq(Col(*step)));
        let claimed = fetches::table.filter(fetches::claimed_by.is_not_null()).filter(of);
        let due = fetches::due_at.eq(Col(step.queued_at(now)));
        let free = (due, fetches::claimed_by.eq(nobody));
        files += diesel::update(claimed).set(free).execute(conn).await?;
    }
    Ok(reports + submissions + files)
}

pub async fn beats(conn: &mut Conn) -> Result<Vec<(InstanceId, i64)>> {
    let all: Vec<(Col<InstanceId>, i64)> =
        instances::table.select((instances::id, instances::beat)).load(conn).await?;
    Ok(all.into_iter().map(|(id, beat)| (id.0, beat)).collect())
}
