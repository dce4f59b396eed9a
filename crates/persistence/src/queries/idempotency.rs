//! Stored answers of idempotent requests.
use super::{Conn, Rows, RunQueryDsl, SharedConn, inserts, listed};
use crate::cached::Cached;
use crate::records::{AnswerQuestion, Idempotent, StoredAnswer};
use crate::schema::idempotency;
use crate::types::Col;
use crate::{Error, Result};
use diesel::prelude::*;
use diesel::result::DatabaseErrorKind;
use domain::id::{KeyId, OwnerId};
use domain::time::Timestamp;
use std::collections::{BTreeMap, BTreeSet};

/// Returns the stored answer of a request.
pub async fn stored_answer(
    conn: &mut Conn,
    AnswerQuestion { owner, key, path, name, cutoff }: AnswerQuestion,
) -> Result<Option<StoredAnswer>> {
    let row = idempotency::table
        .filter(idempotency::owner_id.eq(Col(owner.id())))
        .filter(idempotency::key_id.eq(Col(key)))
        .filter(idempotency::path.eq(path))
        .filter(idempotency::idempotency_key.eq(name))
        .filter(idempotency::created_at.gt(Col(cutoff)))
        .select((idempotency::body_digest, idempotency::status, idempotency::answer))
        .get_result::<(Vec<u8>, i32, String)>(conn)
        .await;
    let Some((body_digest, status, answer)) = row.optional()? else { return Ok(None) };
    Ok(Some(StoredAnswer { body_digest, status: read(status)?, answer }))
}

/// Returns the stored answers of several requests, in their order.
pub async fn stored_answers(
    conn: &mut Conn,
    asked: Vec<AnswerQuestion>,
) -> Result<Vec<Option<StoredAnswer>>> {
    if let [only] = asked.as_slice() {
        return Ok(vec![stored_answer(conn, only.clone()).await?]);
    }
    let mut by_owner: BTreeMap<_, Vec<_>> = BTreeMap::new();
    for (index, it) in asked.iter().enumerate() {
        by_owner.entry(it.owner.id()).or_default().push((index, it));
    }
    let mut answers = vec![None; asked.len()];
    for (requests, kept) in by_owner.values().zip(all_kept(conn, &by_owner).await?) {
        for ((key, path, name), (body_digest, status, answer), at) in kept {
            let of_same = |(_, it): &&(usize, &AnswerQuestion)| {
                it.key == key.0 && it.path == path && it.name == name && at.0 > it.cutoff
            };
            for (index, _) in requests.iter().filter(of_same) {
                let (body_digest, answer) = (body_digest.clone(), answer.clone());
                let stored = StoredAnswer { body_digest, status: read(status)?, answer };
                if let Some(place) = answers.get_mut(*index) {
                    *place = Some(stored);
                }
            }
        }
    }
    Ok(answers)
}

/// A stored answer: its key, its content and its time. Its age has not been checked yet.
type AgedAnswerRow = ((Col<KeyId>, String, String), (Vec<u8>, i32, String), Col<Timestamp>);

/// Returns the answer that another instance has stored for a request in the meantime. A stored
/// answer that is too old is deleted instead, so that a new one can be stored.
pub(super) async fn answered_meanwhile(
    conn: &mut Conn,
    request: &Idempotent,
) -> Result<Option<StoredAnswer>> {
    remove_stale(conn, request).await?;
    stored_answer(conn, request.question()).await
}

/// Requests of one owner, each with its index in the list of all requests.
type Requests<'a> = Vec<(usize, &'a AnswerQuestion)>;

async fn all_kept(
    conn: &mut Conn,
    requests: &BTreeMap<OwnerId, Requests<'_>>,
) -> Result<Vec<Vec<AgedAnswerRow>>> {
    let shared = shared!(conn);
    pipelined_each!(shared; owner_requests in requests.iter() => list_stored_answers(shared, *owner_requests.0, owner_requests.1))
}

