//! The result of messages that were handed to the channel.
use super::account_health::{self, HeldAccount};
use super::instances::released;
use super::{
    Conn, RunQueryDsl, Transactional, callbacks, events, listed, record_channel_ids, remove_waiting,
};
use crate::byte_order::InBytes;
use crate::cached::Cached;
use crate::records::{Claim, Retry, Settlement};
use crate::schema::{conversations, messages, outbox};
use crate::types::Col;
use crate::{Error, Result};
use diesel::dsl;
use diesel::prelude::*;
use domain::event::{Event, EventKind, Payload};
use domain::id::{AccountId, ConversationId, InstanceId, MessageId, OrganizationId};
use domain::message::{DeliveryError, Status};
use domain::time::Timestamp;
use std::collections::{BTreeMap, BTreeSet};

/// Records the result of messages of claimed conversations, and lets go of those with which their
/// servers are done: in few statements, however many there are. Says of each that is let go of whether more
/// messages wait in it.
///
/// Rows are locked in one order: numbers that are held, conversations as sends lock them, then messages by
/// their ids, then counters of events.
pub async fn settle(conn: &mut Conn, batch: Vec<Settlement>) -> Result<Vec<bool>> {
    conn.transaction(async |conn| {
        let numbers = held_accounts(conn, &batch).await?;
        let held = hold(conn, &batch).await?;
        let new_events = record(conn, &batch).await?;
        let reports = batch.iter().flat_map(|it| it.callbacks.iter().cloned()).collect();
        callbacks::insert_callbacks(conn, reports).await?;
        let left = let_go(conn, &batch, &held, numbers).await?;
        events::record(conn, new_events).await?;
        let left = batch.iter().map(|it| left.contains(&it.conversation));
        Ok::<_, Error>(left.collect())
    })
    .await
}

type ClaimRow =
    (Col<ConversationId>, Option<Col<InstanceId>>, Option<i64>, Option<Col<ConversationId>>);

/// A conversation that may be let go of.
#[derive(Clone, Copy, Debug)]
struct HeldConversation {
    claim: Option<Claim>,
    /// The conversation that its messages have joined, which waits for its being let go of.
    merged_into: Option<ConversationId>,
}

type Held = BTreeMap<ConversationId, HeldConversation>;
type HeldAccounts = BTreeMap<AccountId, HeldAccount>;

/// Locks the conversations that may be let go of, lest a message is added meanwhile, and gives by what they
/// are claimed.
async fn hold(conn: &mut Conn, batch: &[Settlement]) -> Result<Held> {
    let done = batch.iter().filter(|it| it.next_due.is_some());
    let ids: Vec<_> = done.map(|it| Col(it.conversation)).collect();
    if ids.is_empty() {
        return Ok(Held::new());
    }
    // Locked in the order in which sends lock them, lest the two wait for each other.
    let locked = conversations::table
        .filter(conversations::id.eq_any(listed(ids)))
        .order((
            conversations::organization_id,
            conversations::account_id,
            InBytes(conversations::address),
        ))
        .select((
            conversations::id,
            conversations::outbox_claimed_by,
            conversations::outbox_claim,
            conversations::merged_into,
        ));
    let rows: Vec<ClaimRow> = Cached(held!(locked)).load(conn).await?;
    let held = rows.into_iter().map(|(id, by, number, merged_into)| {
        let claim = by.zip(number).map(|(by, number)| Claim { instance: by.0, number });
        (id.0, HeldConversation { claim, merged_into: merged_into.map(|it| it.0) })
    });
    Ok(held.collect())
}

