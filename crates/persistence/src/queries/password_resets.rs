//! One-time links with which members set another password.
use super::{Conn, RunQueryDsl, Transactional};
use crate::records::{Member, PasswordReset};
use crate::schema::{members, password_resets, sessions};
use crate::types::Col;
use crate::{Error, Result};
use diesel::prelude::*;
use domain::id::MemberId;
use domain::time::Timestamp;

/// Stores a member's link for setting another password, in place of an earlier one.
pub async fn insert_password_reset(conn: &mut Conn, new: PasswordReset) -> Result<()> {
    conn.transaction(async |conn| {
        diesel::delete(password_resets::table.find(Col(new.member_id))).execute(conn).await?;
        diesel::insert_into(password_resets::table).values(&new).execute(conn).await?;
        Ok::<_, Error>(())
    })
    .await
}

/// Returns the member to whom a link belongs, if it was created since `cutoff` and has not been
/// used.
pub async fn member_of_reset(
    conn: &mut Conn,
    digest: Vec<u8>,
    cutoff: Timestamp,
) -> Result<Option<Member>> {
    let found = password_resets::table
        .inner_join(members::table)
        .filter(password_resets::digest.eq(digest))
        .filter(password_resets::created_at.gt(Col(cutoff)))
        .select(Member::as_select())
        .get_result(conn)
        .await;
    Ok(found.optional()?)
}

/// Uses a link that was created since `cutoff`: sets the member's password and ends all sessions of
/// the member. Returns `false` if there is no such link.
pub async fn reset_password(
    conn: &mut Conn,
    digest: Vec<u8>,
    cutoff: Timestamp,
    password_hash: String,
) -> Result<bool> {
    conn.transaction(async |conn| {
        let link = password_resets::table
            .filter(password_resets::digest.eq(digest))
            .filter(password_resets::created_at.gt(Col(cutoff)));
        let used: Option<Col<MemberId>> = diesel::delete(link)
            .returning(password_resets::member_id)
            .get_result(conn)
            .await
            .optional()?;
        let Some(member) = used else { return Ok(false) };
        let member_rows = members::table.find(member);
        let password = members::password_hash.eq(password_hash);
        diesel::update(member_rows).set(password).execute(conn).await?;
        let member_rows = sessions::table.filter(sessions::member_id.eq(Some(member)));
        diesel::delete(member_rows).execute(conn).await?;
        Ok::<_, Error>(true)
    })
    .await
}
