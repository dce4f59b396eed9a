//! The inbox: entries of conversations, which follow the organization's events.
//!
//! Everything that writes entries of an organization first locks the organization's row in
//! `inbox_positions`. The events are recorded last, as `events::record` requires.
use super::people::contact_of_conversation;
use super::{Conn, RunQueryDsl, Transactional, events as recording, inserts, listed};
use crate::cached::Cached;
use crate::records::{
    Contact, Conversation, InboxConversation, InboxEntry, InboxFilter, InboxMemberChange,
    InboxMemberState, InboxPage, InboxPosition, InboxSequence, Message,
};
use crate::schema::{
    contacts, conversations, event_counters, events, inbox_entries, inbox_member_states,
    inbox_positions, messages, notes,
};
use crate::types::Col;
use crate::{Error, Result};
use diesel::dsl::exists;
use diesel::prelude::*;
use diesel::upsert::excluded;
use domain::conversation::{Agent, MessageSource};
use domain::event::{ConversationUpdate, EventKind, EventPayload, NewEvent};
use domain::id::{ContactId, ConversationId, MemberId, MessageId, OrganizationId, SubjectId};
use domain::inbox::{
    AddedMessage, AgentPause, ConversationStatus, InboxChange, InboxState, MessageAuthor, ReadMark,
};
use domain::number::saturating;
use domain::time::Timestamp;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Number of conversations that are read at a time when all entries are written anew.
const REBUILT_AT_ONCE: i64 = 1000;

/// Returns organizations whose inbox does not reflect all their events.
pub async fn lagging_inboxes(conn: &mut Conn, limit: i64) -> Result<Vec<OrganizationId>> {
    let own = inbox_positions::organization_id.eq(event_counters::organization_id);
    let reflected = inbox_positions::sequence.nullable();
    let lagging = event_counters::table
        .left_join(inbox_positions::table.on(own))
        .filter(reflected.is_null().or(reflected.lt(event_counters::last.nullable())))
        .order(event_counters::organization_id)
        .limit(limit)
        .select(event_counters::organization_id);
    let found: Vec<Col<OrganizationId>> = lagging.load(conn).await?;
    Ok(found.into_iter().map(|it| it.0).collect())
}

/// Returns the sequence of the organization's last event, or 0 if there is none.
pub async fn last_sequence(conn: &mut Conn, organization: OrganizationId) -> Result<i64> {
    let last = event_counters::table.find(Col(organization)).select(event_counters::last);
    let last: Option<i64> = last.get_result(conn).await.optional()?;
    Ok(last.unwrap_or(0))
}

/// Whether the inbox reflects all events of the organization.
pub async fn is_inbox_current(conn: &mut Conn, organization: OrganizationId) -> Result<bool> {
    let last = last_sequence(conn, organization).await?;
    let position = inbox_positions::table.find(Col(organization)).select(inbox_positions::sequence);
    let position: Option<i64> = position.get_result(conn).await.optional()?;
    Ok(position.unwrap_or(0) >= last)
}

/// Applies up to `most` of the organization's next events to the entries. Returns how many there
/// were. If events that were not applied are already deleted, all entries are written anew.
pub async fn advance_inbox(
    conn: &mut Conn,
    organization: OrganizationId,
    most: i64,
    now: Timestamp,
) -> Result<usize> {
    conn.transaction(async |conn| {
        let position = lock_position(conn, organization).await?;
        let next = events::table
            .filter(events::organization_id.eq(Col(organization)))
            .filter(events::sequence.gt(position))
            .order(events::sequence)
            .limit(most)
            .select((events::sequence, events::kind, events::subject, events::at));
        let next: Vec<FollowedEvent> = next.load(conn).await?;
        let sequences = || next.iter().map(|(sequence, ..)| *sequence);
        let (Some(first), Some(last)) = (sequences().min(), sequences().max()) else {
            return Ok(0);
        };
        if first == position + 1 {
            set_position(conn, organization, last).await?;
            let updates = follow(conn, organization, &next).await?;
            recording::record(conn, update_events(updates, now)).await?;
        } else {
            rebuild(conn, organization).await?;
        }
        Ok::<_, Error>(next.len())
    })
    .await
}

/// The sequence, the kind, the subject and the time of an event.
type FollowedEvent = (i64, Col<EventKind>, Option<Col<SubjectId>>, Col<Timestamp>);

