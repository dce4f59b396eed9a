//! Queries on dead letters: parts of callbacks that could not be processed and are kept for the
//! operator.
use super::{Conn, RunQueryDsl, Transactional, callbacks, inserts};
use crate::records::{Callback, DeadCallback, DeadCallbackFilter};
use crate::schema::dead_callbacks;
use crate::types::Col;
use crate::{Error, Result};
use diesel::prelude::*;
use domain::callback::{CallbackKind, DeadLetterReason};
use domain::id::CallbackId;
use domain::keyword::Keyword as _;

/// Stores dead letters. Those whose digest is already stored are skipped.
pub async fn insert_dead_callbacks(conn: &mut Conn, new: Vec<DeadCallback>) -> Result<()> {
    for rows in inserts(&new) {
        diesel::insert_into(dead_callbacks::table)
            .values(rows)
            .on_conflict_do_nothing()
            .execute(conn)
            .await?;
    }
    Ok(())
}

/// Returns dead letters in the order in which they were stored, optionally of one kind or after one
/// of them.
pub async fn dead_callbacks(
    conn: &mut Conn,
    wanted: DeadCallbackFilter,
    limit: i64,
) -> Result<Vec<DeadCallback>> {
    let mut found = dead_callbacks::table
        .order(dead_callbacks::id)
        .limit(limit)
        .select(DeadCallback::as_select())
        .into_boxed();
    if let Some(kind) = wanted.kind {
        if kind == CallbackKind::Unknown.as_str() {
            let known_kinds = CallbackKind::ALL.iter().filter(|it| **it != CallbackKind::Unknown);
            let known_kinds: Vec<&str> = known_kinds.map(|it| it.as_str()).collect();
            found = found.filter(dead_callbacks::kind.ne_all(known_kinds));
        } else {
            found = found.filter(dead_callbacks::kind.eq(kind));
        }
    }
    if let Some(after) = wanted.after {
        found = found.filter(dead_callbacks::id.gt(Col(after)));
    }
    Ok(found.load(conn).await?)
}

pub async fn dead_callback(conn: &mut Conn, id: CallbackId) -> Result<Option<DeadCallback>> {
    let found = dead_callbacks::table
        .filter(dead_callbacks::id.eq(Col(id)))
        .select(DeadCallback::as_select())
        .get_result(conn)
        .await;
    Ok(found.optional()?)
}

pub async fn last_dead_callback(conn: &mut Conn) -> Result<Option<CallbackId>> {
    let last = dead_callbacks::table.order(dead_callbacks::id.desc()).limit(1);
    let last = last.select(dead_callbacks::id).get_result::<Col<CallbackId>>(conn).await;
    Ok(last.optional()?.map(|id| id.0))
}

pub async fn count_dead_callbacks(conn: &mut Conn) -> Result<i64> {
    Ok(dead_callbacks::table.count().get_result(conn).await?)
}

/// Counts the dead letters that an operator should be told about. Two kinds are not counted,
/// because nobody has to act on them: statuses of templates that this version does not know, and
/// reports on templates that were created elsewhere, for example in the channel's own console.
pub async fn count_alarming_dead_callbacks(conn: &mut Conn) -> Result<i64> {
    let all: i64 = dead_callbacks::table.count().get_result(conn).await?;
    let words = dead_callbacks::kind
        .eq(CallbackKind::TemplateStatus.as_str())
        .and(dead_callbacks::reason.eq(Col(DeadLetterReason::NotUnderstood)));
    let elsewhere = dead_callbacks::reason.eq(Col(DeadLetterReason::UnknownTemplate));
    let harmless = dead_callbacks::table.filter(words.or(elsewhere));
    let harmless: i64 = harmless.count().get_result(conn).await?;
    Ok(all - harmless)
}

/// Puts dead letters back into the queue of callbacks. Returns the ids of those that existed.
pub async fn replay_dead_callbacks(
    conn: &mut Conn,
    ids: Vec<CallbackId>,
) -> Result<Vec<CallbackId>> {
    conn.transaction(async |conn| {
        let ids: Vec<_> = ids.into_iter().map(Col).collect();
        let these = dead_callbacks::table.filter(dead_callbacks::id.eq_any(ids));
        let taken: Vec<DeadCallback> =
            diesel::delete(these).returning(DeadCallback::as_returning()).get_results(conn).await?;
        let replayed = taken.iter().map(|it| it.id).collect();
        let due = taken.into_iter().map(|dead| Callback {
            id: dead.id,
            channel: dead.channel,
            payload: dead.payload,
            attempts: 0.into(),
            // The callback is due at once. The time of receipt is used, because the clock of the
            // operator's machine may differ from the server's clock.
            due_at: dead.received_at,
            received_at: dead.received_at,
            lookups: 0.into(),
        });
        callbacks::insert_callbacks(conn, due.collect()).await?;
        Ok::<_, Error>(replayed)
    })
    .await
}

/// Deletes dead letters, and returns how many existed.
pub async fn delete_dead_callbacks(conn: &mut Conn, ids: Vec<CallbackId>) -> Result<usize> {
    let ids: Vec<_> = ids.into_iter().map(Col).collect();
    let these = dead_callbacks::table.filter(dead_callbacks::id.eq_any(ids));
    Ok(diesel::delete(these).execute(conn).await?)
}
