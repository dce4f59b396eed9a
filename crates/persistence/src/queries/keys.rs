//! Keys and who holds them.
use super::{Conn, RunQueryDsl, Transactional, grants};
use crate::records::{Caller, Key};
use crate::schema::{keys, organizations, plans};
use crate::types::Col;
use crate::{Error, Result};
use diesel::prelude::*;
use domain::connection::EndReason;
use domain::id::{KeyId, OrganizationId};
use domain::key::{KeyState, RateLimit};
use domain::time::Timestamp;
use std::collections::HashMap;

/// A key with everything a request needs to know of its holder.
#[diesel::dsl::auto_type]
fn with_holder() -> _ {
    keys::table.inner_join(organizations::table.left_join(plans::table))
}

/// The key with this secret. By the secret and not by the client id: then a wrong secret and an unknown client
/// id are one and the same question, which finds nothing (`docs/security.md` 22).
pub async fn caller(conn: &mut Conn, secret_digest: Vec<u8>) -> Result<Option<Caller>> {
    // `get_result`, not `first`: the index is unique, and a `LIMIT` would be one more bind.
    let found = with_holder()
        .filter(keys::secret_digest.eq(secret_digest))
        .select(Caller::as_select())
        .get_result(conn)
        .await;
    Ok(found.optional()?)
}

/// The keys with several secrets, in their order.
pub async fn callers(conn: &mut Conn, secret_digests: Vec<Vec<u8>>) -> Result<Vec<Option<Caller>>> {
    if let [only] = secret_digests.as_slice() {
        return Ok(vec![caller(conn, only.clone()).await?]);
    }
    let found: Vec<Caller> = with_holder()
        .filter(keys::secret_digest.eq_any(&secret_digests))
        .select(Caller::as_select())
        .load(conn)
        .await?;
    let by_digest: HashMap<&[u8], &Caller> =
        found.iter().map(|caller| (caller.key.secret_digest.as_slice(), caller)).collect();
    let answers = secret_digests.iter().map(|it| by_digest.get(it.as_slice()).copied().cloned());
    Ok(answers.collect())
}

pub async fn insert_key(conn: &mut Conn, key: Key) -> Result<()> {
    diesel::insert_into(keys::table).values(&key).execute(conn).await?;
    Ok(())
}

/// Switches one of the organization's keys on or off; `false` if it has none of that client id.
pub async fn set_key_state(
    conn: &mut Conn,
    organization: OrganizationId,
    client_id: String,
    state: KeyState,
) -> Result<bool> {
    let key = keys::table
        .filter(keys::client_id.eq(client_id))
        .filter(keys::organization_id.eq(Col(organization)));
    let changed = diesel::update(key).set(keys::state.eq(Col(state))).execute(conn).await?;
    Ok(changed == 1)
}

/// Removes one of the organization's keys permanently. Of a connection's key this is the business disconnecting the application
/// (`docs/contract.md#api-keys`).
pub async fn delete_key(
    conn: &mut Conn,
    organization: OrganizationId,
    client_id: String,
    at: Timestamp,
) -> Result<bool> {
    let found = keys::table
        .filter(keys::client_id.eq(client_id))
        .filter(keys::organization_id.eq(Col(organization)))
        .select(keys::id);
    let id: Option<Col<KeyId>> = found.get_result(conn).await.optional()?;
    let Some(id) = id else { return Ok(false) };
    let ended = grants::disconnect(conn, organization, id.0, EndReason::Business, at).await?;
    if ended.is_none() {
        let own =
            keys::table.filter(keys::id.eq(id)).filter(keys::organization_id.eq(Col(organization)));
        diesel::delete(own).execute(conn).await?;
    }
    Ok(true)
}

/// The organization whose key has this client id.
pub async fn organization_of_key(
    conn: &mut Conn,
    client_id: String,
) -> Result<Option<OrganizationId>> {
    let of = keys::table.filter(keys::client_id.eq(client_id)).select(keys::organization_id);
    let of: Option<Col<OrganizationId>> = of.get_result(conn).await.optional()?;
    Ok(of.map(|id| id.0))
}

/// The organization's keys, the newest first.
pub async fn keys_of(conn: &mut Conn, organization: OrganizationId) -> Result<Vec<Key>> {
    let theirs = keys::table
        .filter(keys::organization_id.eq(Col(organization)))
        .order((keys::created_at.desc(), keys::id.desc()))
        .select(Key::as_select());
    Ok(theirs.load(conn).await?)
}

/// One of the organization's keys.
pub async fn own_key(
    conn: &mut Conn,
    organization: OrganizationId,
    id: KeyId,
) -> Result<Option<Key>> {
    let found = keys::table
        .filter(keys::id.eq(Col(id)))
        .filter(keys::organization_id.eq(Col(organization)))
        .select(Key::as_select())
        .get_result(conn)
        .await;
    Ok(found.optional()?)
}

/// Gives a key another name and limit; `false` if the organization has none of that id.
pub async fn change_key(
    conn: &mut Conn,
    organization: OrganizationId,
    id: KeyId,
    name: String,
    rate_limit: RateLimit,
) -> Result<bool> {
    let own = keys::table
        .filter(keys::id.eq(Col(id)))
        .filter(keys::organization_id.eq(Col(organization)));
    let changed = (keys::name.eq(name), keys::rate_limit.eq(Col(rate_limit)));
    Ok(diesel::update(own).set(changed).execute(conn).await? > 0)
}

pub async fn keys_named(
    conn: &mut Conn,
    organization: OrganizationId,
    name: String,
) -> Result<Vec<Key>> {
    let named = keys::table
        .filter(keys::organization_id.eq(Col(organization)))
        .filter(keys::name.eq(name))
        .order(keys::created_at)
        .select(Key::as_select());
    Ok(named.load(conn).await?)
}

/// Never moves a stamp back: instances write in any order. All in one commit.
pub async fn touch_keys(conn: &mut Conn, stamps: Vec<(KeyId, Timestamp)>) -> Result<()> {
    conn.transaction(async |conn| {
        for (key, at) in stamps {
            let earlier = keys::last_used_at.is_null().or(keys::last_used_at.lt(Col(at)));
            let key = keys::table.filter(keys::id.eq(Col(key))).filter(earlier);
            let used = keys::last_used_at.eq(Some(Col(at)));
            prepared!(diesel::update(key).set(used)).execute(conn).await?;
        }
        Ok::<_, Error>(())
    })
    .await
}