async fn list_stored_answers(
    conn: &mut SharedConn<'_>,
    owner: OwnerId,
    requests: &Requests<'_>,
) -> Result<Vec<AgedAnswerRow>> {
    let keys: BTreeSet<_> = requests.iter().map(|(_, it)| Col(it.key)).collect();
    let paths: BTreeSet<_> = requests.iter().map(|(_, it)| it.path).collect();
    let names = requests.iter().map(|(_, it)| it.name.as_str());
    let kept = idempotency::table
        .filter(idempotency::owner_id.eq(Col(owner)))
        .filter(idempotency::key_id.eq_any(listed(keys)))
        .filter(idempotency::path.eq_any(listed(paths)))
        .filter(idempotency::idempotency_key.eq_any(listed(names)))
        .select((
            (idempotency::key_id, idempotency::path, idempotency::idempotency_key),
            (idempotency::body_digest, idempotency::status, idempotency::answer),
            idempotency::created_at,
        ));
    Ok(Cached(kept).load(conn).await?)
}

/// Deletes the stored answer of a request if it is too old.
async fn remove_stale(conn: &mut Conn, request: &Idempotent) -> Result<()> {
    let stale = idempotency::table
        .filter(idempotency::owner_id.eq(Col(request.owner.id())))
        .filter(idempotency::key_id.eq(Col(request.key)))
        .filter(idempotency::path.eq(request.path))
        .filter(idempotency::idempotency_key.eq(&request.name))
        .filter(idempotency::created_at.le(Col(request.cutoff)));
    diesel::delete(stale).execute(conn).await?;
    Ok(())
}

fn read(status: i32) -> Result<u16> {
    u16::try_from(status)
        .map_err(|_| Error::Internal(format!("an answer is kept with the status {status}")))
}

/// A request, its answer, and the time of the answer.
pub(super) type NewAnswer = (Idempotent, String, Timestamp);

/// Stores answers of requests that have none.
///
/// # Errors
///
/// A unique violation if one of the requests has been answered meanwhile.
pub(super) async fn store_answers(conn: &mut SharedConn<'_>, answers: &[NewAnswer]) -> Result<()> {
    let rows: Vec<_> = answers.iter().map(row).collect();
    let kept = pipelined_each!(conn; rows in inserts(&rows) => insert_answers(conn, rows))?;
    if kept.into_iter().sum::<usize>() < rows.len() {
        return Err(kept_meanwhile().into());
    }
    Ok(())
}

#[derive(Insertable)]
#[diesel(table_name = idempotency)]
struct StoredAnswerRow<'a> {
    owner_id: Col<OwnerId>,
    key_id: Col<KeyId>,
    path: &'static str,
    idempotency_key: &'a str,
    body_digest: &'a [u8],
    status: i32,
    answer: &'a str,
    created_at: Col<Timestamp>,
}

fn row((request, answer, at): &NewAnswer) -> StoredAnswerRow<'_> {
    StoredAnswerRow {
        owner_id: Col(request.owner.id()),
        key_id: Col(request.key),
        path: request.path,
        idempotency_key: &request.name,
        body_digest: &request.body_digest,
        status: i32::from(request.status),
        answer,
        created_at: Col(*at),
    }
}

/// Inserts answers, and returns how many were new.
async fn insert_answers(
    conn: &mut SharedConn<'_>,
    rows: Rows<'_, StoredAnswerRow<'_>>,
) -> Result<usize> {
    let insert = diesel::insert_into(idempotency::table).values(rows).on_conflict_do_nothing();
    Ok(prepared!(insert).execute(conn).await?)
}

fn kept_meanwhile() -> diesel::result::Error {
    let why = Box::new("the same request has been answered meanwhile".to_owned());
    diesel::result::Error::DatabaseError(DatabaseErrorKind::UniqueViolation, why)
}

/// Stores an answer. Replaces a stored one that is too old.
pub async fn store_answer(
    conn: &mut Conn,
    request: Idempotent,
    answer: String,
    at: Timestamp,
) -> Result<()> {
    remove_stale(conn, &request).await?;
    store_answers(shared!(conn), &[(request, answer, at)]).await
}
