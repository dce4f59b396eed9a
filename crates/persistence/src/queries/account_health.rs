//! Whether numbers can send, and what waits while they cannot.
use super::{Conn, events};
use crate::rows::Account;
use crate::schema::{accounts, conversations, outbox};
use crate::types::Col;
use crate::{Error, Result};
use diesel::prelude::*;
use diesel_async::{AsyncConnection, RunQueryDsl};
use domain::account::{HealthReport, HealthState, PROBE_INTERVAL};
use domain::event::{Event, EventKind, Payload};
use domain::id::{AccountId, ConversationId, OrganizationId};
use domain::time::Timestamp;

/// A number that is held.
#[derive(Clone, Copy, Debug)]
pub struct HeldAccount {
    /// When a message is tried next.
    pub probe_due_at: Timestamp,
    /// The conversation whose message that is.
    pub conversation: Option<ConversationId>,
}

/// One of the organization's numbers.
#[diesel::dsl::auto_type]
fn own_account(organization: Col<OrganizationId>, id: Col<AccountId>) -> _ {
    accounts::table.filter(accounts::id.eq(id)).filter(accounts::organization_id.eq(organization))
}

/// Reads a number that stays as it is until the transaction ends. By an update of what is no key: sends, which refer to the
/// number, do not wait for that.
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

/// The same of a number that is held; none of any other.
pub async fn lock_held(
    conn: &mut Conn,
    organization: OrganizationId,
    id: AccountId,
) -> Result<Option<HeldAccount>> {
    let found = lock(conn, organization, id).await?;
    let held = found.filter(|it| *it.health == HealthState::Held);
    let Some((due, named)) = held.and_then(|it| it.probe_due_at.zip(Some(it.probe_conversation)))
    else {
        return Ok(None);
    };
    let conversation = match named {
        Some(named) => Some(surviving(conn, organization, *named).await?),
        None => None,
    };
    Ok(Some(HeldAccount { probe_due_at: *due, conversation }))
}

/// The conversation that answers for this one: itself, unless it was merged into another.
async fn surviving(
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

/// The conversation of a held number whose message is tried next.
pub async fn name_prober(
    conn: &mut Conn,
    id: AccountId,
    conversation: Option<ConversationId>,
) -> Result<()> {
    let held = accounts::table
        .filter(accounts::id.eq(Col(id)))
        .filter(accounts::health.eq(Col(HealthState::Held)));
    let named = accounts::probe_conversation.eq(conversation.map(Col));
    diesel::update(held).set(named).execute(conn).await?;
    Ok(())
}

/// Records what is reported of one of the organization's numbers, with another access token if it has got one; and lets its
/// messages go if it is held no longer. `false` if that changes nothing.
pub async fn report_health(
    conn: &mut Conn,
    organization: OrganizationId,
    id: AccountId,
    report: HealthReport,
    token: Option<Vec<u8>>,
    at: Timestamp,
) -> Result<bool> {
    conn.transaction(async |conn| {
        let Some(mut account) = lock(conn, organization, id).await? else { return Ok(false) };
        let own = || own_account(Col(organization), Col(id));
        if let Some(token) = token {
            diesel::update(own()).set(accounts::access_token.eq(Some(token))).execute(conn).await?;
        }
        let before = account.known_health();
        let Some(health) = before.after(report, at) else { return Ok(false) };
        let is_held = health.state == HealthState::Held;
        let was_held = before.state == HealthState::Held;
        if is_held != was_held {
            account.probe_due_at = is_held.then(|| Col(at.plus(PROBE_INTERVAL)));
            account.probe_conversation = None;
        }
        account.health = Col(health.state);
        account.health_reason = health.reason.map(Col);
        account.health_message = health.message;
        account.health_since = health.since.map(Col);
        account.quality = health.quality.map(Col);
        account.messaging_limit = health.limit;
        let known = (
            accounts::health.eq(account.health),
            accounts::health_reason.eq(account.health_reason),
            accounts::health_message.eq(account.health_message.clone()),
            accounts::health_since.eq(account.health_since),
            accounts::quality.eq(account.quality),
            accounts::messaging_limit.eq(account.messaging_limit.clone()),
            accounts::probe_due_at.eq(account.probe_due_at),
            accounts::probe_conversation.eq(account.probe_conversation),
        );
        diesel::update(own()).set(known).execute(conn).await?;
        if was_held && !is_held {
            release(conn, organization, id).await?;
        }
        let (kind, payload) =
            (EventKind::AccountUpdated, Payload::Account(Box::new(account.snapshot())));
        let event = Event::of_account(organization, id, kind, payload, at);
        events::record(conn, vec![event]).await?;
        Ok::<_, Error>(true)
    })
    .await
}

/// Lets the messages of a number go, those that were accepted first before the others.
async fn release(conn: &mut Conn, organization: OrganizationId, id: AccountId) -> Result<()> {
    let waiting = || {
        conversations::table
            .filter(conversations::organization_id.eq(Col(organization)))
            .filter(conversations::account_id.eq(Col(id)))
            .filter(conversations::merged_into.is_null())
            .filter(conversations::outbox_due_at.is_not_null())
    };
    // Locked in the order in which sends lock them, lest the two wait for each other.
    let rows = waiting()
        .order((conversations::organization_id, conversations::account_id, conversations::address))
        .select(conversations::id);
    held!(rows).load::<Col<ConversationId>>(conn).await?;
    let first = outbox::table
        .filter(outbox::conversation_id.eq(conversations::id))
        .order(outbox::position)
        .limit(1)
        .select(outbox::accepted_at)
        .single_value();
    diesel::update(waiting()).set(conversations::outbox_due_at.eq(first)).execute(conn).await?;
    Ok(())
}

/// Whether a message of a conversation may be tried now although the number is held: one a minute may, of whichever server.
/// The conversation whose turn is next is named, the one that waits longest behind this one's `place`, so that one which
/// cannot be sent to does not keep the number held.
pub async fn take_probe(
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
            conversations::table
                .filter(conversations::organization_id.eq(Col(organization)))
                .filter(conversations::account_id.eq(Col(id)))
                .filter(conversations::outbox_due_at.is_not_null())
                .filter(conversations::id.ne(Col(conversation)))
                .filter(conversations::merged_into.is_null())
                .order((conversations::outbox_due_at, conversations::id))
                .limit(1)
                .select(conversations::id)
        };
        let behind = others().filter(conversations::outbox_due_at.gt(Col(place)));
        let mut other: Option<Col<ConversationId>> = behind.get_result(conn).await.optional()?;
        if other.is_none() {
            other = others().get_result(conn).await.optional()?;
        }
        name_prober(conn, id, other.map(|it| *it)).await?;
        if let Some(other) = other {
            let free = conversations::table
                .filter(conversations::organization_id.eq(Col(organization)))
                .filter(conversations::id.eq(other))
                .filter(conversations::outbox_claimed_by.is_null());
            let tried = conversations::outbox_due_at.eq(Some(Col(next)));
            diesel::update(free).set(tried).execute(conn).await?;
        }
        Ok::<_, Error>(true)
    })
    .await
}

/// How many numbers are held.
pub async fn count_held_accounts(conn: &mut Conn) -> Result<i64> {
    let held = accounts::table.filter(accounts::health.eq(Col(HealthState::Held)));
    Ok(held.count().get_result(conn).await?)
}
