//! Messages on their way to the channel.
use super::{Conn, RunQueryDsl, Transactional, first_waiting, listed};
use crate::cached::Cached;
use crate::records::{ChannelAccess, Claim, Claimed, OutgoingMessage, Waiting};
use crate::schema::{accounts, conversations, instances, messages, outbox};
use crate::types::Col;
use crate::{Error, Result};
use diesel::dsl;
use diesel::prelude::*;
use domain::id::{ConversationId, InstanceId, MessageId, OrganizationId};
use domain::message::Status;
use domain::time::Timestamp;
use std::collections::BTreeMap;

/// The most messages of one conversation that one claim hands out.
const PER_CONVERSATION: i64 = 16;

type Head = (Col<ConversationId>, Col<OrganizationId>, ChannelAccess, Option<String>);

// A conversation whose messages joined another.
diesel::alias! {
    const MERGED: Alias<Merged> = conversations as merged;
}

/// Whether no server is still handing over messages that came here from a conversation which was merged into this one.
/// Only conversations that others were merged into are looked at more closely.
macro_rules! settled {
    () => {{
        let handing_over = MERGED
            .filter(MERGED.field(conversations::organization_id).eq(conversations::organization_id))
            .filter(MERGED.field(conversations::merged_into).eq(conversations::id.nullable()))
            .filter(MERGED.field(conversations::outbox_claimed_by).is_not_null());
        dsl::not(conversations::has_merged).or(dsl::not(dsl::exists(handing_over)))
    }};
}

/// Claims conversations whose next message is due, each for one server until it lets go of it or dies:
/// that keeps the order within a conversation, and one conversation's trouble from the others. Nothing if
/// the others take the server for dead, and have released what it had claimed.
///
/// Select, then update: an `UPDATE … WHERE id IN (SELECT … LIMIT … SKIP LOCKED)` may run its subquery
/// more than once, and so claim more than `limit`.
pub async fn claim(
    conn: &mut Conn,
    by: Claim,
    limit: i64,
    now: Timestamp,
) -> Result<Option<Vec<Claimed>>> {
    conn.transaction(async |conn| {
        // Anyone who takes the server for dead waits for this transaction, and then finds what it claimed.
        let own = instances::table.find(Col(by.instance)).select(instances::id);
        let own: Option<Col<InstanceId>> = kept!(own).get_result(conn).await.optional()?;
        if own.is_none() {
            return Ok(None);
        }
        let due = conversations::table
            .filter(conversations::outbox_due_at.le(Col(now)))
            .filter(conversations::outbox_claimed_by.is_null())
            .order(conversations::outbox_due_at)
            .limit(limit)
            .select(conversations::id);
        let due: Vec<Col<ConversationId>> = unclaimed!(due).load(conn).await?;
        if due.is_empty() {
            return Ok(Some(Vec::new()));
        }
        let claimed = (
            conversations::outbox_claimed_by.eq(Some(Col(by.instance))),
            conversations::outbox_claim.eq(Some(by.number)),
        );
        // Looked at once the rows are locked.
        let free =
            conversations::table.filter(conversations::id.eq_any(listed(&due))).filter(settled!());
        let due: Vec<Col<ConversationId>> =
            Cached(diesel::update(free).set(claimed).returning(conversations::id))
                .load(conn)
                .await?;
        let heads = conversations::table
            .inner_join(accounts::table)
            .filter(conversations::id.eq_any(listed(&due)))
            .select((
                conversations::id,
                conversations::organization_id,
                ChannelAccess::as_select(),
                conversations::address,
            ));
        let heads: Vec<Head> = Cached(heads).load(conn).await?;
        let mut waiting = waiting(conn, &due).await?;
        let claimed = heads.into_iter().map(|(conversation, organization, access, address)| {
            let messages = waiting.remove(&conversation.0).unwrap_or_default();
            let (conversation, organization) = (conversation.0, organization.0);
            Claimed { conversation, organization, access, claim: by, address, messages }
        });
        Ok::<_, Error>(Some(claimed.collect()))
    })
    .await
}

/// The first messages that wait in each of these conversations, in order.
async fn waiting(
    conn: &mut Conn,
    within: &[Col<ConversationId>],
) -> Result<BTreeMap<ConversationId, Vec<OutgoingMessage>>> {
    let rows = first_waiting(conn, within, PER_CONVERSATION).await?;
    let answered =
        channel_ids(conn, rows.iter().filter_map(|row| row.reply_to.map(Col)).collect()).await?;
    let mut waiting: BTreeMap<_, Vec<OutgoingMessage>> = BTreeMap::new();
    for row in rows {
        let Waiting { conversation_id, message_id, reply_to, .. } = row;
        waiting.entry(conversation_id).or_default().push(OutgoingMessage {
            message: message_id,
            position: row.position,
            kind: row.kind,
            content: row.content,
            content_format: row.content_format,
            reply_to,
            answers: reply_to.and_then(|id| answered.get(&id).cloned()),
            reported: row.status != Status::Queued || row.channel_message_id.is_some(),
            attempts: *row.attempts,
            accepted_at: row.accepted_at,
        });
    }
    Ok(waiting)
}

/// The channel's ids of these messages, of those that it knows.
async fn channel_ids(
    conn: &mut Conn,
    of: Vec<Col<MessageId>>,
) -> Result<BTreeMap<MessageId, String>> {
    if of.is_empty() {
        return Ok(BTreeMap::new());
    }
    let known = messages::table
        .filter(messages::id.eq_any(listed(of)))
        .select((messages::id, messages::channel_message_id));
    let rows: Vec<(Col<MessageId>, Option<String>)> = Cached(known).load(conn).await?;
    Ok(rows.into_iter().filter_map(|(id, channel_id)| Some((id.0, channel_id?))).collect())
}

/// How many messages wait for the channel.
pub async fn outbox_depth(conn: &mut Conn) -> Result<i64> {
    Ok(outbox::table.count().get_result(conn).await?)
}

/// When the next message is due that nobody submits. What is claimed wakes its server when it is let
/// go of.
pub async fn next_message_due(conn: &mut Conn) -> Result<Option<Timestamp>> {
    let due: Option<Option<Col<Timestamp>>> = conversations::table
        .filter(conversations::outbox_due_at.is_not_null())
        .filter(conversations::outbox_claimed_by.is_null())
        .filter(settled!())
        .order(conversations::outbox_due_at)
        .limit(1)
        .select(conversations::outbox_due_at)
        .get_result(conn)
        .await
        .optional()?;
    Ok(due.flatten().map(|at| at.0))
}
