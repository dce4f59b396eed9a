//! Accepts outbound messages, in batches.
use super::{Conn, events, idempotency, inserts, usage};
use crate::cached::Cached;
use crate::rows::{
    Conversation, Message, MessageSubmission, NewMessage, PlacedMessage, SubmissionOutcome,
};
use crate::schema::{contacts, conversations, messages, outbox};
use crate::types::Col;
use crate::{Error, Result};
use diesel::prelude::*;
use diesel::upsert::excluded;
use diesel_async::{AsyncConnection, RunQueryDsl};
use domain::acceptance::{self, Admission, ConversationChange, ConversationRead, Places, Proposed};
use domain::event::Event;
use domain::id::{AccountId, ContactId, ConversationId, OrganizationId};
use domain::plan::{Meter, Usage};
use domain::time::Timestamp;
use std::collections::BTreeMap;

/// What a conversation is known by before its id is known.
pub(super) type Line = (OrganizationId, AccountId, String);

/// Takes messages in with their conversations, counts, answers and deliveries: all or none.
///
/// Rows are locked in one order everywhere (usage, then conversations, then counters of events, each by
/// key), lest two batches wait for each other.
pub async fn send(
    conn: &mut Conn,
    batch: Vec<MessageSubmission>,
) -> Result<Vec<SubmissionOutcome>> {
    conn.transaction(async |conn| {
        let mut outcomes: Vec<Option<SubmissionOutcome>> = Vec::with_capacity(batch.len());
        for new in &batch {
            outcomes.push(answered(conn, new).await?);
        }
        let reached = allow(conn, &batch, &mut outcomes).await?;
        let accepted: Vec<(usize, &MessageSubmission)> = batch
            .iter()
            .enumerate()
            .filter(|(index, _)| matches!(outcomes.get(*index), Some(None)))
            .collect();
        let (placed, mut new_events) = place(conn, &accepted).await?;
        let mut answers = Vec::new();
        for ((index, new), placed) in accepted.into_iter().zip(placed) {
            if let Some((request, render)) = &new.idempotent {
                answers.push((request, render(&placed)?, new.at));
            }
            if let Some(outcome) = outcomes.get_mut(index) {
                *outcome = Some(SubmissionOutcome::Accepted(placed));
            }
        }
        // In one order, lest two instances that are sent the same requests wait for each other.
        answers.sort_by(|(one, ..), (other, ..)| {
            (one.key, one.path, &one.name).cmp(&(other.key, other.path, &other.name))
        });
        for (request, answer, at) in answers {
            idempotency::store_answer(conn, request.clone(), answer, at).await?;
        }
        new_events.extend(reached);
        events::record(conn, new_events).await?;
        let all: Option<Vec<SubmissionOutcome>> = outcomes.into_iter().collect();
        all.ok_or_else(|| Error::Unknown("a message of the batch got no outcome".to_owned()))
    })
    .await
}

/// The answer that another instance gave to the same request in the meantime.
async fn answered(conn: &mut Conn, new: &MessageSubmission) -> Result<Option<SubmissionOutcome>> {
    let Some((request, _)) = &new.idempotent else {
        return Ok(None);
    };
    let (key, name) = (request.key, request.name.clone());
    let stored = idempotency::stored_answer(conn, key, request.path, name, request.cutoff).await?;
    Ok(stored.map(SubmissionOutcome::Answered))
}

/// Counts the messages against their months' allowances and refuses those that go beyond; returns what is
/// to be notified of allowances that are reached.
async fn allow(
    conn: &mut Conn,
    batch: &[MessageSubmission],
    outcomes: &mut [Option<SubmissionOutcome>],
) -> Result<Vec<Event>> {
    let mut more = BTreeMap::new();
    for (new, outcome) in batch.iter().zip(outcomes.iter()) {
        if outcome.is_none() {
            *more.entry((new.organization, new.month.number)).or_insert(0) += 1;
        }
    }
    let totals = usage::add(conn, Meter::Messages, &more).await?;
    let mut counts = usage::counts_before(&totals, &more)?;
    let (mut back, mut reached) = (BTreeMap::new(), BTreeMap::new());
    for (new, outcome) in batch.iter().zip(outcomes.iter_mut()) {
        if outcome.is_some() {
            continue;
        }
        let at = (new.organization, new.month.number);
        let count = counts.get_mut(&at);
        let count =
            count.ok_or_else(|| Error::Unknown("a month's count went missing".to_owned()))?;
        let Admission { admitted, used, announces_limit } = count.admit(new.allowance);
        if !admitted {
            *back.entry(at).or_insert(0) -= 1;
            *outcome = Some(SubmissionOutcome::AllowanceReached { used });
        }
        if announces_limit {
            reached.insert(at, (new, used));
        }
    }
    if !back.is_empty() {
        usage::add(conn, Meter::Messages, &back).await?;
    }
    record_reached_limits(conn, reached).await
}

