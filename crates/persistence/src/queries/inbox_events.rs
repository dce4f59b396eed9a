//! Applies the events of an organization to the entries of its inbox.
use super::agents::agents_of_accounts;
use super::contact_lookups::contact_of_conversation;
use super::inbox::{
    StateUpdate, entry_of_conversation, lock_position, pausing_messages, update_events, write,
};
use super::inbox_members::move_drafts;
use super::turns::{extend_turns, move_turns};
use super::{Conn, RunQueryDsl, Transactional, events as recording, inbox_entries_of, listed};
use crate::cached::Cached;
use crate::records::{Conversation, InboxEntry, ReceivedMessage};
use crate::schema::{
    contacts, conversations, event_counters, events, inbox_entries, inbox_positions, messages,
    notes,
};
use crate::types::Col;
use crate::{Error, Result};
use diesel::prelude::*;
use domain::content::MessageKind;
use domain::conversation::{Agent, MessageSource, thread_idle_at, window_closing_at};
use domain::event::EventKind;
use domain::id::{AccountId, ContactId, ConversationId, MessageId, OrganizationId, SubjectId};
use domain::inbox::{
    AddedMessage, AgentStatus, AgentStep, ConversationStatus, InboxState, MessageAuthor, PauseNews,
    PausingMessage,
};
use domain::time::Timestamp;
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

/// The number of conversations that are read at a time when all entries are rebuilt.
const REBUILT_AT_ONCE: i64 = 1000;
/// The number of events that [`catch_up_with`] applies at a time, and how often it does so.
const EVENTS_AT_ONCE: i64 = 1000;
const MAX_ROUNDS: usize = 10;

/// Returns organizations that follow `after` and have events that are not applied to their inbox
/// yet.
pub async fn lagging_inboxes(
    conn: &mut Conn,
    after: Option<OrganizationId>,
    limit: i64,
) -> Result<Vec<OrganizationId>> {
    let own = inbox_positions::organization_id.eq(event_counters::organization_id);
    let reflected = inbox_positions::sequence.nullable();
    let mut lagging = event_counters::table
        .left_join(inbox_positions::table.on(own))
        .filter(reflected.is_null().or(reflected.lt(event_counters::last.nullable())))
        .order(event_counters::organization_id)
        .limit(limit)
        .select(event_counters::organization_id)
        .into_boxed();
    if let Some(after) = after {
        lagging = lagging.filter(event_counters::organization_id.gt(Col(after)));
    }
    let found: Vec<Col<OrganizationId>> = lagging.load(conn).await?;
    Ok(found.into_iter().map(|it| it.0).collect())
}

/// Returns conversations whose snooze or whose pause of the agent ended before `now`, or whose
/// customer service window is about to close.
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
    let closing = inbox_entries::table
        .filter(inbox_entries::window_closing_at.le(Some(Col(now))))
        .order(inbox_entries::window_closing_at)
        .limit(limit)
        .select(columns);
    let closing: Vec<(Col<OrganizationId>, Col<ConversationId>)> = closing.load(conn).await?;
    let due: BTreeSet<_> =
        snoozed.into_iter().chain(paused).chain(closing).map(|(it, id)| (it.0, id.0)).collect();
    Ok(due.into_iter().collect())
}

/// Returns the sequence up to which the inbox reflects the organization's events, and the sequence
/// of the last event.
pub async fn inbox_sequences(conn: &mut Conn, organization: OrganizationId) -> Result<(i64, i64)> {
    let last = recording::last_sequence(conn, organization).await?;
    let position = inbox_positions::table.find(Col(organization)).select(inbox_positions::sequence);
    let position: Option<i64> = position.get_result(conn).await.optional()?;
    Ok((position.unwrap_or(0), last))
}

