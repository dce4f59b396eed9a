//! Queries on the channels' callbacks, and on the message statuses that they change.
use super::{
    Conn, Rows, RunQueryDsl, SharedConn, Transactional, contacts_by_id, events, inserts, listed,
};
use crate::cached::Cached;
use crate::records::{
    Callback, CallbackDeferral, Contact, MessageOnChannel, MessageState, StatusMove,
};
use crate::schema::{callbacks, messages};
use crate::types::{Col, Utc};
use crate::{Error, Result};
use diesel::prelude::*;
use diesel::sql_types::Nullable;
use domain::callback::MAX_LOOKUPS;
use domain::event::{EventKind, EventPayload, NewEvent};
use domain::id::{AccountId, CallbackId, ContactId, InstanceId, MessageId, OrganizationId};
use domain::message::{Direction, Failure, MessageError, MessageProgress, MessageStatus};
use domain::time::Timestamp;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::RangeInclusive;

diesel::define_sql_function! {
    /// The SQL function `coalesce`: the first of two times that is not null.
    fn coalesce(known: Nullable<Utc>, new: Nullable<Utc>) -> Nullable<Utc>;
}

pub async fn insert_callbacks(conn: &mut Conn, new: Vec<Callback>) -> Result<()> {
    insert_some(shared!(conn), &new).await
}

/// Inserts callbacks. Other statements may run on the connection at the same time.
pub(super) async fn insert_some(conn: &mut SharedConn<'_>, new: &[Callback]) -> Result<()> {
    pipelined_each!(conn; rows in inserts(new) => insert(conn, rows))?;
    Ok(())
}

async fn insert(conn: &mut SharedConn<'_>, rows: Rows<'_, Callback>) -> Result<()> {
    // The row may exist already, because a caller repeats a write whose result is unknown.
    let insert = diesel::insert_into(callbacks::table).values(rows).on_conflict_do_nothing();
    prepared!(insert).execute(conn).await?;
    Ok(())
}

/// Inserts the callbacks of several requests.
pub async fn insert_batch(conn: &mut Conn, new: Vec<Callback>) -> Result<Vec<()>> {
    let kept = vec![(); new.len()];
    insert_callbacks(conn, new).await?;
    Ok(kept)
}

/// Returns the earliest due time of a callback that is not before `from`.
pub async fn next_report_due(conn: &mut Conn, from: Timestamp) -> Result<Option<Timestamp>> {
    let due: Option<Col<Timestamp>> = callbacks::table
        .filter(callbacks::due_at.ge(Col(from)))
        .order(callbacks::due_at)
        .limit(1)
        .select(callbacks::due_at)
        .get_result(conn)
        .await
        .optional()?;
    Ok(due.map(|at| at.0))
}

/// Claims callbacks that are due in the range `due`, in order, for this instance until `until`.
pub async fn claim_callbacks(
    conn: &mut Conn,
    server: InstanceId,
    limit: i64,
    due: RangeInclusive<Timestamp>,
    until: Timestamp,
) -> Result<Vec<Callback>> {
    conn.transaction(async |conn| {
        let due = callbacks::table
            .filter(callbacks::due_at.between(Col(*due.start()), Col(*due.end())))
            .order((callbacks::due_at, callbacks::id))
            .limit(limit)
            .select(Callback::as_select());
        let due: Vec<Callback> = skip_locked!(due).load(conn).await?;
        if due.is_empty() {
            return Ok(due);
        }
        let ids: Vec<Col<CallbackId>> = due.iter().map(|callback| Col(callback.id)).collect();
        let claimed = (
            callbacks::due_at.eq(Col(until)),
            callbacks::attempts.eq(callbacks::attempts + 1),
            callbacks::claimed_by.eq(Some(Col(server))),
        );
        let rows = callbacks::table.filter(callbacks::id.eq_any(listed(ids)));
        Cached(diesel::update(rows).set(claimed)).execute(conn).await?;
        Ok::<_, Error>(due)
    })
    .await
}

