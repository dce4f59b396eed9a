//! Messages on their way to the channel, and the channel's reports.
use super::{Conn, inserts};
use crate::cached::Cached;
use crate::rows::{Callback, Claimed, MessageState, Outgoing, Settlement};
use crate::schema::{accounts, callbacks, conversations, messages, outbox};
use crate::types::Col;
use crate::types::Document;
use crate::{Error, Result};
use diesel::prelude::*;
use diesel_async::{AsyncConnection, RunQueryDsl};
use domain::account::ChannelKind;
use domain::content::ContentType;
use domain::id::{AccountId, CallbackId, ConversationId, MessageId, OrganizationId};
use domain::message::{DeliveryError, Failure, Progress, Status};
use domain::time::Timestamp;
use std::collections::BTreeMap;

/// The most messages of one conversation that one claim hands out.
const PER_CONVERSATION: i64 = 16;

type Head = (Col<ConversationId>, Col<OrganizationId>, Col<AccountId>, Col<ChannelKind>, String);
type Waiting =
    (Col<MessageId>, i64, Col<ContentType>, Document, Option<Col<MessageId>>, i32, Col<Timestamp>);

/// Claims conversations whose next message is due, each for one worker until `until`: that keeps
/// the order within a conversation, and one conversation's trouble from the others.
///
/// Select, then update: an `UPDATE … WHERE id IN (SELECT … LIMIT … SKIP LOCKED)` may run its subquery
/// more than once, and so claim more than `limit`.
pub async fn claim(
    conn: &mut Conn,
    limit: i64,
    now: Timestamp,
    until: Timestamp,
) -> Result<Vec<Claimed>> {
    conn.transaction(async |conn| {
        let free = conversations::outbox_claimed_until
            .is_null()
            .or(conversations::outbox_claimed_until.lt(Col(now)));
        let due = conversations::table
            .filter(conversations::outbox_due_at.le(Col(now)))
            .filter(free)
            .order(conversations::outbox_due_at)
            .limit(limit)
            .select(conversations::id);
        let due: Vec<Col<ConversationId>> = unclaimed!(due).load(conn).await?;
        if due.is_empty() {
            return Ok(Vec::new());
        }
        diesel::update(conversations::table.filter(conversations::id.eq_any(&due)))
            .set(conversations::outbox_claimed_until.eq(Some(Col(until))))
            .execute(conn)
            .await?;
        let heads: Vec<Head> = conversations::table
            .inner_join(accounts::table)
            .filter(conversations::id.eq_any(&due))
            .select((
                conversations::id,
                conversations::organization_id,
                conversations::account_id,
                accounts::channel,
                conversations::phone_number,
            ))
            .load(conn)
            .await?;
        let mut claimed = Vec::with_capacity(heads.len());
        for head in heads {
            let messages = waiting(conn, head.0.0).await?;
            claimed.push(claimed_of(head, until, messages));
        }
        Ok::<_, Error>(claimed)
    })
    .await
}

fn claimed_of(head: Head, until: Timestamp, messages: Vec<Outgoing>) -> Claimed {
    let (conversation, organization, account, channel, phone_number) = head;
    Claimed {
        conversation: conversation.0,
        organization: organization.0,
        account: account.0,
        channel: channel.0,
        until,
        phone_number,
        messages,
    }
}

async fn waiting(conn: &mut Conn, conversation: ConversationId) -> Result<Vec<Outgoing>> {
    let rows: Vec<Waiting> = outbox::table
        .inner_join(messages::table)
        .filter(outbox::conversation_id.eq(Col(conversation)))
        .order(outbox::position)
        .limit(PER_CONVERSATION)
        .select((
            messages::id,
            outbox::position,
            messages::kind,
            messages::content,
            messages::reply_to,
            outbox::attempts,
            outbox::accepted_at,
        ))
        .load(conn)
        .await?;
    let mut waiting = Vec::with_capacity(rows.len());
    for (message, position, kind, content, reply_to, attempts, accepted_at) in rows {
        let answers = match reply_to {
            Some(id) => channel_id_of(conn, id.0).await?,
            None => None,
        };
        waiting.push(Outgoing {
            message: message.0,
            position,
            kind: kind.0,
            content,
            answers,
            attempts,
            accepted_at: accepted_at.0,
        });
    }
    Ok(waiting)
}

