//! What is forgotten when it is old: each time a portion, lest a long backlog holds up the writes behind it.
use super::{Conn, RunQueryDsl};
use crate::Result;
use crate::types::{Col, Utc};
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
    forget_answers: "idempotency" "key_id, path, idempotency_key" "created_at" "";
    /// What was asked of members.
    forget_consents: "consents" "id" "created_at" "";
    /// Codes.
    forget_codes: "codes" "digest" "issued_at" "";
    /// The log of exchanges.
    forget_handshakes: "handshakes" "id" "at" "";
    /// Dead letters.
    forget_dead_callbacks: "dead_callbacks" "id" "kept_at" "";
}
