//! Accepts outbound messages, in batches.
use super::placement::{Line, Touched, upsert};
use super::{Conn, events, idempotency, inserts, usage};
use crate::cached::Cached;
use crate::records::{Message, MessageSubmission, NewMessage, PlacedMessage, SubmissionOutcome};
use crate::schema::{messages, outbox};
use crate::types::{Col, Document};
use crate::{Error, Result};
use diesel::prelude::*;
use diesel_async::{AsyncConnection, RunQueryDsl};
use domain::acceptance::{self, Admission, ConversationChange, Proposed};
use domain::contact::Identity;
use domain::event::Event;
use domain::id::OrganizationId;
use domain::plan::{Meter, Usage};
use std::collections::BTreeMap;

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
        let contact = found.conversation.contact_id;
        if new.contact.is_some_and(|meant| meant != contact) {
            return Err(Error::Moved);
        }
        let place = PlacedMessage {
            conversation: found.conversation.id,
            contact,
            last_inbound_at: found.conversation.last_inbound_at,
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
    (new.organization, new.account, new.to.clone())
}

const fn proposed(new: &MessageSubmission) -> Proposed {
    Proposed { message: new.message, free_form: new.free_form, at: new.at }
}

/// What the messages change in their conversations.
fn changed(accepted: &[(usize, &MessageSubmission)]) -> Vec<Touched> {
    let mut changes: BTreeMap<Line, (&MessageSubmission, ConversationChange)> = BTreeMap::new();
    for (_, new) in accepted {
        let change = ConversationChange::sending(&proposed(new));
        changes
            .entry(line(new))
            .and_modify(|(_, earlier)| *earlier = earlier.then(change))
            .or_insert((new, change));
    }
    let row = |((_, _, to), (first, change)): (Line, (&MessageSubmission, ConversationChange))| {
        let MessageSubmission { organization, account, new_conversation, new_contact, .. } = *first;
        let ids = (organization, account, new_conversation, new_contact);
        let identity = Identity::of_address(&to);
        Touched::new(ids, &to, identity, first.at, change)
    };
    changes.into_iter().map(row).collect()
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
        kind: new.content.kind,
        content: Document(new.content.document.clone()),
        status: message.status,
        at: new.at,
    };
    Message {
        client_ref: new.client_ref.clone(),
        metadata: new.metadata.clone(),
        reply_to: new.reply_to,
        ..row.into()
    }
}
