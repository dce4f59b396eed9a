//! Stored responses of idempotent requests.
use super::Conn;
use crate::records::{Idempotent, StoredAnswer};
use crate::schema::idempotency;
use crate::types::{Col, Utc};
use crate::{Error, Result};
use diesel::prelude::*;
use diesel_async::RunQueryDsl;
use domain::id::KeyId;
use domain::time::Timestamp;

pub async fn stored_answer(
    conn: &mut Conn,
    key: KeyId,
    path: &'static str,
    name: String,
    cutoff: Timestamp,
) -> Result<Option<StoredAnswer>> {
    let row = idempotency::table
        .filter(idempotency::key_id.eq(Col(key)))
        .filter(idempotency::path.eq(path))
        .filter(idempotency::idempotency_key.eq(name))
        .filter(idempotency::created_at.gt(Col(cutoff)))
        .select((idempotency::body_digest, idempotency::status, idempotency::answer))
        .get_result::<(Vec<u8>, i32, String)>(conn)
        .await;
    let Some((body_digest, status, answer)) = row.optional()? else { return Ok(None) };
    let status = u16::try_from(status)
        .map_err(|_| Error::Unknown(format!("an answer is kept with the status {status}")))?;
    Ok(Some(StoredAnswer { body_digest, status, answer }))
}

/// Keeps an answer, in place of one that is too old to be given again.
pub async fn store_answer(
    conn: &mut Conn,
    request: Idempotent,
    answer: String,
    at: Timestamp,
) -> Result<()> {
    let stale = idempotency::table
        .filter(idempotency::key_id.eq(Col(request.key)))
        .filter(idempotency::path.eq(request.path))
        .filter(idempotency::idempotency_key.eq(&request.name))
        .filter(idempotency::created_at.le(Col(request.cutoff)));
    diesel::delete(stale).execute(conn).await?;
    let row = (
        idempotency::key_id.eq(Col(request.key)),
        idempotency::path.eq(request.path),
        idempotency::idempotency_key.eq(request.name),
        idempotency::body_digest.eq(request.body_digest),
        idempotency::status.eq(i32::from(request.status)),
        idempotency::answer.eq(answer),
        idempotency::created_at.eq(Col(at)),
    );
    diesel::insert_into(idempotency::table).values(row).execute(conn).await?;
    Ok(())
}

/// Forgets at most `portion` answers that are too old to be given again; returns how many.
pub async fn forget_answers(conn: &mut Conn, cutoff: Timestamp, portion: i64) -> Result<usize> {
    // Diesel has no `IN` of several columns. The text is the same for both databases.
    // The limit is part of it, for PostgreSQL plans for a tenth of the table where it does not know it.
    let delete = format!(
        "DELETE FROM idempotency WHERE (key_id, path, idempotency_key) IN \
         (SELECT key_id, path, idempotency_key FROM idempotency \
         WHERE created_at <= $1 ORDER BY created_at LIMIT {portion})"
    );
    let delete = diesel::sql_query(delete).bind::<Utc, _>(Col(cutoff));
    Ok(delete.execute(conn).await?)
}