/// Deletes callbacks that have been processed.
pub async fn finish_callbacks(conn: &mut Conn, done: Vec<CallbackId>) -> Result<()> {
    let done: Vec<_> = done.into_iter().map(Col).collect();
    let done = callbacks::table.filter(callbacks::id.eq_any(listed(done)));
    Cached(diesel::delete(done)).execute(conn).await?;
    Ok(())
}

/// Postpones claimed callbacks.
pub async fn defer_callbacks(conn: &mut Conn, deferred: Vec<CallbackDeferral>) -> Result<()> {
    conn.transaction(async |conn| {
        for CallbackDeferral { callback, due_at, untried, looked_up } in deferred {
            let later = (
                callbacks::due_at.eq(Col(due_at)),
                callbacks::claimed_by.eq(None::<Col<InstanceId>>),
                callbacks::attempts.eq(callbacks::attempts - i32::from(untried)),
                callbacks::lookups.eq(callbacks::lookups + i32::from(looked_up)),
            );
            let callback = callbacks::table.find(Col(callback));
            prepared!(diesel::update(callback).set(later)).execute(conn).await?;
        }
        Ok::<_, Error>(())
    })
    .await
}

/// Returns how many callbacks wait, and when the oldest of them was received. Two kinds of
/// callbacks are not counted: those that wait for a message that is not stored yet, and those with
/// a receipt time in the future.
pub async fn waiting_callbacks(
    conn: &mut Conn,
    now: Timestamp,
) -> Result<(i64, Option<Timestamp>)> {
    let come = || {
        callbacks::table
            .filter(callbacks::received_at.le(Col(now)))
            .filter(callbacks::lookups.lt(MAX_LOOKUPS.cast_signed()))
    };
    let count: i64 = come().count().get_result(conn).await?;
    let oldest = come().order(callbacks::received_at).limit(1).select(callbacks::received_at);
    let oldest: Option<Col<Timestamp>> = oldest.get_result(conn).await.optional()?;
    Ok((count, oldest.map(|at| at.0)))
}

/// Stores the channel's id of a message, for which the channel's answer could not be read. Returns
/// `false` if the message already has an id.
pub async fn record_missing_channel_id(
    conn: &mut Conn,
    organization: OrganizationId,
    message: MessageId,
    channel_id: String,
) -> Result<bool> {
    let nameless = messages::table
        .filter(messages::organization_id.eq(Col(organization)))
        .filter(messages::id.eq(Col(message)))
        .filter(messages::channel_message_id.is_null());
    let channel_message_id = messages::channel_message_id.eq(Some(channel_id));
    Ok(diesel::update(nameless).set(channel_message_id).execute(conn).await? > 0)
}

type ProgressRow = (
    Col<Timestamp>,
    Col<MessageId>,
    Col<MessageStatus>,
    Option<Col<Timestamp>>,
    Option<Col<Timestamp>>,
    Option<Col<Timestamp>>,
    Option<Col<Failure>>,
    Option<String>,
    Option<i64>,
    Option<String>,
);

/// The account and the contact of a message.
type MessageParties = (Col<AccountId>, Col<ContactId>);

#[diesel::dsl::auto_type]
fn progress_columns() -> _ {
    (
        messages::created_at,
        messages::id,
        messages::status,
        messages::sent_at,
        messages::delivered_at,
        messages::read_at,
        messages::failure,
        messages::failure_message,
        messages::failure_code,
        messages::channel_message_id,
    )
}

#[diesel::dsl::auto_type]
fn place_columns() -> _ {
    (messages::account_id, messages::contact_id)
}

fn state(row: ProgressRow, contact: Contact) -> MessageState {
    let (at, id, status, sent_at, delivered_at, read_at, failure, text, channel_code, channel_id) =
        row;
    let error = failure.map(|failure| MessageError {
        failure: failure.0,
        message: text.unwrap_or_default(),
        channel_code,
    });
    let progress = MessageProgress {
        status: status.0,
        sent_at: sent_at.map(|at| at.0),
        delivered_at: delivered_at.map(|at| at.0),
        read_at: read_at.map(|at| at.0),
        error,
    };
    MessageState {
        id: id.0,
        progress,
        has_channel_id: channel_id.is_some(),
        contact,
        accepted_at: at.0,
    }
}

