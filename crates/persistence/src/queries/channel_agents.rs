//! Conversations in which the channel's own agent takes part (`docs/contract.md#metas-own-agent`).
use super::arrivals::{Arrival, place};
use super::inbox::{call_person, find_inbox_conversation, lock_position, pause, resume, write};
use super::{Conn, RunQueryDsl, Transactional, events};
use crate::records::{ChannelSummary, InboxConversation, InboxEntry, Merges, Note, ThreadHandover};
use crate::schema::notes;
use crate::types::Col;
use crate::{Error, Result};
use diesel::prelude::*;
use domain::acceptance::ConversationChange;
use domain::conversation::{ControlEffect, thread_idle_at};
use domain::event::{EventKind, EventPayload, NewEvent};
use domain::id::{ConversationId, OrganizationId};
use domain::inbox::{AgentPause, MAX_NOTE_LENGTH, MAX_PAUSE_REASON_LENGTH, PauseCause};
use domain::time::Timestamp;

/// The author of the notes with the channel's summaries.
const AUTHOR: &str = "Meta Business Agent";

/// Records, if a message says so, that the channel's own agent has control of the conversation, and
/// stores the agent's summary. Returns the events to record.
pub(super) async fn observe(
    conn: &mut Conn,
    organization: OrganizationId,
    conversation: ConversationId,
    standby: bool,
    summary: Option<ChannelSummary>,
    now: Timestamp,
) -> Result<Vec<NewEvent>> {
    let found = find_inbox_conversation(conn, organization, conversation).await?;
    let Some(mut found) = found else { return Ok(Vec::new()) };
    if standby {
        found.entry.channel_agent_at = Some(now);
        write(conn, std::slice::from_ref(&found.entry)).await?;
    }
    match summary {
        Some(summary) => insert_summary(conn, &found, summary, now).await,
        None => Ok(Vec::new()),
    }
}

/// Stores which responder has control of a conversation from now on. An unknown person becomes a
/// contact, because a member may have to answer the person.
pub async fn hand_over(conn: &mut Conn, new: ThreadHandover, merges: Merges) -> Result<()> {
    conn.transaction(async |conn| {
        lock_position(conn, new.organization).await?;
        let arrival = Arrival {
            organization: new.organization,
            account: new.account,
            person: &new.person,
            new_contact: new.new_contact,
            new_conversation: new.new_conversation,
            change: ConversationChange::touching(new.at),
            at: new.at,
            received_at: new.received_at,
        };
        let mut placed = place(conn, &arrival, merges).await?;
        let mut new_events = placed.events;
        new_events.extend(placed.found.places.begin(new.received_at));
        let id = placed.found.conversation.id;
        if let Some(found) = find_inbox_conversation(conn, new.organization, id).await? {
            new_events.extend(apply(conn, found, new).await?);
        }
        events::record(conn, new_events).await?;
        Ok::<_, Error>(())
    })
    .await
}

async fn apply(
    conn: &mut Conn,
    mut found: InboxConversation,
    new: ThreadHandover,
) -> Result<Vec<NewEvent>> {
    let now = new.received_at;
    // Ignores a report that is older than the last change of control, for example one that is
    // repeated after the agent was resumed.
    if found.entry.channel_control_at.is_some_and(|at| at > new.at) {
        return Ok(Vec::new());
    }
    found.entry =
        InboxEntry { channel_agent_at: Some(now), channel_control_at: Some(new.at), ..found.entry };
    write(conn, std::slice::from_ref(&found.entry)).await?;
    let mut new_events = match new.summary {
        Some(summary) => insert_summary(conn, &found, summary, now).await?,
        None => Vec::new(),
    };
    match new.owner.effect(found.paused_since(), new.at) {
        ControlEffect::Resumes => {
            let (_, event) = resume(conn, found, now).await?;
            new_events.extend(event);
        }
        ControlEffect::Pauses { needs_person } => {
            if needs_person {
                let (called, call) = call_person(conn, found, now).await?;
                found = called;
                new_events.extend(call);
            }
            let until = Some(thread_idle_at(found.conversation.last_inbound_at, now));
            let reason = new.reason.map(|it| shortened(&it, MAX_PAUSE_REASON_LENGTH));
            let paused = AgentPause { cause: PauseCause::Channel, reason, by: None, until };
            let (_, event) = pause(conn, found, paused, now).await?;
            new_events.extend(event);
        }
        ControlEffect::Nothing => {}
    }
    Ok(new_events)
}

/// Writes the channel's summary as a note, unless the last note of the channel has the same text.
/// Returns the event.
async fn insert_summary(
    conn: &mut Conn,
    found: &InboxConversation,
    summary: ChannelSummary,
    now: Timestamp,
) -> Result<Vec<NewEvent>> {
    let (organization, conversation) = (found.conversation.organization_id, found.conversation.id);
    let text = shortened(&summary.text, MAX_NOTE_LENGTH);
    let last = notes::table
        .filter(notes::organization_id.eq(Col(organization)))
        .filter(notes::conversation_id.eq(Col(conversation)))
        .filter(notes::member_id.is_null())
        .filter(notes::client_id.is_null())
        .order(notes::id.desc())
        .limit(1)
        .select(notes::text);
    let last: Option<String> = last.get_result(conn).await.optional()?;
    if last.as_ref() == Some(&text) {
        return Ok(Vec::new());
    }
    let note = Note {
        organization_id: organization,
        id: summary.note,
        conversation_id: conversation,
        text,
        member_id: None,
        client_id: None,
        author_name: AUTHOR.to_owned(),
        created_at: now,
    };
    diesel::insert_into(notes::table).values(&note).execute(conn).await?;
    let payload = EventPayload::Note(Box::new(note.snapshot()));
    let account = found.conversation.account_id;
    Ok(vec![NewEvent::for_account(organization, account, EventKind::NoteCreated, payload, now)])
}

fn shortened(text: &str, most: usize) -> String {
    text.chars().take(most).collect()
}
