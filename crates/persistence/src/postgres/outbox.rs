//! The outbox's statements for PostgreSQL: one statement for any number of rows.
use super::{Conn, SharedConn};
use crate::Result;
use crate::cached::Cached;
use crate::records::Waiting;
use crate::types::{Col, Uid};
use diesel::sql_types::{Array, BigInt, Text};
use diesel_async::RunQueryDsl;
use domain::id::{ConversationId, MessageId, OrganizationId};

/// The channel's ids of an organization's messages that it has taken. The messages are locked in the order of their ids, as
/// `advance` locks them.
pub async fn record_channel_ids(
    conn: &mut SharedConn<'_>,
    organization: OrganizationId,
    ids: &[(MessageId, String)],
) -> Result<()> {
    if ids.is_empty() {
        return Ok(());
    }
    let (messages, channel_ids): (Vec<_>, Vec<_>) =
        ids.iter().map(|(message, id)| (Col(*message), id.as_str())).unzip();
    // Not a join: without statistics PostgreSQL would read all messages of the organization to have them in order. And not the
    // element alone: Citus (13.2.2) crashes where a column is set to an element of an array.
    let update = "UPDATE messages SET channel_message_id = coalesce( \
                      ($3::text[])[array_position($2::uuid[], messages.id)], messages.channel_message_id) \
                  WHERE messages.organization_id = $1 AND messages.id = ANY(ARRAY( \
                      SELECT id FROM messages WHERE messages.organization_id = $1 \
                      AND messages.id = ANY($2) ORDER BY id FOR NO KEY UPDATE))";
    let update = diesel::sql_query(update)
        .bind::<Uid, _>(Col(organization))
        .bind::<Array<Uid>, _>(messages)
        .bind::<Array<Text>, _>(channel_ids);
    Cached(update).execute(conn).await?;
    Ok(())
}

/// The first messages that wait in each of these conversations, in order, `most` of each. For each
/// conversation the index is read from its first row on, however many wait behind. The limit is part of the
/// text: a plan for any limit would suppose a long one, and read all there are.
pub async fn first_waiting(
    conn: &mut Conn,
    organization: OrganizationId,
    within: &[Col<ConversationId>],
    most: i64,
) -> Result<Vec<Waiting>> {
    let select = format!(
        "SELECT waiting.* FROM unnest($2) AS claimed (id) \
         CROSS JOIN LATERAL ( \
             SELECT outbox.conversation_id, outbox.message_id, outbox.position, \
                 messages.type AS kind, messages.content, messages.content_format, \
                 messages.reply_to, messages.status, messages.channel_message_id, \
                 outbox.attempts, outbox.accepted_at \
             FROM outbox JOIN messages ON messages.organization_id = outbox.organization_id \
                 AND messages.id = outbox.message_id \
             WHERE outbox.organization_id = $1 AND outbox.conversation_id = claimed.id \
             ORDER BY outbox.position LIMIT {most} \
         ) AS waiting \
         ORDER BY waiting.conversation_id, waiting.position"
    );
    let select =
        diesel::sql_query(select).bind::<Uid, _>(Col(organization)).bind::<Array<Uid>, _>(within);
    Ok(Cached(select).load(conn).await?)
}

/// These messages of an organization, by their places in their conversations, wait no longer; returns how many did.
pub async fn remove_waiting(
    conn: &mut SharedConn<'_>,
    organization: OrganizationId,
    gone: &[(ConversationId, i64, MessageId)],
) -> Result<usize> {
    if gone.is_empty() {
        return Ok(0);
    }
    let (mut conversations, mut positions, mut messages) = (Vec::new(), Vec::new(), Vec::new());
    for (conversation, position, message) in gone.iter().copied() {
        conversations.push(Col(conversation));
        positions.push(position);
        messages.push(Col(message));
    }
    let delete = "DELETE FROM outbox \
                  USING unnest($2, $3, $4) AS gone (conversation_id, position, message_id) \
                  WHERE outbox.organization_id = $1 \
                  AND outbox.conversation_id = gone.conversation_id \
                  AND outbox.position = gone.position AND outbox.message_id = gone.message_id";
    let delete = diesel::sql_query(delete)
        .bind::<Uid, _>(Col(organization))
        .bind::<Array<Uid>, _>(conversations)
        .bind::<Array<BigInt>, _>(positions)
        .bind::<Array<Uid>, _>(messages);
    Ok(Cached(delete).execute(conn).await?)
}