/// Returns the states of messages that are identified by the channel's message ids.
pub async fn message_states(
    conn: &mut Conn,
    wanted: Vec<MessageOnChannel>,
) -> Result<BTreeMap<MessageOnChannel, MessageState>> {
    let mut by_organization: BTreeMap<_, (BTreeSet<_>, Vec<_>)> = BTreeMap::new();
    for MessageOnChannel { organization, account, channel_id } in wanted {
        let (accounts, channel_ids) = by_organization.entry(organization).or_default();
        accounts.insert(Col(account));
        channel_ids.push(channel_id);
    }
    let shared = shared!(conn);
    let found = pipelined_each!(shared; (organization, (accounts, channel_ids)) in by_organization.into_iter() => list_states(shared, organization, accounts, channel_ids))?;
    Ok(found.into_iter().flatten().collect())
}

async fn list_states(
    conn: &mut SharedConn<'_>,
    organization: OrganizationId,
    accounts: BTreeSet<Col<AccountId>>,
    channel_ids: Vec<String>,
) -> Result<Vec<(MessageOnChannel, MessageState)>> {
    let found = messages::table
        .filter(messages::organization_id.eq(Col(organization)))
        .filter(messages::account_id.eq_any(listed(accounts)))
        .filter(messages::channel_message_id.eq_any(listed(channel_ids)))
        .select((place_columns(), progress_columns()));
    let rows: Vec<(MessageParties, ProgressRow)> = Cached(found).load(conn).await?;
    let states = with_addressees(conn, organization, rows).await?.into_iter();
    let by_channel_id = |(account, row, contact): (AccountId, ProgressRow, Contact)| {
        let channel_id = row.9.clone()?;
        Some((MessageOnChannel { organization, account, channel_id }, state(row, contact)))
    };
    Ok(states.filter_map(by_channel_id).collect())
}

/// Returns the states of messages that are identified by Switchboard's own message ids, which the
/// channel repeats in its reports. A report may concern a message whose channel id is unknown,
/// because the connection broke before the channel answered.
pub async fn own_message_states(
    conn: &mut Conn,
    ids: Vec<(OrganizationId, MessageId)>,
) -> Result<BTreeMap<MessageId, MessageState>> {
    let mut by_organization: BTreeMap<_, Vec<_>> = BTreeMap::new();
    for (organization, id) in ids {
        by_organization.entry(organization).or_default().push(Col(id));
    }
    let mut states = BTreeMap::new();
    for (organization, ids) in by_organization {
        let found = messages::table
            .filter(messages::organization_id.eq(Col(organization)))
            .filter(messages::id.eq_any(listed(ids)))
            .filter(messages::direction.eq(Col(Direction::Outbound)))
            .select((place_columns(), progress_columns()));
        let rows: Vec<(MessageParties, ProgressRow)> = Cached(found).load(conn).await?;
        for (_, row, contact) in with_addressees(shared!(conn), organization, rows).await? {
            states.insert(row.1.0, state(row, contact));
        }
    }
    Ok(states)
}

/// Adds the contacts to messages. A separate query is used, because with a join PostgreSQL would
/// read all contacts into a hash table, even for a few hundred messages.
async fn with_addressees(
    conn: &mut SharedConn<'_>,
    organization: OrganizationId,
    rows: Vec<(MessageParties, ProgressRow)>,
) -> Result<Vec<(AccountId, ProgressRow, Contact)>> {
    let ids: BTreeSet<_> = rows.iter().map(|((_, contact), _)| *contact).collect();
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    let people = contacts_by_id(conn, organization, ids).await?;
    let people: BTreeMap<_, _> = people.into_iter().map(|it| (it.id, it)).collect();
    let found = rows.into_iter().filter_map(|((account, contact), row)| {
        let contact = people.get(&contact.0)?;
        Some((account.0, row, contact.clone()))
    });
    Ok(found.collect())
}