/// Applies up to `most` of the organization's next events to the entries. Returns how many there
/// were. If events that were not applied are already deleted, all entries are rebuilt.
pub async fn advance_inbox(
    conn: &mut Conn,
    organization: OrganizationId,
    most: i64,
    now: Timestamp,
) -> Result<usize> {
    conn.transaction(async |conn| {
        let position = lock_position(conn, organization).await?;
        advance(conn, organization, position, most, now).await
    })
    .await
}

/// Applies up to `most` events after `position`, which the caller has locked. Returns the number of
/// events.
async fn advance(
    conn: &mut Conn,
    organization: OrganizationId,
    position: i64,
    most: i64,
    now: Timestamp,
) -> Result<usize> {
    let next = events::table
        .filter(events::organization_id.eq(Col(organization)))
        .filter(recording::following(position, most))
        .order(events::sequence)
        .select((events::sequence, events::kind, events::subject, events::at));
    let next: Vec<TimedEvent> = next.load(conn).await?;
    let sequences = || next.iter().map(|(sequence, ..)| *sequence);
    match sequences().min().zip(sequences().max()) {
        Some((first, last)) if first == position + 1 => {
            set_position(conn, organization, last).await?;
            let updates = follow(conn, organization, &next, now).await?;
            recording::record(conn, update_events(updates, now)).await?;
        }
        None if recording::last_sequence(conn, organization).await? <= position => {}
        _ => {
            let updates = rebuild(conn, organization, now).await?;
            recording::record(conn, update_events(updates, now)).await?;
        }
    }
    Ok(next.len())
}

/// Locks a conversation and applies all events of the organization, so that the entry of the
/// conversation reflects everything that was sent in it. The caller is in a transaction. Fails if
/// too many events have to be applied. A worker applies them in the background, and the caller
/// tries again.
pub(super) async fn catch_up_with(
    conn: &mut Conn,
    organization: OrganizationId,
    conversation: ConversationId,
    now: Timestamp,
) -> Result<()> {
    // A transaction that sends in the conversation keeps this row locked until its events are
    // committed.
    let row = conversations::table.find((Col(organization), Col(conversation)));
    let row = row.select(conversations::id);
    for_update!(row).load::<Col<ConversationId>>(conn).await?;
    for _ in 0..MAX_ROUNDS {
        let position = lock_position(conn, organization).await?;
        if advance(conn, organization, position, EVENTS_AT_ONCE, now).await? == 0 {
            return Ok(());
        }
    }
    Err(Error::Unknown("the inbox is too far behind the events".to_owned()))
}

/// The sequence, the kind, the subject and the time of an event.
type TimedEvent = (i64, Col<EventKind>, Option<Col<SubjectId>>, Col<Timestamp>);

async fn set_position(conn: &mut Conn, organization: OrganizationId, to: i64) -> Result<()> {
    let row = inbox_positions::table.find(Col(organization));
    diesel::update(row).set(inbox_positions::sequence.eq(to)).execute(conn).await?;
    Ok(())
}

/// Applies events to the entries of their conversations. Returns the changes of state.
async fn follow(
    conn: &mut Conn,
    organization: OrganizationId,
    next: &[TimedEvent],
    now: Timestamp,
) -> Result<Vec<StateUpdate>> {
    let of_kind = |wanted: &'static [EventKind]| {
        next.iter()
            .filter(|(_, kind, ..)| wanted.contains(&kind.0))
            .filter_map(|(_, kind, subject, at)| Some((kind.0, subject.as_ref()?.0, at.0)))
    };
    let added: Vec<_> =
        of_kind(&[EventKind::MessageReceived, EventKind::MessageQueued, EventKind::MessageSent])
            .map(|(kind, subject, at)| (kind, MessageId::from_uuid(*subject.uuid()), at))
            .collect();
    let merged = of_kind(&[EventKind::ContactMerged]);
    let kept = merged.map(|(_, subject, _)| ContactId::from_uuid(*subject.uuid())).collect();
    let merged = merged_into(conn, organization, kept).await?;
    let mut touched = end_merged(conn, organization, merged).await?;
    for (_, subject, _) in of_kind(&[EventKind::ConversationCreated]) {
        touched.entry(ConversationId::from_uuid(*subject.uuid())).or_default();
    }
    let ids = added.iter().map(|(_, id, _)| *id).collect();
    let found = find_messages(conn, organization, ids).await?;
    let mut received = Vec::new();
    for (kind, id, at) in added {
        if let Some(message) = found.get(&id).filter(|it| it.is_added_by(kind)) {
            let touched = touched.entry(message.conversation).or_default();
            if message.is_own_reaction() {
                continue;
            }
            let FollowedMessage { source, kind, .. } = *message;
            let is_reply = source.is_reply(kind);
            touched.added.push(AddedMessage { author: message.author(), at, is_reply });
            if source.asks_agent(kind) {
                let FollowedMessage { conversation, account, .. } = *message;
                received.push(ReceivedMessage { id, conversation, account, at });
            }
        }
    }
    extend_turns(conn, organization, received, now).await?;
    apply(conn, organization, touched, now).await
}

