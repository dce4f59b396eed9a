//! Tokens and costs of AI agents, by month, and the limit of an organization.
use super::{Conn, RunQueryDsl};
use crate::Result;
use crate::records::AgentCost;
use crate::schema::{agent_cost_limits, agent_costs};
use crate::types::Col;
use diesel::prelude::*;
use diesel::upsert::excluded;
use domain::agent::{MicroDollars, Spending, has_room_for_cost};
use domain::id::{AiAgentId, OrganizationId};
use domain::number::saturating;
use domain::time::{Period, Timestamp};

/// Adds the tokens and the cost of requests to a model to the agent's month.
pub async fn add_spending(
    conn: &mut Conn,
    organization: OrganizationId,
    agent: AiAgentId,
    spending: Spending,
    at: Timestamp,
) -> Result<()> {
    if spending == Spending::default() {
        return Ok(());
    }
    let row = AgentCost {
        organization_id: organization,
        month: Period::month(at).number,
        agent_id: agent,
        tokens: saturating(spending.tokens.unwrap_or_default(), i64::MAX),
        cost: saturating(spending.cost.unwrap_or_default().0, i64::MAX),
        unpriced_requests: spending.unpriced_requests.into(),
    };
    let key = (agent_costs::organization_id, agent_costs::month, agent_costs::agent_id);
    let unpriced = agent_costs::unpriced_requests + excluded(agent_costs::unpriced_requests);
    diesel::insert_into(agent_costs::table)
        .values(&row)
        .on_conflict(key)
        .do_update()
        .set((
            agent_costs::tokens.eq(agent_costs::tokens + excluded(agent_costs::tokens)),
            agent_costs::cost.eq(agent_costs::cost + excluded(agent_costs::cost)),
            agent_costs::unpriced_requests.eq(unpriced),
        ))
        .execute(conn)
        .await?;
    Ok(())
}

/// Lists the costs of an organization's agents in the month of `at`.
pub async fn list_agent_costs(
    conn: &mut Conn,
    organization: OrganizationId,
    at: Timestamp,
) -> Result<Vec<AgentCost>> {
    let rows = agent_costs::table
        .filter(agent_costs::organization_id.eq(Col(organization)))
        .filter(agent_costs::month.eq(Period::month(at).number))
        .order(agent_costs::agent_id)
        .select(AgentCost::as_select());
    Ok(rows.load(conn).await?)
}

/// Returns the maximum cost of all agents of an organization together in a month, if there is a
/// limit.
pub async fn cost_limit(
    conn: &mut Conn,
    organization: OrganizationId,
) -> Result<Option<MicroDollars>> {
    let row =
        agent_cost_limits::table.find(Col(organization)).select(agent_cost_limits::cost_per_month);
    let limit: Option<i64> = row.get_result(conn).await.optional()?;
    Ok(limit.map(|it| MicroDollars(saturating(it.max(0), u64::MAX))))
}

/// Sets the maximum monthly cost of an organization's agents, or removes the limit.
pub async fn set_cost_limit(
    conn: &mut Conn,
    organization: OrganizationId,
    limit: Option<MicroDollars>,
) -> Result<()> {
    let Some(limit) = limit else {
        let row = agent_cost_limits::table.find(Col(organization));
        diesel::delete(row).execute(conn).await?;
        return Ok(());
    };
    let row = (
        agent_cost_limits::organization_id.eq(Col(organization)),
        agent_cost_limits::cost_per_month.eq(saturating(limit.0, i64::MAX)),
    );
    let cost_per_month = excluded(agent_cost_limits::cost_per_month);
    diesel::insert_into(agent_cost_limits::table)
        .values(row)
        .on_conflict(agent_cost_limits::organization_id)
        .do_update()
        .set(agent_cost_limits::cost_per_month.eq(cost_per_month))
        .execute(conn)
        .await?;
    Ok(())
}

/// Whether the organization's cost limit of agents in the month of `at` is not reached yet.
pub async fn has_room(
    conn: &mut Conn,
    organization: OrganizationId,
    at: Timestamp,
) -> Result<bool> {
    let limit = cost_limit(conn, organization).await?;
    let spent = match limit {
        Some(_) => cost_in_month(conn, organization, at).await?,
        None => MicroDollars::default(),
    };
    Ok(has_room_for_cost(spent, limit))
}

/// Returns the cost of an organization's agents in the month of `at`.
async fn cost_in_month(
    conn: &mut Conn,
    organization: OrganizationId,
    at: Timestamp,
) -> Result<MicroDollars> {
    let rows = list_agent_costs(conn, organization, at).await?;
    let costs = rows.iter().filter_map(|it| u64::try_from(it.cost).ok()).map(MicroDollars);
    Ok(costs.fold(MicroDollars::default(), MicroDollars::plus))
}
