//! The inbox: one entry for each conversation, with its status, assignee and labels.
//!
//! A transaction that writes entries of an organization first locks the organization's row in
//! `inbox_positions`. It records the events last, as `events::record` requires.
use super::agents::agent_of_account;
use super::audit::message_senders;
use super::contact_lookups::contact_of_conversation;
use super::{Conn, RunQueryDsl, Transactional, events, inserts, listed};
use crate::cached::Cached;
use crate::records::{
    Contact, Conversation, InboxConversation, InboxEntry, InboxPosition, InboxUpdate,
};
use crate::schema::{
    contacts, conversations, inbox_entries, inbox_positions, memberships, messages,
};
use crate::types::Col;
use crate::{Error, Result};
use diesel::prelude::*;
use diesel::upsert::excluded;
use domain::conversation::{Agent, MessageSource, thread_idle_at, window_expires_at};
use domain::event::{ClosingWindow, ConversationUpdate, EventKind, EventPayload, NewEvent};
use domain::id::{ConversationId, MemberId, MessageId, OrganizationId};
use domain::inbox::{
    AgentPause, AgentStatus, AgentStep, ConversationStatus, InboxChange, InboxState, PauseEnd,
    PausingMessage,
};
use domain::role::Role;
use domain::time::Timestamp;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// A conversation, its state before and after a change, and its AI agent after the change.
pub(super) struct StateUpdate {
    pub conversation: Conversation,
    pub before: InboxState,
    pub now: InboxState,
    pub agent: AgentStatus,
}

pub(super) fn update_events(updates: Vec<StateUpdate>, at: Timestamp) -> Vec<NewEvent> {
    updates.into_iter().filter_map(|it| update_event(it, at)).collect()
}

/// Returns the event of a change, if something changed.
fn update_event(update: StateUpdate, at: Timestamp) -> Option<NewEvent> {
    let StateUpdate { conversation, before, now, agent } = update;
    let changed = now.changed_since(&before);
    let payload = EventPayload::ConversationUpdate(Box::new(ConversationUpdate {
        id: conversation.id,
        account: conversation.account_id,
        contact: conversation.contact_id,
        before,
        now,
        agent,
    }));
    let event = NewEvent::for_account(
        conversation.organization_id,
        conversation.account_id,
        EventKind::ConversationUpdated,
        payload,
        at,
    );
    (!changed.is_empty()).then_some(event)
}

/// Returns messages that paused agents: their sources, their times, and the members who sent them.
pub(super) async fn pausing_messages(
    conn: &mut Conn,
    organization: OrganizationId,
    ids: BTreeSet<MessageId>,
) -> Result<BTreeMap<MessageId, PausingMessage>> {
    if ids.is_empty() {
        return Ok(BTreeMap::new());
    }
    let rows = messages::table
        .filter(messages::organization_id.eq(Col(organization)))
        .filter(messages::id.eq_any(listed(ids.into_iter().map(Col))))
        .select((messages::id, messages::source, messages::created_at));
    let rows: Vec<(Col<MessageId>, Col<MessageSource>, Col<Timestamp>)> =
        Cached(rows).load(conn).await?;
    let of_members = rows.iter().filter(|(_, source, _)| source.0 == MessageSource::Inbox);
    let of_members = of_members.map(|(id, ..)| id.0).collect();
    let senders = message_senders(conn, organization, of_members).await?;
    let pausing = |(id, source, at): (Col<MessageId>, Col<MessageSource>, Col<Timestamp>)| {
        let by = senders.get(&id.0).copied();
        (id.0, PausingMessage { source: source.0, at: at.0, by })
    };
    Ok(rows.into_iter().map(pausing).collect())
}

