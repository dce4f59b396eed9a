//! The result of messages that were handed to the channel.
use super::account_health::{self, HeldAccount};
use super::{
    Conn, RunQueryDsl, Transactional, callbacks, events, listed, record_channel_ids, remove_waiting,
};
use crate::cached::Cached;
use crate::records::{Retry, Settlement};
use crate::schema::{messages, outbox, outbox_conversations};
use crate::types::Col;
use crate::{Error, Result};
use diesel::dsl;
use diesel::prelude::*;
use domain::event::{Event, EventKind, Payload};
use domain::id::{AccountId, ConversationId, MessageId, OrganizationId};
use domain::message::{DeliveryError, Status};
use domain::time::Timestamp;
use std::collections::{BTreeMap, BTreeSet};

/// The settlements of one organization.
type Theirs<'batch> = Vec<&'batch Settlement>;

/// Records the result of messages of claimed conversations, and lets go of those with which their
/// servers are done: in few statements for each organization, however many there are. Says of each that is let go of whether
/// more messages wait in it.
///
/// Rows are locked in one order: numbers that are held, conversations in which something waits, then messages by
/// their ids, then counters of events, each by organization.
pub async fn settle(conn: &mut Conn, batch: Vec<Settlement>) -> Result<Vec<bool>> {
    conn.transaction(async |conn| {
        let numbers = held_accounts(conn, &batch).await?;
        let mut organizations: BTreeMap<OrganizationId, Theirs<'_>> = BTreeMap::new();
        for settlement in &batch {
            organizations.entry(settlement.account.0).or_default().push(settlement);
        }
        let mut held = BTreeSet::new();
        for (organization, theirs) in &organizations {
            held.extend(hold(conn, *organization, theirs).await?);
        }
        let mut new_events = Vec::new();
        for (organization, theirs) in &organizations {
            new_events.extend(record(conn, *organization, theirs).await?);
        }
        let reports = batch.iter().flat_map(|it| it.callbacks.iter().cloned()).collect();
        callbacks::insert_callbacks(conn, reports).await?;
        let left = let_go(conn, &organizations, &held, numbers).await?;
        events::record(conn, new_events).await?;
        let left = batch.iter().map(|it| left.contains(&it.conversation));
        Ok::<_, Error>(left.collect())
    })
    .await
}

type HeldAccounts = BTreeMap<AccountId, HeldAccount>;

/// Locks the conversations that are let go of, lest a message is added meanwhile; gives those in which something was noted to
/// wait. That one is missing which was merged into another.
async fn hold(
    conn: &mut Conn,
    organization: OrganizationId,
    theirs: &Theirs<'_>,
) -> Result<Vec<ConversationId>> {
    let done = theirs.iter().filter(|it| it.next_due.is_some());
    let ids: Vec<_> = done.map(|it| Col(it.conversation)).collect();
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    let locked = outbox_conversations::table
        .filter(outbox_conversations::organization_id.eq(Col(organization)))
        .filter(outbox_conversations::conversation_id.eq_any(listed(ids)))
        .order(outbox_conversations::conversation_id)
        .select(outbox_conversations::conversation_id);
    let rows: Vec<Col<ConversationId>> = Cached(held!(locked)).load(conn).await?;
    Ok(rows.into_iter().map(|id| *id).collect())
}

/// The result of the messages: those that need not be retried leave the outbox. Returns what is to be
/// told of them: the channel's own reports tell that it took one.
async fn record(
    conn: &mut Conn,
    organization: OrganizationId,
    theirs: &Theirs<'_>,
) -> Result<Vec<Event>> {
    let (mut handed, mut gone) = (Vec::new(), Vec::new());
    let mut refused: BTreeMap<MessageId, (&Settlement, &DeliveryError)> = BTreeMap::new();
    for settlement in theirs {
        for verdict in &settlement.verdicts {
            gone.push((settlement.conversation, verdict.position, verdict.message));
            match &verdict.outcome {
                Ok(Some(channel_id)) => handed.push((verdict.message, channel_id.clone())),
                Ok(None) => {}
                Err(error) => drop(refused.insert(verdict.message, (settlement, error))),
            }
        }
        if let Some(retry) = settlement.retry {
            count_attempt(conn, (organization, settlement.conversation), retry).await?;
        }
    }
    if !refused.is_empty() {
        let all = handed.iter().map(|(id, _)| *id).chain(refused.keys().copied());
        let all: BTreeSet<_> = all.map(Col).collect();
        if all.len() > 1 {
            callbacks::lock_messages(conn, organization, all).await?;
        }
    }
    let mut new_events = Vec::new();
    for (message, (settlement, error)) in refused {
        if fail(conn, organization, message, error).await? {
            new_events.push(failed(settlement, message));
        }
    }
    if !handed.is_empty() {
        record_channel_ids(conn, organization, handed).await?;
    }
    if !gone.is_empty() {
        let messages: Vec<MessageId> = gone.iter().map(|(.., message)| *message).collect();
        if remove_waiting(conn, organization, gone).await? < messages.len() {
            // Some have joined another conversation since they were claimed.
            let gone = places(conn, organization, &messages).await?;
            remove_waiting(conn, organization, gone).await?;
        }
    }
    Ok(new_events)
}

