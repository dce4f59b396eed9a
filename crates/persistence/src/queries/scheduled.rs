//! Messages that are sent later (`docs/contract.md#send-later`).
use super::messages::insert_submissions;
use super::{
    Conn, Rows, RunQueryDsl, SharedConn, Transactional, events, idempotency, inserts, listed, work,
};
use crate::records::{
    CancelOutcome, Idempotent, MessageSubmission, ScheduledCursor, ScheduledMessage, StoredAnswer,
    SubmissionOutcome,
};
use crate::schema::scheduled_messages;
use crate::types::{Col, Literal};
use crate::{Error, Result};
use diesel::prelude::*;
use domain::id::{AccountId, MessageId, OrganizationId};
use domain::instance::WorkKind;
use domain::message::{Failure, MessageError, ScheduleState};
use domain::time::Timestamp;
use std::collections::{BTreeMap, BTreeSet};

/// Stores a message that is sent later, with the answer of an idempotent request. If another
/// instance has stored an answer for the same request, returns that answer and stores nothing.
///
/// # Errors
///
/// A unique violation if another instance has answered the same request meanwhile, and
/// [`Error::AccountGone`] if the account of the message was disconnected.
pub async fn schedule(
    conn: &mut Conn,
    new: ScheduledMessage,
    once: Option<(Idempotent, String)>,
) -> Result<Option<StoredAnswer>> {
    conn.transaction(async |conn| {
        if let Some((request, _)) = &once
            && let Some(stored) = idempotency::answered_meanwhile(conn, request).await?
        {
            return Ok(Some(stored));
        }
        let (at, new) = (new.created_at, [new]);
        insert_scheduled(shared!(conn), &new).await?;
        if let Some((request, answer)) = once {
            idempotency::store_answers(shared!(conn), &[(request, answer, at)]).await?;
        }
        check_scheduled(shared!(conn), &new).await?;
        Ok::<_, Error>(None)
    })
    .await
}

/// Stores messages that are sent later, and records when the organizations have work. The caller
/// must call [`check_scheduled`] before the transaction ends.
pub(super) async fn insert_scheduled(
    conn: &mut SharedConn<'_>,
    new: &[ScheduledMessage],
) -> Result<()> {
    let mut due: BTreeMap<OrganizationId, Timestamp> = BTreeMap::new();
    for row in new {
        let first = due.entry(row.organization_id).or_insert(row.send_at);
        *first = row.send_at.min(*first);
    }
    pipelined_each!(conn; rows in inserts(new) => insert_some(conn, rows))?;
    work::record_due(conn, WorkKind::Scheduled, &due).await
}

/// Checks that the accounts of new scheduled messages are connected. Locks the counters of events.
///
/// # Errors
///
/// [`Error::AccountGone`] if one of the accounts was disconnected.
pub(super) async fn check_scheduled(
    conn: &mut SharedConn<'_>,
    new: &[ScheduledMessage],
) -> Result<()> {
    let mut by_organization: BTreeMap<OrganizationId, BTreeSet<AccountId>> = BTreeMap::new();
    for row in new {
        by_organization.entry(row.organization_id).or_default().insert(row.account_id);
    }
    for (organization, accounts) in by_organization {
        events::lock_counter(conn, organization).await?;
        events::check_accounts(conn, accounts).await?;
    }
    Ok(())
}

async fn insert_some(conn: &mut SharedConn<'_>, rows: Rows<'_, ScheduledMessage>) -> Result<()> {
    prepared!(diesel::insert_into(scheduled_messages::table).values(rows)).execute(conn).await?;
    Ok(())
}

/// Returns a scheduled message, which may be canceled.
pub async fn scheduled_message(
    conn: &mut Conn,
    organization: OrganizationId,
    account: Option<AccountId>,
    id: MessageId,
) -> Result<Option<ScheduledMessage>> {
    let row = scheduled_messages::table.find((Col(organization), Col(id)));
    let found: Option<ScheduledMessage> =
        row.select(ScheduledMessage::as_select()).get_result(conn).await.optional()?;
    Ok(found.filter(|it| account.is_none_or(|account| account == it.account_id)))
}

/// Lists an organization's messages that wait for their time, in the order in which they are sent.
/// Messages up to and including `after` are left out.
pub async fn list_scheduled(
    conn: &mut Conn,
    organization: OrganizationId,
    account: Option<AccountId>,
    after: Option<ScheduledCursor>,
    limit: i64,
) -> Result<Vec<ScheduledMessage>> {
    let mut page = scheduled_messages::table
        .filter(scheduled_messages::organization_id.eq(Col(organization)))
        .filter(scheduled_messages::state.eq(Literal(ScheduleState::Scheduled)))
        .order((scheduled_messages::send_at, scheduled_messages::id))
        .limit(limit)
        .select(ScheduledMessage::as_select())
        .into_boxed();
    if let Some(account) = account {
        page = page.filter(scheduled_messages::account_id.eq(Col(account)));
    }
    if let Some(ScheduledCursor { send_at, message }) = after {
        let later = scheduled_messages::send_at.gt(Col(send_at));
        let same = scheduled_messages::send_at
            .eq(Col(send_at))
            .and(scheduled_messages::id.gt(Col(message)));
        page = page.filter(scheduled_messages::send_at.ge(Col(send_at))).filter(later.or(same));
    }
    Ok(page.load(conn).await?)
}