/// Returns the AI agent in a conversation.
pub(super) async fn agent_status(conn: &mut Conn, of: &Conversation) -> Result<AgentStatus> {
    let entry = inbox_entries::table
        .find((Col(of.organization_id), Col(of.id)))
        .select(InboxEntry::as_select());
    let entry: Option<InboxEntry> = entry.get_result(conn).await.optional()?;
    let message = match of.agent_paused_by {
        Some(id) => {
            let ids = BTreeSet::from([id]);
            pausing_messages(conn, of.organization_id, ids).await?.remove(&id)
        }
        None => None,
    };
    let entry = entry.unwrap_or_else(|| InboxEntry::new(of));
    Ok(entry.agent_status(of.agent(), message))
}

/// Locks and returns the sequence up to which the organization's events are applied to its inbox.
/// If there is no such row, creates it with 0.
pub(super) async fn lock_position(conn: &mut Conn, organization: OrganizationId) -> Result<i64> {
    let read = async |conn: &mut Conn| {
        let row = inbox_positions::table.find(Col(organization)).select(inbox_positions::sequence);
        let sequence: Option<i64> = for_update!(row).get_result(conn).await.optional()?;
        Ok::<_, Error>(sequence)
    };
    if let Some(sequence) = read(conn).await? {
        return Ok(sequence);
    }
    diesel::insert_into(inbox_positions::table)
        .values(&InboxPosition { organization_id: organization, sequence: 0 })
        .on_conflict(inbox_positions::organization_id)
        .do_nothing()
        .execute(conn)
        .await?;
    Ok(read(conn).await?.unwrap_or(0))
}

/// Inserts entries, or replaces them.
pub(super) async fn write(conn: &mut Conn, entries: &[InboxEntry]) -> Result<()> {
    for some in inserts(entries) {
        let upsert = diesel::insert_into(inbox_entries::table)
            .values(some)
            .on_conflict((inbox_entries::organization_id, inbox_entries::conversation_id))
            .do_update()
            .set((
                inbox_entries::last_message_at.eq(excluded(inbox_entries::last_message_at)),
                inbox_entries::status.eq(excluded(inbox_entries::status)),
                inbox_entries::status_set_at.eq(excluded(inbox_entries::status_set_at)),
                inbox_entries::snoozed_until.eq(excluded(inbox_entries::snoozed_until)),
                inbox_entries::assignee_id.eq(excluded(inbox_entries::assignee_id)),
                inbox_entries::labels.eq(excluded(inbox_entries::labels)),
                inbox_entries::needs_person_since.eq(excluded(inbox_entries::needs_person_since)),
                inbox_entries::inbound_count.eq(excluded(inbox_entries::inbound_count)),
                inbox_entries::answered_count.eq(excluded(inbox_entries::answered_count)),
                inbox_entries::agent_pause_cause.eq(excluded(inbox_entries::agent_pause_cause)),
                inbox_entries::agent_pause_reason.eq(excluded(inbox_entries::agent_pause_reason)),
                inbox_entries::agent_paused_by.eq(excluded(inbox_entries::agent_paused_by)),
                inbox_entries::agent_paused_at.eq(excluded(inbox_entries::agent_paused_at)),
                inbox_entries::agent_paused_until.eq(excluded(inbox_entries::agent_paused_until)),
                inbox_entries::window_closing_at.eq(excluded(inbox_entries::window_closing_at)),
                inbox_entries::channel_agent_at.eq(excluded(inbox_entries::channel_agent_at)),
                inbox_entries::channel_control_at.eq(excluded(inbox_entries::channel_control_at)),
                inbox_entries::agent_context_from.eq(excluded(inbox_entries::agent_context_from)),
            ));
        Cached(upsert).execute(conn).await?;
    }
    Ok(())
}

/// The columns of an [`InboxConversation`]. This is a macro because the type of a selected record
/// depends on the database.
macro_rules! inbox_columns {
    () => {
        (
            Conversation::as_select(),
            Contact::as_select(),
            Option::<InboxEntry>::as_select(),
            (messages::source, messages::created_at).nullable(),
        )
    };
}

pub(super) use inbox_columns;

