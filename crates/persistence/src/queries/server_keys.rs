//! Keys that all instances of this database share.
use super::{Conn, RunQueryDsl, Transactional};
use crate::schema::server_keys;
use crate::types::Col;
use crate::{Error, Result};
use diesel::prelude::*;
use domain::time::Timestamp;

/// Returns the key with this name, and stores `fresh` if there is none. If several instances start
/// at the same time, one of their keys is stored, and all of them get it.
pub async fn server_key(
    conn: &mut Conn,
    name: &'static str,
    fresh: Vec<u8>,
    at: Timestamp,
) -> Result<Vec<u8>> {
    conn.transaction(async |conn| {
        let new = (
            server_keys::name.eq(name),
            server_keys::key.eq(fresh),
            server_keys::created_at.eq(Col(at)),
        );
        diesel::insert_into(server_keys::table)
            .values(new)
            .on_conflict_do_nothing()
            .execute(conn)
            .await?;
        let kept = server_keys::table.filter(server_keys::name.eq(name)).select(server_keys::key);
        Ok::<_, Error>(kept.get_result(conn).await?)
    })
    .await
}

/// Returns the key with this name, if there is one.
pub async fn stored_server_key(conn: &mut Conn, name: &'static str) -> Result<Option<Vec<u8>>> {
    let kept = server_keys::table.filter(server_keys::name.eq(name)).select(server_keys::key);
    Ok(kept.get_result(conn).await.optional()?)
}