/// The changes of one conversation.
#[derive(Default)]
struct EntryChange {
    /// The conversations that were merged into this one.
    merged: Vec<MergedEntry>,
    added: Vec<AddedMessage>,
}

/// The entry of a conversation that was merged into another.
struct MergedEntry {
    entry: InboxEntry,
    state: InboxState,
    agent: Agent,
    /// The message that paused the agent, if one did.
    paused_by: Option<MessageId>,
}

impl MergedEntry {
    async fn read(conn: &mut Conn, entry: InboxEntry) -> Result<Self> {
        let row = conversations::table
            .find((Col(entry.organization_id), Col(entry.conversation_id)))
            .select((conversations::agent_paused, conversations::agent_paused_by));
        let (is_paused, paused_by): (bool, Option<Col<MessageId>>) = row.get_result(conn).await?;
        let agent = if is_paused { Agent::Paused } else { Agent::Running };
        let state = entry.state()?;
        Ok(Self { entry, state, agent, paused_by: paused_by.map(|it| it.0) })
    }
}

/// The properties of an added message that the inbox needs.
struct FollowedMessage {
    conversation: ConversationId,
    account: AccountId,
    source: MessageSource,
    kind: MessageKind,
    /// Whether the message was sent outside of this service.
    is_echo: bool,
}

impl FollowedMessage {
    /// Whether an event of this kind reports that the message was added to the conversation. A
    /// message that this service sends is added when it is queued, long before `message.sent`.
    fn is_added_by(&self, kind: EventKind) -> bool {
        let added_by = match self.source {
            MessageSource::Customer => EventKind::MessageReceived,
            // A message of the channel's own agent, which was never queued in this service.
            MessageSource::Agent if self.is_echo => EventKind::MessageSent,
            MessageSource::Api | MessageSource::Inbox | MessageSource::Agent => {
                EventKind::MessageQueued
            }
            MessageSource::Phone => EventKind::MessageSent,
        };
        added_by == kind
    }

    const fn author(&self) -> MessageAuthor {
        match self.source {
            MessageSource::Customer => MessageAuthor::Contact,
            MessageSource::Agent => MessageAuthor::Agent,
            MessageSource::Api | MessageSource::Inbox | MessageSource::Phone => {
                MessageAuthor::Person
            }
        }
    }

    /// Whether the message is a reaction that the organization sent. A reaction does not count as
    /// an answer.
    fn is_own_reaction(&self) -> bool {
        self.source != MessageSource::Customer && self.kind == MessageKind::Reaction
    }
}

type FollowedRow = (
    Col<MessageId>,
    Col<ConversationId>,
    Col<AccountId>,
    Col<MessageSource>,
    Col<MessageKind>,
    Col<Timestamp>,
    Option<Col<Timestamp>>,
);

