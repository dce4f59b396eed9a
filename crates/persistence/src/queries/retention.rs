//! What is forgotten when it is old: each time a portion, lest a long backlog holds up the writes behind it.
use super::{Conn, RunQueryDsl, Transactional, key_uses};
use crate::Result;
use crate::types::{Col, Label, Uid, Utc};
use diesel::prelude::*;
use diesel::sql_types::Integer;
use domain::id::{KeyId, OrganizationId};
use domain::plan::Meter;
use domain::time::Timestamp;

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

/// A key that went with its connection.
#[derive(QueryableByName)]
struct EndedKey {
    #[diesel(sql_type = Uid)]
    organization_id: OrganizationId,
    #[diesel(sql_type = Uid)]
    key_id: KeyId,
}

/// Forgets at most `portion` connections that ended before `cutoff`, once no endpoint can be told of them any more, and when
/// their keys were last used.
pub async fn forget_connections(conn: &mut Conn, cutoff: Timestamp, portion: i64) -> Result<usize> {
    let delete = format!(
        "DELETE FROM connections WHERE id IN (SELECT id FROM connections WHERE ended_at < $1 \
         AND NOT EXISTS (SELECT 1 FROM webhook_feeds WHERE connection_id = connections.id) \
         ORDER BY ended_at LIMIT {portion}) RETURNING organization_id, key_id"
    );
    conn.transaction(async |conn| {
        let ended = diesel::sql_query(delete).bind::<Utc, _>(Col(cutoff));
        let ended: Vec<EndedKey> = ended.load(conn).await?;
        for key in &ended {
            key_uses::forget(conn, key.organization_id, key.key_id).await?;
        }
        Ok(ended.len())
    })
    .await
}

/// Forgets at most `portion` feeds of connections that have ended, when all that they were about is forgotten: until then
/// it can be replayed.
pub async fn forget_feeds(conn: &mut Conn, portion: i64) -> Result<usize> {
    let delete = format!(
        "DELETE FROM webhook_feeds WHERE id IN (SELECT id FROM webhook_feeds \
         WHERE ends_with IS NOT NULL AND ends_with <= position AND NOT EXISTS (SELECT 1 FROM events \
         WHERE events.organization_id = webhook_feeds.organization_id AND sequence <= ends_with) \
         LIMIT {portion})"
    );
    Ok(diesel::sql_query(delete).execute(conn).await?)
}

/// Forgets what at most so many organizations have used in the periods before this one.
pub async fn forget_usage(conn: &mut Conn, meter: Meter, period: i32, most: i64) -> Result<usize> {
    let old = "meter = $1 AND period < $2";
    let delete = format!(
        "DELETE FROM usage WHERE {old} AND organization_id IN (SELECT id FROM organizations \
         WHERE EXISTS (SELECT 1 FROM usage WHERE organization_id = organizations.id AND {old}) \
         LIMIT {most})"
    );
    let delete = diesel::sql_query(delete).bind::<Label, _>(Col(meter)).bind::<Integer, _>(period);
    Ok(delete.execute(conn).await?)
}
