//! Lists and lookups for operators, over all organizations, in the order of ids (and so of time).
use super::endpoint_work::with_endpoints;
use super::{Conn, RunQueryDsl};
use crate::Result;
use crate::records::{
    Account, AiAgent, Application, Endpoint, Key, ListFilter, Member, Organization, Plan,
};
use crate::schema::webhooks::webhook_endpoints;
use crate::schema::{
    accounts, agents, applications, keys, members, memberships, organizations, plans,
};
use crate::types::Col;
use diesel::prelude::*;
use domain::id;

/// Restricts a query to an id and to one page.
macro_rules! page {
    ($query:expr, $table:ident, $list_filter:expr) => {{
        let mut query = $query.into_boxed();
        if let Some(id) = $list_filter.id {
            query = query.filter($table::id.eq(Col(id)));
        }
        if let Some(after) = $list_filter.after {
            query = query.filter($table::id.gt(Col(after)));
        }
        query.order($table::id).limit($list_filter.limit)
    }};
}

pub async fn list_organizations(
    conn: &mut Conn,
    list_filter: ListFilter<id::Organization>,
) -> Result<Vec<(Organization, Option<Plan>)>> {
    let all = organizations::table
        .left_join(plans::table)
        .select((Organization::as_select(), Option::<Plan>::as_select()));
    let mut query = page!(all, organizations, list_filter);
    if let Some(name) = list_filter.text {
        query = query.filter(organizations::name.eq(name));
    }
    if let Some(organization) = list_filter.organization {
        query = query.filter(organizations::id.eq(Col(organization)));
    }
    Ok(query.load(conn).await?)
}

/// Returns members by email address or name, with their organizations.
pub async fn list_members(
    conn: &mut Conn,
    list_filter: ListFilter<id::Member>,
) -> Result<Vec<(Member, Vec<Organization>)>> {
    let mut query = page!(members::table.select(Member::as_select()), members, list_filter);
    if let Some(text) = list_filter.text {
        query = query.filter(members::email.eq(text.to_lowercase()).or(members::name.eq(text)));
    }
    if let Some(organization) = list_filter.organization {
        let of = memberships::table
            .filter(memberships::organization_id.eq(Col(organization)))
            .select(memberships::member_id);
        query = query.filter(members::id.eq_any(of));
    }
    let found: Vec<Member> = query.load(conn).await?;
    let belong: Vec<(Col<id::MemberId>, Organization)> = memberships::table
        .inner_join(organizations::table)
        .filter(memberships::member_id.eq_any(found.iter().map(|it| Col(it.id))))
        .order((memberships::created_at, memberships::organization_id))
        .select((memberships::member_id, Organization::as_select()))
        .load(conn)
        .await?;
    let with_theirs = found.into_iter().map(|member| {
        let organizations = belong.iter().filter(|(of, _)| *of == Col(member.id));
        let organizations = organizations.map(|(_, organization)| organization.clone()).collect();
        (member, organizations)
    });
    Ok(with_theirs.collect())
}

/// Returns accounts by phone number or display name, with their organizations.
pub async fn list_accounts(
    conn: &mut Conn,
    list_filter: ListFilter<id::Account>,
) -> Result<Vec<(Account, Organization)>> {
    let all = accounts::table
        .inner_join(organizations::table.on(organizations::id.eq(accounts::organization_id)))
        .select((Account::as_select(), Organization::as_select()));
    let mut query = page!(all, accounts, list_filter);
    if let Some(text) = list_filter.text {
        let by_name = accounts::display_name.eq(text.clone());
        query = query.filter(accounts::phone_number.eq(text).or(by_name));
    }
    if let Some(organization) = list_filter.organization {
        query = query.filter(accounts::organization_id.eq(Col(organization)));
    }
    Ok(query.load(conn).await?)
}

pub async fn list_plans(conn: &mut Conn, list_filter: ListFilter<id::Plan>) -> Result<Vec<Plan>> {
    let mut query = page!(plans::table.select(Plan::as_select()), plans, list_filter);
    if let Some(name) = list_filter.text {
        query = query.filter(plans::name.eq(name));
    }
    Ok(query.load(conn).await?)
}

/// Returns keys by client id or name, with their organizations.
pub async fn list_keys(
    conn: &mut Conn,
    list_filter: ListFilter<id::Key>,
) -> Result<Vec<(Key, Organization)>> {
    let all = keys::table
        .inner_join(organizations::table)
        .select((Key::as_select(), Organization::as_select()));
    let mut query = page!(all, keys, list_filter);
    if let Some(text) = list_filter.text {
        query = query.filter(keys::client_id.eq(text.clone()).or(keys::name.eq(text)));
    }
    if let Some(organization) = list_filter.organization {
        query = query.filter(keys::organization_id.eq(Col(organization)));
    }
    Ok(query.load(conn).await?)
}

/// Returns applications by client id or name, with their publishers, without deleted ones.
pub async fn list_applications(
    conn: &mut Conn,
    list_filter: ListFilter<id::Application>,
) -> Result<Vec<(Application, Option<Organization>)>> {
    let all = applications::table
        .left_join(organizations::table)
        .filter(applications::deleted_at.is_null())
        .select((Application::as_select(), Option::<Organization>::as_select()));
    let mut query = page!(all, applications, list_filter);
    if let Some(text) = list_filter.text {
        let by_name = applications::name.eq(text.clone());
        query = query.filter(applications::client_id.eq(text).or(by_name));
    }
    if let Some(organization) = list_filter.organization {
        query = query.filter(applications::organization_id.eq(Col(organization)));
    }
    Ok(query.load(conn).await?)
}

/// Returns webhook endpoints by URL, without deleted ones. With an organization given, returns its
/// own endpoints and those of its applications.
pub async fn list_endpoints(
    conn: &mut Conn,
    list_filter: ListFilter<id::WebhookEndpoint>,
) -> Result<Vec<Endpoint>> {
    let owned = webhook_endpoints::organization_id
        .is_not_null()
        .or(webhook_endpoints::application_id.is_not_null());
    // The log of an application has no URL.
    let owned = owned.and(webhook_endpoints::is_log.eq(false));
    let all = with_endpoints().filter(owned).select(Endpoint::as_select());
    let mut query = page!(all, webhook_endpoints, list_filter);
    if let Some(url) = list_filter.text {
        query = query.filter(webhook_endpoints::url.eq(url));
    }
    if let Some(organization) = list_filter.organization {
        let organizations = applications::table
            .filter(applications::organization_id.eq(Col(organization)))
            .select(applications::id);
        let organizations: Vec<Col<id::ApplicationId>> = organizations.load(conn).await?;
        let through_theirs =
            webhook_endpoints::application_id.assume_not_null().eq_any(organizations);
        let of = webhook_endpoints::organization_id.assume_not_null().eq(Col(organization));
        query = query.filter(of.or(through_theirs));
    }
    Ok(query.load(conn).await?)
}

/// Returns AI agents by name, with their organizations.
pub async fn list_all_agents(
    conn: &mut Conn,
    list_filter: ListFilter<id::AiAgent>,
) -> Result<Vec<(AiAgent, Organization)>> {
    let all = agents::table
        .inner_join(organizations::table.on(organizations::id.eq(agents::organization_id)))
        .select((AiAgent::as_select(), Organization::as_select()));
    let mut query = page!(all, agents, list_filter);
    if let Some(name) = list_filter.text {
        query = query.filter(agents::name.eq(name));
    }
    if let Some(organization) = list_filter.organization {
        query = query.filter(agents::organization_id.eq(Col(organization)));
    }
    Ok(query.load(conn).await?)
}