pub(super) type InboxRow =
    (Conversation, Contact, Option<InboxEntry>, Option<(Col<MessageSource>, Col<Timestamp>)>);

pub(super) fn inbox_conversation(
    (conversation, contact, entry, paused_by): InboxRow,
) -> InboxConversation {
    let entry = entry.unwrap_or_else(|| InboxEntry::new(&conversation));
    let paused_by_message = paused_by.map(|(source, at)| (source.0, at.0));
    InboxConversation {
        entry,
        conversation,
        contact,
        paused_by_message,
        paused_by_member: None,
        member_state: None,
    }
}

#[diesel::dsl::auto_type]
pub(super) fn entry_of_conversation() -> _ {
    inbox_entries::organization_id
        .eq(conversations::organization_id)
        .and(inbox_entries::conversation_id.eq(conversations::id))
}

#[diesel::dsl::auto_type]
pub(super) fn pausing_message() -> _ {
    messages::organization_id
        .eq(conversations::organization_id)
        .and(messages::id.nullable().eq(conversations::agent_paused_by))
}

/// Returns a conversation of the inbox. If it was merged into another, returns the other one. A
/// conversation whose contact was deleted is not in the inbox.
pub async fn find_inbox_conversation(
    conn: &mut Conn,
    organization: OrganizationId,
    id: ConversationId,
) -> Result<Option<InboxConversation>> {
    let merged = conversations::table
        .filter(conversations::organization_id.eq(Col(organization)))
        .filter(conversations::id.eq(Col(id)))
        .select(conversations::merged_into);
    let merged: Option<Option<Col<ConversationId>>> = merged.get_result(conn).await.optional()?;
    let Some(merged) = merged else { return Ok(None) };
    find(conn, organization, merged.map_or(id, |it| it.0)).await
}

async fn find(
    conn: &mut Conn,
    organization: OrganizationId,
    id: ConversationId,
) -> Result<Option<InboxConversation>> {
    let row: Option<InboxRow> = conversations::table
        .inner_join(contacts::table.on(contact_of_conversation()))
        .left_join(inbox_entries::table.on(entry_of_conversation()))
        .left_join(messages::table.on(pausing_message()))
        .filter(conversations::organization_id.eq(Col(organization)))
        .filter(conversations::id.eq(Col(id)))
        .filter(contacts::deleted_at.is_null())
        .select(inbox_columns!())
        .get_result(conn)
        .await
        .optional()?;
    Ok(row.map(inbox_conversation))
}

/// Changes the entry of a conversation. Closing a conversation also resumes its agent, if the
/// agent's settings say so.
pub async fn update_inbox(
    conn: &mut Conn,
    organization: OrganizationId,
    id: ConversationId,
    change: InboxChange,
    now: Timestamp,
) -> Result<InboxUpdate> {
    conn.transaction(async |conn| {
        lock_position(conn, organization).await?;
        let Some(found) = find_inbox_conversation(conn, organization, id).await? else {
            return Ok(InboxUpdate::NotFound);
        };
        if let Some(Some(member)) = change.assignee
            && !may_be_assigned(conn, organization, member).await?
        {
            return Ok(InboxUpdate::NoSuchAssignee);
        }
        let before = found.entry.status;
        let apply = |state: InboxState| state.apply(change, now);
        let (mut found, mut new_events) = change_state(conn, found, now, apply).await?;
        let closes = found.entry.status == ConversationStatus::Closed;
        if closes && before != ConversationStatus::Closed {
            found.entry.agent_context_from = Some(found.conversation.message_count);
            write(conn, std::slice::from_ref(&found.entry)).await?;
            if ends_on_close(conn, &found, now).await? {
                let (resumed, event) = resume(conn, found, now).await?;
                found = resumed;
                new_events.extend(event);
            }
        }
        events::record(conn, new_events).await?;
        Ok::<_, Error>(InboxUpdate::Changed(Box::new(found)))
    })
    .await
}

