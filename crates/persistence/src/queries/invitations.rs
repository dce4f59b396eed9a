//! One-time links with which people become members of an organization.
use super::{Conn, RunQueryDsl, Transactional, members as membership};
use crate::records::{Invitation, Invitee, Organization};
use crate::schema::{invitations, members, organizations};
use crate::types::Col;
use crate::{Error, Result};
use diesel::prelude::*;
use domain::id::OrganizationId;
use domain::role::Role;
use domain::time::Timestamp;

/// Stores an invitation, in place of an earlier one to the same email address.
pub async fn insert_invitation(conn: &mut Conn, new: Invitation) -> Result<()> {
    conn.transaction(async |conn| {
        let before = invitations::table
            .filter(invitations::organization_id.eq(Col(new.organization_id)))
            .filter(invitations::email.eq(new.email.clone()));
        diesel::delete(before).execute(conn).await?;
        diesel::insert_into(invitations::table).values(&new).execute(conn).await?;
        Ok::<_, Error>(())
    })
    .await
}

/// Returns the first `most` invitations of an organization that were not accepted, the oldest
/// first.
pub async fn invitations_of(
    conn: &mut Conn,
    organization: OrganizationId,
    most: i64,
) -> Result<Vec<Invitation>> {
    let open = invitations::table
        .filter(invitations::organization_id.eq(Col(organization)))
        .order((invitations::created_at, invitations::email))
        .limit(most)
        .select(Invitation::as_select());
    Ok(open.load(conn).await?)
}

/// Deletes an invitation. Returns `false` if there is none to this email address.
pub async fn delete_invitation(
    conn: &mut Conn,
    organization: OrganizationId,
    email: String,
) -> Result<bool> {
    let one = invitations::table
        .filter(invitations::organization_id.eq(Col(organization)))
        .filter(invitations::email.eq(email));
    Ok(diesel::delete(one).execute(conn).await? > 0)
}

/// Returns the invitation of a link that was created since `cutoff`, with its organization.
pub async fn invitation(
    conn: &mut Conn,
    digest: Vec<u8>,
    cutoff: Timestamp,
) -> Result<Option<(Invitation, Organization)>> {
    let found = invitations::table
        .inner_join(organizations::table)
        .filter(invitations::digest.eq(digest))
        .filter(invitations::created_at.gt(Col(cutoff)))
        .select((Invitation::as_select(), Organization::as_select()))
        .get_result(conn)
        .await;
    Ok(found.optional()?)
}

/// Uses an invitation that was created since `cutoff`: the invitee joins the organization. Returns
/// `false` if there is no such invitation.
pub async fn accept_invitation(
    conn: &mut Conn,
    digest: Vec<u8>,
    cutoff: Timestamp,
    invitee: Invitee,
    at: Timestamp,
) -> Result<bool> {
    conn.transaction(async |conn| {
        let link = invitations::table
            .filter(invitations::digest.eq(digest))
            .filter(invitations::created_at.gt(Col(cutoff)));
        let used: Option<(Col<OrganizationId>, Col<Role>)> = diesel::delete(link)
            .returning((invitations::organization_id, invitations::role))
            .get_result(conn)
            .await
            .optional()?;
        let Some((organization, role)) = used else { return Ok(false) };
        let member = match invitee {
            Invitee::New(member) => {
                diesel::insert_into(members::table).values(&member).execute(conn).await?;
                member.id
            }
            Invitee::Known(member) => member,
        };
        membership::join(conn, organization.0, member, role.0, at).await?;
        Ok::<_, Error>(true)
    })
    .await
}
