//! Texts that the members of an organization often send.
use super::{Conn, RunQueryDsl, Transactional, organizations};
use crate::records::SavedReply;
use crate::schema::saved_replies;
use crate::types::Col;
use crate::{Error, Result};
use diesel::prelude::*;
use domain::id::{OrganizationId, SavedReplyId};
use domain::saved_reply::SavedReplyContent;
use domain::time::Timestamp;

/// Returns the saved replies in the order of their names, up to `most`.
pub async fn list_saved_replies(
    conn: &mut Conn,
    organization: OrganizationId,
    most: i64,
) -> Result<Vec<SavedReply>> {
    let rows = saved_replies::table
        .filter(saved_replies::organization_id.eq(Col(organization)))
        .order((saved_replies::name, saved_replies::id))
        .limit(most)
        .select(SavedReply::as_select());
    Ok(rows.load(conn).await?)
}

pub async fn find_saved_reply(
    conn: &mut Conn,
    organization: OrganizationId,
    id: SavedReplyId,
) -> Result<Option<SavedReply>> {
    let row = saved_replies::table.find((Col(organization), Col(id)));
    Ok(row.select(SavedReply::as_select()).get_result(conn).await.optional()?)
}

/// Stores a new saved reply. Returns `false` if there are `most` already.
pub async fn insert_saved_reply(
    conn: &mut Conn,
    organization: OrganizationId,
    new: SavedReply,
    most: i64,
) -> Result<bool> {
    conn.transaction(async |conn| {
        organizations::lock(conn, organization).await?;
        let own = saved_replies::table.filter(saved_replies::organization_id.eq(Col(organization)));
        let count: i64 = own.count().get_result(conn).await?;
        if count >= most {
            return Ok(false);
        }
        diesel::insert_into(saved_replies::table).values(&new).execute(conn).await?;
        Ok::<_, Error>(true)
    })
    .await
}

/// Replaces the name and the text. Returns `false` if there is no such saved reply.
pub async fn update_saved_reply(
    conn: &mut Conn,
    organization: OrganizationId,
    id: SavedReplyId,
    content: SavedReplyContent,
    now: Timestamp,
) -> Result<bool> {
    let SavedReplyContent { name, text } = content;
    let row = saved_replies::table.find((Col(organization), Col(id)));
    let changed = (
        saved_replies::name.eq(name),
        saved_replies::text.eq(text),
        saved_replies::updated_at.eq(Col(now)),
    );
    Ok(diesel::update(row).set(changed).execute(conn).await? > 0)
}

/// Deletes a saved reply. Returns `false` if there is none.
pub async fn delete_saved_reply(
    conn: &mut Conn,
    organization: OrganizationId,
    id: SavedReplyId,
) -> Result<bool> {
    let row = saved_replies::table.find((Col(organization), Col(id)));
    Ok(diesel::delete(row).execute(conn).await? > 0)
}
