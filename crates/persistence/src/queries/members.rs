//! Members.
use super::Conn;
use crate::rows::Member;
use crate::schema::{members, memberships};
use crate::types::Col;
use crate::{Error, Result};
use diesel::prelude::*;
use diesel_async::{AsyncConnection, RunQueryDsl};
use domain::id::OrganizationId;

/// Makes a member of an organization.
pub async fn insert_member(
    conn: &mut Conn,
    new: Member,
    organization: OrganizationId,
) -> Result<()> {
    conn.transaction(async |conn| {
        let membership = (
            memberships::member_id.eq(new.id),
            memberships::organization_id.eq(Col(organization)),
            memberships::created_at.eq(new.created_at),
        );
        diesel::insert_into(members::table).values(new).execute(conn).await?;
        diesel::insert_into(memberships::table).values(membership).execute(conn).await?;
        Ok::<_, Error>(())
    })
    .await
}