/// Whether somebody is a member of the organization and can be the assignee of a conversation.
pub(super) async fn may_be_assigned(
    conn: &mut Conn,
    organization: OrganizationId,
    member: MemberId,
) -> Result<bool> {
    let role: Option<Col<Role>> = memberships::table
        .filter(memberships::organization_id.eq(Col(organization)))
        .filter(memberships::member_id.eq(Col(member)))
        .select(memberships::role)
        .get_result(conn)
        .await
        .optional()?;
    Ok(role.is_some_and(|it| it.0.may_be_assigned()))
}

/// Whether closing a conversation resumes its agent.
async fn ends_on_close(conn: &mut Conn, found: &InboxConversation, now: Timestamp) -> Result<bool> {
    let had_channel_agent = found.entry.channel_agent_at.is_some();
    if !found.agent_status().is_ended_by(AgentStep::Close { had_channel_agent }, now) {
        return Ok(false);
    }
    let Conversation { organization_id, account_id, .. } = found.conversation;
    let agent = agent_of_account(conn, organization_id, account_id).await?;
    Ok(agent.map(|it| it.settings()).transpose()?.is_some_and(|it| it.resume_on_close))
}

/// Reports once that the customer service window of a conversation is about to close, unless the
/// window has closed already.
pub(super) async fn report_closing_window(
    conn: &mut Conn,
    organization: OrganizationId,
    id: ConversationId,
    now: Timestamp,
) -> Result<()> {
    conn.transaction(async |conn| {
        lock_position(conn, organization).await?;
        let Some(mut found) = find_inbox_conversation(conn, organization, id).await? else {
            return Ok(());
        };
        if found.entry.window_closing_at.is_none_or(|at| at > now) {
            return Ok(());
        }
        found.entry.window_closing_at = None;
        write(conn, std::slice::from_ref(&found.entry)).await?;
        let closes_at = window_expires_at(found.conversation.last_inbound_at);
        let (Some(closes_at), Ok(contact)) =
            (closes_at.filter(|at| *at > now), found.contact.snapshot())
        else {
            return Ok(());
        };
        let window = ClosingWindow { conversation: id, contact, closes_at };
        let event = NewEvent::for_account(
            organization,
            found.conversation.account_id,
            EventKind::ConversationWindowClosing,
            EventPayload::ConversationWindow(Box::new(window)),
            now,
        );
        events::record(conn, vec![event]).await?;
        Ok::<_, Error>(())
    })
    .await
}

/// Changes the state of a conversation. Returns the conversation, and the events to record.
pub(super) async fn change_state(
    conn: &mut Conn,
    mut found: InboxConversation,
    now: Timestamp,
    next: impl FnOnce(InboxState) -> InboxState + Send,
) -> Result<(InboxConversation, Vec<NewEvent>)> {
    let before = found.entry.state()?;
    let state = next(before.clone());
    found.entry = found.entry.with_state(&state)?;
    write(conn, std::slice::from_ref(&found.entry)).await?;
    if state.changed_since(&before).is_empty() {
        return Ok((found, Vec::new()));
    }
    let update = StateUpdate {
        agent: agent_status(conn, &found.conversation).await?,
        conversation: found.conversation.clone(),
        before,
        now: state,
    };
    Ok((found, update_events(vec![update], now)))
}

/// Records that a person has to answer. Returns the conversation, and the event to record.
pub(super) async fn call_person(
    conn: &mut Conn,
    found: InboxConversation,
    now: Timestamp,
) -> Result<(InboxConversation, Vec<NewEvent>)> {
    change_state(conn, found, now, |state| state.calling_person(now)).await
}

/// Pauses the AI agent in a conversation. Returns the conversation, or `None` if there is no such
/// conversation.
pub async fn pause_agent(
    conn: &mut Conn,
    organization: OrganizationId,
    id: ConversationId,
    pause: AgentPause,
    now: Timestamp,
) -> Result<Option<InboxConversation>> {
    conn.transaction(async |conn| {
        lock_position(conn, organization).await?;
        let Some(found) = find_inbox_conversation(conn, organization, id).await? else {
            return Ok(None);
        };
        let (found, event) = self::pause(conn, found, pause, now).await?;
        events::record(conn, event.into_iter().collect()).await?;
        Ok::<_, Error>(Some(found))
    })
    .await
}

