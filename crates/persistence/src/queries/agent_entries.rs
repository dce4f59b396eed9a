//! Facts, look-ups and questions of AI agents.
use super::{Conn, RunQueryDsl, Transactional};
use crate::records::{AiAgent, AiAgentEntry, EntryBounds, EntryWrite};
use crate::schema::{agent_entries, agents};
use crate::types::Col;
use crate::{Error, Result};
use diesel::prelude::*;
use domain::agent::AgentEntryKind;
use domain::id::{AgentEntryId, AiAgentId, OrganizationId};

/// Lists an agent's entries of one kind, the oldest first.
pub async fn list_agent_entries(
    conn: &mut Conn,
    organization: OrganizationId,
    agent: AiAgentId,
    kind: AgentEntryKind,
) -> Result<Vec<AiAgentEntry>> {
    let rows = agent_entries::table
        .filter(agent_entries::organization_id.eq(Col(organization)))
        .filter(agent_entries::agent_id.eq(Col(agent)))
        .filter(agent_entries::kind.eq(Col(kind)))
        .order(agent_entries::id)
        .select(AiAgentEntry::as_select());
    Ok(rows.load(conn).await?)
}

/// Creates an entry (`is_new`), or replaces the entry with the same id, within the bounds of its
/// kind. Locks the agent, so that two concurrent calls cannot exceed the bounds together.
pub async fn write_agent_entry(
    conn: &mut Conn,
    organization: OrganizationId,
    entry: AiAgentEntry,
    is_new: bool,
    bounds: EntryBounds,
) -> Result<EntryWrite> {
    conn.transaction(async |conn| {
        let agent = agents::table
            .find((Col(organization), Col(entry.agent_id)))
            .select(AiAgent::as_select());
        if for_update!(agent).get_result::<AiAgent>(conn).await.optional()?.is_none() {
            return Ok(EntryWrite::NotFound);
        }
        let all = list_agent_entries(conn, organization, entry.agent_id, entry.kind).await?;
        if is_new == all.iter().any(|it| it.id == entry.id) {
            return Ok(EntryWrite::NotFound);
        }
        let others = || all.iter().filter(|it| it.id != entry.id);
        if others().count() >= bounds.count {
            return Ok(EntryWrite::TooMany);
        }
        let bytes: usize = others().map(|it| it.content.0.len()).sum();
        if bytes.saturating_add(entry.content.0.len()) > bounds.bytes {
            return Ok(EntryWrite::TooLarge);
        }
        delete_row(conn, organization, entry.agent_id, entry.kind, entry.id).await?;
        diesel::insert_into(agent_entries::table).values(&entry).execute(conn).await?;
        Ok::<_, Error>(EntryWrite::Written)
    })
    .await
}

/// Deletes an entry. Returns `false` if there is none.
pub async fn delete_agent_entry(
    conn: &mut Conn,
    organization: OrganizationId,
    agent: AiAgentId,
    kind: AgentEntryKind,
    id: AgentEntryId,
) -> Result<bool> {
    Ok(delete_row(conn, organization, agent, kind, id).await? > 0)
}

async fn delete_row(
    conn: &mut Conn,
    organization: OrganizationId,
    agent: AiAgentId,
    kind: AgentEntryKind,
    id: AgentEntryId,
) -> Result<usize> {
    let row = agent_entries::table.find((Col(organization), Col(agent), Col(kind), Col(id)));
    Ok(diesel::delete(row).execute(conn).await?)
}

/// Deletes all entries of an agent.
pub(super) async fn delete_agent_entries(
    conn: &mut Conn,
    organization: OrganizationId,
    agent: AiAgentId,
) -> Result<()> {
    let rows = agent_entries::table
        .filter(agent_entries::organization_id.eq(Col(organization)))
        .filter(agent_entries::agent_id.eq(Col(agent)));
    diesel::delete(rows).execute(conn).await?;
    Ok(())
}
