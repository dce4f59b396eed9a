//! The outbox statements that PostgreSQL runs for many rows at once. SQLite has no round trips to
//! save: a prepared statement runs once per row.
use super::{Conn, RunQueryDsl, SharedConn};
use crate::Result;
use crate::records::{ChannelAccess, DueConversation, WaitingMessage};
use crate::schema::{accounts, conversations, messages, outbox};
use crate::types::Col;
use diesel::prelude::*;
use domain::id::{ConversationId, MessageId, OrganizationId};

/// Stores the channel's ids of messages that the channel accepted.
pub async fn record_channel_ids(
    conn: &mut SharedConn<'_>,
    organization: OrganizationId,
    ids: &[(MessageId, String)],
) -> Result<()> {
    for (message, channel_id) in ids {
        let message = messages::table
            .filter(messages::organization_id.eq(Col(organization)))
            .filter(messages::id.eq(Col(*message)));
        let known = messages::channel_message_id.eq(Some(channel_id));
        prepared!(diesel::update(message).set(known)).execute(conn).await?;
    }
    Ok(())
}

/// Returns what the sending of messages needs to know of these conversations.
pub async fn waiting_conversations(
    conn: &mut Conn,
    organization: OrganizationId,
    within: &[Col<ConversationId>],
) -> Result<Vec<DueConversation>> {
    let mut found = Vec::with_capacity(within.len());
    for id in within {
        let conversation = conversations::table
            .inner_join(accounts::table)
            .filter(conversations::organization_id.eq(Col(organization)))
            .filter(conversations::id.eq(id))
            .select((
                conversations::id,
                ChannelAccess::as_select(),
                conversations::address,
                conversations::has_merged,
                conversations::agent_paused,
            ));
        found.extend(prepared!(conversation).load::<DueConversation>(conn).await?);
    }
    Ok(found)
}

/// Returns, for each of these conversations, up to `most` of the first waiting messages, in order.
pub async fn first_waiting(
    conn: &mut Conn,
    organization: OrganizationId,
    within: &[Col<ConversationId>],
    most: i64,
) -> Result<Vec<WaitingMessage>> {
    let mut waiting = Vec::new();
    for conversation in within {
        let first: Vec<WaitingMessage> = outbox::table
            .inner_join(
                messages::table.on(messages::organization_id
                    .eq(outbox::organization_id)
                    .and(messages::id.eq(outbox::message_id))),
            )
            .filter(outbox::organization_id.eq(Col(organization)))
            .filter(outbox::conversation_id.eq(conversation))
            .order(outbox::position)
            .limit(most)
            .select((
                outbox::conversation_id,
                outbox::message_id,
                outbox::position,
                messages::kind,
                messages::source,
                messages::content,
                messages::content_format,
                messages::reply_to,
                messages::status,
                messages::channel_message_id,
                outbox::attempts,
                outbox::accepted_at,
            ))
            .load(conn)
            .await?;
        waiting.extend(first);
    }
    Ok(waiting)
}
