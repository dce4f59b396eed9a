//! Records the results of sending messages to the channel.
use super::account_health::{self, HeldAccount};
use super::contact_lookups::snapshots_of_messages;
use super::{
    Conn, RunQueryDsl, SharedConn, Transactional, callbacks, events, listed, record_channel_ids,
};
use crate::cached::Cached;
use crate::records::{Retry, Settlement};
use crate::schema::{messages, outbox, outbox_conversations};
use crate::types::Col;
use crate::{Error, Result};
use diesel::dsl;
use diesel::prelude::*;
use domain::contact::ContactSnapshot;
use domain::event::{EventKind, EventPayload, NewEvent};
use domain::id::{AccountId, ConversationId, MessageId, OrganizationId};
use domain::message::{MessageError, MessageStatus};
use domain::time::Timestamp;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

type OutboxKey = (ConversationId, i64, MessageId);

/// The results of one organization's messages.
struct OrganizationSettlement<'batch> {
    organization: OrganizationId,
    settlements: Vec<&'batch Settlement>,
    /// The messages that the channel accepted, each with the channel's id.
    handed: Vec<(MessageId, String)>,
    refused: BTreeMap<MessageId, (&'batch Settlement, &'batch MessageError)>,
    /// The messages that leave the outbox.
    gone: Vec<OutboxKey>,
}

impl<'batch> OrganizationSettlement<'batch> {
    fn new(organization: OrganizationId, settlements: Vec<&'batch Settlement>) -> Self {
        let (mut handed, mut refused, mut gone) = (Vec::new(), BTreeMap::new(), Vec::new());
        for settlement in &settlements {
            for verdict in &settlement.verdicts {
                gone.push((settlement.conversation, verdict.position, verdict.message));
                match &verdict.outcome {
                    Ok(Some(channel_id)) => handed.push((verdict.message, channel_id.clone())),
                    Ok(None) => {}
                    Err(error) => drop(refused.insert(verdict.message, (*settlement, error))),
                }
            }
        }
        Self { organization, settlements, handed, refused, gone }
    }

    /// Whether the channel accepted all messages. In that case no statement depends on the result
    /// of another.
    fn is_plain(&self) -> bool {
        self.refused.is_empty() && self.settlements.iter().all(|it| it.retry.is_none())
    }
}

/// Records the results of messages of claimed conversations, and releases the conversations in
/// which their instances have finished. Statements that do not need the result of another are
/// pipelined. Returns for each released conversation whether more messages wait in it.
///
/// Rows are locked in one order: held accounts, waiting conversations, messages by their ids, event
/// counters, each by organization.
pub async fn record_settlements(conn: &mut Conn, batch: Vec<Settlement>) -> Result<Vec<bool>> {
    conn.transaction(async |conn| {
        let numbers = held_accounts(conn, &batch).await?;
        let mut organizations: BTreeMap<OrganizationId, Vec<&Settlement>> = BTreeMap::new();
        for settlement in &batch {
            organizations.entry(settlement.account.0).or_default().push(settlement);
        }
        let parts: Vec<_> = organizations
            .into_iter()
            .map(|(organization, settlements)| {
                OrganizationSettlement::new(organization, settlements)
            })
            .collect();
        let reports: Vec<_> = batch.iter().flat_map(|it| it.callbacks.iter().cloned()).collect();
        let (held, removed, new_events) = if parts.iter().all(OrganizationSettlement::is_plain) {
            let (held, removed, ()) = pipelined!(conn;
                hold(conn, &parts),
                record(conn, &parts),
                callbacks::insert_some(conn, &reports),
            )?;
            (held, removed, Vec::new())
        } else {
            let held = hold(shared!(conn), &parts).await?;
            let new_events = count_and_refuse(conn, &parts).await?;
            let (removed, ()) = pipelined!(conn;
                record(conn, &parts),
                callbacks::insert_some(conn, &reports),
            )?;
            (held, removed, new_events)
        };
        remove_moved(conn, &parts, &removed).await?;
        let left = release_conversations(conn, &parts, &held, numbers).await?;
        events::record(conn, new_events).await?;
        let left = batch.iter().map(|it| left.contains(&it.conversation));
        Ok::<_, Error>(left.collect())
    })
    .await
}

type HeldAccountsById = BTreeMap<AccountId, HeldAccount>;
type Conversations = BTreeSet<ConversationId>;

