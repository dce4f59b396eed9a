//! Queries on the outbox: accepted messages that are not yet with the channel.
use super::{
    Conn, Rows, RunQueryDsl, SharedConn, first_waiting, inserts, listed, waiting_conversations,
};
use crate::Result;
use crate::cached::Cached;
use crate::records::{
    Claim, Claimed, DueConversation, OrganizationTurn, OutgoingMessage, WaitingMessage,
};
use crate::schema::{conversations, inbox_entries, messages, outbox, outbox_conversations};
use crate::types::Col;
use diesel::dsl;
use diesel::prelude::*;
use diesel::upsert::excluded;
use domain::conversation::MessageSource;
use domain::id::{AccountId, ConversationId, MessageId, OrganizationId};
use domain::inbox::PauseCause;
use domain::message::MessageStatus;
use domain::number::saturating;
use domain::time::Timestamp;
use std::collections::{BTreeMap, BTreeSet};

/// The maximum number of messages of one conversation in a turn.
const PER_CONVERSATION: i64 = 16;

/// Returns the conversations of an organization whose next message is due, except those that this
/// instance is already working on. The instance must have claimed the organization.
pub async fn organization_turn(
    conn: &mut Conn,
    organization: OrganizationId,
    claim: Claim,
    look: i64,
    in_progress: BTreeSet<ConversationId>,
    most: usize,
    now: Timestamp,
) -> Result<OrganizationTurn> {
    // Conversations in progress have the earliest due times. They are skipped here and not in the
    // statement, so that the text of the statement is always the same.
    let rows = saturating(most.saturating_add(in_progress.len()).saturating_add(1), i64::MAX);
    let first = outbox_conversations::table
        .filter(outbox_conversations::organization_id.eq(Col(organization)))
        .order(outbox_conversations::due_at)
        .limit(rows)
        .select((outbox_conversations::conversation_id, outbox_conversations::due_at));
    let first: Vec<(Col<ConversationId>, Col<Timestamp>)> = first.load(conn).await?;
    let mut free = first.into_iter().filter(|(id, _)| !in_progress.contains(id));
    let mut due = Vec::new();
    let mut next_due = None;
    for (conversation, at) in free.by_ref() {
        if due.len() == most || *at > now {
            next_due = Some(*at);
            break;
        }
        due.push(conversation);
    }
    let heads = heads(conn, organization, &due, &in_progress).await?;
    let ids: Vec<_> = heads.iter().map(|head| Col(head.conversation_id)).collect();
    let mut waiting = waiting(conn, organization, &ids).await?;
    let is_doubtful = |head: &&DueConversation| {
        let messages = waiting.get(&head.conversation_id).map(Vec::as_slice).unwrap_or_default();
        head.agent_paused && messages.iter().any(|message| message.withdrawn)
    };
    let doubtful = heads.iter().filter(is_doubtful).map(|head| Col(head.conversation_id));
    let doubtful: Vec<_> = doubtful.collect();
    let paused_by_agent = paused_by_agent(conn, organization, &doubtful).await?;
    let due = heads.into_iter().map(|head| {
        let DueConversation { conversation_id: conversation, access, address, .. } = head;
        let withdraws = head.agent_paused && !paused_by_agent.contains(&Col(conversation));
        let mut messages = waiting.remove(&conversation).unwrap_or_default();
        for message in &mut messages {
            message.withdrawn &= withdraws;
        }
        Claimed { conversation, organization, access, claim, look, address, messages }
    });
    Ok(OrganizationTurn { due: due.collect(), next_due })
}

/// Returns the data of conversations that is needed to send their messages. Leaves out a
/// conversation while the instance is still sending messages of another conversation that was
/// merged into it.
async fn heads(
    conn: &mut Conn,
    organization: OrganizationId,
    due: &[Col<ConversationId>],
    in_progress: &BTreeSet<ConversationId>,
) -> Result<Vec<DueConversation>> {
    let mut heads = waiting_conversations(conn, organization, due).await?;
    let joined = heads.iter().filter(|head| head.has_merged);
    let joined: Vec<_> = joined.map(|head| Col(head.conversation_id)).collect();
    if joined.is_empty() || in_progress.is_empty() {
        return Ok(heads);
    }
    let merged = conversations::table
        .filter(conversations::organization_id.eq(Col(organization)))
        .filter(conversations::merged_into.eq_any(listed(joined)))
        .select((conversations::id, conversations::merged_into.assume_not_null()));
    let merged: Vec<(Col<ConversationId>, Col<ConversationId>)> = Cached(merged).load(conn).await?;
    let busy = merged.into_iter().filter(|(gone, _)| in_progress.contains(gone));
    let busy: BTreeSet<_> = busy.map(|(_, kept)| *kept).collect();
    heads.retain(|head| !busy.contains(&Col(head.conversation_id)));
    Ok(heads)
}