/// A change of a conversation's state, and the conversation.
struct Update {
    conversation: Conversation,
    before: InboxState,
    now: InboxState,
}

fn update_events(updates: Vec<Update>, at: Timestamp) -> Vec<NewEvent> {
    updates.into_iter().filter_map(|it| update_event(it, at)).collect()
}

/// Returns the event of a change, if something changed.
fn update_event(update: Update, at: Timestamp) -> Option<NewEvent> {
    let Update { conversation, before, now } = update;
    let changed = now.changed_since(&before);
    let payload = EventPayload::ConversationUpdate(Box::new(ConversationUpdate {
        id: conversation.id,
        account: conversation.account_id,
        contact: conversation.contact_id,
        before,
        now,
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

/// Locks the organization's position, and returns it. It is created if there is none.
async fn lock_position(conn: &mut Conn, organization: OrganizationId) -> Result<i64> {
    let read = async |conn: &mut Conn| {
        let row = inbox_positions::table.find(Col(organization)).select(inbox_positions::sequence);
        let sequence: Option<i64> = for_update!(row).get_result(conn).await.optional()?;
        Ok::<_, Error>(sequence)
    };
    if let Some(sequence) = read(conn).await? {
        return Ok(sequence);
    }
    diesel::insert_into(inbox_positions::table)
        .values(&InboxSequence { organization_id: organization, sequence: 0 })
        .on_conflict(inbox_positions::organization_id)
        .do_nothing()
        .execute(conn)
        .await?;
    Ok(read(conn).await?.unwrap_or(0))
}

async fn set_position(conn: &mut Conn, organization: OrganizationId, to: i64) -> Result<()> {
    let row = inbox_positions::table.find(Col(organization));
    diesel::update(row).set(inbox_positions::sequence.eq(to)).execute(conn).await?;
    Ok(())
}

/// Applies events to the entries of their conversations. Returns the changes of state.
async fn follow(
    conn: &mut Conn,
    organization: OrganizationId,
    next: &[FollowedEvent],
) -> Result<Vec<Update>> {
    let of_kind = |wanted: &[EventKind]| {
        let of_kind = next.iter().filter(|(_, kind, ..)| wanted.contains(&kind.0));
        of_kind
            .filter_map(|(.., subject, at)| Some((subject.as_ref()?.0, at.0)))
            .collect::<Vec<_>>()
    };
    let added =
        of_kind(&[EventKind::MessageReceived, EventKind::MessageQueued, EventKind::MessageSent]);
    let mut touched: BTreeMap<ConversationId, Vec<AddedMessage>> = BTreeMap::new();
    for (subject, _) in of_kind(&[EventKind::ConversationCreated]) {
        touched.entry(ConversationId::from_uuid(*subject.uuid())).or_default();
    }
    let authors = authors(conn, organization, &added).await?;
    for (subject, at) in added {
        let message = MessageId::from_uuid(*subject.uuid());
        if let Some((conversation, author)) = authors.get(&message) {
            let message = AddedMessage { author: *author, at };
            touched.entry(*conversation).or_default().push(message);
        }
    }
    let merged = of_kind(&[EventKind::ContactMerged]);
    let kept: Vec<_> = merged.iter().map(|(it, _)| ContactId::from_uuid(*it.uuid())).collect();
    for conversation in end_merged(conn, organization, kept).await? {
        touched.entry(conversation).or_default();
    }
    apply(conn, organization, touched).await
}

/// Returns the conversations and the authors of messages.
async fn authors(
    conn: &mut Conn,
    organization: OrganizationId,
    added: &[(SubjectId, Timestamp)],
) -> Result<BTreeMap<MessageId, (ConversationId, MessageAuthor)>> {
    let ids: BTreeSet<_> =
        added.iter().map(|(it, _)| Col(MessageId::from_uuid(*it.uuid()))).collect();
    if ids.is_empty() {
        return Ok(BTreeMap::new());
    }
    let rows = messages::table
        .filter(messages::organization_id.eq(Col(organization)))
        .filter(messages::id.eq_any(listed(ids)))
        .select((messages::id, messages::conversation_id, messages::source));
    let rows: Vec<(Col<MessageId>, Col<ConversationId>, Col<MessageSource>)> =
        Cached(rows).load(conn).await?;
    let author = |source| match source {
        MessageSource::Customer => MessageAuthor::Contact,
        MessageSource::Agent => MessageAuthor::Agent,
        MessageSource::Api | MessageSource::Inbox | MessageSource::Phone => MessageAuthor::Person,
    };
    Ok(rows.into_iter().map(|(id, to, source)| (id.0, (to.0, author(source.0)))).collect())
}

/// Deletes the entries of conversations that were merged into those of these contacts, and moves
/// their notes. Returns the conversations that stay.
async fn end_merged(
    conn: &mut Conn,
    organization: OrganizationId,
    kept: Vec<ContactId>,
) -> Result<BTreeSet<ConversationId>> {
    if kept.is_empty() {
        return Ok(BTreeSet::new());
    }
    let staying = conversations::table
        .filter(conversations::organization_id.eq(Col(organization)))
        .filter(conversations::contact_id.eq_any(listed(kept.into_iter().map(Col))))
        .select(conversations::id);
    let staying: Vec<Col<ConversationId>> = staying.load(conn).await?;
    let gone = conversations::table
        .filter(conversations::organization_id.eq(Col(organization)))
        .filter(conversations::merged_into.eq_any(listed(staying.iter().copied().map(Some))))
        .select((conversations::id, conversations::merged_into.assume_not_null()));
    let gone: Vec<(Col<ConversationId>, Col<ConversationId>)> = gone.load(conn).await?;
    for (gone, kept) in gone {
        let entry = inbox_entries::table.find((Col(organization), gone));
        diesel::delete(entry).execute(conn).await?;
        let theirs = notes::table
            .filter(notes::organization_id.eq(Col(organization)))
            .filter(notes::conversation_id.eq(gone));
        diesel::update(theirs).set(notes::conversation_id.eq(kept)).execute(conn).await?;
        let states = inbox_member_states::table
            .filter(inbox_member_states::organization_id.eq(Col(organization)))
            .filter(inbox_member_states::conversation_id.eq(gone));
        diesel::delete(states).execute(conn).await?;
    }
    Ok(staying.into_iter().map(|it| it.0).collect())
}

/// Writes the entries of conversations to which messages were added. Returns the changes of state.
async fn apply(
    conn: &mut Conn,
    organization: OrganizationId,
    touched: BTreeMap<ConversationId, Vec<AddedMessage>>,
) -> Result<Vec<Update>> {
    if touched.is_empty() {
        return Ok(Vec::new());
    }
    let ids = || listed(touched.keys().copied().map(Col));
    let rows = conversations::table
        .filter(conversations::organization_id.eq(Col(organization)))
        .filter(conversations::id.eq_any(ids()))
        .filter(conversations::merged_into.is_null())
        .select(Conversation::as_select());
    let rows: Vec<Conversation> = Cached(rows).load(conn).await?;
    let existing = inbox_entries::table
        .filter(inbox_entries::organization_id.eq(Col(organization)))
        .filter(inbox_entries::conversation_id.eq_any(ids()))
        .select(InboxEntry::as_select());
    let existing: Vec<InboxEntry> = Cached(existing).load(conn).await?;
    let mut existing: BTreeMap<_, _> =
        existing.into_iter().map(|it| (it.conversation_id, it)).collect();
    let (mut entries, mut updates) = (Vec::new(), Vec::new());
    for conversation in rows {
        let entry = existing.remove(&conversation.id);
        let entry = entry.unwrap_or_else(|| InboxEntry::new(&conversation));
        let before = entry.state()?;
        let added = touched.get(&conversation.id).into_iter().flatten();
        let state = added.fold(before.clone(), |state, message| state.after(*message));
        let entry = if state == before { entry } else { entry.with_state(&state)? };
        entries.push(InboxEntry { last_message_at: conversation.last_message_at, ..entry });
        updates.push(Update { conversation, before, now: state });
    }
    write(conn, &entries).await?;
    Ok(updates)
}

/// Inserts entries, or replaces them.
async fn write(conn: &mut Conn, entries: &[InboxEntry]) -> Result<()> {
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
            ));
        Cached(upsert).execute(conn).await?;
    }
    Ok(())
}

/// Writes the entries of all conversations of an organization, and keeps what was decided.
async fn rebuild(conn: &mut Conn, organization: OrganizationId) -> Result<()> {
    let head = last_sequence(conn, organization).await?;
    set_position(conn, organization, head).await?;
    let mut after = None;
    loop {
        let mut some = conversations::table
            .filter(conversations::organization_id.eq(Col(organization)))
            .order(conversations::id)
            .limit(REBUILT_AT_ONCE)
            .select(conversations::id)
            .into_boxed();
        if let Some(after) = after {
            some = some.filter(conversations::id.gt(after));
        }
        let some: Vec<Col<ConversationId>> = some.load(conn).await?;
        let Some(last) = some.last().copied() else { return Ok(()) };
        after = Some(last);
        apply(conn, organization, some.into_iter().map(|it| (it.0, Vec::new())).collect()).await?;
    }
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

type InboxRow =
    (Conversation, Contact, Option<InboxEntry>, Option<(Col<MessageSource>, Col<Timestamp>)>);

fn inbox_conversation((conversation, contact, entry, paused_by): InboxRow) -> InboxConversation {
    let entry = entry.unwrap_or_else(|| InboxEntry::new(&conversation));
    let paused_by_message = paused_by.map(|(source, at)| (source.0, at.0));
    InboxConversation { entry, conversation, contact, paused_by_message, member_state: None }
}

#[diesel::dsl::auto_type]
fn entry_of_conversation() -> _ {
    inbox_entries::organization_id
        .eq(conversations::organization_id)
        .and(inbox_entries::conversation_id.eq(conversations::id))
}

#[diesel::dsl::auto_type]
fn pausing_message() -> _ {
    messages::organization_id
        .eq(conversations::organization_id)
        .and(messages::id.nullable().eq(conversations::agent_paused_by))
}

/// Returns a conversation of the inbox, also if it was merged into another.
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
        .select(inbox_columns!())
        .get_result(conn)
        .await
        .optional()?;
    Ok(row.map(inbox_conversation))
}

type ListedRow = (Conversation, Contact, InboxEntry, Option<(Col<MessageSource>, Col<Timestamp>)>);

/// Matches the state of the conversation of an entry to a member.
macro_rules! states_of_member {
    ($member:expr) => {
        inbox_member_states::table
            .filter(inbox_member_states::organization_id.eq(inbox_entries::organization_id))
            .filter(inbox_member_states::conversation_id.eq(inbox_entries::conversation_id))
            .filter(inbox_member_states::member_id.eq(Col($member)))
    };
}

/// Returns the conversations that match, those with the newest messages first, among `scan` that
/// follow `after`, with what they are to a member.
pub async fn list_inbox(
    conn: &mut Conn,
    organization: OrganizationId,
    member: Option<MemberId>,
    filter: InboxFilter,
    after: Option<InboxPosition>,
    limit: i64,
    scan: i64,
) -> Result<InboxPage> {
    // The conditions that an index answers. The others are judged entry by entry.
    let candidates = || {
        let mut entries = inbox_entries::table
            .inner_join(
                conversations::table.on(conversations::organization_id
                    .eq(inbox_entries::organization_id)
                    .and(conversations::id.eq(inbox_entries::conversation_id))),
            )
            .inner_join(contacts::table.on(contact_of_conversation()))
            .left_join(messages::table.on(pausing_message()))
            .filter(inbox_entries::organization_id.eq(Col(organization)))
            .order((inbox_entries::last_message_at.desc(), inbox_entries::conversation_id.desc()))
            .into_boxed();
        if let Some(InboxPosition { last_message_at, conversation }) = after {
            let earlier = inbox_entries::last_message_at.lt(Col(last_message_at));
            let same = inbox_entries::last_message_at
                .eq(Col(last_message_at))
                .and(inbox_entries::conversation_id.lt(Col(conversation)));
            entries = entries
                .filter(inbox_entries::last_message_at.le(Col(last_message_at)))
                .filter(earlier.or(same));
        }
        if let Some(since) = filter.since {
            entries = entries.filter(inbox_entries::last_message_at.ge(Col(since)));
        }
        if let Some(status) = filter.status {
            entries = entries.filter(inbox_entries::status.eq(Col(status)));
        }
        if let Some(Some(member)) = filter.assignee {
            entries = entries.filter(inbox_entries::assignee_id.eq(Some(Col(member))));
        }
        if filter.needs_person == Some(true) {
            entries = entries.filter(inbox_entries::needs_person_since.is_not_null());
        }
        if let Some(among) = &filter.among {
            let among = listed(among.iter().copied().map(Col));
            entries = entries.filter(inbox_entries::conversation_id.eq_any(among));
        }
        entries
    };
    let oldest = candidates()
        .offset(scan - 1)
        .limit(1)
        .select((inbox_entries::last_message_at, inbox_entries::conversation_id));
    let oldest: Option<(Col<Timestamp>, Col<ConversationId>)> =
        oldest.get_result(conn).await.optional()?;
    let oldest = oldest.map(|(at, id)| InboxPosition { last_message_at: at.0, conversation: id.0 });
    let mut matching = candidates().limit(limit.saturating_add(1)).select((
        Conversation::as_select(),
        Contact::as_select(),
        InboxEntry::as_select(),
        (messages::source, messages::created_at).nullable(),
    ));
    if let Some(oldest) = oldest {
        matching = matching.filter(inbox_entries::last_message_at.ge(Col(oldest.last_message_at)));
    }
    if let Some(account) = filter.account {
        matching = matching.filter(inbox_entries::account_id.eq(Col(account)));
    }
    if filter.assignee == Some(None) {
        matching = matching.filter(inbox_entries::assignee_id.is_null());
    }
    if filter.needs_person == Some(false) {
        matching = matching.filter(inbox_entries::needs_person_since.is_null());
    }
    if let Some(agent) = filter.agent {
        matching = matching.filter(conversations::agent_paused.eq(agent == Agent::Paused));
    }
    if let Some(member) = filter.unread_by {
        let inbound = inbox_entries::inbound_count;
        let read = states_of_member!(member).filter(inbox_member_states::read_count.ge(inbound));
        let marked = states_of_member!(member).filter(inbox_member_states::marked_unread);
        let unread = inbound.gt(inbox_entries::answered_count).and(diesel::dsl::not(exists(read)));
        matching = matching.filter(unread.or(exists(marked)));
    }
    let rows: Vec<ListedRow> = matching.load(conn).await?;
    let mut found: Vec<InboxConversation> = rows
        .into_iter()
        .map(|(conversation, contact, entry, paused_by)| {
            inbox_conversation((conversation, contact, Some(entry), paused_by))
        })
        .collect();
    let next = if saturating(found.len(), i64::MAX) > limit {
        found.truncate(saturating(limit, usize::MAX));
        found.last().map(|it| it.entry.position())
    } else {
        oldest
    };
    if let Some(label) = &filter.label {
        let mut labeled = Vec::with_capacity(found.len());
        for it in found {
            if it.entry.state()?.labels.contains(label) {
                labeled.push(it);
            }
        }
        found = labeled;
    }
    if let Some(member) = member {
        add_member_states(conn, organization, member, &mut found).await?;
    }
    Ok(InboxPage { found, next })
}

/// Adds what conversations are to a member.
async fn add_member_states(
    conn: &mut Conn,
    organization: OrganizationId,
    member: MemberId,
    found: &mut [InboxConversation],
) -> Result<()> {
    let shown = listed(found.iter().map(|it| Col(it.conversation.id)));
    let states = inbox_member_states::table
        .filter(inbox_member_states::organization_id.eq(Col(organization)))
        .filter(inbox_member_states::conversation_id.eq_any(shown))
        .filter(inbox_member_states::member_id.eq(Col(member)))
        .select(InboxMemberState::as_select());
    let states: Vec<InboxMemberState> = states.load(conn).await?;
    let mut states: BTreeMap<_, _> =
        states.into_iter().map(|it| (it.conversation_id, it)).collect();
    for it in found {
        it.member_state = states.remove(&it.conversation.id);
    }
    Ok(())
}

/// Changes what was decided about a conversation. Returns the conversation after the change, or
/// nothing if there is none.
pub async fn update_inbox(
    conn: &mut Conn,
    organization: OrganizationId,
    id: ConversationId,
    change: InboxChange,
    now: Timestamp,
) -> Result<Option<InboxConversation>> {
    change_state(conn, organization, id, now, move |state| state.apply(change, now)).await
}

/// Ends the snooze of a conversation, and the pause of its agent, if they are over.
pub async fn wake_inbox_entry(
    conn: &mut Conn,
    organization: OrganizationId,
    id: ConversationId,
    now: Timestamp,
) -> Result<()> {
    change_state(conn, organization, id, now, move |state| state.woken(now)).await?;
    let found = find(conn, organization, id).await?;
    if found.is_some_and(|it| it.entry.agent_paused_until.is_some_and(|until| until <= now)) {
        resume_agent(conn, organization, id, now).await?;
    }
    Ok(())
}

async fn change_state(
    conn: &mut Conn,
    organization: OrganizationId,
    id: ConversationId,
    now: Timestamp,
    next: impl FnOnce(InboxState) -> InboxState + Send,
) -> Result<Option<InboxConversation>> {
    conn.transaction(async |conn| {
        lock_position(conn, organization).await?;
        let Some(mut found) = find_inbox_conversation(conn, organization, id).await? else {
            return Ok(None);
        };
        let before = found.entry.state()?;
        let state = next(before.clone());
        found.entry = found.entry.with_state(&state)?;
        write(conn, std::slice::from_ref(&found.entry)).await?;
        let update = Update { conversation: found.conversation.clone(), before, now: state };
        recording::record(conn, update_events(vec![update], now)).await?;
        Ok::<_, Error>(Some(found))
    })
    .await
}

/// Pauses the AI agent in a conversation. Returns the conversation, or nothing if there is none.
pub async fn pause_agent(
    conn: &mut Conn,
    organization: OrganizationId,
    id: ConversationId,
    pause: AgentPause,
    now: Timestamp,
) -> Result<Option<InboxConversation>> {
    conn.transaction(async |conn| {
        lock_position(conn, organization).await?;
        let Some(mut found) = find_inbox_conversation(conn, organization, id).await? else {
            return Ok(None);
        };
        let AgentPause { cause, reason, by, until } = pause;
        found.entry = InboxEntry {
            agent_pause_cause: Some(cause),
            agent_pause_reason: reason,
            agent_paused_by: by,
            agent_paused_at: Some(now),
            agent_paused_until: until,
            ..found.entry
        };
        write(conn, std::slice::from_ref(&found.entry)).await?;
        set_agent(conn, found, Agent::Paused, now).await.map(Some)
    })
    .await
}

/// Lets the AI agent answer again. Returns the conversation, or nothing if there is none.
pub async fn resume_agent(
    conn: &mut Conn,
    organization: OrganizationId,
    id: ConversationId,
    now: Timestamp,
) -> Result<Option<InboxConversation>> {
    conn.transaction(async |conn| {
        lock_position(conn, organization).await?;
        let Some(mut found) = find_inbox_conversation(conn, organization, id).await? else {
            return Ok(None);
        };
        found.entry = found.entry.resumed();
        write(conn, std::slice::from_ref(&found.entry)).await?;
        set_agent(conn, found, Agent::Running, now).await.map(Some)
    })
    .await
}

/// Sets whether the agent answers, and records the event if that changed.
async fn set_agent(
    conn: &mut Conn,
    mut found: InboxConversation,
    agent: Agent,
    now: Timestamp,
) -> Result<InboxConversation> {
    let is_paused = agent == Agent::Paused;
    let Conversation { organization_id, id, .. } = found.conversation;
    let row = conversations::table.find((Col(organization_id), Col(id)));
    let nobody: Option<Col<MessageId>> = None;
    let columns =
        (conversations::agent_paused.eq(is_paused), conversations::agent_paused_by.eq(nobody));
    diesel::update(row).set(columns).execute(conn).await?;
    let kind = match agent {
        Agent::Paused => EventKind::ConversationAgentPaused,
        Agent::Running => EventKind::ConversationAgentResumed,
    };
    let person = found.contact.snapshot().ok().map(Arc::new);
    let event = NewEvent::for_account(
        organization_id,
        found.conversation.account_id,
        kind,
        EventPayload::Conversation(id, person),
        now,
    );
    let has_changed = found.conversation.agent_paused != is_paused;
    recording::record(conn, has_changed.then_some(event).into_iter().collect()).await?;
    found.conversation.agent_paused = is_paused;
    found.conversation.agent_paused_by = None;
    found.paused_by_message = None;
    Ok(found)
}

/// Returns conversations whose snooze or whose pause of the agent ended before `now`.
pub async fn due_inbox_entries(
    conn: &mut Conn,
    now: Timestamp,
    limit: i64,
) -> Result<Vec<(OrganizationId, ConversationId)>> {
    let columns = (inbox_entries::organization_id, inbox_entries::conversation_id);
    let snoozed = inbox_entries::table
        .filter(inbox_entries::snoozed_until.le(Some(Col(now))))
        .filter(inbox_entries::status.eq(Col(ConversationStatus::Snoozed)))
        .order(inbox_entries::snoozed_until)
        .limit(limit)
        .select(columns);
    let snoozed: Vec<(Col<OrganizationId>, Col<ConversationId>)> = snoozed.load(conn).await?;
    let paused = inbox_entries::table
        .filter(inbox_entries::agent_paused_until.le(Some(Col(now))))
        .order(inbox_entries::agent_paused_until)
        .limit(limit)
        .select(columns);
    let paused: Vec<(Col<OrganizationId>, Col<ConversationId>)> = paused.load(conn).await?;
    let due: BTreeSet<_> = snoozed.into_iter().chain(paused).map(|(it, id)| (it.0, id.0)).collect();
    Ok(due.into_iter().collect())
}

/// Returns the number of conversations that match, up to `most`.
pub async fn count_inbox(
    conn: &mut Conn,
    organization: OrganizationId,
    filter: InboxFilter,
    most: i64,
    scan: i64,
) -> Result<usize> {
    let page = list_inbox(conn, organization, None, filter, None, most, scan).await?;
    Ok(page.found.len())
}

/// Returns what a conversation is to members who have looked at it.
pub async fn list_member_states(
    conn: &mut Conn,
    organization: OrganizationId,
    conversation: ConversationId,
    limit: i64,
) -> Result<Vec<InboxMemberState>> {
    let states = inbox_member_states::table
        .filter(inbox_member_states::organization_id.eq(Col(organization)))
        .filter(inbox_member_states::conversation_id.eq(Col(conversation)))
        .limit(limit)
        .select(InboxMemberState::as_select());
    Ok(states.load(conn).await?)
}

/// Changes what a conversation is to a member.
pub async fn update_member_state(
    conn: &mut Conn,
    organization: OrganizationId,
    conversation: ConversationId,
    member: MemberId,
    change: InboxMemberChange,
) -> Result<()> {
    conn.transaction(async |conn| {
        let key = (Col(organization), Col(conversation), Col(member));
        let row = inbox_member_states::table.find(key).select(InboxMemberState::as_select());
        let found: Option<InboxMemberState> = for_update!(row).get_result(conn).await.optional()?;
        let mut state = found.unwrap_or(InboxMemberState {
            organization_id: organization,
            conversation_id: conversation,
            member_id: member,
            read_count: 0,
            marked_unread: false,
            draft: None,
            viewed_at: None,
            typed_at: None,
        });
        let InboxMemberChange { mark, draft, viewed_at, typed_at } = change;
        if let Some(ReadMark { read_count, marked_unread }) = mark {
            (state.read_count, state.marked_unread) = (read_count, marked_unread);
        }
        state.draft = draft.unwrap_or(state.draft);
        state.viewed_at = viewed_at.or(state.viewed_at);
        state.typed_at = typed_at.or(state.typed_at);
        diesel::insert_into(inbox_member_states::table)
            .values(&state)
            .on_conflict((
                inbox_member_states::organization_id,
                inbox_member_states::conversation_id,
                inbox_member_states::member_id,
            ))
            .do_update()
            .set((
                inbox_member_states::read_count.eq(excluded(inbox_member_states::read_count)),
                inbox_member_states::marked_unread.eq(excluded(inbox_member_states::marked_unread)),
                inbox_member_states::draft.eq(excluded(inbox_member_states::draft)),
                inbox_member_states::viewed_at.eq(excluded(inbox_member_states::viewed_at)),
                inbox_member_states::typed_at.eq(excluded(inbox_member_states::typed_at)),
            ))
            .execute(conn)
            .await?;
        Ok::<_, Error>(())
    })
    .await
}

/// Returns the last message of each of these conversations.
pub async fn last_messages(
    conn: &mut Conn,
    organization: OrganizationId,
    of: Vec<ConversationId>,
) -> Result<Vec<Message>> {
    let last = messages::table
        .inner_join(
            conversations::table.on(conversations::organization_id
                .eq(messages::organization_id)
                .and(conversations::id.eq(messages::conversation_id))
                .and(conversations::message_count.eq(messages::position))),
        )
        .filter(conversations::organization_id.eq(Col(organization)))
        .filter(conversations::id.eq_any(listed(of.into_iter().map(Col))))
        .select(Message::as_select());
    Ok(last.load(conn).await?)
}
