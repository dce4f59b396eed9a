//! The outbox statements for PostgreSQL: one statement for any number of rows.
use super::{Conn, SharedConn};
use crate::Result;
use crate::cached::Cached;
use crate::records::WaitingMessage;
use crate::types::{Col, Uid};
use diesel::sql_types::{Array, Text};
use diesel_async::RunQueryDsl;
use domain::id::{ConversationId, MessageId, OrganizationId};

/// Stores the channel's ids of messages that the channel accepted. The messages are locked in the
/// order of their ids, as in `callbacks::advance`.
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
    // The update uses no join. With a join and without statistics, PostgreSQL would read and sort
    // all messages of the organization. The array element is wrapped in `coalesce` because Citus
    // (13.2.2) crashes if a column is set to a bare element of an array.
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

/// Returns, for each of these conversations, up to `most` of the first waiting messages, in order.
/// The index is read from the first row of each conversation, so the cost does not depend on how
/// many messages wait. The limit is part of the statement's text, because with a limit as a
/// parameter PostgreSQL would plan to read all messages.
pub async fn first_waiting(
    conn: &mut Conn,
    organization: OrganizationId,
    within: &[Col<ConversationId>],
    most: i64,
) -> Result<Vec<WaitingMessage>> {
    let select = format!(
        "SELECT waiting.* FROM unnest($2) AS claimed (id) \
         CROSS JOIN LATERAL ( \
             SELECT outbox.conversation_id, outbox.message_id, outbox.position, \
                 messages.type AS kind, messages.source, messages.content, messages.content_format, \
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