async fn find_messages(
    conn: &mut Conn,
    organization: OrganizationId,
    ids: BTreeSet<MessageId>,
) -> Result<BTreeMap<MessageId, FollowedMessage>> {
    if ids.is_empty() {
        return Ok(BTreeMap::new());
    }
    let rows = messages::table
        .filter(messages::organization_id.eq(Col(organization)))
        .filter(messages::id.eq_any(listed(ids.into_iter().map(Col))))
        .select((
            messages::id,
            messages::conversation_id,
            messages::account_id,
            messages::source,
            messages::kind,
            messages::created_at,
            messages::sent_at,
        ));
    let rows: Vec<FollowedRow> = Cached(rows).load(conn).await?;
    let message = |(id, conversation, account, source, kind, created_at, sent_at): FollowedRow| {
        let (conversation, account) = (conversation.0, account.0);
        // A message that this service sends has a later `sent_at` than `created_at`.
        let is_echo = sent_at == Some(created_at);
        let (source, kind) = (source.0, kind.0);
        (id.0, FollowedMessage { conversation, account, source, kind, is_echo })
    };
    Ok(rows.into_iter().map(message).collect())
}

/// Returns the conversations that were merged into the conversations of these contacts, each with
/// the conversation that stays.
async fn merged_into(
    conn: &mut Conn,
    organization: OrganizationId,
    kept: Vec<ContactId>,
) -> Result<Vec<(Col<ConversationId>, Col<ConversationId>)>> {
    if kept.is_empty() {
        return Ok(Vec::new());
    }
    let staying = conversations::table
        .filter(conversations::organization_id.eq(Col(organization)))
        .filter(conversations::contact_id.eq_any(listed(kept.into_iter().map(Col))))
        .select(conversations::id);
    let staying: Vec<Col<ConversationId>> = staying.load(conn).await?;
    let merged = conversations::table
        .filter(conversations::organization_id.eq(Col(organization)))
        .filter(conversations::merged_into.eq_any(listed(staying.into_iter().map(Some))))
        .select((conversations::id, conversations::merged_into.assume_not_null()));
    Ok(merged.load(conn).await?)
}

/// Deletes the entries of merged conversations, and moves their notes and drafts to the
/// conversations that stay. Returns the conversations that stay, with the entries of those that were
/// merged into them.
async fn end_merged(
    conn: &mut Conn,
    organization: OrganizationId,
    merged: Vec<(Col<ConversationId>, Col<ConversationId>)>,
) -> Result<BTreeMap<ConversationId, EntryChange>> {
    let mut touched: BTreeMap<ConversationId, EntryChange> = BTreeMap::new();
    for (gone, kept) in merged {
        let touched = touched.entry(kept.0).or_default();
        let row = || inbox_entries::table.find((Col(organization), gone));
        let entry: Option<InboxEntry> =
            row().select(InboxEntry::as_select()).get_result(conn).await.optional()?;
        if let Some(entry) = entry {
            touched.merged.push(MergedEntry::read(conn, entry).await?);
            diesel::delete(row()).execute(conn).await?;
        }
        let of_gone = notes::table
            .filter(notes::organization_id.eq(Col(organization)))
            .filter(notes::conversation_id.eq(gone));
        diesel::update(of_gone).set(notes::conversation_id.eq(kept)).execute(conn).await?;
        move_drafts(conn, organization, gone.0, kept.0).await?;
        move_turns(conn, organization, gone.0, kept.0).await?;
    }
    Ok(touched)
}

