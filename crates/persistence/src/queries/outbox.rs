//! Messages on their way to the channel.
use super::{Conn, callbacks, endpoints, events, note_channel_ids};
use crate::cached::Cached;
use crate::rows::{About, Access, Claimed, News, Outgoing, Settlement};
use crate::schema::callbacks as callbacks_table;
use crate::schema::{accounts, conversations, fetches, messages, outbox, templates};
use crate::types::{Col, Document};
use crate::{Error, Result};
use diesel::prelude::*;
use diesel_async::{AsyncConnection, RunQueryDsl};
use domain::content::MessageKind;
use domain::event::EventKind;
use domain::id::{ConversationId, MessageId, OrganizationId};
use domain::message::{DeliveryError, Status};
use domain::time::Timestamp;
use std::collections::BTreeMap;

/// The most messages of one conversation that one claim hands out.
const PER_CONVERSATION: i64 = 16;

type Head = (Col<ConversationId>, Col<OrganizationId>, Access, String);
type Waiting = (
    Col<ConversationId>,
    Col<MessageId>,
    i64,
    Col<MessageKind>,
    Document,
    Option<Col<MessageId>>,
    i32,
    Col<Timestamp>,
);

diesel::alias!(outbox as first_in_line: FirstInLine);

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
                Access::as_select(),
                conversations::phone_number,
            ))
            .load(conn)
            .await?;
        let mut waiting = waiting(conn, &due).await?;
        let claimed = heads.into_iter().map(|head| {
            let messages = waiting.remove(&head.0.0).unwrap_or_default();
            claimed_of(head, until, messages)
        });
        Ok::<_, Error>(claimed.collect())
    })
    .await
}

fn claimed_of(head: Head, until: Timestamp, messages: Vec<Outgoing>) -> Claimed {
    let (conversation, organization, access, phone_number) = head;
    Claimed {
        conversation: conversation.0,
        organization: organization.0,
        access,
        until,
        phone_number,
        messages,
    }
}