/// The result of the messages: those that need not be retried leave the outbox. Returns what is to be
/// told of them: the channel's own reports tell that it took one.
async fn record(conn: &mut Conn, batch: &[Settlement]) -> Result<Vec<Event>> {
    let (mut handed, mut gone) = (Vec::new(), Vec::new());
    let mut refused: BTreeMap<MessageId, (&Settlement, &DeliveryError)> = BTreeMap::new();
    for settlement in batch {
        for verdict in &settlement.verdicts {
            gone.push((settlement.conversation, verdict.position, verdict.message));
            match &verdict.outcome {
                Ok(Some(channel_id)) => handed.push((verdict.message, channel_id.clone())),
                Ok(None) => {}
                Err(error) => drop(refused.insert(verdict.message, (settlement, error))),
            }
        }
        if let Some(retry) = settlement.retry {
            count_attempt(conn, settlement.conversation, retry).await?;
        }
    }
    if !refused.is_empty() {
        let all = handed.iter().map(|(id, _)| *id).chain(refused.keys().copied());
        hold_messages(conn, all.map(Col).collect()).await?;
    }
    let mut new_events = Vec::new();
    for (message, (settlement, error)) in refused {
        if fail(conn, message, error).await? {
            new_events.push(failed(settlement, message));
        }
    }
    if !handed.is_empty() {
        record_channel_ids(conn, handed).await?;
    }
    if !gone.is_empty() {
        let messages: Vec<MessageId> = gone.iter().map(|(.., message)| *message).collect();
        if remove_waiting(conn, gone).await? < messages.len() {
            // Some have joined another conversation since they were claimed.
            let gone = places(conn, &messages).await?;
            remove_waiting(conn, gone).await?;
        }
    }
    Ok(new_events)
}

/// Notes that a message was tried, once, however often this is recorded.
async fn count_attempt(conn: &mut Conn, within: ConversationId, retry: Retry) -> Result<()> {
    let mut place = Some((within, retry.position));
    let mut looked_up = false;
    while let Some((conversation, position)) = place {
        let row = outbox::table
            .find((Col(conversation), position))
            .filter(outbox::message_id.eq(Col(retry.message)))
            .filter(outbox::attempts.eq(Col(retry.attempts)));
        let again = outbox::attempts.eq(Col(retry.attempts.saturating_add(1)));
        if prepared!(diesel::update(row).set(again)).execute(conn).await? > 0 || looked_up {
            break;
        }
        looked_up = true;
        let now = places(conn, &[retry.message]).await?.pop();
        place = now.map(|(conversation, position, _)| (conversation, position));
    }
    Ok(())
}

/// The places of messages in their conversations, which are those in the outbox too.
async fn places(
    conn: &mut Conn,
    of: &[MessageId],
) -> Result<Vec<(ConversationId, i64, MessageId)>> {
    let of: Vec<_> = of.iter().copied().map(Col).collect();
    let places = messages::table.filter(messages::id.eq_any(listed(of))).select((
        messages::conversation_id,
        messages::position,
        messages::id,
    ));
    let rows: Vec<(Col<ConversationId>, i64, Col<MessageId>)> = Cached(places).load(conn).await?;
    let places =
        rows.into_iter().map(|(conversation, position, id)| (conversation.0, position, id.0));
    Ok(places.collect())
}

/// Locks messages in the order of their ids, as `advance` does, lest the two wait for each other.
async fn hold_messages(conn: &mut Conn, ids: Vec<Col<MessageId>>) -> Result<()> {
    if ids.len() > 1 {
        let rows = messages::table
            .filter(messages::id.eq_any(listed(ids)))
            .order(messages::id)
            .select(messages::id);
        Cached(held!(rows)).load::<Col<MessageId>>(conn).await?;
    }
    Ok(())
}

fn failed(settlement: &Settlement, message: MessageId) -> Event {
    let (organization, account) = settlement.account;
    let (kind, payload) = (EventKind::MessageFailed, Payload::Message(message));
    Event::of_account(organization, account, kind, payload, settlement.at)
}

