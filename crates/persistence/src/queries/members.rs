//! Queries on members and their roles.
use super::assignees::unassign;
use super::{Conn, RunQueryDsl, Transactional};
use crate::records::{
    FirstSetup, ListedMember, Member, Membership, Organization, Plan, RoleChange,
};
use crate::schema::{accounts, first_setup, members, memberships, organizations, plans, sessions};
use crate::types::Col;
use crate::{Error, Result};
use diesel::prelude::*;
use domain::id::{MemberId, OrganizationId};
use domain::number::saturating;
use domain::plan::SubscriptionStatus;
use domain::role::{Authority, Role, leaves_no_owner};
use domain::time::Timestamp;

/// The only value of `first_setup.id`: the table has at most one row.
const THE_SETUP: i32 = 1;

pub async fn insert_member(
    conn: &mut Conn,
    organization: OrganizationId,
    new: Member,
    role: Role,
) -> Result<()> {
    conn.transaction(async |conn| {
        diesel::insert_into(members::table).values(&new).execute(conn).await?;
        join(conn, organization, new.id, role, new.created_at).await
    })
    .await
}

/// Makes a person a member of an organization. An existing membership stays as it is.
pub(super) async fn join(
    conn: &mut Conn,
    organization: OrganizationId,
    member: MemberId,
    role: Role,
    at: Timestamp,
) -> Result<()> {
    let membership = (
        memberships::member_id.eq(Col(member)),
        memberships::organization_id.eq(Col(organization)),
        memberships::created_at.eq(Col(at)),
        memberships::role.eq(Col(role)),
    );
    diesel::insert_into(memberships::table)
        .values(membership)
        .on_conflict_do_nothing()
        .execute(conn)
        .await?;
    Ok(())
}

/// Adds a member to another organization. Returns `false` if nobody has this email address.
pub async fn add_membership(
    conn: &mut Conn,
    organization: OrganizationId,
    email: String,
    role: Role,
    at: Timestamp,
) -> Result<bool> {
    let member: Option<Col<MemberId>> = members::table
        .filter(members::email.eq(email))
        .select(members::id)
        .get_result(conn)
        .await
        .optional()?;
    let Some(member) = member else { return Ok(false) };
    join(conn, organization, member.0, role, at).await?;
    Ok(true)
}

/// Returns the first `most` members of an organization, in the order in which they joined it.
pub async fn members_of(
    conn: &mut Conn,
    organization: OrganizationId,
    most: i64,
) -> Result<Vec<ListedMember>> {
    let found: Vec<(Member, Role, Timestamp)> = memberships::table
        .inner_join(members::table)
        .filter(memberships::organization_id.eq(Col(organization)))
        .order((memberships::created_at, memberships::member_id))
        .limit(most)
        .select((Member::as_select(), memberships::role, memberships::created_at))
        .load(conn)
        .await?;
    let listed = |(member, role, joined_at)| ListedMember { member, role, joined_at };
    Ok(found.into_iter().map(listed).collect())
}

/// Returns one member of an organization.
pub async fn member_of_organization(
    conn: &mut Conn,
    organization: OrganizationId,
    member: MemberId,
) -> Result<Option<ListedMember>> {
    let found: Option<(Member, Role, Timestamp)> = memberships::table
        .inner_join(members::table)
        .filter(memberships::organization_id.eq(Col(organization)))
        .filter(memberships::member_id.eq(Col(member)))
        .select((Member::as_select(), memberships::role, memberships::created_at))
        .get_result(conn)
        .await
        .optional()?;
    let listed = |(member, role, joined_at)| ListedMember { member, role, joined_at };
    Ok(found.map(listed))
}

/// Gives a member another role, or removes the member (`None`). If the member may no longer use the
/// inbox, their conversations are unassigned. The rows of all owners are locked, so that two owners
/// who remove each other at the same time cannot both succeed.
pub async fn change_role(
    conn: &mut Conn,
    organization: OrganizationId,
    member: MemberId,
    role: Option<Role>,
    at: Timestamp,
) -> Result<RoleChange> {
    conn.transaction(async |conn| {
        let owners = memberships::table
            .filter(memberships::organization_id.eq(Col(organization)))
            .filter(memberships::role.eq(Col(Role::Owner)))
            .order(memberships::member_id)
            .select(memberships::member_id);
        let owners: Vec<Col<MemberId>> = for_update!(owners).load(conn).await?;
        let theirs = || {
            memberships::table
                .filter(memberships::organization_id.eq(Col(organization)))
                .filter(memberships::member_id.eq(Col(member)))
        };
        let before: Option<Col<Role>> =
            theirs().select(memberships::role).get_result(conn).await.optional()?;
        let Some(Col(before)) = before else { return Ok(RoleChange::NoMember) };
        if leaves_no_owner(saturating(owners.len(), i64::MAX), before, role) {
            return Ok(RoleChange::LastOwner);
        }
        match role {
            Some(role) => {
                diesel::update(theirs()).set(memberships::role.eq(Col(role))).execute(conn).await?;
            }
            None => {
                diesel::delete(theirs()).execute(conn).await?;
            }
        }
        if role.is_none_or(|it| !it.may_be_assigned()) {
            unassign(conn, organization, member, at).await?;
        }
        Ok::<_, Error>(RoleChange::Changed)
    })
    .await
}

