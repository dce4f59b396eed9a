//! Stores messages that arrive from the channel.
use super::arrivals::{Arrival, PlacedArrival, place};
use super::channel_agents::observe;
use super::conversation_upsert::Found;
use super::inbox::lock_position;
use super::{Conn, RunQueryDsl, Transactional, events};
use crate::cached::Cached;
use crate::records::{
    Conversation, Fetch, Inbound, InboundOutcome, Merges, Message, NewMessage, erased_channel_id,
};
use crate::schema::{fetches, messages, outbox};
use crate::types::{Col, Document};
use crate::{Error, Result};
use diesel::prelude::*;
use domain::acceptance::{ConversationChange, MessagePlacement};
use domain::id::{ConversationId, MessageId, OrganizationId};
use domain::inbound::ReportedAuthor;
use domain::media::FetchStep;
use domain::message::Direction;
use domain::time::Timestamp;

/// Stores a message from a contact, or a message that was sent outside of this service: by a person
/// at the business with the phone, or by the channel's own agent. A repeated report stores nothing.
pub async fn receive(conn: &mut Conn, new: Inbound, merges: Merges) -> Result<InboundOutcome> {
    conn.transaction(async |conn| {
        let is_observed = new.standby || new.summary.is_some();
        if is_observed {
            lock_position(conn, new.organization).await?;
        }
        if on_channel(conn, &new, &new.channel_message_id).await?.is_some() {
            return Ok(InboundOutcome::Repeated);
        }
        let reply_to = match &new.answers {
            Some(answered) => on_channel(conn, &new, answered).await?,
            None => None,
        };
        let direction = new.author.direction();
        let change = match new.author {
            ReportedAuthor::Contact => ConversationChange::receiving(new.at),
            ReportedAuthor::Phone => ConversationChange::echoing(new.message, new.at),
            ReportedAuthor::ChannelAgent => ConversationChange::observing(new.at),
        };
        let arrival = Arrival {
            organization: new.organization,
            account: new.account,
            person: &new.person,
            new_contact: new.new_contact,
            new_conversation: new.new_conversation,
            change,
            at: new.at,
            received_at: new.received_at,
        };
        let PlacedArrival { found: Found { conversation, mut places }, events, last_before } =
            place(conn, &arrival, merges).await?;
        let mut new_events = events;
        let mut placed = match direction {
            Direction::Inbound => places.receive(new.message, new.received_at),
            Direction::Outbound => places.echo(new.message, new.at, new.received_at),
        };
        // A contact's message that is reported late is placed at the end of the conversation,
        // because nobody knew it when the last answers were written. A message that was sent
        // outside of this service is placed by its time.
        if direction == Direction::Outbound && last_before.is_some_and(|last| last > new.at) {
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
            step: FetchStep::File,
        });
        let (organization, received_at) = (new.organization, new.received_at);
        let (standby, summary) = (new.standby, new.summary.clone());
        let row = message(new, &conversation, &placed, reply_to);
        diesel::insert_into(messages::table).values(&row).execute(conn).await?;
        if let Some(fetch) = fetch {
            diesel::insert_into(fetches::table).values(&fetch).execute(conn).await?;
        }
        new_events.extend(placed.events);
        if is_observed {
            let id = conversation.id;
            let observed = observe(conn, organization, id, standby, summary, received_at);
            new_events.extend(observed.await?);
        }
        events::record(conn, new_events).await?;
        Ok::<_, Error>(InboundOutcome::Kept)
    })
    .await
}

/// Returns the message with this channel id on the account of a new message, also if its contact
/// was deleted, so that a repeated report does not store the message again.
async fn on_channel(conn: &mut Conn, new: &Inbound, channel_id: &str) -> Result<Option<MessageId>> {
    let with_id = |id: String| {
        messages::table
            .filter(messages::organization_id.eq(Col(new.organization)))
            .filter(messages::account_id.eq(Col(new.account)))
            .filter(messages::channel_message_id.eq(id))
            .select(messages::id)
    };
    // Two lookups by equality use the index with any plan. For a list of ids, PostgreSQL keeps a
    // plan that reads the whole table if it made the plan while the table was small.
    let erased = with_id(erased_channel_id(channel_id));
    let known = with_id(channel_id.to_owned()).union_all(erased);
    let known: Vec<Col<MessageId>> = Cached(known).load(conn).await?;
    Ok(known.into_iter().next().map(|id| id.0))
}

/// Increments the positions of a conversation's messages that are later than `at`. `end` is the
/// first free position at the end. Returns the position that becomes free.
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
    // The messages are locked in the order in which callbacks lock them, to avoid deadlocks.
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
    // The rows get negative positions first, because the next position may still be used by another
    // row.
    let below = outbox::position.eq((outbox::position + 1) * -1);
    let later = waiting().filter(outbox::position.ge(free));
    diesel::update(later).set(below).execute(conn).await?;
    let above = outbox::position.eq(outbox::position * -1);
    diesel::update(waiting().filter(outbox::position.lt(0))).set(above).execute(conn).await?;
    Ok(free)
}

fn message(
    new: Inbound,
    conversation: &Conversation,
    placed: &MessagePlacement,
    reply_to: Option<MessageId>,
) -> Message {
    let is_echo = new.author.direction() == Direction::Outbound;
    let row = NewMessage {
        id: new.message,
        organization: new.organization,
        account: new.account,
        conversation: conversation.id,
        contact: conversation.contact_id,
        position: placed.position,
        direction: placed.direction,
        source: new.author.source(),
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