/// Notes that a message was tried, once, however often this is recorded.
async fn count_attempt(
    conn: &mut Conn,
    (organization, within): (OrganizationId, ConversationId),
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

/// The places of messages in their conversations, which are those in the outbox too.
async fn places(
    conn: &mut Conn,
    organization: OrganizationId,
    of: &[MessageId],
) -> Result<Vec<(ConversationId, i64, MessageId)>> {
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
fn waiting_until(settlement: &Settlement, numbers: &mut HeldAccounts) -> Option<(Timestamp, bool)> {
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

/// Lets go of conversations; returns those in which more waits.
async fn let_go(
    conn: &mut Conn,
    organizations: &BTreeMap<OrganizationId, Theirs<'_>>,
    held: &BTreeSet<ConversationId>,
    mut numbers: HeldAccounts,
) -> Result<BTreeSet<ConversationId>> {
    let mut left = BTreeSet::new();
    for (organization, theirs) in organizations {
        let (waiting, merged): (Theirs<'_>, Theirs<'_>) = theirs
            .iter()
            .filter(|it| it.next_due.is_some())
            .partition(|it| held.contains(&it.conversation));
        left.extend(let_go_of(conn, *organization, &waiting, &mut numbers).await?);
        left.extend(follow(conn, *organization, &merged).await?);
    }
    for (account, number) in numbers {
        account_health::name_prober(conn, account, number.conversation).await?;
    }
    Ok(left)
}

/// Notes when conversations of an organization are due in which more waits, which it returns, and that nothing waits in the
/// others.
async fn let_go_of(
    conn: &mut Conn,
    organization: OrganizationId,
    done: &Theirs<'_>,
    numbers: &mut HeldAccounts,
) -> Result<BTreeSet<ConversationId>> {
    if done.is_empty() {
        return Ok(BTreeSet::new());
    }
    let ids = done.iter().map(|it| Col(it.conversation)).collect();
    let left = in_which_more_waits(conn, organization, ids).await?;
    let mut emptied = Vec::new();
    let mut by_time: BTreeMap<_, Vec<Col<ConversationId>>> = BTreeMap::new();
    for settlement in done {
        let conversation = settlement.conversation;
        match waiting_until(settlement, numbers).filter(|_| left.contains(&conversation)) {
            Some(due) => by_time.entry(due).or_default().push(Col(conversation)),
            None => emptied.push(Col(conversation)),
        }
    }
    let rows = |ids: Vec<Col<ConversationId>>| {
        outbox_conversations::table
            .filter(outbox_conversations::organization_id.eq(Col(organization)))
            .filter(outbox_conversations::conversation_id.eq_any(listed(ids)))
    };
    if !emptied.is_empty() {
        Cached(diesel::delete(rows(emptied))).execute(conn).await?;
    }
    for ((due, is_held), conversations) in by_time {
        let waits =
            (outbox_conversations::due_at.eq(Col(due)), outbox_conversations::held.eq(is_held));
        Cached(diesel::update(rows(conversations)).set(waits)).execute(conn).await?;
    }
    Ok(left)
}

/// What is left of conversations that were merged into others waits in these: one that the channel could not take a message of is
/// left alone as long as it would have been itself. Returns those that were merged.
async fn follow(
    conn: &mut Conn,
    organization: OrganizationId,
    gone: &Theirs<'_>,
) -> Result<BTreeSet<ConversationId>> {
    let mut merged = BTreeSet::new();
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

/// The first that waits is looked up for each: what that costs does not depend on how many there are.
async fn in_which_more_waits(
    conn: &mut Conn,
    organization: OrganizationId,
    within: Vec<Col<ConversationId>>,
) -> Result<BTreeSet<ConversationId>> {
    // The organization is named once more: else all nodes of a distributed database would be asked.
    let first = outbox::table
        .filter(outbox::organization_id.eq(Col(organization)))
        .filter(outbox::conversation_id.eq(outbox_conversations::conversation_id))
        .select(dsl::min(outbox::position))
        .single_value();
    let firsts = outbox_conversations::table
        .filter(outbox_conversations::organization_id.eq(Col(organization)))
        .filter(outbox_conversations::conversation_id.eq_any(listed(within)))
        .select((outbox_conversations::conversation_id, first));
    let rows: Vec<(Col<ConversationId>, Option<i64>)> = Cached(firsts).load(conn).await?;
    Ok(rows.into_iter().filter(|(_, first)| first.is_some()).map(|(id, _)| id.0).collect())
}

/// A message that the channel will not have: it was not yet sent, so nothing can be late here. `false` if
/// it has moved on all the same.
async fn fail(
    conn: &mut Conn,
    organization: OrganizationId,
    message: MessageId,
    error: &DeliveryError,
) -> Result<bool> {
    let queued = messages::table
        .filter(messages::organization_id.eq(Col(organization)))
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
