//! Stores messages that arrive from the channel.
use super::contacts::{self, ContactScope};
use super::conversation_upsert::{
    Found, Touched, insert_contacts, lead_elsewhere, new_numbers, upsert,
};
use super::people::{Numbers, known_contacts};
use super::{Conn, RunQueryDsl, Transactional, events};
use crate::records::{
    Conversation, ConversationWithContact, Fetch, Inbound, InboundOutcome, Merges, Message,
    NewMessage, erased_channel_id,
};
use crate::schema::{fetches, messages, outbox};
use crate::types::{Col, Document};
use crate::{Error, Result};
use diesel::prelude::*;
use domain::acceptance::{ConversationChange, MessagePlacement};
use domain::contact::{Address, KnownContact, MatchResult, RecognitionStep, match_message};
use domain::conversation::MessageSource;
use domain::event::NewEvent;
use domain::id::{ContactId, ConversationId, MessageId, OrganizationId};
use domain::message::Direction;
use domain::time::Timestamp;
use std::sync::Arc;

/// Stores a message from a contact, or one that somebody at the business wrote on the phone, once.
pub async fn receive(conn: &mut Conn, new: Inbound, merges: Merges) -> Result<InboundOutcome> {
    conn.transaction(async |conn| {
        if on_channel(conn, &new, &new.channel_message_id).await?.is_some() {
            return Ok(InboundOutcome::Repeated);
        }
        let reply_to = match &new.answers {
            Some(answered) => on_channel(conn, &new, answered).await?,
            None => None,
        };
        let (Found { conversation, mut places }, mut new_events, last_before) =
            place(conn, &new, merges).await?;
        let mut placed = match new.direction {
            Direction::Inbound => places.receive(new.message, new.received_at),
            Direction::Outbound => places.echo(new.message, new.received_at),
        };
        // A contact's message goes to the place where it arrived, because whoever answered had read
        // the messages before it. A message that the business sent from the phone goes to the place
        // of its time, however late it is reported.
        if new.direction == Direction::Outbound && last_before.is_some_and(|last| last > new.at) {
            placed.position =
                make_room(conn, new.organization, conversation.id, new.at, placed.position).await?;
        }
        let fetch = new.file.clone().map(|file_id| Fetch {
            organization_id: new.organization,
            message_id: new.message,
            account_id: new.account,
            file_id,
            attempts: 0.into(),
            due_at: new.received_at,
            received_at: new.received_at,
        });
        let row = message(new, &conversation, &placed, reply_to);
        diesel::insert_into(messages::table).values(&row).execute(conn).await?;
        if let Some(fetch) = fetch {
            diesel::insert_into(fetches::table).values(&fetch).execute(conn).await?;
        }
        new_events.extend(placed.events);
        events::record(conn, new_events).await?;
        Ok::<_, Error>(InboundOutcome::Kept)
    })
    .await
}

/// Returns the message with this channel id on the account of a new message, also if its contact was
/// deleted, so that a repeated report does not store it again.
async fn on_channel(conn: &mut Conn, new: &Inbound, channel_id: &str) -> Result<Option<MessageId>> {
    let known = messages::table
        .filter(messages::organization_id.eq(Col(new.organization)))
        .filter(messages::account_id.eq(Col(new.account)))
        .filter(
            messages::channel_message_id
                .eq_any([Some(channel_id.to_owned()), Some(erased_channel_id(channel_id))]),
        )
        .select(messages::id)
        .get_result::<Col<MessageId>>(conn)
        .await;
    Ok(known.optional()?.map(|id| id.0))
}

/// Identifies the contact and places the message at the end of its conversation. Also returns the
/// events about the contact, and the time of the previous last message.
async fn place(
    conn: &mut Conn,
    new: &Inbound,
    merges: Merges,
) -> Result<(Found, Vec<NewEvent>, Option<Timestamp>)> {
    let (organization, account) = (new.organization, new.account);
    let scope = ContactScope { organization, account, now: new.received_at, merges };
    let found = contacts::found(conn, &scope, [&new.person, &new.person]).await?;
    let numbers = if contacts::is_plain(&found, &new.person) {
        Numbers::new()
    } else {
        contacts::numbers(conn, &scope, &found).await?
    };
    let known = known_contacts(&found, &numbers)?;
    let judgement = match_message(&known, &new.person, new.at);
    let last_before = last_message(&found, &judgement);
    let address = address_of(&known, &judgement);
    let person = judgement.person.and_then(|it| contacts::person_of(&found, &judgement, it));
    let new_events = contacts::apply(conn, &scope, found, &judgement).await?;
    let address = address.ok_or(Error::Moved)?;
    let ids = (organization, account, new.new_conversation, new.new_contact);
    let mut change = match new.direction {
        Direction::Inbound => ConversationChange::receiving(new.at),
        Direction::Outbound => ConversationChange::echoing(new.message, new.at),
    };
    change.last_message_at = last_before.max(Some(new.at)).unwrap_or(new.at);
    let touched = Touched::new(ids, &address, judgement.new, new.at, change);
    let (found, new_contacts) = upsert(shared!(conn), vec![touched]).await?;
    insert_contacts(shared!(conn), &new_contacts).await?;
    let numbers = new_numbers(&new_contacts);
    if !numbers.is_empty() && lead_elsewhere(shared!(conn), numbers).await? {
        return Err(Error::Moved);
    }
    let found = found.into_values().next();
    let found = found.ok_or_else(|| Error::Internal("a conversation went missing".to_owned()))?;
    // Another transaction has stored the same contact in the meantime. The caller starts again.
    let expected = judgement.person.unwrap_or(new.new_contact);
    if found.conversation.contact_id == expected {
        let places = found.places.with(person.map(Arc::new));
        Ok((Found { places, ..found }, new_events, last_before))
    } else {
        Err(Error::Moved)
    }
}