/// Notes that these allowances are reached, and says so, each once a month.
async fn record_reached_limits(
    conn: &mut Conn,
    reached: BTreeMap<(OrganizationId, i32), (&MessageSubmission, u32)>,
) -> Result<Vec<Event>> {
    let mut new_events = Vec::new();
    for ((organization, period), (new, used)) in reached {
        let usage = Usage { limit: new.allowance, used, resets_at: new.month.ends_at };
        if usage::mark_limit_reported(conn, organization, Meter::Messages, period, used).await? {
            let reached = (Meter::Messages, usage);
            new_events.push(Event::of_limit(organization, reached, new.at));
        }
    }
    Ok(new_events)
}

/// Gives each message its place in its conversation, and puts it into the outbox; returns the places, and
/// what is to be told.
async fn place(
    conn: &mut Conn,
    accepted: &[(usize, &MessageSubmission)],
) -> Result<(Vec<PlacedMessage>, Vec<Event>)> {
    let mut lines = upsert(conn, changed(accepted)).await?;
    let (mut rows, mut deliveries) = (Vec::new(), Vec::new());
    let (mut placed, mut new_events) = (Vec::new(), Vec::new());
    for (_, new) in accepted {
        let found = lines.get_mut(&line(new));
        let found =
            found.ok_or_else(|| Error::Unknown("a conversation went missing".to_owned()))?;
        let place = PlacedMessage {
            conversation: found.conversation.id.0,
            contact: found.conversation.contact_id.0,
            last_inbound_at: found.conversation.last_inbound_at.map(|at| at.0),
        };
        let message = found.places.accept(&proposed(new));
        deliveries.push((
            outbox::conversation_id.eq(Col(place.conversation)),
            outbox::position.eq(message.position),
            outbox::message_id.eq(Col(new.message)),
            outbox::attempts.eq(0),
            outbox::accepted_at.eq(Col(new.at)),
        ));
        rows.push(outbound(new, &place, &message));
        new_events.extend(message.events);
        placed.push(place);
    }
    for rows in inserts(&rows) {
        Cached(diesel::insert_into(messages::table).values(rows)).execute(conn).await?;
    }
    for deliveries in inserts(&deliveries) {
        Cached(diesel::insert_into(outbox::table).values(deliveries)).execute(conn).await?;
    }
    Ok((placed, new_events))
}

fn line(new: &MessageSubmission) -> Line {
    (new.organization, new.account, new.phone_number.clone())
}

const fn proposed(new: &MessageSubmission) -> Proposed {
    Proposed { message: new.message, free_form: new.free_form, at: new.at }
}

/// What the messages change in their conversations.
fn changed(accepted: &[(usize, &MessageSubmission)]) -> Vec<Conversation> {
    let mut changes: BTreeMap<Line, (&MessageSubmission, ConversationChange)> = BTreeMap::new();
    for (_, new) in accepted {
        let change = ConversationChange::sending(&proposed(new));
        changes
            .entry(line(new))
            .and_modify(|(_, earlier)| *earlier = earlier.then(change))
            .or_insert((new, change));
    }
    let row = |(first, change): (&MessageSubmission, ConversationChange)| {
        let MessageSubmission { organization, account, new_conversation, new_contact, .. } = *first;
        let ids = (organization, account, new_conversation, new_contact);
        conversation(ids, first.phone_number.clone(), first.at, change)
    };
    changes.into_values().map(row).collect()
}