/// Returns the conversations whose agent paused itself, because it handed over or reached a limit.
/// Messages that the agent wrote before that are still sent.
async fn paused_by_agent(
    conn: &mut Conn,
    organization: OrganizationId,
    among: &[Col<ConversationId>],
) -> Result<BTreeSet<Col<ConversationId>>> {
    if among.is_empty() {
        return Ok(BTreeSet::new());
    }
    let causes = [PauseCause::HandedOver, PauseCause::Limit, PauseCause::Loop];
    let rows = inbox_entries::table
        .filter(inbox_entries::organization_id.eq(Col(organization)))
        .filter(inbox_entries::conversation_id.eq_any(listed(among.iter().copied())))
        .filter(inbox_entries::agent_pause_cause.eq_any(causes.map(|cause| Some(Col(cause)))))
        .select(inbox_entries::conversation_id);
    let rows: Vec<Col<ConversationId>> = rows.load(conn).await?;
    Ok(rows.into_iter().collect())
}

/// Returns the first messages that wait in each of these conversations, in order. Marks all
/// messages of AI agents as withdrawn. The caller removes the mark from those that may be sent.
async fn waiting(
    conn: &mut Conn,
    organization: OrganizationId,
    within: &[Col<ConversationId>],
) -> Result<BTreeMap<ConversationId, Vec<OutgoingMessage>>> {
    if within.is_empty() {
        return Ok(BTreeMap::new());
    }
    let rows = first_waiting(conn, organization, within, PER_CONVERSATION).await?;
    let answered = channel_ids(
        conn,
        organization,
        rows.iter().filter_map(|row| row.reply_to.map(Col)).collect(),
    )
    .await?;
    let mut waiting: BTreeMap<_, Vec<OutgoingMessage>> = BTreeMap::new();
    for row in rows {
        let WaitingMessage { conversation_id, message_id, reply_to, .. } = row;
        waiting.entry(conversation_id).or_default().push(OutgoingMessage {
            message: message_id,
            position: row.position,
            kind: row.kind,
            content: row.content,
            content_format: row.content_format,
            reply_to,
            answers: reply_to.and_then(|id| answered.get(&id).cloned()),
            withdrawn: row.source == MessageSource::Agent,
            reported: row.status != MessageStatus::Queued || row.channel_message_id.is_some(),
            attempts: *row.attempts,
            accepted_at: row.accepted_at,
        });
    }
    Ok(waiting)
}

/// Returns the channel's ids of these messages, as far as they have one.
async fn channel_ids(
    conn: &mut Conn,
    organization: OrganizationId,
    of: Vec<Col<MessageId>>,
) -> Result<BTreeMap<MessageId, String>> {
    if of.is_empty() {
        return Ok(BTreeMap::new());
    }
    let known = messages::table
        .filter(messages::organization_id.eq(Col(organization)))
        .filter(messages::id.eq_any(listed(of)))
        .select((messages::id, messages::channel_message_id));
    let rows: Vec<(Col<MessageId>, Option<String>)> = Cached(known).load(conn).await?;
    Ok(rows.into_iter().filter_map(|(id, channel_id)| Some((id.0, channel_id?))).collect())
}

/// Returns how many messages wait in the outbox, and when the oldest of them was accepted.
pub async fn outbox_depth(conn: &mut Conn) -> Result<(i64, Option<Timestamp>)> {
    let waiting = outbox::table.select((dsl::count_star(), dsl::min(outbox::accepted_at)));
    let (count, oldest): (i64, Option<Col<Timestamp>>) = waiting.get_result(conn).await?;
    Ok((count, oldest.map(|at| at.0)))
}

#[derive(Insertable)]
#[diesel(table_name = outbox_conversations)]
pub(super) struct WaitingConversation {
    pub organization_id: Col<OrganizationId>,
    pub conversation_id: Col<ConversationId>,
    pub account_id: Col<AccountId>,
    pub due_at: Col<Timestamp>,
    pub held: bool,
}

/// Records that messages wait in conversations, which are sorted by organization and id. A
/// conversation in which something already waits, perhaps for a retry, keeps its due time. Its row
/// stays locked until the transaction ends. A worker that has sent the earlier messages waits for
/// the lock, and then sees the new ones.
pub(super) async fn record_waiting(
    conn: &mut SharedConn<'_>,
    waiting: &[WaitingConversation],
) -> Result<()> {
    pipelined_each!(conn; rows in inserts(waiting) => note_some_waiting(conn, rows))?;
    Ok(())
}

async fn note_some_waiting(
    conn: &mut SharedConn<'_>,
    rows: Rows<'_, WaitingConversation>,
) -> Result<()> {
    let upsert = diesel::insert_into(outbox_conversations::table)
        .values(rows)
        .on_conflict((outbox_conversations::organization_id, outbox_conversations::conversation_id))
        .do_update()
        .set(outbox_conversations::account_id.eq(excluded(outbox_conversations::account_id)));
    prepared!(upsert).execute(conn).await?;
    Ok(())
}
