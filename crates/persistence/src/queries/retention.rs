//! What is forgotten when it is old: each time a portion, lest a long backlog holds up the writes behind it.
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

/// Organizations whose old usage is looked for with one statement.
const ORGANIZATIONS: i64 = 4096;

/// Queries that forget at most `portion` rows of a table that got their time before `cutoff`, the oldest first; each says
/// how many. The text is the same for both databases. The limit is part of it, for PostgreSQL plans for a tenth of the table
/// where it does not know it.
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
    /// Answers that are kept for a request which comes again.
    forget_answers: "idempotency" "owner_id, key_id, path, idempotency_key" "created_at" "";
    /// What was asked of members.
    forget_consents: "consents" "id" "created_at" "";
    /// Codes.
    forget_codes: "codes" "digest" "issued_at" "";
    /// The log of exchanges.
    forget_handshakes: "handshakes" "id" "at" "";
    /// Dead letters.
    forget_dead_callbacks: "dead_callbacks" "id" "kept_at" "";
    /// What the reviewer said.
    forget_verdicts: "verdicts" "organization_id, id" "received_at" "";
    /// Applications that were deleted, once nobody was ever connected with them, as far as is known.
    forget_applications: "applications" "id" "deleted_at"
        "AND NOT EXISTS (SELECT 1 FROM connections WHERE application_id = applications.id)";
}

/// Forgets at most `portion` connections that ended before `cutoff`, once no endpoint can be told of them any more, and when
/// their keys were last used. Connections are on every node of an engine of several, feeds on one: so each page is asked for
/// by itself.
pub async fn forget_connections(conn: &mut Conn, cutoff: Timestamp, portion: i64) -> Result<usize> {
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

/// Forgets those of the connections that no feed is about.
async fn forget_untold(conn: &mut Conn, ended: Vec<Col<ConnectionId>>) -> Result<usize> {
    let told: Vec<Option<Col<ConnectionId>>> = webhook_feeds::table
        .filter(webhook_feeds::connection_id.eq_any(listed(ended.iter().copied().map(Some))))
        .select(webhook_feeds::connection_id)
        .load(conn)
        .await?;
    let told: BTreeSet<_> = told.into_iter().flatten().collect();
    let untold: Vec<_> = ended.into_iter().filter(|id| !told.contains(id)).collect();
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

/// Forgets at most `portion` feeds of connections that have ended, when all that they were about is forgotten: until then
/// it can be replayed.
pub async fn forget_feeds(conn: &mut Conn, portion: i64) -> Result<usize> {
    let delete = format!(
        "DELETE FROM webhook_feeds WHERE (organization_id, id) IN (SELECT organization_id, id FROM webhook_feeds \
         WHERE ends_with IS NOT NULL AND ends_with <= position AND NOT EXISTS (SELECT 1 FROM events \
         WHERE events.organization_id = webhook_feeds.organization_id AND sequence <= ends_with) \
         LIMIT {portion})"
    );
    Ok(diesel::sql_query(delete).execute(conn).await?)
}

/// Forgets what organizations have used in the periods before this one; returns how many rows those were, at least
/// `portion` unless no more is left. Organizations are gone through page by page: they are on every node of an engine of several, and what
/// they used on one.
pub async fn forget_usage(
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
