//! Stores messages that the channel brings.
use super::contacts::{self, Book};
use super::people::{Numbers, known};
use super::placement::{Found, Touched, insert_contacts, lead_elsewhere, new_numbers, upsert};
use super::{Conn, RunQueryDsl, Transactional, events};
use crate::records::{Conversation, Fetch, Inbound, InboundOutcome, Merges, Message, NewMessage};
use crate::schema::{fetches, messages};
use crate::types::{Col, Document};
use crate::{Error, Result};
use diesel::prelude::*;
use domain::acceptance::{ConversationChange, PlacedMessage};
use domain::contact::{Address, Judgement, Known, Step, of_message};
use domain::conversation::Source;
use domain::event::Event;
use domain::id::MessageId;
use domain::message::Direction;
use std::sync::Arc;

/// Takes in what a person wrote, or somebody at the business from the phone, once.
pub async fn receive(conn: &mut Conn, new: Inbound, merges: Merges) -> Result<InboundOutcome> {
    conn.transaction(async |conn| {
        if on_channel(conn, &new, &new.channel_message_id).await?.is_some() {
            return Ok(InboundOutcome::Repeated);
        }
        let reply_to = match &new.answers {
            Some(answered) => on_channel(conn, &new, answered).await?,
            None => None,
        };
        let (Found { conversation, mut places }, mut new_events) =
            place(conn, &new, merges).await?;
        let placed = match new.direction {
            Direction::Inbound => places.receive(new.message, new.received_at),
            Direction::Outbound => places.echo(new.message, new.received_at),
        };
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

/// The message that the channel knows by that id, of the number to which a new one came.
async fn on_channel(conn: &mut Conn, new: &Inbound, channel_id: &str) -> Result<Option<MessageId>> {
    let known = messages::table
        .filter(messages::organization_id.eq(Col(new.organization)))
        .filter(messages::account_id.eq(Col(new.account)))
        .filter(messages::channel_message_id.eq(channel_id))
        .select(messages::id)
        .get_result::<Col<MessageId>>(conn)
        .await;
    Ok(known.optional()?.map(|id| id.0))
}

/// Finds out who the person is, and gives the message its place; returns also the events of who they are.
async fn place(conn: &mut Conn, new: &Inbound, merges: Merges) -> Result<(Found, Vec<Event>)> {
    let (organization, account) = (new.organization, new.account);
    let book = Book { organization, account, now: new.received_at, merges };
    let found = contacts::found(conn, &book, [&new.person, &new.person]).await?;
    let numbers = if contacts::is_plain(&found, &new.person) {
        Numbers::new()
    } else {
        contacts::numbers(conn, &book, &found).await?
    };
    let known = known(&found, &numbers)?;
    let judgement = of_message(&known, &new.person, new.at);
    let address = address_of(&known, &judgement);
    let person = judgement.person.and_then(|it| contacts::person_of(&found, &judgement, it));
    let new_events = contacts::apply(conn, &book, found, &judgement).await?;
    let address = address.ok_or(Error::Moved)?;
    let ids = (organization, account, new.new_conversation, new.new_contact);
    let change = match new.direction {
        Direction::Inbound => ConversationChange::receiving(new.at),
        Direction::Outbound => ConversationChange::echoing(new.message, new.at),
    };
    let touched = Touched::new(ids, &address, judgement.new, new.at, change);
    let (found, new_contacts) = upsert(shared!(conn), vec![touched]).await?;
    insert_contacts(shared!(conn), &new_contacts).await?;
    let numbers = new_numbers(&new_contacts);
    if !numbers.is_empty() && lead_elsewhere(shared!(conn), numbers).await? {
        return Err(Error::Moved);
    }
    let found = found.into_values().next();
    let found = found.ok_or_else(|| Error::Unknown("a conversation went missing".to_owned()))?;
    // Somebody else has made the same person known meanwhile: all of this is judged again.
    let expected = judgement.person.unwrap_or(new.new_contact);
    if found.conversation.contact_id == expected {
        let places = found.places.with(person.map(Arc::new));
        Ok((Found { places, ..found }, new_events))
    } else {
        Err(Error::Moved)
    }
}

/// The address that leads to the person's conversation once what was judged is done.
fn address_of(known: &[Known], judgement: &Judgement) -> Option<Address> {
    let Some(person) = judgement.person else { return judgement.new.address() };
    let updated = judgement.steps.iter().rev().find_map(|step| match step {
        Step::Update(update) if update.contact == person => Some(update.after.address()),
        _ => None,
    });
    let known = known.iter().find(|it| it.contact == person);
    updated.unwrap_or_else(|| known.and_then(|it| it.identity.address()))
}

fn message(
    new: Inbound,
    conversation: &Conversation,
    placed: &PlacedMessage,
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
        source: if is_echo { Source::Phone } else { Source::Customer },
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
