//! The servers that share the database, and what they have claimed.
use super::{Conn, RunQueryDsl, Transactional, endpoint_work, work};
use crate::schema::{callbacks, fetches, instances, templates};
use crate::types::Col;
use crate::{Error, Result};
use diesel::prelude::*;
use diesel::sql_types::Bool;
use domain::id::InstanceId;
use domain::time::Timestamp;

/// Enters a server that starts.
pub async fn enter(conn: &mut Conn, id: InstanceId) -> Result<()> {
    let new = (instances::id.eq(Col(id)), instances::beat.eq(0));
    diesel::insert_into(instances::table).values(new).execute(conn).await?;
    Ok(())
}

/// Counts a server's beat up, and gives the beats of the others; nothing if it is taken for dead.
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

/// Lets go of what servers had claimed that are dead, each if its beat still stands there; returns of how many
/// organizations they sent the messages.
pub async fn release_dead_instances(
    conn: &mut Conn,
    dead: Vec<(InstanceId, i64)>,
    now: Timestamp,
) -> Result<usize> {
    conn.transaction(async |conn| {
        let mut freed = 0;
        for (id, beat) in dead {
            let row = instances::table.find(Col(id)).filter(instances::beat.eq(beat));
            // A claim keeps this row until it is committed: none can come after.
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

/// A server ends: lets go of what it had claimed.
pub async fn leave(conn: &mut Conn, id: InstanceId, now: Timestamp) -> Result<usize> {
    conn.transaction(async |conn| {
        diesel::delete(instances::table.find(Col(id))).execute(conn).await?;
        endpoint_work::release_endpoints_of(conn, id).await?;
        release_queues(conn, Some(id), now).await?;
        work::release_work_of(conn, id).await
    })
    .await
}

/// Lets go of everything that servers which are gone had claimed. Only for a server that has the database
/// to itself.
pub async fn release_all(conn: &mut Conn, now: Timestamp) -> Result<usize> {
    diesel::delete(instances::table).execute(conn).await?;
    let freed = work::release_all_work(conn).await?;
    let queued = release_queues(conn, None, now).await?;
    let endpoints = endpoint_work::release_endpoints(conn).await?;
    Ok(freed + queued + endpoints)
}

/// Callbacks, templates to hand in and files to fetch that one server had claimed, or any, are due at once.
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
    let of = fetches::claimed_by.eq(server).assume_not_null().or(any.into_sql::<Bool>());
    let files = fetches::table.filter(fetches::claimed_by.is_not_null()).filter(of);
    let files = diesel::update(files)
        .set((fetches::due_at.eq(due), fetches::claimed_by.eq(nobody)))
        .execute(conn)
        .await?;
    Ok(reports + submissions + files)
}

/// The beats of all servers.
pub async fn beats(conn: &mut Conn) -> Result<Vec<(InstanceId, i64)>> {
    let all: Vec<(Col<InstanceId>, i64)> =
        instances::table.select((instances::id, instances::beat)).load(conn).await?;
    Ok(all.into_iter().map(|(id, beat)| (id.0, beat)).collect())
}