async fn channel_id_of(conn: &mut Conn, message: MessageId) -> Result<Option<String>> {
    let row = messages::table
        .filter(messages::id.eq(Col(message)))
        .select(messages::channel_message_id)
        .get_result::<Option<String>>(conn)
        .await;
    Ok(row.optional()?.flatten())
}

/// Writes down what became of claimed conversations, and lets go of them.
pub async fn settle(conn: &mut Conn, mut batch: Vec<Settlement>) -> Result<Vec<()>> {
    let done = batch.iter().map(|_| ()).collect();
    // In the order of ids, lest this and a batch of sends wait for each other.
    batch.sort_by_key(|settlement| settlement.conversation);
    conn.transaction(async |conn| {
        for settlement in batch {
            settle_one(conn, settlement).await?;
        }
        Ok::<_, Error>(done)
    })
    .await
}

async fn settle_one(conn: &mut Conn, settlement: Settlement) -> Result<()> {
    let conversation = Col(settlement.conversation);
    let claim = conversations::table.find(conversation).select(conversations::outbox_claimed_until);
    let claim: Option<Col<Timestamp>> = held!(claim).get_result(conn).await?;
    for verdict in &settlement.verdicts {
        match &verdict.outcome {
            Ok(channel_id) => {
                let message = messages::table.filter(messages::id.eq(Col(verdict.message)));
                let known = messages::channel_message_id.eq(Some(channel_id));
                Cached(diesel::update(message).set(known)).execute(conn).await?;
            }
            Err(error) => fail(conn, verdict.message, error).await?,
        }
        let row = outbox::table.find((Col(settlement.conversation), verdict.position));
        diesel::delete(row).execute(conn).await?;
    }
    if let Some((position, _)) = settlement.retry {
        let row = outbox::table.find((Col(settlement.conversation), position));
        let again = outbox::attempts.eq(outbox::attempts + 1);
        Cached(diesel::update(row).set(again)).execute(conn).await?;
    }
    let left = outbox::table
        .filter(outbox::conversation_id.eq(Col(settlement.conversation)))
        .select(diesel::dsl::min(outbox::position))
        .get_result::<Option<i64>>(conn)
        .await?;
    let due = left.map(|_| settlement.retry.map_or(settlement.at, |(_, at)| at));
    let let_go = (
        conversations::outbox_due_at.eq(due.map(Col)),
        conversations::outbox_claimed_until.eq(None::<Col<Timestamp>>),
    );
    if claim == Some(Col(settlement.until)) {
        let conversation = conversations::table.find(conversation);
        Cached(diesel::update(conversation).set(let_go)).execute(conn).await?;
    }
    for rows in inserts(&settlement.callbacks) {
        Cached(diesel::insert_into(callbacks::table).values(rows)).execute(conn).await?;
    }
    Ok(())
}

/// A message that the channel will not have: it was not yet sent, so nothing can be late here.
async fn fail(conn: &mut Conn, message: MessageId, error: &DeliveryError) -> Result<()> {
    let queued = messages::table
        .filter(messages::id.eq(Col(message)))
        .filter(messages::status.eq(Col(Status::Queued)));
    let failed = (
        messages::status.eq(Col(Status::Failed)),
        messages::failure.eq(Some(Col(error.failure))),
        messages::failure_message.eq(Some(&error.message)),
        messages::failure_code.eq(error.channel_code),
    );
    Cached(diesel::update(queued).set(failed)).execute(conn).await?;
    Ok(())
}

/// Lets go of everything that a server which is gone had claimed. Only for a server that has the
/// database to itself.
pub async fn release_claims(conn: &mut Conn) -> Result<usize> {
    let claimed = conversations::table
        .filter(conversations::outbox_due_at.is_not_null())
        .filter(conversations::outbox_claimed_until.is_not_null());
    let free = conversations::outbox_claimed_until.eq(None::<Col<Timestamp>>);
    Ok(diesel::update(claimed).set(free).execute(conn).await?)
}

/// How many messages wait for the channel.
pub async fn outbox_depth(conn: &mut Conn) -> Result<i64> {
    Ok(outbox::table.count().get_result(conn).await?)
}

pub async fn insert_callbacks(conn: &mut Conn, new: Vec<Callback>) -> Result<()> {
    for rows in inserts(&new) {
        Cached(diesel::insert_into(callbacks::table).values(rows)).execute(conn).await?;
    }
    Ok(())
}

