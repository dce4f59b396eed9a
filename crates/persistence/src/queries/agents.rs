//! AI agents, and the numbers on which they answer.
use super::agent_entries::delete_agent_entries;
use super::{Conn, RunQueryDsl, Transactional, events, inserts, listed, organizations};
use crate::records::{AgentAccount, AgentWrite, AiAgent, AiAgentChange};
use crate::schema::{agent_accounts, agents};
use crate::types::Col;
use crate::{Error, Result};
use diesel::prelude::*;
use domain::id::{AccountId, AiAgentId, OrganizationId};
use domain::time::Timestamp;
use std::collections::{BTreeMap, BTreeSet};

/// Creates an agent that answers on these numbers, unless the organization has `most` agents already
/// or another agent answers on one of the numbers.
///
/// # Errors
///
/// [`Error::AccountGone`] if one of the numbers was disconnected.
pub async fn insert_agent(
    conn: &mut Conn,
    organization: OrganizationId,
    new: AiAgent,
    accounts: Vec<AccountId>,
    most: i64,
) -> Result<AgentWrite> {
    conn.transaction(async |conn| {
        organizations::lock(conn, organization).await?;
        let own = agents::table.filter(agents::organization_id.eq(Col(organization)));
        let count: i64 = own.count().get_result(conn).await?;
        if count >= most {
            return Ok(AgentWrite::TooMany);
        }
        if let Some(taken) = taken_number(conn, organization, new.id, &accounts).await? {
            return Ok(taken);
        }
        diesel::insert_into(agents::table).values(&new).execute(conn).await?;
        assign(conn, organization, new.id, accounts).await?;
        Ok::<_, Error>(AgentWrite::Written(Box::new(new)))
    })
    .await
}

/// Changes an agent, unless another agent answers on one of its new numbers.
///
/// # Errors
///
/// [`Error::AccountGone`] if one of the numbers was disconnected.
pub async fn update_agent(
    conn: &mut Conn,
    organization: OrganizationId,
    id: AiAgentId,
    change: AiAgentChange,
    now: Timestamp,
) -> Result<AgentWrite> {
    conn.transaction(async |conn| {
        if let Some(accounts) = &change.accounts {
            organizations::lock(conn, organization).await?;
            if let Some(taken) = taken_number(conn, organization, id, accounts).await? {
                return Ok(taken);
            }
        }
        let row = || agents::table.find((Col(organization), Col(id)));
        let found = for_update!(row().select(AiAgent::as_select()));
        let Some(before) = found.get_result(conn).await.optional()? else {
            return Ok(AgentWrite::NotFound);
        };
        let AiAgentChange { name, mode, settings, secret, accounts } = change;
        let after = AiAgent {
            name: name.unwrap_or(before.name),
            mode: mode.unwrap_or(before.mode),
            settings: settings.unwrap_or(before.settings),
            secret: secret.unwrap_or(before.secret),
            updated_at: now,
            ..before
        };
        diesel::update(row())
            .set((
                agents::name.eq(after.name.clone()),
                agents::mode.eq(Col(after.mode)),
                agents::settings.eq(after.settings.clone()),
                agents::secret.eq(after.secret.clone()),
                agents::updated_at.eq(Col(now)),
            ))
            .execute(conn)
            .await?;
        if let Some(accounts) = accounts {
            let left = agent_accounts::table
                .filter(agent_accounts::organization_id.eq(Col(organization)))
                .filter(agent_accounts::agent_id.eq(Col(id)));
            diesel::delete(left).execute(conn).await?;
            assign(conn, organization, id, accounts).await?;
        }
        Ok::<_, Error>(AgentWrite::Written(Box::new(after)))
    })
    .await
}

/// Returns a number on which another agent answers, if there is one. The caller has locked the
/// organization, so that two agents cannot get the same number.
async fn taken_number(
    conn: &mut Conn,
    organization: OrganizationId,
    agent: AiAgentId,
    accounts: &[AccountId],
) -> Result<Option<AgentWrite>> {
    if accounts.is_empty() {
        return Ok(None);
    }
    let accounts = accounts.iter().copied().collect();
    let answering = agents_of_accounts(conn, organization, accounts).await?;
    let mut others = answering.into_iter().filter(|(_, it)| it.id != agent);
    Ok(others.next().map(|(account, it)| AgentWrite::NumberTaken { account, agent: it.name }))
}