/// Changes the status of messages that are still in the expected status, records the events, and
/// returns the ids of these messages. Messages whose status has changed in the meantime are left as
/// they are. A stored time is never overwritten.
pub async fn advance(
    conn: &mut Conn,
    moves: Vec<StatusMove>,
    at: Timestamp,
) -> Result<Vec<MessageId>> {
    conn.transaction(async |conn| {
        lock_moved(conn, &moves).await?;
        let shared = shared!(conn);
        let changed =
            pipelined_each!(shared; step in moves.iter() => advance_messages(shared, step))?;
        let (mut done, mut new_events) = (Vec::new(), Vec::new());
        for (step, messages) in moves.iter().zip(changed) {
            for (id, account) in messages {
                done.push(id.0);
                new_events.extend(step.reported.iter().map(|status| {
                    let payload = EventPayload::Message(id.0, step.contacts.get(&id.0).cloned());
                    let kind = EventKind::from_message_status(*status);
                    NewEvent::for_account(step.organization, account.0, kind, payload, at)
                }));
            }
        }
        events::record(conn, new_events).await?;
        Ok::<_, Error>(done)
    })
    .await
}

/// Locks messages in the order of their organizations.
async fn lock_moved(conn: &mut Conn, moves: &[StatusMove]) -> Result<()> {
    let mut all: BTreeMap<OrganizationId, BTreeSet<_>> = BTreeMap::new();
    for step in moves {
        let rows = all.entry(step.organization).or_default();
        rows.extend(step.messages.iter().copied().map(Col));
    }
    if all.values().map(BTreeSet::len).sum::<usize>() < 2 {
        return Ok(());
    }
    for (organization, ids) in all {
        lock_messages(conn, organization, ids).await?;
    }
    Ok(())
}

/// Locks an organization's messages in the order of their ids. This avoids deadlocks between
/// instances that process callbacks about the same messages, or that settle them.
pub(super) async fn lock_messages(
    conn: &mut Conn,
    organization: OrganizationId,
    ids: BTreeSet<Col<MessageId>>,
) -> Result<()> {
    let rows = messages::table
        .filter(messages::organization_id.eq(Col(organization)))
        .filter(messages::id.eq_any(listed(ids)))
        .order(messages::id)
        .select(messages::id);
    Cached(for_update!(rows)).load::<Col<MessageId>>(conn).await?;
    Ok(())
}

async fn advance_messages(
    conn: &mut SharedConn<'_>,
    step: &StatusMove,
) -> Result<Vec<(Col<MessageId>, Col<AccountId>)>> {
    let StatusMove { organization, from, to, messages, .. } = step;
    let batch: Vec<_> = messages.iter().copied().map(Col).collect();
    let unmoved = messages::table
        .filter(messages::organization_id.eq(Col(*organization)))
        .filter(messages::id.eq_any(listed(batch)))
        .filter(messages::status.eq(Col(*from)));
    let error = to.error.as_ref();
    let moved = (
        messages::status.eq(Col(to.status)),
        messages::sent_at.eq(coalesce(messages::sent_at, to.sent_at.map(Col))),
        messages::delivered_at.eq(coalesce(messages::delivered_at, to.delivered_at.map(Col))),
        messages::read_at.eq(coalesce(messages::read_at, to.read_at.map(Col))),
        messages::failure.eq(error.map(|error| Col(error.failure))),
        messages::failure_message.eq(error.map(|error| error.message.clone())),
        messages::failure_code.eq(error.and_then(|error| error.channel_code)),
    );
    let update = diesel::update(unmoved).set(moved);
    let moved = update.returning((messages::id, messages::account_id));
    Ok(Cached(moved).get_results(conn).await?)
}
