//! Queries on organizations and their plans.
use super::{Conn, RunQueryDsl, Transactional};
use crate::records::{Organization, Plan};
use crate::schema::{agents, event_counters, organizations, plans};
use crate::types::Col;
use crate::{Error, Result};
use diesel::prelude::*;
use domain::id::{OrganizationId, PlanId};
use domain::plan::SubscriptionStatus;

pub async fn insert_organization(conn: &mut Conn, new: Organization) -> Result<()> {
    diesel::insert_into(organizations::table).values(&new).execute(conn).await?;
    Ok(())
}

/// Locks the row of an organization until the transaction ends. Transactions that count rows of the
/// organization before they insert another one take this lock, so that a limit holds.
pub(super) async fn lock(conn: &mut Conn, id: OrganizationId) -> Result<()> {
    let one = organizations::table.filter(organizations::id.eq(Col(id)));
    let _: Option<Col<OrganizationId>> =
        for_update!(one.select(organizations::id)).get_result(conn).await.optional()?;
    Ok(())
}

pub async fn find(conn: &mut Conn, id: OrganizationId) -> Result<Option<Organization>> {
    let found = organizations::table
        .filter(organizations::id.eq(Col(id)))
        .select(Organization::as_select())
        .get_result(conn)
        .await;
    Ok(found.optional()?)
}

pub async fn find_with_plan(
    conn: &mut Conn,
    id: OrganizationId,
) -> Result<Option<(Organization, Option<Plan>)>> {
    let found = organizations::table
        .left_join(plans::table)
        .filter(organizations::id.eq(Col(id)))
        .select((Organization::as_select(), Option::<Plan>::as_select()))
        .get_result(conn)
        .await;
    Ok(found.optional()?)
}

/// Returns the organization's words for opting out, as they are stored. Returns `None` if the
/// default words apply.
pub async fn opt_out_words(conn: &mut Conn, id: OrganizationId) -> Result<Option<String>> {
    let found = organizations::table
        .filter(organizations::id.eq(Col(id)))
        .select(organizations::opt_out_words)
        .get_result::<Option<String>>(conn)
        .await;
    Ok(found.optional()?.flatten())
}

/// Gives the organization another name. Returns `false` if there is no such organization.
pub async fn rename(conn: &mut Conn, id: OrganizationId, name: String) -> Result<bool> {
    let organization = organizations::table.filter(organizations::id.eq(Col(id)));
    Ok(diesel::update(organization).set(organizations::name.eq(name)).execute(conn).await? > 0)
}

/// Gives the organization a name that differs from its own. Returns `false` if it has this name
/// already, or if there is no such organization.
pub async fn change_name(conn: &mut Conn, id: OrganizationId, name: String) -> Result<bool> {
    let organization = organizations::table
        .filter(organizations::id.eq(Col(id)))
        .filter(organizations::name.ne(name.clone()));
    Ok(diesel::update(organization).set(organizations::name.eq(name)).execute(conn).await? > 0)
}

/// Deletes an organization that has no events and no AI agents. Returns `false` otherwise. Members,
/// accounts, keys, connections and applications of the organization violate foreign keys.
pub async fn delete_unused(conn: &mut Conn, id: OrganizationId) -> Result<bool> {
    conn.transaction(async |conn| {
        let of_events = event_counters::table
            .filter(event_counters::organization_id.eq(Col(id)))
            .select(event_counters::organization_id);
        let of_events: Vec<Col<OrganizationId>> = of_events.load(conn).await?;
        let of_agents = agents::table
            .filter(agents::organization_id.eq(Col(id)))
            .limit(1)
            .select(agents::organization_id);
        let of_agents: Vec<Col<OrganizationId>> = of_agents.load(conn).await?;
        if !(of_events.is_empty() && of_agents.is_empty()) {
            return Ok(false);
        }
        let one = organizations::table.filter(organizations::id.eq(Col(id)));
        Ok::<_, Error>(diesel::delete(one).execute(conn).await? > 0)
    })
    .await
}

/// Sets the organization's words for opting out. Returns `false` if there is no such organization.
pub async fn set_opt_out_words(
    conn: &mut Conn,
    id: OrganizationId,
    words: Option<String>,
) -> Result<bool> {
    let organization = organizations::table.filter(organizations::id.eq(Col(id)));
    let changed = diesel::update(organization).set(organizations::opt_out_words.eq(words));
    Ok(changed.execute(conn).await? > 0)
}

pub async fn organizations_named(conn: &mut Conn, name: String) -> Result<Vec<Organization>> {
    let by_name =
        organizations::table.filter(organizations::name.eq(name)).select(Organization::as_select());
    Ok(by_name.load(conn).await?)
}

pub async fn has_organizations(conn: &mut Conn) -> Result<bool> {
    let count: i64 = organizations::table.count().get_result(conn).await?;
    Ok(count > 0)
}

/// Creates a plan, or changes the terms of the plan with the same name.
pub async fn set_plan(conn: &mut Conn, plan: Plan) -> Result<Plan> {
    let stored = diesel::insert_into(plans::table)
        .values(&plan)
        .on_conflict(plans::name)
        .do_update()
        .set((
            plans::api_access.eq(plan.api_access),
            plans::api_calls_per_day.eq(plan.api_calls_per_day),
            plans::messages_per_month.eq(plan.messages_per_month),
        ))
        .returning(Plan::as_returning());
    Ok(stored.get_result(conn).await?)
}

/// Gives a plan another name. Returns `false` if there is no such plan.
pub async fn rename_plan(conn: &mut Conn, id: PlanId, name: String) -> Result<bool> {
    let one = plans::table.filter(plans::id.eq(Col(id)));
    Ok(diesel::update(one).set(plans::name.eq(name)).execute(conn).await? > 0)
}

/// Deletes a plan. Fails with a foreign key violation if an organization has the plan. Returns
/// `false` if there is no such plan.
pub async fn delete_plan(conn: &mut Conn, id: PlanId) -> Result<bool> {
    let one = plans::table.filter(plans::id.eq(Col(id)));
    Ok(diesel::delete(one).execute(conn).await? > 0)
}

pub async fn plan_named(conn: &mut Conn, name: String) -> Result<Option<Plan>> {
    let found =
        plans::table.filter(plans::name.eq(name)).select(Plan::as_select()).get_result(conn).await;
    Ok(found.optional()?)
}

pub async fn set_subscription(
    conn: &mut Conn,
    id: OrganizationId,
    plan: Option<PlanId>,
    status: SubscriptionStatus,
) -> Result<bool> {
    let organization = organizations::table.filter(organizations::id.eq(Col(id)));
    let changed = diesel::update(organization)
        .set((
            organizations::plan_id.eq(plan.map(Col)),
            organizations::subscription_status.eq(Col(status)),
        ))
        .execute(conn)
        .await?;
    Ok(changed == 1)
}