/// Moves the messages of a conversation that are later than `at` back by one place. `end` is the
/// free place at the end. Returns the place that becomes free.
async fn make_room(
    conn: &mut Conn,
    organization: OrganizationId,
    conversation: ConversationId,
    at: Timestamp,
    end: i64,
) -> Result<i64> {
    let conversation_messages = || {
        messages::table
            .filter(messages::organization_id.eq(Col(organization)))
            .filter(messages::conversation_id.eq(Col(conversation)))
    };
    let before = conversation_messages()
        .filter(messages::created_at.le(Col(at)))
        .order(messages::position.desc())
        .limit(1)
        .select(messages::position);
    let before: Option<i64> = before.get_result(conn).await.optional()?;
    let free = before.map_or(1, |before| before + 1);
    if free >= end {
        return Ok(end);
    }
    // Locks in the order in which reports lock, so that the two cannot deadlock.
    let later = || conversation_messages().filter(messages::position.ge(free));
    let locked = later().order(messages::id).select(messages::id);
    for_update!(locked).load::<Col<MessageId>>(conn).await?;
    let moved = messages::position.eq(messages::position + 1);
    diesel::update(later()).set(moved).execute(conn).await?;
    let waiting = || {
        outbox::table
            .filter(outbox::organization_id.eq(Col(organization)))
            .filter(outbox::conversation_id.eq(Col(conversation)))
    };
    // Moves them to negative places first, because the place above may be taken.
    let below = outbox::position.eq((outbox::position + 1) * -1);
    let later = waiting().filter(outbox::position.ge(free));
    diesel::update(later).set(below).execute(conn).await?;
    let above = outbox::position.eq(outbox::position * -1);
    diesel::update(waiting().filter(outbox::position.lt(0))).set(above).execute(conn).await?;
    Ok(free)
}

/// Returns the time of the last message in the contact's conversation and in those that are merged
/// into it.
fn last_message(found: &[ConversationWithContact], judgement: &MatchResult) -> Option<Timestamp> {
    let person = judgement.person?;
    let joins = |contact: ContactId| {
        let merge = |step: &RecognitionStep| matches!(step, RecognitionStep::Merge { kept, merged } if *kept == person && *merged == contact);
        contact == person || judgement.steps.iter().any(merge)
    };
    let conversations = found.iter().filter(|it| joins(it.contact.id));
    conversations.map(|it| it.conversation.last_message_at).max()
}

/// Returns the address of the contact's conversation after the judgement has been applied.
fn address_of(known: &[KnownContact], judgement: &MatchResult) -> Option<Address> {
    let Some(person) = judgement.person else { return judgement.new.address() };
    let updated = judgement.steps.iter().rev().find_map(|step| match step {
        RecognitionStep::Update(update) if update.contact == person => Some(update.after.address()),
        _ => None,
    });
    let known = known.iter().find(|it| it.contact == person);
    updated.unwrap_or_else(|| known.and_then(|it| it.identity.address()))
}

fn message(
    new: Inbound,
    conversation: &Conversation,
    placed: &MessagePlacement,
    reply_to: Option<MessageId>,
) -> Message {
    let is_echo = new.direction == Direction::Outbound;
    let row = NewMessage {
        id: new.message,
        organization: new.organization,
        account: new.account,
        conversation: conversation.id,
        contact: conversation.contact_id,
        position: placed.position,
        direction: placed.direction,
        source: if is_echo { MessageSource::Phone } else { MessageSource::Customer },
        kind: new.content.kind,
        content: Document(new.content.document),
        status: placed.status,
        at: new.at,
    };
    Message {
        reply_to,
        channel_message_id: Some(new.channel_message_id),
        context: new.context,
        sent_at: is_echo.then_some(new.at),
        ..row.into()
    }
}