/// The first messages that wait in each of these conversations, in order.
async fn waiting(
    conn: &mut Conn,
    within: &[Col<ConversationId>],
) -> Result<BTreeMap<ConversationId, Vec<Outgoing>>> {
    let first = first_in_line
        .filter(first_in_line.field(outbox::conversation_id).eq(outbox::conversation_id))
        .select(diesel::dsl::min(first_in_line.field(outbox::position)))
        .single_value()
        .assume_not_null();
    let rows: Vec<Waiting> = outbox::table
        .inner_join(messages::table)
        .filter(outbox::conversation_id.eq_any(within))
        .filter((outbox::position - PER_CONVERSATION).lt(first))
        .order((outbox::conversation_id, outbox::position))
        .select((
            outbox::conversation_id,
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
    let answered = channel_ids(conn, rows.iter().filter_map(|row| row.5).collect()).await?;
    let mut waiting: BTreeMap<_, Vec<Outgoing>> = BTreeMap::new();
    for (conversation, message, position, kind, content, reply_to, attempts, accepted_at) in rows {
        waiting.entry(conversation.0).or_default().push(Outgoing {
            message: message.0,
            position,
            kind: kind.0,
            content,
            reply_to: reply_to.map(|id| id.0),
            answers: reply_to.and_then(|id| answered.get(&id.0).cloned()),
            attempts,
            accepted_at: accepted_at.0,
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
    let rows: Vec<(Col<MessageId>, Option<String>)> = messages::table
        .filter(messages::id.eq_any(of))
        .select((messages::id, messages::channel_message_id))
        .load(conn)
        .await?;
    Ok(rows.into_iter().filter_map(|(id, channel_id)| Some((id.0, channel_id?))).collect())
}

/// Writes down what became of claimed conversations, and lets go of them: in few statements,
/// however many there are.
pub async fn settle(conn: &mut Conn, batch: Vec<Settlement>) -> Result<Vec<()>> {
    let done = batch.iter().map(|_| ()).collect();
    conn.transaction(async |conn| {
        // Locked in the order in which sends lock them, lest the two wait for each other.
        let ids: Vec<_> = batch.iter().map(|it| Col(it.conversation)).collect();
        let locked = conversations::table
            .filter(conversations::id.eq_any(&ids))
            .order((
                conversations::organization_id,
                conversations::account_id,
                conversations::phone_number,
            ))
            .select((conversations::id, conversations::outbox_claimed_until));
        let claims: Vec<(Col<ConversationId>, Option<Col<Timestamp>>)> =
            held!(locked).load(conn).await?;
        let claims: BTreeMap<_, _> = claims.into_iter().collect();
        let news = record(conn, &batch).await?;
        let reports = batch.iter().flat_map(|it| it.callbacks.iter().cloned()).collect();
        callbacks::insert_callbacks(conn, reports).await?;
        let left: Vec<Col<ConversationId>> = outbox::table
            .filter(outbox::conversation_id.eq_any(&ids))
            .select(outbox::conversation_id)
            .distinct()
            .load(conn)
            .await?;
        // A claim that somebody else has taken since is left to them.
        let ours = batch.iter().filter(|it| {
            let claim = claims.get(&Col(it.conversation)).copied().flatten();
            claim == Some(Col(it.until))
        });
        let_go(conn, ours, &left).await?;
        events::tell(conn, news).await?;
        Ok::<_, Error>(done)
    })
    .await
}

/// What became of the messages: those that need not be tried again leave the outbox. Gives what is to be
/// told of them: the channel's own reports tell that it took one.
async fn record(conn: &mut Conn, batch: &[Settlement]) -> Result<Vec<News>> {
    let (mut handed, mut gone, mut news) = (Vec::new(), Vec::new(), Vec::new());
    for settlement in batch {
        for verdict in &settlement.verdicts {
            gone.push(Col(verdict.message));
            match &verdict.outcome {
                Ok(Some(channel_id)) => handed.push((verdict.message, channel_id.clone())),
                Ok(None) => {}
                Err(error) => {
                    if fail(conn, verdict.message, error).await? {
                        news.push(failed(settlement, verdict.message));
                    }
                }
            }
        }
        if let Some((position, _)) = settlement.retry {
            let row = outbox::table.find((Col(settlement.conversation), position));
            let again = outbox::attempts.eq(outbox::attempts + 1);
            Cached(diesel::update(row).set(again)).execute(conn).await?;
        }
    }
    note_channel_ids(conn, handed).await?;
    let within: Vec<_> = batch.iter().map(|it| Col(it.conversation)).collect();
    let rows = outbox::table
        .filter(outbox::conversation_id.eq_any(within))
        .filter(outbox::message_id.eq_any(gone));
    diesel::delete(rows).execute(conn).await?;
    Ok(news)
}

fn failed(settlement: &Settlement, message: MessageId) -> News {
    let (organization, account, _) = settlement.line;
    let (kind, about) = (EventKind::MessageFailed, About::Message(message));
    News::of_account(organization, account, kind, about, settlement.at)
}

async fn let_go(
    conn: &mut Conn,
    ours: impl Iterator<Item = &Settlement>,
    left: &[Col<ConversationId>],
) -> Result<()> {
    let mut by_time: BTreeMap<Option<Timestamp>, Vec<Col<ConversationId>>> = BTreeMap::new();
    for settlement in ours {
        let conversation = Col(settlement.conversation);
        let due = settlement.retry.map_or(settlement.at, |(_, at)| at);
        let due = left.contains(&conversation).then_some(due);
        by_time.entry(due).or_default().push(conversation);
    }
    for (due, conversations) in by_time {
        let conversations = conversations::table.filter(conversations::id.eq_any(conversations));
        let free = (
            conversations::outbox_due_at.eq(due.map(Col)),
            conversations::outbox_claimed_until.eq(None::<Col<Timestamp>>),
        );
        diesel::update(conversations).set(free).execute(conn).await?;
    }
    Ok(())
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
    Ok(Cached(diesel::update(queued).set(failed)).execute(conn).await? > 0)
}

/// Lets go of everything that a server which is gone had claimed. Only for a server that has the
/// database to itself.
pub async fn release_claims(conn: &mut Conn, now: Timestamp) -> Result<usize> {
    let claimed = conversations::table
        .filter(conversations::outbox_due_at.is_not_null())
        .filter(conversations::outbox_claimed_until.is_not_null());
    let free = conversations::outbox_claimed_until.eq(None::<Col<Timestamp>>);
    let freed = diesel::update(claimed).set(free).execute(conn).await?;
    // What has been tried is tried again at once: nobody can tell a claim from a wait.
    let now = Col(now);
    let tried = callbacks_table::table
        .filter(callbacks_table::attempts.gt(0))
        .filter(callbacks_table::due_at.gt(now));
    let reports = diesel::update(tried).set(callbacks_table::due_at.eq(now)).execute(conn).await?;
    let tried = templates::table
        .filter(templates::submission_attempts.gt(0))
        .filter(templates::submission_due_at.gt(now));
    let handed_in = templates::submission_due_at.eq(Some(now));
    let handed_in = diesel::update(tried).set(handed_in).execute(conn).await?;
    let tried = fetches::table.filter(fetches::attempts.gt(0)).filter(fetches::due_at.gt(now));
    let files = diesel::update(tried).set(fetches::due_at.eq(now)).execute(conn).await?;
    let endpoints = endpoints::release_endpoints(conn).await?;
    Ok(freed + reports + handed_in + files + endpoints)
}

/// How many messages wait for the channel.
pub async fn outbox_depth(conn: &mut Conn) -> Result<i64> {
    Ok(outbox::table.count().get_result(conn).await?)
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
    let report: Option<Col<Timestamp>> = crate::schema::callbacks::table
        .order(crate::schema::callbacks::due_at)
        .select(crate::schema::callbacks::due_at)
        .first(conn)
        .await
        .optional()?;
    Ok(message.into_iter().chain(report).min().map(|at| at.0))
}
