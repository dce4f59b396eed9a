//! Ends the assignments of members who may no longer use the inbox.
use super::contact_lookups::contact_of_conversation;
use super::inbox::{StateUpdate, lock_position, may_be_assigned, pausing_messages, update_events};
use super::{Conn, RunQueryDsl, Transactional, events, listed};
use crate::Result;
use crate::records::{Conversation, InboxEntry};
use crate::schema::{contacts, conversations, former_assignees, inbox_entries};
use crate::types::Col;
use diesel::prelude::*;
use domain::id::{ConversationId, MemberId, OrganizationId};
use domain::inbox::InboxState;
use domain::number::saturating;
use domain::time::Timestamp;
use std::collections::BTreeMap;

/// Maximum number of conversations that are unassigned in one transaction. A member may have
/// thousands.
const UNASSIGNED_AT_ONCE: i64 = 500;

/// Returns members whose conversations are to be unassigned.
pub async fn list_former_assignees(
    conn: &mut Conn,
    limit: i64,
) -> Result<Vec<(OrganizationId, MemberId)>> {
    let former = former_assignees::table
        .order((former_assignees::organization_id, former_assignees::member_id))
        .limit(limit)
        .select((former_assignees::organization_id, former_assignees::member_id));
    let found: Vec<(Col<OrganizationId>, Col<MemberId>)> = former.load(conn).await?;
    Ok(found.into_iter().map(|(organization, member)| (organization.0, member.0)).collect())
}

/// Unassigns up to [`UNASSIGNED_AT_ONCE`] conversations of a member, unless the member has come back
/// and may use the inbox again. Returns whether there may be more.
pub async fn unassign_conversations(
    conn: &mut Conn,
    organization: OrganizationId,
    member: MemberId,
    at: Timestamp,
) -> Result<bool> {
    conn.transaction(async |conn| {
        lock_position(conn, organization).await?;
        if may_be_assigned(conn, organization, member).await? {
            let row = former_assignees::table.find((Col(organization), Col(member)));
            diesel::delete(row).execute(conn).await?;
            return Ok(false);
        }
        unassign(conn, organization, member, at).await
    })
    .await
}

/// Unassigns up to [`UNASSIGNED_AT_ONCE`] conversations of a member, and records that a worker has
/// to unassign the others. Returns whether there may be others. The caller is in a transaction.
///
/// A transaction that assigns a conversation also locks the position of the inbox, before it checks
/// whether the member may be the assignee. So no conversation is assigned to a former member
/// afterwards.
pub(super) async fn unassign(
    conn: &mut Conn,
    organization: OrganizationId,
    member: MemberId,
    at: Timestamp,
) -> Result<bool> {
    lock_position(conn, organization).await?;
    // Only ids are selected here. If a query selects columns that are not in the index of assignees,
    // SQLite reads all entries of the organization instead.
    let theirs = inbox_entries::table
        .filter(inbox_entries::organization_id.eq(Col(organization)))
        .filter(inbox_entries::assignee_id.eq(Some(Col(member))))
        .limit(UNASSIGNED_AT_ONCE)
        .select(inbox_entries::conversation_id);
    let theirs: Vec<Col<ConversationId>> = theirs.load(conn).await?;
    let entries = inbox_entries::table
        .filter(inbox_entries::organization_id.eq(Col(organization)))
        .filter(inbox_entries::conversation_id.eq_any(listed(theirs)))
        .select(InboxEntry::as_select());
    let entries: Vec<InboxEntry> = entries.load(conn).await?;
    let has_more = saturating(entries.len(), i64::MAX) >= UNASSIGNED_AT_ONCE;
    if has_more {
        let row = (
            former_assignees::organization_id.eq(Col(organization)),
            former_assignees::member_id.eq(Col(member)),
        );
        diesel::insert_into(former_assignees::table)
            .values(row)
            .on_conflict_do_nothing()
            .execute(conn)
            .await?;
    } else {
        let row = former_assignees::table.find((Col(organization), Col(member)));
        diesel::delete(row).execute(conn).await?;
    }
    if entries.is_empty() {
        return Ok(false);
    }
    let ids = || listed(entries.iter().map(|it| Col(it.conversation_id)));
    let rows = conversations::table
        .inner_join(contacts::table.on(contact_of_conversation()))
        .filter(conversations::organization_id.eq(Col(organization)))
        .filter(conversations::id.eq_any(ids()))
        .filter(conversations::merged_into.is_null())
        .filter(contacts::deleted_at.is_null())
        .select(Conversation::as_select());
    let rows: Vec<Conversation> = rows.load(conn).await?;
    let assigned = inbox_entries::table
        .filter(inbox_entries::organization_id.eq(Col(organization)))
        .filter(inbox_entries::conversation_id.eq_any(ids()));
    let nobody: Option<Col<MemberId>> = None;
    diesel::update(assigned).set(inbox_entries::assignee_id.eq(nobody)).execute(conn).await?;
    let mut entries: BTreeMap<_, _> =
        entries.into_iter().map(|it| (it.conversation_id, it)).collect();
    let paused_by = rows.iter().filter_map(|it| it.agent_paused_by).collect();
    let mut messages = pausing_messages(conn, organization, paused_by).await?;
    let mut updates = Vec::with_capacity(rows.len());
    for conversation in rows {
        let Some(entry) = entries.remove(&conversation.id) else { continue };
        let message = conversation.agent_paused_by.and_then(|id| messages.remove(&id));
        let agent = entry.agent_status(conversation.agent(), message);
        let before = entry.state()?;
        let now = InboxState { assignee: None, ..before.clone() };
        updates.push(StateUpdate { conversation, before, now, agent });
    }
    events::record(conn, update_events(updates, at)).await?;
    Ok(has_more)
}
