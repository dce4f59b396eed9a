//! The health of accounts, and the messages that wait while an account is held.
use super::{Conn, RunQueryDsl, Transactional, events, work};
use crate::records::{Account, HealthOutcome, Released};
use crate::schema::{accounts, conversations, outbox, outbox_conversations};
use crate::types::{Col, Utc};
use crate::{Error, Result};
use diesel::prelude::*;
use diesel::sql_types::Nullable;
use domain::account::pace::Pace;
use domain::account::{HealthReport, HealthState, PROBE_INTERVAL};
use domain::event::{EventKind, EventPayload, NewEvent};
use domain::id::{AccountId, ConversationId, OrganizationId};
use domain::instance::WorkKind;
use domain::time::Timestamp;
use std::collections::BTreeMap;

diesel::define_sql_function! {
    /// The SQL function `coalesce`: the first of two times that is not null.
    fn coalesce(known: Nullable<Utc>, new: Utc) -> Utc;
}

#[derive(Clone, Copy, Debug)]
pub struct HeldAccount {
    /// The time from which the next message is sent to test the account.
    pub probe_due_at: Timestamp,
    /// The conversation whose message is sent next to test the account.
    pub conversation: Option<ConversationId>,
}

#[diesel::dsl::auto_type]
fn own_account(organization: Col<OrganizationId>, id: Col<AccountId>) -> _ {
    accounts::table.filter(accounts::id.eq(id)).filter(accounts::organization_id.eq(organization))
}

/// Reads an account and locks it until the transaction ends. The lock is taken by updating a column
/// that is in no key. Sends, whose rows have foreign keys to the account, therefore do not wait for
/// it.
async fn lock(
    conn: &mut Conn,
    organization: OrganizationId,
    id: AccountId,
) -> Result<Option<Account>> {
    let own = own_account(Col(organization), Col(id));
    let locked = diesel::update(own)
        .set(accounts::health.eq(accounts::health))
        .returning(Account::as_returning())
        .get_result(conn)
        .await;
    Ok(locked.optional()?)
}

/// Reads and locks a held account like [`lock`]. Returns `None` for an account that is not held.
pub async fn lock_held(
    conn: &mut Conn,
    organization: OrganizationId,
    id: AccountId,
) -> Result<Option<HeldAccount>> {
    let found = lock(conn, organization, id).await?;
    let held = found.filter(|it| it.health == HealthState::Held);
    let Some((due, named)) = held.and_then(|it| it.probe_due_at.zip(Some(it.probe_conversation)))
    else {
        return Ok(None);
    };
    let conversation = match named {
        Some(named) => Some(surviving(conn, organization, named).await?),
        None => None,
    };
    Ok(Some(HeldAccount { probe_due_at: due, conversation }))
}

/// Returns the conversation into which this one was merged, or this one itself.
pub async fn surviving(
    conn: &mut Conn,
    organization: OrganizationId,
    id: ConversationId,
) -> Result<ConversationId> {
    let found = conversations::table
        .find((Col(organization), Col(id)))
        .select(conversations::merged_into)
        .get_result::<Option<Col<ConversationId>>>(conn)
        .await
        .optional()?;
    Ok(found.flatten().map_or(id, |kept| *kept))
}

/// Stores the conversation whose message is sent next to test a held account.
pub async fn name_prober(
    conn: &mut Conn,
    id: AccountId,
    conversation: Option<ConversationId>,
) -> Result<()> {
    let held = accounts::table
        .filter(accounts::id.eq(Col(id)))
        .filter(accounts::health.eq(Col(HealthState::Held)));
    let probe = accounts::probe_conversation.eq(conversation.map(Col));
    diesel::update(held).set(probe).execute(conn).await?;
    Ok(())
}