/// Assigns these numbers, which no other agent has, to an agent. The rows have no foreign key to
/// the numbers. Therefore the caller has locked the organization, and a transaction that
/// disconnects a number does the same.
async fn assign(
    conn: &mut Conn,
    organization: OrganizationId,
    agent: AiAgentId,
    accounts: Vec<AccountId>,
) -> Result<()> {
    events::check_accounts(shared!(conn), accounts.iter().copied().collect()).await?;
    let row =
        |account_id| AgentAccount { organization_id: organization, account_id, agent_id: agent };
    let rows: Vec<AgentAccount> = accounts.into_iter().map(row).collect();
    for some in inserts(&rows) {
        diesel::insert_into(agent_accounts::table).values(some).execute(conn).await?;
    }
    Ok(())
}

/// Deletes an agent. Returns `false` if there is none. The agent's turns stay until housekeeping
/// deletes them; waiting turns are skipped when they become due.
pub async fn delete_agent(
    conn: &mut Conn,
    organization: OrganizationId,
    id: AiAgentId,
) -> Result<bool> {
    conn.transaction(async |conn| {
        let accounts = agent_accounts::table
            .filter(agent_accounts::organization_id.eq(Col(organization)))
            .filter(agent_accounts::agent_id.eq(Col(id)));
        diesel::delete(accounts).execute(conn).await?;
        delete_agent_entries(conn, organization, id).await?;
        let row = agents::table.find((Col(organization), Col(id)));
        let deleted = diesel::delete(row).execute(conn).await?;
        Ok::<_, Error>(deleted > 0)
    })
    .await
}

/// Finds an agent.
pub async fn agent(
    conn: &mut Conn,
    organization: OrganizationId,
    id: AiAgentId,
) -> Result<Option<AiAgent>> {
    let row = agents::table.find((Col(organization), Col(id))).select(AiAgent::as_select());
    Ok(row.get_result(conn).await.optional()?)
}

/// Finds the agent that answers on a number.
pub async fn agent_of_account(
    conn: &mut Conn,
    organization: OrganizationId,
    account: AccountId,
) -> Result<Option<AiAgent>> {
    let agents = agents_of_accounts(conn, organization, BTreeSet::from([account])).await?;
    Ok(agents.into_values().next())
}

/// Returns the agents that answer on these numbers, whatever their mode.
pub async fn agents_of_accounts(
    conn: &mut Conn,
    organization: OrganizationId,
    accounts: BTreeSet<AccountId>,
) -> Result<BTreeMap<AccountId, AiAgent>> {
    let of_account = agent_accounts::organization_id
        .eq(agents::organization_id)
        .and(agent_accounts::agent_id.eq(agents::id));
    let found: Vec<(Col<AccountId>, AiAgent)> = agent_accounts::table
        .inner_join(agents::table.on(of_account))
        .filter(agent_accounts::organization_id.eq(Col(organization)))
        .filter(agent_accounts::account_id.eq_any(listed(accounts.into_iter().map(Col))))
        .filter(agents::organization_id.eq(Col(organization)))
        .select((agent_accounts::account_id, AiAgent::as_select()))
        .load(conn)
        .await?;
    Ok(found.into_iter().map(|(account, agent)| (account.0, agent)).collect())
}

/// Lists the agents of an organization, the oldest first, each with the numbers on which it answers.
pub async fn list_agents(
    conn: &mut Conn,
    organization: OrganizationId,
) -> Result<Vec<(AiAgent, Vec<AccountId>)>> {
    let found: Vec<AiAgent> = agents::table
        .filter(agents::organization_id.eq(Col(organization)))
        .order(agents::id)
        .select(AiAgent::as_select())
        .load(conn)
        .await?;
    let rows: Vec<AgentAccount> = agent_accounts::table
        .filter(agent_accounts::organization_id.eq(Col(organization)))
        .order(agent_accounts::account_id)
        .select(AgentAccount::as_select())
        .load(conn)
        .await?;
    let mut accounts: BTreeMap<AiAgentId, Vec<AccountId>> = BTreeMap::new();
    for row in rows {
        accounts.entry(row.agent_id).or_default().push(row.account_id);
    }
    let with_accounts = |agent: AiAgent| {
        let accounts = accounts.remove(&agent.id).unwrap_or_default();
        (agent, accounts)
    };
    Ok(found.into_iter().map(with_accounts).collect())
}