/// Writes the entries of changed conversations. Returns the changes of state.
async fn apply(
    conn: &mut Conn,
    organization: OrganizationId,
    touched: BTreeMap<ConversationId, EntryChange>,
    now: Timestamp,
) -> Result<Vec<StateUpdate>> {
    if touched.is_empty() {
        return Ok(Vec::new());
    }
    let ids = listed(touched.keys().copied().map(Col));
    // A subquery for each conversation, because PostgreSQL may read all contacts for a join while
    // the tables have no statistics.
    let exists = contacts::table
        .filter(contact_of_conversation())
        .filter(contacts::deleted_at.is_null())
        .select(contacts::id)
        .single_value();
    let rows = conversations::table
        .filter(conversations::organization_id.eq(Col(organization)))
        .filter(conversations::id.eq_any(ids))
        .filter(conversations::merged_into.is_null())
        .filter(exists.is_not_null())
        .select(Conversation::as_select());
    let mut rows: Vec<Conversation> = Cached(rows).load(conn).await?;
    // `set_paused_by` locks conversations in the order in which `messages::send` locks them, so
    // that the two cannot deadlock.
    rows.sort_by(|a, b| (a.account_id, &a.address).cmp(&(b.account_id, &b.address)));
    let of_rows = listed(rows.iter().map(|it| Col(it.id)));
    let existing = inbox_entries_of(shared!(conn), organization, of_rows).await?;
    let mut existing: BTreeMap<_, _> =
        existing.into_iter().map(|it| (it.conversation_id, it)).collect();
    let (mut entries, mut changes) = (Vec::new(), Vec::new());
    let pausing = pausing_messages(conn, organization, merged_pauses(&rows, &touched)).await?;
    let untouched = EntryChange::default();
    let is_sent = |it: &AddedMessage| it.author == MessageAuthor::Person;
    let has_sent = |it: &&Conversation| {
        it.agent_paused && touched.get(&it.id).is_some_and(|it| it.added.iter().any(is_sent))
    };
    let accounts = rows.iter().filter(has_sent).map(|it| it.account_id).collect();
    let resume_after = resume_after(conn, organization, accounts).await?;
    for mut conversation in rows {
        let entry = existing.remove(&conversation.id);
        let mut entry = entry.unwrap_or_else(|| InboxEntry::new(&conversation));
        let before = entry.state()?;
        let EntryChange { merged, added } = touched.get(&conversation.id).unwrap_or(&untouched);
        if conversation.agent_paused && !merged.is_empty() {
            let (status, paused_by) = joined_pause(&conversation, &entry, merged, &pausing);
            entry = entry.with_agent_status(&status, paused_by.is_some());
            if paused_by != conversation.agent_paused_by {
                set_paused_by(conn, &conversation, paused_by).await?;
                conversation.agent_paused_by = paused_by;
            }
        }
        let joined = merged.iter().fold(before.clone(), |state, it| state.joined(&it.state));
        let state = added.iter().fold(joined, |state, message| state.after(*message));
        let mut entry = if state == before { entry } else { entry.with_state(&state)? };
        if conversation.agent_paused && !added.is_empty() {
            let idle = thread_idle_at(conversation.last_inbound_at, now);
            let last = |of: fn(&AddedMessage) -> bool| {
                added.iter().filter(|it| of(it)).map(|it| it.at).max()
            };
            let news = PauseNews {
                replied_at: last(|it| it.is_reply),
                sent_at: last(|it| it.author == MessageAuthor::Person),
                resume_after: resume_after.get(&conversation.account_id).copied(),
                thread_idle_at: entry.channel_agent_at.map(|_| idle),
                has_channel_agent: entry.has_channel_agent(now),
            };
            let pause = entry.agent_status(Agent::Paused, None);
            entry.agent_paused_until = pause.after(AgentStep::Messages(news), now).until;
        }
        if !added.is_empty() {
            let (inbound, last) = (conversation.last_inbound_at, conversation.last_message_at);
            entry.window_closing_at = window_closing_at(inbound, last);
        }
        let entry = InboxEntry { last_message_at: conversation.last_message_at, ..entry };
        if !state.changed_since(&before).is_empty() {
            changes.push((conversation, entry.clone(), before, state));
        }
        entries.push(entry);
    }
    write(conn, &entries).await?;
    let paused_by = changes.iter().filter_map(|(conversation, ..)| conversation.agent_paused_by);
    let pausing = pausing_messages(conn, organization, paused_by.collect()).await?;
    let update = |(conversation, entry, before, now): ChangedEntry| {
        let message = conversation.agent_paused_by.and_then(|id| pausing.get(&id).copied());
        let agent = entry.agent_status(conversation.agent(), message);
        StateUpdate { conversation, before, now, agent }
    };
    Ok(changes.into_iter().map(update).collect())
}