/// Records the reported health of one of the organization's accounts, and replaces its access token
/// if there is a new one. [`release_waiting`] makes the waiting messages due afterwards, in several
/// transactions.
pub async fn report_health(
    conn: &mut Conn,
    organization: OrganizationId,
    id: AccountId,
    report: HealthReport,
    token: Option<Vec<u8>>,
    at: Timestamp,
) -> Result<HealthOutcome> {
    conn.transaction(async |conn| {
        let Some(mut account) = lock(conn, organization, id).await? else {
            return Ok(HealthOutcome::default());
        };
        let own = || own_account(Col(organization), Col(id));
        if let Some(token) = token {
            diesel::update(own()).set(accounts::access_token.eq(Some(token))).execute(conn).await?;
        }
        let before = account.known_health();
        let (was_held, after) = (before.hold.is_some(), before.after(report, at));
        let Some(health) = after else { return Ok(HealthOutcome::default()) };
        let is_held = health.hold.is_some();
        account.set_health(health);
        if is_held != was_held {
            account.probe_due_at = is_held.then(|| Col(at.plus(PROBE_INTERVAL))).map(|it| it.0);
            account.probe_conversation = None;
        }
        write(conn, organization, &account).await?;
        let (kind, payload) =
            (EventKind::AccountUpdated, EventPayload::Account(Box::new(account.snapshot(at))));
        let event = NewEvent::for_account(organization, id, kind, payload, at);
        events::record(conn, vec![event]).await?;
        Ok::<_, Error>(HealthOutcome { changed: true, lets_go: was_held && !is_held })
    })
    .await
}

async fn write(conn: &mut Conn, organization: OrganizationId, account: &Account) -> Result<()> {
    let known = (
        accounts::health.eq(Col(account.health)),
        accounts::health_reason.eq(account.health_reason),
        accounts::health_message.eq(account.health_message.as_deref()),
        accounts::health_since.eq(account.health_since),
        accounts::held_by_status.eq(account.held_by_status),
        accounts::restriction.eq(account.restriction),
        accounts::restriction_message.eq(account.restriction_message.as_deref()),
        accounts::restricted_at.eq(account.restricted_at),
        accounts::restricted_until.eq(account.restricted_until),
        accounts::quality.eq(account.quality),
        accounts::messaging_limit.eq(account.messaging_limit.as_deref()),
        accounts::probe_due_at.eq(account.probe_due_at),
        accounts::probe_conversation.eq(account.probe_conversation),
    );
    let own = own_account(Col(organization), Col(account.id));
    diesel::update(own).set(known).execute(conn).await?;
    Ok(())
}

/// Selects the conversations that wait because one of the organization's accounts is held.
#[diesel::dsl::auto_type]
fn held_conversations(organization: Col<OrganizationId>, account: Col<AccountId>) -> _ {
    outbox_conversations::table
        .filter(outbox_conversations::organization_id.eq(organization))
        .filter(outbox_conversations::account_id.eq(account))
        .filter(outbox_conversations::held)
}

/// Makes up to `most` conversations due that still wait although their account is no longer held.
/// Begins with the earliest due times. The new due time of a conversation is the time at which its
/// first message was accepted. Rows that others have locked are skipped, so transactions that lock
/// conversations in another order never wait for this one. A skipped conversation is made due when
/// its worker releases it.
pub async fn release_waiting(
    conn: &mut Conn,
    organization: OrganizationId,
    id: AccountId,
    most: i64,
) -> Result<Released> {
    conn.transaction(async |conn| {
        let is_held = own_account(Col(organization), Col(id))
            .filter(accounts::health.eq(Col(HealthState::Held)))
            .select(accounts::id);
        let is_held = is_held.get_result::<Col<AccountId>>(conn).await.optional()?.is_some();
        if is_held {
            return Ok(Released::default());
        }
        let first = held_conversations(Col(organization), Col(id))
            .order(outbox_conversations::due_at)
            .limit(most)
            .select(outbox_conversations::conversation_id);
        let some: Vec<Col<ConversationId>> = skip_locked!(first).load(conn).await?;
        let accepted_at = outbox::table
            .filter(outbox::organization_id.eq(outbox_conversations::organization_id))
            .filter(outbox::conversation_id.eq(outbox_conversations::conversation_id))
            .order(outbox::position)
            .limit(1)
            .select(outbox::accepted_at)
            .single_value();
        let due = (
            outbox_conversations::due_at.eq(coalesce(accepted_at, outbox_conversations::due_at)),
            outbox_conversations::held.eq(false),
        );
        let rows = outbox_conversations::table
            .filter(outbox_conversations::organization_id.eq(Col(organization)))
            .filter(outbox_conversations::conversation_id.eq_any(&some));
        let released = diesel::update(rows).set(due).returning(outbox_conversations::due_at);
        let released: Vec<Col<Timestamp>> = released.get_results(conn).await?;
        if let Some(first) = released.iter().min() {
            record_due(conn, organization, **first).await?;
        }
        let left = held_conversations(Col(organization), Col(id))
            .select(outbox_conversations::conversation_id)
            .limit(1);
        let left = left.get_result::<Col<ConversationId>>(conn).await.optional()?.is_some();
        Ok::<_, Error>(Released { released: some.len(), left })
    })
    .await
}