/// Pauses the AI agent in a conversation. Returns the conversation, and the event to record.
pub(super) async fn pause(
    conn: &mut Conn,
    mut found: InboxConversation,
    pause: AgentPause,
    now: Timestamp,
) -> Result<(InboxConversation, Option<NewEvent>)> {
    let idle = thread_idle_at(found.conversation.last_inbound_at, now);
    let until = match pause.end(found.entry.has_channel_agent(now).then_some(idle)) {
        PauseEnd::At(at) => Some(at),
        PauseEnd::Never => None,
        PauseEnd::BySettings => end_by_settings(conn, &found, now).await?,
    };
    let step = AgentStep::Pause(AgentPause { until, ..pause });
    let status = found.agent_status().after(step, now);
    found.entry = found.entry.with_agent_status(&status, false);
    write(conn, std::slice::from_ref(&found.entry)).await?;
    set_agent(conn, found, status.agent, now).await
}

/// Returns the time at which a pause that begins at `now` ends by itself, if the agent's settings
/// say so.
async fn end_by_settings(
    conn: &mut Conn,
    found: &InboxConversation,
    now: Timestamp,
) -> Result<Option<Timestamp>> {
    let Conversation { organization_id, account_id, .. } = found.conversation;
    let agent = agent_of_account(conn, organization_id, account_id).await?;
    let settings = agent.map(|it| it.settings()).transpose()?;
    Ok(settings.and_then(|it| it.resume_after()).map(|after| now.plus(after)))
}

/// Lets the AI agent answer again. Returns the conversation, and the event to record.
pub(super) async fn resume(
    conn: &mut Conn,
    mut found: InboxConversation,
    now: Timestamp,
) -> Result<(InboxConversation, Option<NewEvent>)> {
    let status = found.agent_status().after(AgentStep::Resume, now);
    found.entry = found.entry.with_agent_status(&status, false);
    write(conn, std::slice::from_ref(&found.entry)).await?;
    set_agent(conn, found, status.agent, now).await
}

/// Sets whether the agent answers. Returns the event to record if that changed.
async fn set_agent(
    conn: &mut Conn,
    mut found: InboxConversation,
    agent: Agent,
    now: Timestamp,
) -> Result<(InboxConversation, Option<NewEvent>)> {
    let is_paused = agent == Agent::Paused;
    let Conversation { organization_id, id, .. } = found.conversation;
    // A send may have paused the agent at the same time. Only the transaction that changes the
    // column records the event.
    let row = conversations::table.find((Col(organization_id), Col(id)));
    let other = row.filter(conversations::agent_paused.ne(is_paused));
    let switched = diesel::update(other).set(conversations::agent_paused.eq(is_paused));
    let has_changed = switched.execute(conn).await? > 0;
    let row = conversations::table.find((Col(organization_id), Col(id)));
    let nobody: Option<Col<MessageId>> = None;
    diesel::update(row).set(conversations::agent_paused_by.eq(nobody)).execute(conn).await?;
    found.conversation.agent_paused = is_paused;
    found.conversation.agent_paused_by = None;
    found.paused_by_message = None;
    let kind = match agent {
        Agent::Paused => EventKind::ConversationAgentPaused,
        Agent::Running => EventKind::ConversationAgentResumed,
    };
    let person = found.contact.snapshot().ok().map(Arc::new);
    let status = Some(Box::new(found.agent_status()));
    let event = NewEvent::for_account(
        organization_id,
        found.conversation.account_id,
        kind,
        EventPayload::Conversation(id, person, status),
        now,
    );
    Ok((found, has_changed.then_some(event)))
}
