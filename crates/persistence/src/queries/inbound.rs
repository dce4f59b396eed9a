//! Stores inbound messages.
use super::messages::{Found, conversation, upsert};
use super::{Conn, events};
use crate::rows::{Conversation, Fetch, Inbound, InboundOutcome, Message, NewMessage};
use crate::schema::{conversations, fetches, messages};
use crate::types::Col;
use crate::{Error, Result};
use diesel::prelude::*;
use diesel_async::{AsyncConnection, RunQueryDsl};
use domain::acceptance::{ConversationChange, PlacedMessage};
use domain::conversation::Source;
use domain::id::{AccountId, MessageId};

/// Takes in what a person wrote, once.
pub async fn receive(conn: &mut Conn, new: Inbound) -> Result<InboundOutcome> {
    conn.transaction(async |conn| {
        if on_channel(conn, new.account, &new.channel_message_id).await?.is_some() {
            return Ok(InboundOutcome::Repeated);
        }
        let reply_to = match &new.answers {
            Some(answered) => on_channel(conn, new.account, answered).await?,
            None => None,
        };
        let Found { conversation, mut places } = place(conn, &new).await?;
        let placed = places.receive(new.message, new.received_at);
        let fetch = new.file.clone().map(|file_id| Fetch {
            message_id: Col(new.message),
            account_id: Col(new.account),
            file_id,
            attempts: 0.into(),
            due_at: Col(new.received_at),
            received_at: Col(new.received_at),
        });
        let row = message(new, &conversation, &placed, reply_to);
        diesel::insert_into(messages::table).values(row).execute(conn).await?;
        if let Some(fetch) = fetch {
            diesel::insert_into(fetches::table).values(fetch).execute(conn).await?;
        }
        events::record(conn, placed.events).await?;
        Ok::<_, Error>(InboundOutcome::Kept)
    })
    .await
}

/// The message that the channel knows by that id.
async fn on_channel(
    conn: &mut Conn,
    account: AccountId,
    channel_id: &str,
) -> Result<Option<MessageId>> {
    let known = messages::table
        .filter(messages::account_id.eq(Col(account)))
        .filter(messages::channel_message_id.eq(channel_id))
        .select(messages::id)
        .get_result::<Col<MessageId>>(conn)
        .await;
    Ok(known.optional()?.map(|id| id.0))
}

async fn place(conn: &mut Conn, new: &Inbound) -> Result<Found> {
    let ids = (new.organization, new.account, new.new_conversation, new.new_contact);
    let change = ConversationChange::receiving(new.at);
    let changed = conversation(ids, new.phone_number.clone(), new.at, change);
    let found = upsert(conn, vec![changed]).await?.into_values().next();
    let found = found.ok_or_else(|| Error::Unknown("a conversation went missing".to_owned()))?;
    let earlier =
        conversations::last_inbound_at.is_null().or(conversations::last_inbound_at.lt(Col(new.at)));
    let this = conversations::id.eq(found.conversation.id);
    let opened = conversations::table.filter(this).filter(earlier);
    diesel::update(opened)
        .set(conversations::last_inbound_at.eq(Some(Col(new.at))))
        .execute(conn)
        .await?;
    Ok(found)
}

fn message(
    new: Inbound,
    conversation: &Conversation,
    placed: &PlacedMessage,
    reply_to: Option<MessageId>,
) -> Message {
    let row = NewMessage {
        id: new.message,
        organization: new.organization,
        account: new.account,
        conversation: *conversation.id,
        contact: *conversation.contact_id,
        position: placed.position,
        direction: placed.direction,
        source: Source::Customer,
        kind: new.kind,
        content: new.content,
        status: placed.status,
        at: new.at,
    };
    Message {
        reply_to: reply_to.map(Col),
        channel_message_id: Some(new.channel_message_id),
        ..row.into()
    }
}