/// Counts an organization's messages that wait for their time, up to `most`.
pub async fn count_scheduled(
    conn: &mut Conn,
    organization: OrganizationId,
    most: i64,
) -> Result<usize> {
    let waiting = scheduled_messages::table
        .filter(scheduled_messages::organization_id.eq(Col(organization)))
        .filter(scheduled_messages::state.eq(Literal(ScheduleState::Scheduled)))
        .order((scheduled_messages::send_at, scheduled_messages::id))
        .limit(most)
        .select(scheduled_messages::id);
    let waiting: Vec<Col<MessageId>> = waiting.load(conn).await?;
    Ok(waiting.len())
}

/// Cancels a scheduled message. If the message is accepted at the same moment, either the
/// cancellation or the acceptance succeeds.
pub async fn cancel(
    conn: &mut Conn,
    organization: OrganizationId,
    account: Option<AccountId>,
    id: MessageId,
    now: Timestamp,
) -> Result<CancelOutcome> {
    conn.transaction(async |conn| {
        let row = || scheduled_messages::table.find((Col(organization), Col(id)));
        let locked = row().select(ScheduledMessage::as_select());
        let found: Option<ScheduledMessage> =
            for_update!(locked).get_result(conn).await.optional()?;
        let found = found.filter(|it| account.is_none_or(|account| account == it.account_id));
        let Some(mut message) = found else { return Ok(CancelOutcome::NotScheduled) };
        if message.state == ScheduleState::Canceled {
            return Ok(CancelOutcome::CanceledBefore);
        }
        (message.state, message.canceled_at) = (ScheduleState::Canceled, Some(now));
        let canceled = (
            scheduled_messages::state.eq(Col(ScheduleState::Canceled)),
            scheduled_messages::canceled_at.eq(Some(Col(now))),
        );
        diesel::update(row()).set(canceled).execute(conn).await?;
        events::record(conn, vec![message.canceled(now)?]).await?;
        Ok::<_, Error>(CancelOutcome::Canceled(Box::new(message)))
    })
    .await
}

/// Returns the organization's scheduled messages that are due, in the order in which they are sent.
pub async fn list_due_scheduled(
    conn: &mut Conn,
    organization: OrganizationId,
    now: Timestamp,
    limit: i64,
) -> Result<Vec<ScheduledMessage>> {
    let due = scheduled_messages::table
        .filter(scheduled_messages::organization_id.eq(Col(organization)))
        .filter(scheduled_messages::state.eq(Literal(ScheduleState::Scheduled)))
        .filter(scheduled_messages::send_at.le(Col(now)))
        .order((scheduled_messages::send_at, scheduled_messages::id))
        .limit(limit)
        .select(ScheduledMessage::as_select());
    Ok(due.load(conn).await?)
}

/// Accepts scheduled messages that are due, and removes them from the schedule. A message that was
/// canceled meanwhile, or that another instance has accepted, is left out. A message beyond the
/// month's allowance fails. Returns how many messages were removed from the schedule.
///
/// # Errors
///
/// [`Error::Moved`] if a recipient's address changed. Nothing was done.
pub async fn release(
    conn: &mut Conn,
    organization: OrganizationId,
    batch: Vec<MessageSubmission>,
) -> Result<usize> {
    conn.transaction(async |conn| {
        let ids: BTreeSet<_> = batch.iter().map(|it| Col(it.message)).collect();
        let rows = || {
            scheduled_messages::table
                .filter(scheduled_messages::organization_id.eq(Col(organization)))
                .filter(scheduled_messages::state.eq(Literal(ScheduleState::Scheduled)))
        };
        let locked = rows()
            .filter(scheduled_messages::id.eq_any(listed(ids)))
            .order(scheduled_messages::id)
            .select(scheduled_messages::id);
        let waiting: Vec<Col<MessageId>> = for_update!(locked).load(conn).await?;
        let waiting: BTreeSet<MessageId> = waiting.into_iter().map(|id| id.0).collect();
        if waiting.is_empty() {
            return Ok(0);
        }
        let gone: Vec<_> = waiting.iter().copied().map(Col).collect();
        let gone = rows().filter(scheduled_messages::id.eq_any(listed(gone)));
        diesel::delete(gone).execute(conn).await?;
        let mut batch = batch;
        batch.retain(|new| waiting.contains(&new.message));
        let outcomes = insert_submissions(conn, &batch, true).await?;
        let refused = batch.into_iter().zip(&outcomes).filter_map(|(new, outcome)| {
            let message = match outcome {
                SubmissionOutcome::AllowanceReached { used } => {
                    format!("the month's allowance was used up: {used} messages")
                }
                SubmissionOutcome::CapReached { used } => {
                    format!("the connection's cap of the month was used up: {used} messages")
                }
                _ => return None,
            };
            Some(beyond_limit(new, message))
        });
        let refused: Vec<MessageSubmission> = refused.collect();
        if !refused.is_empty() {
            insert_submissions(conn, &refused, true).await?;
        }
        Ok::<_, Error>(waiting.len())
    })
    .await
}

fn beyond_limit(new: MessageSubmission, message: String) -> MessageSubmission {
    let failure = Failure::PlanLimitExceeded;
    let refusal = MessageError { failure, message, channel_code: None };
    MessageSubmission { refusal: Some(refusal), pauses_agent: false, ..new }
}
