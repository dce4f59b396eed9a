//! Deletes old rows, a portion at a time, so that a large number of old rows does not delay other
//! writes.
use super::{Conn, RunQueryDsl, Transactional, key_uses, listed};
use crate::Result;
use crate::schema::webhooks::webhook_feeds;
use crate::schema::{connections, organizations, usage};
use crate::types::{Col, Utc};
use diesel::prelude::*;
use domain::id::{ConnectionId, KeyId, OrganizationId};
use domain::number::saturating;
use domain::plan::Meter;
use domain::time::Timestamp;
use std::collections::BTreeSet;

/// The number of organizations in which one statement deletes old usage.
const ORGANIZATIONS: i64 = 4096;

/// Declares queries that delete at most `portion` rows of a table whose time is before `cutoff`,
/// the oldest first, and return how many. The statement is the same for both databases. The limit
/// is part of its text, because for a limit as a parameter PostgreSQL expects a tenth of all rows.
macro_rules! forget {
    ($($(#[$doc:meta])* $name:ident: $table:literal $key:literal $time:literal $condition:literal;)+) => {$(
        $(#[$doc])*
        pub async fn $name(conn: &mut Conn, cutoff: Timestamp, portion: i64) -> Result<usize> {
            let delete = format!(
                concat!(
                    "DELETE FROM ", $table, " WHERE (", $key, ") IN (SELECT ", $key, " FROM ", $table,
                    " WHERE ", $time, " < $1 ", $condition, " ORDER BY ", $time, " LIMIT {portion})"
                ),
                portion = portion
            );
            Ok(diesel::sql_query(delete).bind::<Utc, _>(Col(cutoff)).execute(conn).await?)
        }
    )+};
}

forget! {
    /// Deletes stored answers of idempotent requests.
    delete_expired_answers: "idempotency" "owner_id, key_id, path, idempotency_key" "created_at" "";
    /// Deletes consents.
    delete_expired_consents: "consents" "id" "created_at" "";
    /// Deletes codes.
    delete_expired_codes: "codes" "digest" "issued_at" "";
    /// Deletes log entries of code exchanges.
    delete_expired_handshakes: "handshakes" "id" "at" "";
    /// Deletes dead letters.
    delete_expired_dead_callbacks: "dead_callbacks" "id" "kept_at" "";
    /// Deletes the reviewer's verdicts.
    delete_expired_verdicts: "verdicts" "organization_id, id" "received_at" "";
    /// Deletes entries of the audit log.
    delete_expired_audit_entries: "audit_entries" "organization_id, id" "at" "";
    /// Deletes turns of AI agents that ended.
    delete_expired_turns: "turns" "organization_id, id" "finished_at" "";
    /// Deletes scheduled messages that were canceled.
    delete_expired_scheduled_messages: "scheduled_messages" "organization_id, id" "canceled_at" "";
    /// Deletes applications that are marked as deleted and have no connection left.
    delete_expired_applications: "applications" "id" "deleted_at"
        "AND NOT EXISTS (SELECT 1 FROM connections WHERE application_id = applications.id)";
}

/// Deletes at most `portion` connections that ended before `cutoff` and that no feed refers to, and
/// the last uses of their keys. In a distributed database, connections are on every node and a feed
/// is on one node. Therefore a separate statement looks up the feeds of each page of connections.
pub async fn delete_expired_connections(
    conn: &mut Conn,
    cutoff: Timestamp,
    portion: i64,
) -> Result<usize> {
    let mut passed = 0;
    loop {
        let ended: Vec<Col<ConnectionId>> = connections::table
            .filter(connections::ended_at.lt(Col(cutoff)))
            .order((connections::ended_at, connections::id))
            .offset(passed)
            .limit(portion)
            .select(connections::id)
            .load(conn)
            .await?;
        if ended.is_empty() {
            return Ok(0);
        }
        passed = passed.saturating_add(portion);
        let forgotten = forget_untold(conn, ended).await?;
        if forgotten > 0 {
            return Ok(forgotten);
        }
    }
}

/// Deletes the connections that no feed refers to.
async fn forget_untold(conn: &mut Conn, ended: Vec<Col<ConnectionId>>) -> Result<usize> {
    let with_feeds: Vec<Option<Col<ConnectionId>>> = webhook_feeds::table
        .filter(webhook_feeds::connection_id.eq_any(listed(ended.iter().copied().map(Some))))
        .select(webhook_feeds::connection_id)
        .load(conn)
        .await?;
    let with_feeds: BTreeSet<_> = with_feeds.into_iter().flatten().collect();
    let untold: Vec<_> = ended.into_iter().filter(|id| !with_feeds.contains(id)).collect();
    if untold.is_empty() {
        return Ok(0);
    }
    conn.transaction(async |conn| {
        let ended = connections::table.filter(connections::id.eq_any(listed(untold)));
        let ended =
            diesel::delete(ended).returning((connections::organization_id, connections::key_id));
        let ended: Vec<(Col<OrganizationId>, Col<KeyId>)> = ended.get_results(conn).await?;
        for (organization, key) in &ended {
            key_uses::forget(conn, organization.0, key.0).await?;
        }
        Ok(ended.len())
    })
    .await
}

/// Deletes at most `portion` feeds of ended connections all of whose events are deleted. As long as
/// there are events, they can be replayed.
pub async fn delete_ended_feeds(conn: &mut Conn, portion: i64) -> Result<usize> {
    let delete = format!(
        "DELETE FROM webhook_feeds WHERE (organization_id, id) IN (SELECT organization_id, id FROM webhook_feeds \
         WHERE ends_with IS NOT NULL AND ends_with <= position AND NOT EXISTS (SELECT 1 FROM events \
         WHERE events.organization_id = webhook_feeds.organization_id AND sequence <= ends_with) \
         LIMIT {portion})"
    );
    Ok(diesel::sql_query(delete).execute(conn).await?)
}

/// Deletes at most `portion` costs of AI agents in months before `before`.
pub async fn delete_expired_agent_costs(
    conn: &mut Conn,
    before: i32,
    portion: i64,
) -> Result<usize> {
    let delete = format!(
        "DELETE FROM agent_costs WHERE (organization_id, month, agent_id) IN (SELECT organization_id, \
         month, agent_id FROM agent_costs WHERE month < {before} LIMIT {portion})"
    );
    Ok(diesel::sql_query(delete).execute(conn).await?)
}

/// Deletes usage of periods before `period`. Returns the number of deleted rows: at least
/// `portion`, unless no more are left. Organizations are processed in pages. In a distributed
/// database their rows are on every node, and the usage of each is on one node.
pub async fn delete_expired_usage(
    conn: &mut Conn,
    meter: Meter,
    period: i32,
    portion: i64,
) -> Result<usize> {
    let (mut after, mut forgotten) = (None, 0);
    while saturating(forgotten, i64::MAX) < portion {
        let mut page =
            organizations::table.order(organizations::id).limit(ORGANIZATIONS).into_boxed();
        if let Some(after) = after {
            page = page.filter(organizations::id.gt(after));
        }
        let page: Vec<Col<OrganizationId>> = page.select(organizations::id).load(conn).await?;
        let Some(last) = page.last() else { break };
        after = Some(*last);
        let old = usage::table
            .filter(usage::organization_id.eq_any(listed(page)))
            .filter(usage::meter.eq(Col(meter)))
            .filter(usage::period.lt(period));
        forgotten += diesel::delete(old).execute(conn).await?;
    }
    Ok(forgotten)
}
