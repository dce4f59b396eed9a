//! The times at which keys were last used.
use super::{Conn, RunQueryDsl, SharedConn, Transactional, inserts, listed};
use crate::cached::Cached;
use crate::records::KeyUse;
use crate::schema::{key_uses, keys};
use crate::types::Col;
use crate::{Error, Result};
use diesel::dsl::case_when;
use diesel::prelude::*;
use diesel::upsert::excluded;
use domain::id::{KeyId, OrganizationId};
use domain::time::Timestamp;
use std::collections::{BTreeMap, BTreeSet};

/// Stores when keys were last used, in one commit, for keys that still exist. A later time is never
/// overwritten by an earlier one, because instances write in any order.
pub async fn record_key_uses(conn: &mut Conn, uses: Vec<KeyUse>) -> Result<()> {
    conn.transaction(async |conn| {
        let by_id =
            keys::table.filter(keys::id.eq_any(listed(uses.iter().map(|it| Col(it.key_id)))));
        let existing_keys: Vec<Col<KeyId>> = Cached(by_id.select(keys::id)).load(conn).await?;
        let existing_keys: BTreeSet<KeyId> = existing_keys.into_iter().map(|id| id.0).collect();
        let uses: Vec<_> = uses
            .iter()
            .filter(|it| existing_keys.contains(&it.key_id))
            .map(|it| {
                (
                    key_uses::organization_id.eq(Col(it.organization_id)),
                    key_uses::key_id.eq(Col(it.key_id)),
                    key_uses::last_used_at.eq(Col(it.last_used_at)),
                )
            })
            .collect();
        for uses in inserts(&uses) {
            let upsert = diesel::insert_into(key_uses::table)
                .values(uses)
                .on_conflict((key_uses::key_id, key_uses::organization_id))
                .do_update()
                .set(key_uses::last_used_at.eq(excluded(key_uses::last_used_at)));
            let is_earlier = key_uses::last_used_at.lt(excluded(key_uses::last_used_at));
            let upsert = diesel::query_dsl::methods::FilterDsl::filter(upsert, is_earlier);
            prepared!(upsert).execute(conn).await?;
        }
        Ok::<_, Error>(())
    })
    .await
}

/// A capped key and the month.
pub(super) type CapCounter = (OrganizationId, KeyId, i32);

/// Adds `more` to the message counts of keys with a monthly cap, in the order of keys, and returns
/// the new counts. Each key has only one count, that of its newest month. The first message of a
/// new month starts a new count. A late message of an earlier month counts in the newest month.
pub(super) async fn add_messages(
    conn: &mut SharedConn<'_>,
    more: &BTreeMap<CapCounter, i32>,
    now: Timestamp,
) -> Result<BTreeMap<CapCounter, i32>> {
    let mut totals = BTreeMap::new();
    for ((organization, key, period), more) in more {
        let new = (
            key_uses::organization_id.eq(Col(*organization)),
            key_uses::key_id.eq(Col(*key)),
            key_uses::last_used_at.eq(Col(now)),
            key_uses::period.eq(*period),
            key_uses::messages.eq(*more),
        );
        let is_new = key_uses::period.lt(excluded(key_uses::period));
        let counted = case_when(is_new, excluded(key_uses::messages))
            .otherwise(key_uses::messages + excluded(key_uses::messages));
        let is_new = key_uses::period.lt(excluded(key_uses::period));
        let newest = case_when(is_new, excluded(key_uses::period)).otherwise(key_uses::period);
        let upsert = diesel::insert_into(key_uses::table)
            .values(new)
            .on_conflict((key_uses::key_id, key_uses::organization_id))
            .do_update()
            .set((key_uses::messages.eq(counted), key_uses::period.eq(newest)))
            .returning(key_uses::messages);
        let total: i32 = prepared!(upsert).get_result(conn).await?;
        totals.insert((*organization, *key, *period), total);
    }
    Ok(totals)
}

/// Returns how many messages a capped key has sent in a month.
pub async fn capped_messages(
    conn: &mut Conn,
    organization: OrganizationId,
    key: KeyId,
    period: i32,
) -> Result<u32> {
    let row = key_uses::table
        .filter(key_uses::organization_id.eq(Col(organization)))
        .filter(key_uses::key_id.eq(Col(key)))
        .filter(key_uses::period.eq(period))
        .select(key_uses::messages);
    let messages: Option<i32> = row.get_result(conn).await.optional()?;
    Ok(messages.and_then(|it| u32::try_from(it).ok()).unwrap_or(0))
}

/// Returns the times at which these keys of an organization were last used. Keys that were never
/// used are left out.
pub async fn last_uses(
    conn: &mut Conn,
    organization: OrganizationId,
    of: Vec<KeyId>,
) -> Result<BTreeMap<KeyId, Timestamp>> {
    if of.is_empty() {
        return Ok(BTreeMap::new());
    }
    let uses = key_uses::table
        .filter(key_uses::organization_id.eq(Col(organization)))
        .filter(key_uses::key_id.eq_any(listed(of.into_iter().map(Col))))
        .select((key_uses::key_id, key_uses::last_used_at));
    let uses: Vec<(Col<KeyId>, Col<Timestamp>)> = Cached(uses).load(conn).await?;
    Ok(uses.into_iter().map(|(key, at)| (key.0, at.0)).collect())
}

/// Deletes the last use of a deleted key.
pub(super) async fn forget(
    conn: &mut Conn,
    organization: OrganizationId,
    key: KeyId,
) -> Result<()> {
    let its = key_uses::table
        .filter(key_uses::organization_id.eq(Col(organization)))
        .filter(key_uses::key_id.eq(Col(key)));
    prepared!(diesel::delete(its)).execute(conn).await?;
    Ok(())
}
