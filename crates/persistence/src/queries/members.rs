//! Queries on members.
use super::{Conn, RunQueryDsl, Transactional};
use crate::records::Member;
use crate::schema::{members, memberships};
use crate::types::Col;
use crate::{Error, Result};
use diesel::prelude::*;
use domain::id::{MemberId, OrganizationId};
use domain::time::Timestamp;

pub async fn insert_member(
    conn: &mut Conn,
    organization: OrganizationId,
    new: Member,
) -> Result<()> {
    conn.transaction(async |conn| {
        let membership = (
            memberships::member_id.eq(Col(new.id)),
            memberships::organization_id.eq(Col(organization)),
            memberships::created_at.eq(Col(new.created_at)),
        );
        diesel::insert_into(members::table).values(&new).execute(conn).await?;
        diesel::insert_into(memberships::table).values(membership).execute(conn).await?;
        Ok::<_, Error>(())
    })
    .await
}

/// Adds a member to another organization. Returns `false` if nobody has this email address.
pub async fn add_membership(
    conn: &mut Conn,
    organization: OrganizationId,
    email: String,
    at: Timestamp,
) -> Result<bool> {
    let member: Option<Col<MemberId>> = members::table
        .filter(members::email.eq(email))
        .select(members::id)
        .get_result(conn)
        .await
        .optional()?;
    let Some(member) = member else { return Ok(false) };
    let membership = (
        memberships::member_id.eq(member),
        memberships::organization_id.eq(Col(organization)),
        memberships::created_at.eq(Col(at)),
    );
    // An existing membership stays as it is.
    diesel::insert_into(memberships::table)
        .values(membership)
        .on_conflict_do_nothing()
        .execute(conn)
        .await?;
    Ok(true)
}