/// A conversation with its entry, and its state before and after a change.
type ChangedEntry = (Conversation, InboxEntry, InboxState, InboxState);

/// Returns the messages that paused the agents of the remaining and of the merged conversations.
fn merged_pauses(
    rows: &[Conversation],
    touched: &BTreeMap<ConversationId, EntryChange>,
) -> BTreeSet<MessageId> {
    let mut messages = BTreeSet::new();
    for conversation in rows {
        let Some(touched) = touched.get(&conversation.id) else { continue };
        if !touched.merged.is_empty() {
            messages.extend(conversation.agent_paused_by);
            messages.extend(touched.merged.iter().filter_map(|it| it.paused_by));
        }
    }
    messages
}

/// Returns the pause that applies in a conversation after others were merged into it, and the
/// message that paused the agent, if a message did.
fn joined_pause(
    conversation: &Conversation,
    entry: &InboxEntry,
    merged: &[MergedEntry],
    pausing: &BTreeMap<MessageId, PausingMessage>,
) -> (AgentStatus, Option<MessageId>) {
    let pause = |entry: &InboxEntry, agent: Agent, paused_by: Option<MessageId>| {
        let message = paused_by.and_then(|id| pausing.get(&id).copied());
        (entry.agent_status(agent, message), paused_by)
    };
    let mut counting = pause(entry, conversation.agent(), conversation.agent_paused_by);
    for merged in merged {
        let other = pause(&merged.entry, merged.agent, merged.paused_by);
        if other.0.replaces(&counting.0) {
            counting = other;
        }
    }
    counting
}

async fn set_paused_by(
    conn: &mut Conn,
    of: &Conversation,
    message: Option<MessageId>,
) -> Result<()> {
    let row = conversations::table.find((Col(of.organization_id), Col(of.id)));
    let paused_by = conversations::agent_paused_by.eq(message.map(Col));
    diesel::update(row).set(paused_by).execute(conn).await?;
    Ok(())
}

/// Returns, for these accounts, how long after the last message of a person the agent resumes, if
/// its settings say so.
async fn resume_after(
    conn: &mut Conn,
    organization: OrganizationId,
    accounts: BTreeSet<AccountId>,
) -> Result<BTreeMap<AccountId, Duration>> {
    if accounts.is_empty() {
        return Ok(BTreeMap::new());
    }
    let mut found = BTreeMap::new();
    for (account, agent) in agents_of_accounts(conn, organization, accounts).await? {
        if let Some(after) = agent.settings()?.resume_after() {
            found.insert(account, after);
        }
    }
    Ok(found)
}

/// Rebuilds the entries of an organization from its conversations, and keeps statuses, assignees
/// and labels. Returns the changes of state.
async fn rebuild(
    conn: &mut Conn,
    organization: OrganizationId,
    now: Timestamp,
) -> Result<Vec<StateUpdate>> {
    let head = recording::last_sequence(conn, organization).await?;
    set_position(conn, organization, head).await?;
    let merged = conversations::table
        .inner_join(inbox_entries::table.on(entry_of_conversation()))
        .filter(conversations::organization_id.eq(Col(organization)))
        .filter(conversations::merged_into.is_not_null())
        .select((conversations::id, conversations::merged_into.assume_not_null()));
    let merged = merged.load(conn).await?;
    let touched = end_merged(conn, organization, merged).await?;
    let updates = apply(conn, organization, touched, now).await?;
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
        let Some(last) = some.last().copied() else { return Ok(updates) };
        after = Some(last);
        let touched = some.into_iter().map(|it| (it.0, EntryChange::default())).collect();
        apply(conn, organization, touched, now).await?;
    }
}