/// The row of a conversation, should it be new, and otherwise what is merged into the one that there is.
pub(super) fn conversation(
    (organization, account, id, contact): (OrganizationId, AccountId, ConversationId, ContactId),
    phone_number: String,
    at: Timestamp,
    change: ConversationChange,
) -> Conversation {
    Conversation {
        id: Col(id),
        organization_id: Col(organization),
        account_id: Col(account),
        contact_id: Col(contact),
        phone_number,
        agent_paused: change.paused_by.is_some(),
        message_count: change.messages,
        last_message_at: Col(change.last_message_at),
        last_inbound_at: None,
        created_at: Col(at),
        outbox_due_at: change.outbox_due_at.map(Col),
        agent_paused_by: change.paused_by.map(Col),
    }
}

fn outbound(
    new: &MessageSubmission,
    place: &PlacedMessage,
    message: &acceptance::PlacedMessage,
) -> Message {
    let row = NewMessage {
        id: new.message,
        organization: new.organization,
        account: new.account,
        conversation: place.conversation,
        contact: place.contact,
        position: message.position,
        direction: message.direction,
        source: new.source,
        kind: new.kind,
        content: new.content.clone(),
        status: message.status,
        at: new.at,
    };
    Message {
        client_ref: new.client_ref.clone(),
        metadata: new.metadata.clone(),
        reply_to: new.reply_to.map(Col),
        ..row.into()
    }
}

/// A conversation as it is, and the places of the messages of this batch in it.
pub(super) struct Found {
    pub conversation: Conversation,
    pub places: Places,
}

/// Makes the conversations that are new, with their contacts, and counts on those that are not.
pub(super) async fn upsert(
    conn: &mut Conn,
    touched: Vec<Conversation>,
) -> Result<BTreeMap<Line, Found>> {
    let line =
        |row: &Conversation| (row.organization_id.0, row.account_id.0, row.phone_number.clone());
    let asked: BTreeMap<Line, (ConversationId, i64)> =
        touched.iter().map(|row| (line(row), (row.id.0, row.message_count))).collect();
    let mut lines = BTreeMap::new();
    let mut new_contacts = Vec::new();
    for touched in inserts(&touched) {
        let upsert = diesel::insert_into(conversations::table)
            .values(touched)
            .on_conflict((
                conversations::organization_id,
                conversations::phone_number,
                conversations::account_id,
            ))
            .do_update()
            .set((
                conversations::message_count
                    .eq(conversations::message_count + excluded(conversations::message_count)),
                conversations::agent_paused
                    .eq(conversations::agent_paused.or(excluded(conversations::agent_paused))),
                // Whoever paused it stays the one who did.
                conversations::agent_paused_by.eq(diesel::dsl::case_when(
                    conversations::agent_paused,
                    conversations::agent_paused_by,
                )
                .otherwise(excluded(conversations::agent_paused_by))),
                conversations::last_message_at.eq(excluded(conversations::last_message_at)),
                // Something waits already, perhaps for a retry: that stays as it is.
                conversations::outbox_due_at.eq(diesel::dsl::case_when(
                    conversations::outbox_due_at.is_null(),
                    excluded(conversations::outbox_due_at),
                )
                .otherwise(conversations::outbox_due_at)),
            ))
            .returning(Conversation::as_returning());
        for conversation in Cached(upsert).load::<Conversation>(conn).await? {
            let line = line(&conversation);
            let found = asked.get(&line).copied();
            let (proposed, more) = found.ok_or_else(|| {
                Error::Unknown("a conversation that was not requested".to_owned())
            })?;
            let new = proposed == conversation.id.0;
            if new {
                new_contacts.push((
                    contacts::id.eq(conversation.contact_id),
                    contacts::organization_id.eq(conversation.organization_id),
                    contacts::account_id.eq(conversation.account_id),
                    contacts::phone_number.eq(conversation.phone_number.clone()),
                    contacts::created_at.eq(conversation.created_at),
                ));
            }
            let read = read(&conversation, new);
            lines.insert(line, Found { conversation, places: Places::new(read, more) });
        }
    }
    for new in inserts(&new_contacts) {
        Cached(diesel::insert_into(contacts::table).values(new)).execute(conn).await?;
    }
    Ok(lines)
}

fn read(conversation: &Conversation, is_new: bool) -> ConversationRead {
    ConversationRead {
        organization: conversation.organization_id.0,
        account: conversation.account_id.0,
        conversation: conversation.id.0,
        contact: conversation.contact_id.0,
        messages: conversation.message_count,
        paused_by: conversation.agent_paused_by.map(|id| id.0),
        is_new,
    }
}