/// Sets whether only owners and developers may manage the organization's keys.
pub async fn restrict_keys(
    conn: &mut Conn,
    organization: OrganizationId,
    restricted: bool,
) -> Result<()> {
    let of = organizations::table.filter(organizations::id.eq(Col(organization)));
    diesel::update(of).set(organizations::keys_restricted.eq(restricted)).execute(conn).await?;
    Ok(())
}

/// Sets whether members with the role support see only conversations that are assigned to them or
/// to nobody.
pub async fn limit_support(
    conn: &mut Conn,
    organization: OrganizationId,
    limited: bool,
) -> Result<()> {
    let of = organizations::table.filter(organizations::id.eq(Col(organization)));
    diesel::update(of).set(organizations::support_limited.eq(limited)).execute(conn).await?;
    Ok(())
}

/// Returns a member and the member's organizations, in the order in which the member joined them.
pub async fn find_with_organizations(
    conn: &mut Conn,
    id: MemberId,
) -> Result<Option<(Member, Vec<Membership>)>> {
    let found = members::table
        .filter(members::id.eq(Col(id)))
        .select(Member::as_select())
        .get_result(conn)
        .await;
    let Some(member) = found.optional()? else { return Ok(None) };
    let theirs: Vec<(Organization, Role, bool, bool)> = memberships::table
        .inner_join(organizations::table)
        .filter(memberships::member_id.eq(Col(id)))
        .order((memberships::created_at, memberships::organization_id))
        .select((
            Organization::as_select(),
            memberships::role,
            organizations::keys_restricted,
            organizations::support_limited,
        ))
        .load(conn)
        .await?;
    let membership = |(organization, role, keys_restricted, support_limited)| Membership {
        organization,
        authority: Authority { role, keys_restricted, support_limited },
    };
    Ok(Some((member, theirs.into_iter().map(membership).collect())))
}

/// Records that a member is active.
pub async fn touch_member(conn: &mut Conn, id: MemberId, at: Timestamp) -> Result<()> {
    let own = members::table.filter(members::id.eq(Col(id)));
    diesel::update(own).set(members::last_active_at.eq(Some(Col(at)))).execute(conn).await?;
    Ok(())
}

pub async fn rename_member(conn: &mut Conn, id: MemberId, name: String) -> Result<()> {
    let own = members::table.filter(members::id.eq(Col(id)));
    diesel::update(own).set(members::name.eq(name)).execute(conn).await?;
    Ok(())
}

/// Replaces a member's password if its hash is still `known`, and ends all sessions of the member
/// except the one with the digest `kept`. Returns `false` if the password was changed meanwhile.
pub async fn change_password(
    conn: &mut Conn,
    id: MemberId,
    known: String,
    new: String,
    kept: Vec<u8>,
) -> Result<bool> {
    conn.transaction(async |conn| {
        let own =
            members::table.filter(members::id.eq(Col(id))).filter(members::password_hash.eq(known));
        let changed = diesel::update(own).set(members::password_hash.eq(new)).execute(conn).await?;
        if changed == 0 {
            return Ok(false);
        }
        let others = sessions::table
            .filter(sessions::member_id.eq(Some(Col(id))))
            .filter(sessions::digest.ne(kept));
        diesel::delete(others).execute(conn).await?;
        Ok::<_, Error>(true)
    })
    .await
}

pub async fn has_members(conn: &mut Conn) -> Result<bool> {
    let first: Option<Col<MemberId>> =
        members::table.select(members::id).limit(1).get_result(conn).await.optional()?;
    Ok(first.is_some())
}

/// Creates the first member with their organization. Returns `false` if a member exists. Of several
/// concurrent callers one succeeds; the others get `false` or a unique violation.
pub async fn set_up(conn: &mut Conn, new: FirstSetup) -> Result<bool> {
    conn.transaction(async |conn| {
        if has_members(conn).await? {
            return Ok(false);
        }
        let FirstSetup { member, organization, plan, account } = new;
        let at = member.created_at;
        diesel::insert_into(members::table).values(&member).execute(conn).await?;
        let only = (
            first_setup::id.eq(THE_SETUP),
            first_setup::member_id.eq(Col(member.id)),
            first_setup::finished_at.eq(Col(at)),
        );
        diesel::insert_into(first_setup::table).values(only).execute(conn).await?;
        let named = plans::table.filter(plans::name.eq(plan.name.clone()));
        let known: Option<Plan> =
            named.select(Plan::as_select()).get_result(conn).await.optional()?;
        let id = if let Some(known) = known {
            known.id
        } else {
            diesel::insert_into(plans::table).values(&plan).execute(conn).await?;
            plan.id
        };
        let organization = Organization {
            plan_id: Some(id),
            subscription_status: SubscriptionStatus::Active,
            ..organization
        };
        diesel::insert_into(organizations::table).values(&organization).execute(conn).await?;
        join(conn, organization.id, member.id, Role::Owner, at).await?;
        if let Some(account) = account {
            diesel::insert_into(accounts::table).values(&account).execute(conn).await?;
            let of = organizations::table.filter(organizations::id.eq(Col(organization.id)));
            let default = organizations::default_account_id.eq(Some(Col(account.id)));
            diesel::update(of).set(default).execute(conn).await?;
        }
        Ok::<_, Error>(true)
    })
    .await
}