/// Locks the conversations that are released, so that no message is added meanwhile. Returns those
/// that are in the list of waiting conversations. A conversation that was merged into another is
/// not in that list.
async fn hold(
    conn: &mut SharedConn<'_>,
    parts: &[OrganizationSettlement<'_>],
) -> Result<Conversations> {
    let held = pipelined_each!(conn; part in parts.iter() => lock_conversations(conn, part))?;
    Ok(held.into_iter().flatten().collect())
}

async fn lock_conversations(
    conn: &mut SharedConn<'_>,
    part: &OrganizationSettlement<'_>,
) -> Result<Vec<ConversationId>> {
    let done = part.settlements.iter().filter(|it| it.next_due.is_some());
    let ids: Vec<_> = done.map(|it| Col(it.conversation)).collect();
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    let locked = outbox_conversations::table
        .filter(outbox_conversations::organization_id.eq(Col(part.organization)))
        .filter(outbox_conversations::conversation_id.eq_any(listed(ids)))
        .order(outbox_conversations::conversation_id)
        .select(outbox_conversations::conversation_id);
    let rows: Vec<Col<ConversationId>> = Cached(for_update!(locked)).load(conn).await?;
    Ok(rows.into_iter().map(|id| *id).collect())
}

/// Stores the channel's ids and removes messages from the outbox. Returns for each organization how
/// many messages were removed.
async fn record(
    conn: &mut SharedConn<'_>,
    parts: &[OrganizationSettlement<'_>],
) -> Result<Vec<usize>> {
    pipelined_each!(conn; part in parts.iter() => record_results(conn, part))
}

async fn record_results(
    conn: &mut SharedConn<'_>,
    part: &OrganizationSettlement<'_>,
) -> Result<usize> {
    let ((), removed) = pipelined!(conn;
        record_channel_ids(conn, part.organization, &part.handed),
        remove_waiting(conn, part.organization, &part.gone),
    )?;
    Ok(removed)
}

/// Removes messages of an organization from the outbox, and returns how many were there. Each has a
/// statement of its own: PostgreSQL may keep a plan for a list of keys that reads the organization's
/// whole outbox, if it made the plan while the outbox was small.
async fn remove_waiting(
    conn: &mut SharedConn<'_>,
    organization: OrganizationId,
    gone: &[OutboxKey],
) -> Result<usize> {
    let removed =
        pipelined_each!(conn; key in gone.iter().copied() => remove_one(conn, organization, key))?;
    Ok(removed.iter().sum())
}

async fn remove_one(
    conn: &mut SharedConn<'_>,
    organization: OrganizationId,
    (conversation, position, message): OutboxKey,
) -> Result<usize> {
    let row = outbox::table
        .find((Col(organization), Col(conversation), position))
        .filter(outbox::message_id.eq(Col(message)));
    Ok(prepared!(diesel::delete(row)).execute(conn).await?)
}

/// Removes messages from the outbox that have moved to another conversation since they were
/// claimed.
async fn remove_moved(
    conn: &mut Conn,
    parts: &[OrganizationSettlement<'_>],
    removed: &[usize],
) -> Result<()> {
    for (part, removed) in parts.iter().zip(removed) {
        if *removed < part.gone.len() {
            let messages: Vec<MessageId> = part.gone.iter().map(|(.., it)| *it).collect();
            let gone = places(conn, part.organization, &messages).await?;
            remove_waiting(shared!(conn), part.organization, &gone).await?;
        }
    }
    Ok(())
}

/// Counts failed attempts, and records the messages that the channel refused. Returns the events
/// about refused messages. The events about accepted messages come from the channel's own
/// callbacks.
async fn count_and_refuse(
    conn: &mut Conn,
    parts: &[OrganizationSettlement<'_>],
) -> Result<Vec<NewEvent>> {
    let mut new_events = Vec::new();
    for part in parts {
        let organization = part.organization;
        for settlement in &part.settlements {
            if let Some(retry) = settlement.retry {
                count_attempt(conn, organization, settlement.conversation, retry).await?;
            }
        }
        let all = part.handed.iter().map(|(id, _)| *id).chain(part.refused.keys().copied());
        let all: BTreeSet<_> = all.map(Col).collect();
        if !part.refused.is_empty() && all.len() > 1 {
            callbacks::lock_messages(conn, organization, all).await?;
        }
        if part.refused.is_empty() {
            continue;
        }
        let refused = part.refused.keys().copied();
        let mut people = snapshots_of_messages(conn, organization, refused).await?;
        for (message, (settlement, error)) in &part.refused {
            if fail(conn, organization, *message, error).await? {
                new_events.push(failed(settlement, *message, people.remove(message)));
            }
        }
    }
    Ok(new_events)
}

/// Counts an attempt to send a message. If the attempt is recorded again, it is not counted again.
async fn count_attempt(
    conn: &mut Conn,
    organization: OrganizationId,
    within: ConversationId,
    retry: Retry,
) -> Result<()> {
    let mut place = Some((within, retry.position));
    let mut looked_up = false;
    while let Some((conversation, position)) = place {
        let row = outbox::table
            .find((Col(organization), Col(conversation), position))
            .filter(outbox::message_id.eq(Col(retry.message)))
            .filter(outbox::attempts.eq(Col(retry.attempts)));
        let again = outbox::attempts.eq(Col(retry.attempts.saturating_add(1)));
        if prepared!(diesel::update(row).set(again)).execute(conn).await? > 0 || looked_up {
            break;
        }
        looked_up = true;
        let now = places(conn, organization, &[retry.message]).await?.pop();
        place = now.map(|(conversation, position, _)| (conversation, position));
    }
    Ok(())
}

/// Returns the positions of messages in their conversations, which are also their positions in the
/// outbox.
async fn places(
    conn: &mut Conn,
    organization: OrganizationId,
    of: &[MessageId],
) -> Result<Vec<OutboxKey>> {
    let of: Vec<_> = of.iter().copied().map(Col).collect();
    let places = messages::table
        .filter(messages::organization_id.eq(Col(organization)))
        .filter(messages::id.eq_any(listed(of)))
        .select((messages::conversation_id, messages::position, messages::id));
    let rows: Vec<(Col<ConversationId>, i64, Col<MessageId>)> = Cached(places).load(conn).await?;
    let places =
        rows.into_iter().map(|(conversation, position, id)| (conversation.0, position, id.0));
    Ok(places.collect())
}

fn failed(
    settlement: &Settlement,
    message: MessageId,
    person: Option<Arc<ContactSnapshot>>,
) -> NewEvent {
    let (organization, account) = settlement.account;
    let (kind, payload) = (EventKind::MessageFailed, EventPayload::Message(message, person));
    NewEvent::for_account(organization, account, kind, payload, settlement.at)
}

/// Locks the accounts that messages wait for, and returns those that are still held.
async fn held_accounts(conn: &mut Conn, batch: &[Settlement]) -> Result<HeldAccountsById> {
    let waiting = batch.iter().filter(|it| it.waits_for_account).map(|it| it.account);
    let waiting: BTreeSet<_> =
        waiting.map(|(organization, account)| (account, organization)).collect();
    let mut held = BTreeMap::new();
    for (account, organization) in waiting {
        if let Some(found) = account_health::lock_held(conn, organization, account).await? {
            held.insert(account, found);
        }
    }
    Ok(held)
}

/// Returns when a conversation with waiting messages is due, and whether it waits for its account.
/// If the account is held, one conversation tests it with its next message. The other conversations
/// wait until their messages are given up.
fn waiting_until(
    settlement: &Settlement,
    numbers: &mut HeldAccountsById,
) -> Option<(Timestamp, bool)> {
    let due = settlement.next_due?;
    if !settlement.waits_for_account {
        return Some((due, false));
    }
    let Some(number) = numbers.get_mut(&settlement.account.1) else {
        return Some((settlement.at, false));
    };
    let tried = *number.conversation.get_or_insert(settlement.conversation);
    let is_tried = tried == settlement.conversation;
    Some((if is_tried { number.probe_due_at.min(due) } else { due }, true))
}

/// Releases conversations, and returns those in which more messages wait.
async fn release_conversations(
    conn: &mut Conn,
    parts: &[OrganizationSettlement<'_>],
    held: &Conversations,
    mut numbers: HeldAccountsById,
) -> Result<Conversations> {
    let mut left = Conversations::new();
    for OrganizationSettlement { organization, settlements, .. } in parts {
        let (waiting, merged): (Vec<&Settlement>, Vec<&Settlement>) = settlements
            .iter()
            .filter(|it| it.next_due.is_some())
            .partition(|it| held.contains(&it.conversation));
        left.extend(let_go_of(conn, *organization, &waiting, &mut numbers).await?);
        left.extend(record_merged(conn, *organization, &merged).await?);
    }
    for (account, number) in numbers {
        account_health::name_prober(conn, account, number.conversation).await?;
    }
    Ok(left)
}

/// Releases conversations of one organization: removes the empty ones from the list of waiting
/// conversations, sets the due times of the others, and returns the others.
async fn let_go_of(
    conn: &mut Conn,
    organization: OrganizationId,
    done: &Vec<&Settlement>,
    numbers: &mut HeldAccountsById,
) -> Result<Conversations> {
    let mut left: Conversations = done.iter().map(|it| it.conversation).collect();
    for emptied in remove_emptied(conn, organization, &left).await? {
        left.remove(&emptied);
    }
    let mut by_time: BTreeMap<_, Vec<Col<ConversationId>>> = BTreeMap::new();
    for settlement in done.iter().filter(|it| left.contains(&it.conversation)) {
        if let Some(due) = waiting_until(settlement, numbers) {
            by_time.entry(due).or_default().push(Col(settlement.conversation));
        }
    }
    for ((due, is_held), conversations) in by_time {
        let rows = outbox_conversations::table
            .filter(outbox_conversations::organization_id.eq(Col(organization)))
            .filter(outbox_conversations::conversation_id.eq_any(listed(conversations)));
        let waits =
            (outbox_conversations::due_at.eq(Col(due)), outbox_conversations::held.eq(is_held));
        Cached(diesel::update(rows).set(waits)).execute(conn).await?;
    }
    Ok(left)
}

/// Removes the conversations in which no message waits from the list of waiting conversations, and
/// returns them. The first waiting message is looked up for each, so the cost does not depend on
/// how many wait.
async fn remove_emptied(
    conn: &mut Conn,
    organization: OrganizationId,
    within: &Conversations,
) -> Result<Vec<ConversationId>> {
    if within.is_empty() {
        return Ok(Vec::new());
    }
    // The organization is repeated here. Otherwise a distributed database would ask all nodes.
    let first = outbox::table
        .filter(outbox::organization_id.eq(Col(organization)))
        .filter(outbox::conversation_id.eq(outbox_conversations::conversation_id))
        .select(dsl::min(outbox::position))
        .single_value();
    let emptied = outbox_conversations::table
        .filter(outbox_conversations::organization_id.eq(Col(organization)))
        .filter(
            outbox_conversations::conversation_id.eq_any(listed(within.iter().copied().map(Col))),
        )
        .filter(first.is_null());
    let emptied = diesel::delete(emptied).returning(outbox_conversations::conversation_id);
    let rows: Vec<Col<ConversationId>> = Cached(emptied).load(conn).await?;
    Ok(rows.into_iter().map(|it| it.0).collect())
}

/// Handles conversations that were merged into others. Their remaining messages now wait in the
/// conversation that stays. If an attempt failed, the conversation that stays waits at least as
/// long as the merged one would have. Returns the merged conversations.
async fn record_merged(
    conn: &mut Conn,
    organization: OrganizationId,
    gone: &Vec<&Settlement>,
) -> Result<Conversations> {
    let mut merged = Conversations::new();
    for settlement in gone {
        let id = settlement.conversation;
        let kept = account_health::surviving(conn, organization, id).await?;
        if kept == id {
            continue;
        }
        merged.insert(id);
        if let (Some(due), Some(_)) = (settlement.next_due, settlement.retry) {
            let earlier = outbox_conversations::table
                .find((Col(organization), Col(kept)))
                .filter(outbox_conversations::due_at.lt(Col(due)));
            let later = outbox_conversations::due_at.eq(Col(due));
            diesel::update(earlier).set(later).execute(conn).await?;
        }
    }
    Ok(merged)
}

/// Marks a message that the channel refused as failed. The message was never sent, so the channel
/// sends no status report about it. Returns `false` if the message's status has changed all the
/// same.
async fn fail(
    conn: &mut Conn,
    organization: OrganizationId,
    message: MessageId,
    error: &MessageError,
) -> Result<bool> {
    let queued = messages::table
        .filter(messages::organization_id.eq(Col(organization)))
        .filter(messages::id.eq(Col(message)))
        .filter(messages::status.eq(Col(MessageStatus::Queued)));
    let failed = (
        messages::status.eq(Col(MessageStatus::Failed)),
        messages::failure.eq(Some(Col(error.failure))),
        messages::failure_message.eq(Some(&error.message)),
        messages::failure_code.eq(error.channel_code),
    );
    Ok(prepared!(diesel::update(queued).set(failed)).execute(conn).await? > 0)
}