async fn record_due(conn: &mut Conn, organization: OrganizationId, due: Timestamp) -> Result<()> {
    let due = BTreeMap::from([(organization, due)]);
    work::record_due(shared!(conn), WorkKind::Messages, &due).await
}

/// Returns accounts that are no longer held but have conversations that still wait, because the
/// worker that was releasing them was interrupted.
pub async fn unreleased_accounts(
    conn: &mut Conn,
    most: i64,
) -> Result<Vec<(OrganizationId, AccountId)>> {
    // The query starts from the waiting conversations and not from the accounts. There are many
    // accounts, but usually no such conversations.
    let rows: Vec<(Col<OrganizationId>, Col<AccountId>)> = outbox_conversations::table
        .inner_join(accounts::table.on(accounts::id.eq(outbox_conversations::account_id)))
        .filter(outbox_conversations::held)
        .filter(accounts::health.ne(Col(HealthState::Held)))
        .select((outbox_conversations::organization_id, outbox_conversations::account_id))
        .distinct()
        .limit(most)
        .load(conn)
        .await?;
    Ok(rows.into_iter().map(|(organization, id)| (*organization, *id)).collect())
}

pub async fn ended_restrictions(
    conn: &mut Conn,
    now: Timestamp,
    most: i64,
) -> Result<Vec<(OrganizationId, AccountId)>> {
    let rows: Vec<(Col<OrganizationId>, Col<AccountId>)> = accounts::table
        .filter(accounts::restricted_until.le(Col(now)))
        .limit(most)
        .select((accounts::organization_id, accounts::id))
        .load(conn)
        .await?;
    Ok(rows.into_iter().map(|(organization, id)| (*organization, *id)).collect())
}

/// Returns held accounts whose test message is overdue at `now`.
pub async fn untried_accounts(
    conn: &mut Conn,
    now: Timestamp,
    most: i64,
) -> Result<Vec<(OrganizationId, AccountId)>> {
    let rows: Vec<(Col<OrganizationId>, Col<AccountId>)> = accounts::table
        .filter(accounts::health.eq(Col(HealthState::Held)))
        .filter(accounts::probe_due_at.le(Col(now)))
        .limit(most)
        .select((accounts::organization_id, accounts::id))
        .load(conn)
        .await?;
    Ok(rows.into_iter().map(|(organization, id)| (*organization, *id)).collect())
}

/// Ensures that a waiting message is sent to test a held account, if a test is due and none of the
/// account's messages is due. Returns whether a conversation was chosen for the test.
pub async fn rearm_probe(
    conn: &mut Conn,
    organization: OrganizationId,
    id: AccountId,
    now: Timestamp,
) -> Result<bool> {
    conn.transaction(async |conn| {
        let Some(held) = lock_held(conn, organization, id).await? else { return Ok(false) };
        if held.probe_due_at > now {
            return Ok(false);
        }
        let due = held_conversations(Col(organization), Col(id))
            .filter(outbox_conversations::due_at.le(Col(now)))
            .limit(1)
            .select(outbox_conversations::conversation_id);
        if due.get_result::<Col<ConversationId>>(conn).await.optional()?.is_some() {
            return Ok(false);
        }
        let first = held_conversations(Col(organization), Col(id))
            .order((outbox_conversations::due_at, outbox_conversations::conversation_id))
            .limit(1)
            .select(outbox_conversations::conversation_id);
        let first: Option<Col<ConversationId>> =
            skip_locked!(first).get_result(conn).await.optional()?;
        try_next(conn, organization, id, first, now).await?;
        Ok::<_, Error>(first.is_some())
    })
    .await
}

