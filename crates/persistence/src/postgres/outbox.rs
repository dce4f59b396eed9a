//! The outbox statements for PostgreSQL: one statement for any number of rows.
use super::{Conn, SharedConn};
use crate::Result;
use crate::cached::Cached;
use crate::records::{DueConversation, WaitingMessage};
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

/// Returns what the sending of messages needs to know of these conversations. Each is looked up by
/// itself (`OFFSET 0` forbids a join): without statistics, PostgreSQL would read all conversations of
/// the organization.
pub async fn waiting_conversations(
    conn: &mut Conn,
    organization: OrganizationId,
    within: &[Col<ConversationId>],
) -> Result<Vec<DueConversation>> {
    if within.is_empty() {
        return Ok(Vec::new());
    }
    let select = "SELECT found.* FROM unnest($2) AS due (id) \
                  CROSS JOIN LATERAL ( \
                      SELECT conversations.id AS conversation_id, \
                          conversations.phone_number AS address, conversations.has_merged, \
                          conversations.agent_paused, accounts.id, accounts.channel, \
                          accounts.phone_number_id, accounts.waba_id, accounts.access_token, \
                          accounts.health, accounts.health_reason, accounts.health_message, \
                          accounts.probe_due_at, accounts.held_by_status, accounts.restriction, \
                          accounts.restricted_until, accounts.pace, accounts.paced_at \
                      FROM conversations JOIN accounts ON accounts.id = conversations.account_id \
                      WHERE conversations.organization_id = $1 AND conversations.id = due.id \
                      OFFSET 0 \
                  ) AS found";
    let select =
        diesel::sql_query(select).bind::<Uid, _>(Col(organization)).bind::<Array<Uid>, _>(within);
    Ok(Cached(select).load(conn).await?)
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