/// Reports that are due, in their order, each for one worker until `until`.
pub async fn claim_callbacks(
    conn: &mut Conn,
    limit: i64,
    now: Timestamp,
    until: Timestamp,
) -> Result<Vec<Callback>> {
    conn.transaction(async |conn| {
        let due = callbacks::table
            .filter(callbacks::due_at.le(Col(now)))
            .order((callbacks::due_at, callbacks::id))
            .limit(limit)
            .select(Callback::as_select());
        let due: Vec<Callback> = unclaimed!(due).load(conn).await?;
        if due.is_empty() {
            return Ok(due);
        }
        let ids: Vec<Col<CallbackId>> = due.iter().map(|callback| callback.id).collect();
        diesel::update(callbacks::table.filter(callbacks::id.eq_any(ids)))
            .set((
                callbacks::due_at.eq(Col(until)),
                callbacks::attempts.eq(callbacks::attempts + 1),
            ))
            .execute(conn)
            .await?;
        Ok::<_, Error>(due)
    })
    .await
}

pub async fn finish_callbacks(conn: &mut Conn, done: Vec<CallbackId>) -> Result<()> {
    let done: Vec<_> = done.into_iter().map(Col).collect();
    diesel::delete(callbacks::table.filter(callbacks::id.eq_any(done))).execute(conn).await?;
    Ok(())
}

/// When the next thing is due: a message or a report.
pub async fn next_due(conn: &mut Conn) -> Result<Option<Timestamp>> {
    let message: Option<Col<Timestamp>> = conversations::table
        .filter(conversations::outbox_due_at.is_not_null())
        .order(conversations::outbox_due_at)
        .select(conversations::outbox_due_at)
        .first::<Option<Col<Timestamp>>>(conn)
        .await
        .optional()?
        .flatten();
    let report: Option<Col<Timestamp>> = callbacks::table
        .order(callbacks::due_at)
        .select(callbacks::due_at)
        .first(conn)
        .await
        .optional()?;
    Ok(message.into_iter().chain(report).min().map(|at| at.0))
}

type Row = (
    Col<MessageId>,
    Col<Status>,
    Option<Col<Timestamp>>,
    Option<Col<Timestamp>>,
    Option<Col<Timestamp>>,
    Option<Col<Failure>>,
    Option<String>,
    Option<i64>,
);

/// Where messages stand, by the channel's ids of them.
pub async fn message_states(
    conn: &mut Conn,
    account: AccountId,
    channel_ids: Vec<String>,
) -> Result<BTreeMap<String, MessageState>> {
    let rows: Vec<(Option<String>, Row)> = messages::table
        .filter(messages::account_id.eq(Col(account)))
        .filter(messages::channel_message_id.eq_any(channel_ids))
        .select((
            messages::channel_message_id,
            (
                messages::id,
                messages::status,
                messages::sent_at,
                messages::delivered_at,
                messages::read_at,
                messages::failure,
                messages::failure_message,
                messages::failure_code,
            ),
        ))
        .load(conn)
        .await?;
    let states = rows.into_iter().filter_map(|(channel_id, row)| {
        let (id, status, sent_at, delivered_at, read_at, failure, text, channel_code) = row;
        let error = failure.map(|failure| DeliveryError {
            failure: failure.0,
            message: text.unwrap_or_default(),
            channel_code,
        });
        let progress = Progress {
            status: status.0,
            sent_at: sent_at.map(|at| at.0),
            delivered_at: delivered_at.map(|at| at.0),
            read_at: read_at.map(|at| at.0),
            error,
        };
        Some((channel_id?, MessageState { id: id.0, progress }))
    });
    Ok(states.collect())
}

/// Moves a message on, unless it has moved in the meantime.
pub async fn advance(
    conn: &mut Conn,
    message: MessageId,
    from: Status,
    to: Progress,
) -> Result<bool> {
    let unmoved = messages::table
        .filter(messages::id.eq(Col(message)))
        .filter(messages::status.eq(Col(from)));
    let error = to.error.as_ref();
    let moved = (
        messages::status.eq(Col(to.status)),
        messages::sent_at.eq(to.sent_at.map(Col)),
        messages::delivered_at.eq(to.delivered_at.map(Col)),
        messages::read_at.eq(to.read_at.map(Col)),
        messages::failure.eq(error.map(|error| Col(error.failure))),
        messages::failure_message.eq(error.map(|error| error.message.clone())),
        messages::failure_code.eq(error.and_then(|error| error.channel_code)),
    );
    Ok(Cached(diesel::update(unmoved).set(moved)).execute(conn).await? == 1)
}