/// Locks the numbers for which messages wait, and gives those that are held still.
async fn held_accounts(conn: &mut Conn, batch: &[Settlement]) -> Result<HeldAccounts> {
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

/// When a conversation in which messages wait is due, and whether it waits for its number. The first of a held number is
/// the one that is tried next, the others wait until their messages are given up.
fn waiting_until(settlement: &Settlement, numbers: &mut HeldAccounts) -> (Option<Timestamp>, bool) {
    let Some(due) = settlement.next_due else { return (None, false) };
    if !settlement.waits_for_account {
        return (Some(due), false);
    }
    let Some(number) = numbers.get_mut(&settlement.account.1) else {
        return (Some(settlement.at), false);
    };
    let tried = *number.conversation.get_or_insert(settlement.conversation);
    let is_tried = tried == settlement.conversation;
    (Some(if is_tried { number.probe_due_at.min(due) } else { due }), true)
}

/// Lets go of conversations, unless they have been claimed again since; returns those in which more waits.
async fn let_go(
    conn: &mut Conn,
    batch: &[Settlement],
    held: &Held,
    mut numbers: HeldAccounts,
) -> Result<BTreeSet<ConversationId>> {
    let held =
        |it: &Settlement| held.get(&it.conversation).filter(|held| held.claim == Some(it.claim));
    let ours = || batch.iter().filter(|it| held(it).is_some());
    let done: Vec<_> =
        ours().filter(|it| it.next_due.is_some()).map(|it| Col(it.conversation)).collect();
    let mut left = in_which_more_waits(conn, done).await?;
    let mut by_time: BTreeMap<_, Vec<Col<ConversationId>>> = BTreeMap::new();
    for settlement in ours().filter(|it| it.next_due.is_some()) {
        let waits = left.contains(&settlement.conversation);
        let due = if waits { waiting_until(settlement, &mut numbers) } else { (None, false) };
        by_time.entry(due).or_default().push(Col(settlement.conversation));
    }
    for (account, number) in numbers {
        account_health::name_prober(conn, account, number.conversation).await?;
    }
    for ((due, is_held), conversations) in by_time {
        let conversations =
            conversations::table.filter(conversations::id.eq_any(listed(conversations)));
        let due = conversations::outbox_due_at.eq(due.map(Col));
        let free = (due, conversations::outbox_held.eq(is_held), released());
        Cached(diesel::update(conversations).set(free)).execute(conn).await?;
    }
    // What waits now waits in the conversation that it was merged into.
    for settlement in ours() {
        let Some(kept) = held(settlement).and_then(|it| it.merged_into) else { continue };
        left.insert(settlement.conversation);
        if let (Some(due), Some(_)) = (settlement.next_due, settlement.retry) {
            put_off(conn, settlement.account.0, kept, due).await?;
        }
    }
    Ok(left)
}

/// The conversation that messages have joined which the channel could not take: it is to be left alone as long as they
/// would have been.
async fn put_off(
    conn: &mut Conn,
    organization: OrganizationId,
    kept: ConversationId,
    until: Timestamp,
) -> Result<()> {
    let earlier = conversations::table
        .find((Col(organization), Col(kept)))
        .filter(conversations::outbox_due_at.lt(Col(until)));
    let due = conversations::outbox_due_at.eq(Some(Col(until)));
    diesel::update(earlier).set(due).execute(conn).await?;
    Ok(())
}

/// The first that waits is looked up for each: what that costs does not depend on how many there are.
async fn in_which_more_waits(
    conn: &mut Conn,
    within: Vec<Col<ConversationId>>,
) -> Result<BTreeSet<ConversationId>> {
    if within.is_empty() {
        return Ok(BTreeSet::new());
    }
    let first = outbox::table
        .filter(outbox::conversation_id.eq(conversations::id))
        .select(dsl::min(outbox::position))
        .single_value();
    let firsts = conversations::table
        .filter(conversations::id.eq_any(listed(within)))
        .select((conversations::id, first));
    let rows: Vec<(Col<ConversationId>, Option<i64>)> = Cached(firsts).load(conn).await?;
    Ok(rows.into_iter().filter(|(_, first)| first.is_some()).map(|(id, _)| id.0).collect())
}

/// A message that the channel will not have: it was not yet sent, so nothing can be late here. `false` if
/// it has moved on all the same.
async fn fail(conn: &mut Conn, message: MessageId, error: &DeliveryError) -> Result<bool> {
    let queued = messages::table
        .filter(messages::id.eq(Col(message)))
        .filter(messages::status.eq(Col(Status::Queued)));
    let failed = (
        messages::status.eq(Col(Status::Failed)),
        messages::failure.eq(Some(Col(error.failure))),
        messages::failure_message.eq(Some(&error.message)),
        messages::failure_code.eq(error.channel_code),
    );
    Ok(prepared!(diesel::update(queued).set(failed)).execute(conn).await? > 0)
}