/// Returns whether a message of a conversation may be sent now to test a held account. All
/// instances together may send one such message per minute. Also chooses the conversation for the
/// next test: the first waiting conversation with a due time after `place`, or else the first one
/// of all. Because the conversations take turns, a conversation in which sending is impossible does
/// not keep the account held. A conversation whose first message is given up before the next test
/// is not chosen, because it could not send the test.
pub async fn claim_probe(
    conn: &mut Conn,
    organization: OrganizationId,
    id: AccountId,
    conversation: ConversationId,
    place: Timestamp,
    now: Timestamp,
) -> Result<bool> {
    conn.transaction(async |conn| {
        let next = now.plus(PROBE_INTERVAL);
        let due = own_account(Col(organization), Col(id))
            .filter(accounts::health.eq(Col(HealthState::Held)))
            .filter(accounts::probe_due_at.le(Col(now)));
        let taken = accounts::probe_due_at.eq(Some(Col(next)));
        if diesel::update(due).set(taken).execute(conn).await? == 0 {
            return Ok(false);
        }
        let others = || {
            held_conversations(Col(organization), Col(id))
                .filter(outbox_conversations::conversation_id.ne(Col(conversation)))
                .filter(outbox_conversations::due_at.gt(Col(next)))
                .order((outbox_conversations::due_at, outbox_conversations::conversation_id))
                .limit(1)
                .select(outbox_conversations::conversation_id)
        };
        let behind = others().filter(outbox_conversations::due_at.gt(Col(place)));
        let mut other: Option<Col<ConversationId>> =
            skip_locked!(behind).get_result(conn).await.optional()?;
        if other.is_none() {
            other = skip_locked!(others()).get_result(conn).await.optional()?;
        }
        try_next(conn, organization, id, other, next).await?;
        Ok::<_, Error>(true)
    })
    .await
}

/// Sets the conversation whose message tests a held account at the time `at`. If `conversation` is
/// `None`, because workers are busy with all conversations or are about to be, the next conversation
/// that a worker releases is used.
async fn try_next(
    conn: &mut Conn,
    organization: OrganizationId,
    id: AccountId,
    conversation: Option<Col<ConversationId>>,
    at: Timestamp,
) -> Result<()> {
    name_prober(conn, id, conversation.map(|it| *it)).await?;
    if let Some(conversation) = conversation {
        let row = outbox_conversations::table.find((Col(organization), conversation));
        let due = outbox_conversations::due_at.eq(Col(at));
        diesel::update(row).set(due).execute(conn).await?;
        record_due(conn, organization, at).await?;
    }
    Ok(())
}

/// Records that the channel reported something about an account.
pub async fn record_callback(
    conn: &mut Conn,
    organization: OrganizationId,
    id: AccountId,
    at: Timestamp,
) -> Result<()> {
    let own = own_account(Col(organization), Col(id));
    let seen = accounts::last_callback_at.eq(Some(Col(at)));
    diesel::update(own).set(seen).execute(conn).await?;
    Ok(())
}

/// Stores the send rate of an account that the channel slowed down, unless a newer rate is already
/// stored.
pub async fn set_pace(
    conn: &mut Conn,
    organization: OrganizationId,
    id: AccountId,
    pace: Pace,
) -> Result<()> {
    let own = own_account(Col(organization), Col(id)).filter(
        accounts::paced_at.is_null().or(accounts::paced_at.lt(Col(pace.since)).assume_not_null()),
    );
    let slowed =
        (accounts::pace.eq(Some(Col(pace.rate.0))), accounts::paced_at.eq(Some(Col(pace.since))));
    diesel::update(own).set(slowed).execute(conn).await?;
    Ok(())
}

pub async fn count_held_accounts(conn: &mut Conn) -> Result<i64> {
    let held = accounts::table.filter(accounts::health.eq(Col(HealthState::Held)));
    Ok(held.count().get_result(conn).await?)
}
