//! The times at which keys were last used.
use super::{Conn, RunQueryDsl, Transactional, inserts, listed};
use crate::cached::Cached;
use crate::records::KeyUse;
use crate::schema::{key_uses, keys};
use crate::types::Col;
use crate::{Error, Result};
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

/// Returns when some of an organization's keys were last used. Keys that were never used are left
/// out.
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
