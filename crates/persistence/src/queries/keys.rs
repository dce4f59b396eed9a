//! Queries on keys, and on the organizations that hold them.
use super::{
    Conn, RunQueryDsl, SharedConn, Transactional, connect, events, key_uses, listed, usage,
};
use crate::records::{Account, Caller, CallerQuestion, CallerWithUsage, Key, KeyUsage};
use crate::schema::{
    accounts as accounts_table, connections, keys, organizations, plans, usage as usage_table,
};
use crate::types::{Col, Literal, Uid};
use crate::{Error, Result};
use diesel::dsl::case_when;
use diesel::prelude::*;
use diesel::sql_types::Nullable;
use domain::connection::{ClosedPeriod, ConnectionCaps, ConnectionState, EndReason};
use domain::event::{EventKind, EventPayload, KeyExpiry, NewEvent};
use domain::id::{AccountId, ConnectionId, KeyId, OrganizationId};
use domain::key::{KeyKind, KeyState, RateLimit};
use domain::plan::Meter;
use domain::time::Timestamp;
use std::collections::{BTreeSet, HashMap};

/// Joins keys with their organizations and plans.
#[diesel::dsl::auto_type]
pub(crate) fn with_holder() -> _ {
    keys::table.inner_join(organizations::table.left_join(plans::table))
}

/// Returns the key with this secret. The lookup is by the secret and not by the client id, so that
/// a wrong secret and an unknown client id are the same query, which finds nothing
/// (`docs/security.md` 22).
pub async fn caller(conn: &mut SharedConn<'_>, secret_digest: Vec<u8>) -> Result<Option<Caller>> {
    // The index is unique, so `get_result` is used. `first` would add a `LIMIT` with one more
    // parameter.
    let one =
        with_holder().filter(keys::secret_digest.eq(secret_digest)).select(Caller::as_select());
    Ok(prepared!(one).get_result(conn).await.optional()?)
}

/// Returns the keys with these secrets, in their order.
pub async fn callers(
    conn: &mut SharedConn<'_>,
    secret_digests: Vec<Vec<u8>>,
) -> Result<Vec<Option<Caller>>> {
    if let [only] = secret_digests.as_slice() {
        return Ok(vec![caller(conn, only.clone()).await?]);
    }
    let digests: Vec<&[u8]> = secret_digests.iter().map(Vec::as_slice).collect();
    let found = holders(conn, &digests).await?;
    let by_digest: HashMap<&[u8], &Caller> =
        found.iter().map(|caller| (caller.key.secret_digest.as_slice(), caller)).collect();
    let answers = secret_digests.iter().map(|it| by_digest.get(it.as_slice()).copied().cloned());
    Ok(answers.collect())
}

diesel::define_sql_function! {
    /// The SQL function `coalesce`: the account that a key is bound to, or the organization's
    /// default account.
    #[sql_name = "coalesce"]
    fn sends_from(bound: Nullable<Uid>, default: Nullable<Uid>) -> Nullable<Uid>;
}

/// Returns the account that a key sends from, and how many messages the organization has sent in a
/// period.
async fn key_usage(
    conn: &mut Conn,
    organization: OrganizationId,
    account: Option<AccountId>,
    period: i32,
) -> Result<KeyUsage> {
    if let Some(id) = account {
        let counted = usage_table::organization_id
            .eq(accounts_table::organization_id)
            .and(usage_table::meter.eq(Col(Meter::Messages)))
            .and(usage_table::period.eq(period));
        let both = accounts_table::table
            .left_join(usage_table::table.on(counted))
            .filter(accounts_table::organization_id.eq(Col(organization)))
            .filter(accounts_table::id.eq(Col(id)))
            .select((Account::as_select(), usage_table::used.nullable()));
        let found: Option<(Account, Option<Col<u32>>)> =
            prepared!(both).get_result(conn).await.optional()?;
        if let Some((account, used)) = found {
            return Ok(KeyUsage { account: Some(account), messages: used.map_or(0, |it| it.0) });
        }
    }
    let messages = usage::used(conn, organization, Meter::Messages, period).await?;
    Ok(KeyUsage { account: None, messages })
}

/// Returns the keys with these secrets, each with its account and with the number of messages that
/// its organization has sent in a period, in the order of the questions.
pub async fn callers_with_usage(
    conn: &mut Conn,
    asked: Vec<CallerQuestion>,
) -> Result<Vec<Option<CallerWithUsage>>> {
    if let [CallerQuestion { secret_digest, period }] = asked.as_slice() {
        let Some(caller) = caller(shared!(conn), secret_digest.clone()).await? else {
            return Ok(vec![None]);
        };
        let (organization, account) = (caller.organization.id, caller.sends_from());
        let usage = key_usage(conn, organization, account, *period).await?;
        return Ok(vec![Some(CallerWithUsage { caller, usage })]);
    }
    let digests: Vec<&[u8]> = asked.iter().map(|it| it.secret_digest.as_slice()).collect();
    // Nearly always all questions have the same period, because callers at the same time are in the
    // same month.
    let periods: BTreeSet<i32> = asked.iter().map(|it| it.period).collect();
    let (callers, numbers, counts) = pipelined!(conn;
        holders(conn, &digests),
        sending_numbers(conn, &digests),
        message_counts(conn, &digests, periods),
    )?;
    Ok(with_usage(&asked, &callers, &numbers, &counts))
}

/// Answers the same questions as [`callers_with_usage`], for a database with several nodes. The
/// keys are on every node. An organization's usage is on one node, so it is looked up per
/// organization.
pub async fn callers_and_their_usage(
    conn: &mut Conn,
    asked: Vec<CallerQuestion>,
) -> Result<Vec<Option<CallerWithUsage>>> {
    let digests: Vec<&[u8]> = asked.iter().map(|it| it.secret_digest.as_slice()).collect();
    let (callers, numbers) = pipelined!(conn;
        holders(conn, &digests),
        sending_numbers(conn, &digests),
    )?;
    let periods: BTreeSet<i32> = asked.iter().map(|it| it.period).collect();
    let organizations: BTreeSet<_> = callers.iter().map(|it| it.organization.id).collect();
    let counters: Vec<_> = organizations
        .into_iter()
        .flat_map(|organization| periods.iter().map(move |period| (organization, *period)))
        .collect();
    let shared = shared!(conn);
    let counts =
        pipelined_each!(shared; counter in counters.into_iter() => message_count(shared, counter))?;
    Ok(with_usage(&asked, &callers, &numbers, &counts.into_iter().collect()))
}

async fn message_count(
    conn: &mut SharedConn<'_>,
    (organization, period): (OrganizationId, i32),
) -> Result<((OrganizationId, i32), u32)> {
    let row = usage_table::table
        .filter(usage_table::organization_id.eq(Col(organization)))
        .filter(usage_table::meter.eq(Col(Meter::Messages)))
        .filter(usage_table::period.eq(period))
        .select(usage_table::used);
    let used = prepared!(row).get_result::<Col<u32>>(conn).await.optional()?;
    Ok(((organization, period), used.map_or(0, |used| used.0)))
}

/// Combines the rows into the answers to the questions.
fn with_usage(
    asked: &[CallerQuestion],
    callers: &[Caller],
    numbers: &HashMap<(OrganizationId, AccountId), Account>,
    counts: &HashMap<(OrganizationId, i32), u32>,
) -> Vec<Option<CallerWithUsage>> {
    let callers: HashMap<&[u8], &Caller> =
        callers.iter().map(|caller| (caller.key.secret_digest.as_slice(), caller)).collect();
    let answer = |asked: &CallerQuestion| {
        let caller = (*callers.get(asked.secret_digest.as_slice())?).clone();
        let organization = caller.organization.id;
        let account = caller.sends_from();
        let account = account.and_then(|id| numbers.get(&(organization, id)).cloned());
        let messages = counts.get(&(organization, asked.period)).copied().unwrap_or_default();
        Some(CallerWithUsage { caller, usage: KeyUsage { account, messages } })
    };
    asked.iter().map(answer).collect()
}

async fn holders(conn: &mut SharedConn<'_>, digests: &[&[u8]]) -> Result<Vec<Caller>> {
    let found = with_holder()
        .filter(keys::secret_digest.eq_any(digests))
        .select(Caller::as_select())
        .load(conn)
        .await;
    Ok(found?)
}

/// Returns the accounts that keys send from.
async fn sending_numbers(
    conn: &mut SharedConn<'_>,
    digests: &[&[u8]],
) -> Result<HashMap<(OrganizationId, AccountId), Account>> {
    let number = sends_from(keys::account_id, organizations::default_account_id);
    let found: Vec<Account> = accounts_table::table
        .inner_join(organizations::table.inner_join(keys::table))
        .filter(keys::secret_digest.eq_any(digests))
        .filter(accounts_table::id.nullable().eq(number))
        .select(Account::as_select())
        .load(conn)
        .await?;
    Ok(found.into_iter().map(|it| ((it.organization_id, it.id), it)).collect())
}

/// Returns how many messages the organizations of keys have sent in some periods.
async fn message_counts(
    conn: &mut SharedConn<'_>,
    digests: &[&[u8]],
    periods: BTreeSet<i32>,
) -> Result<HashMap<(OrganizationId, i32), u32>> {
    let whose =
        keys::table.filter(keys::secret_digest.eq_any(digests)).select(keys::organization_id);
    let found = usage_table::table
        .filter(usage_table::organization_id.eq_any(whose))
        .filter(usage_table::meter.eq(Col(Meter::Messages)))
        .filter(usage_table::period.eq_any(periods))
        .select(((usage_table::organization_id, usage_table::period), usage_table::used))
        .load::<((Col<OrganizationId>, i32), Col<u32>)>(conn)
        .await?;
    Ok(found.into_iter().map(|((of, period), used)| ((of.0, period), used.0)).collect())
}

pub async fn insert_key(conn: &mut Conn, key: Key) -> Result<()> {
    diesel::insert_into(keys::table).values(&key).execute(conn).await?;
    Ok(())
}

/// Enables or disables one of the organization's keys. Returns `false` if it has no key with this
/// client id.
pub async fn set_key_state(
    conn: &mut Conn,
    organization: OrganizationId,
    client_id: String,
    state: KeyState,
) -> Result<bool> {
    let key = keys::table
        .filter(keys::client_id.eq(client_id))
        .filter(keys::organization_id.eq(Col(organization)));
    let changed = diesel::update(key).set(keys::state.eq(Col(state))).execute(conn).await?;
    Ok(changed == 1)
}

/// Deletes one of the organization's keys. If the key belongs to a connection, the deletion
/// disconnects the application (`docs/contract.md#api-keys`).
pub async fn delete_key(
    conn: &mut Conn,
    organization: OrganizationId,
    client_id: String,
    at: Timestamp,
) -> Result<bool> {
    let found = keys::table
        .filter(keys::client_id.eq(client_id))
        .filter(keys::organization_id.eq(Col(organization)))
        .select(keys::id);
    let id: Option<Col<KeyId>> = found.get_result(conn).await.optional()?;
    let Some(id) = id else { return Ok(false) };
    let ended = connect::disconnect(conn, organization, id.0, EndReason::Business, at).await?;
    if ended.is_none() {
        let own =
            keys::table.filter(keys::id.eq(id)).filter(keys::organization_id.eq(Col(organization)));
        diesel::delete(own).execute(conn).await?;
        key_uses::forget(conn, organization, id.0).await?;
    }
    Ok(true)
}

/// Returns the organization whose key has this client id.
pub async fn organization_of_key(
    conn: &mut Conn,
    client_id: String,
) -> Result<Option<OrganizationId>> {
    let of = keys::table.filter(keys::client_id.eq(client_id)).select(keys::organization_id);
    let of: Option<Col<OrganizationId>> = of.get_result(conn).await.optional()?;
    Ok(of.map(|id| id.0))
}

/// Returns the organization's keys that follow the key `after`, the newest first. Ids begin with
/// the time of creation.
pub async fn list_own_keys(
    conn: &mut Conn,
    organization: OrganizationId,
    after: Option<KeyId>,
    limit: i64,
) -> Result<Vec<Key>> {
    let mut organization_keys =
        keys::table.filter(keys::organization_id.eq(Col(organization))).into_boxed();
    if let Some(after) = after {
        organization_keys = organization_keys.filter(keys::id.lt(Col(after)));
    }
    let some = organization_keys.order(keys::id.desc()).limit(limit).select(Key::as_select());
    Ok(some.load(conn).await?)
}

pub async fn own_key(
    conn: &mut Conn,
    organization: OrganizationId,
    id: KeyId,
) -> Result<Option<Key>> {
    let found = keys::table
        .filter(keys::id.eq(Col(id)))
        .filter(keys::organization_id.eq(Col(organization)))
        .select(Key::as_select())
        .get_result(conn)
        .await;
    Ok(found.optional()?)
}

pub async fn key_of_client_id(
    conn: &mut Conn,
    organization: OrganizationId,
    client_id: String,
) -> Result<Option<Key>> {
    let found = keys::table
        .filter(keys::client_id.eq(client_id))
        .filter(keys::organization_id.eq(Col(organization)))
        .select(Key::as_select())
        .get_result(conn)
        .await;
    Ok(found.optional()?)
}

/// Changes a key's name and rate limit. Returns `false` if the organization has no key with this
/// id.
pub async fn change_key(
    conn: &mut Conn,
    organization: OrganizationId,
    id: KeyId,
    name: String,
    rate_limit: RateLimit,
) -> Result<bool> {
    let own = keys::table
        .filter(keys::id.eq(Col(id)))
        .filter(keys::organization_id.eq(Col(organization)));
    let changed = (keys::name.eq(name), keys::rate_limit.eq(Col(rate_limit)));
    Ok(diesel::update(own).set(changed).execute(conn).await? > 0)
}

/// Sets the caps of a connection's key: its rate limit, monthly messages and expiry time. If the
/// key has expired, the time from its expiry until now becomes a closed period, whose events the
/// application may not read. Returns `false` if the organization has no such key.
pub async fn cap_key(
    conn: &mut Conn,
    organization: OrganizationId,
    id: KeyId,
    caps: ConnectionCaps,
    now: Timestamp,
) -> Result<bool> {
    conn.transaction(async |conn| {
        // The connection is locked before its key, in the same order as when a connection ends.
        let connected = connections::table
            .filter(connections::key_id.eq(Col(id)))
            .filter(connections::organization_id.eq(Col(organization)))
            .filter(connections::state.eq(Literal(ConnectionState::Connected)))
            .select((connections::id, connections::closed_periods));
        let connected: Option<(Col<ConnectionId>, Option<String>)> =
            for_update!(connected).get_result(conn).await.optional()?;
        let Some((connection, stored)) = connected else { return Ok(false) };
        let own = || {
            keys::table
                .filter(keys::id.eq(Col(id)))
                .filter(keys::organization_id.eq(Col(organization)))
                .filter(keys::kind.eq(Col(KeyKind::Connection)))
        };
        let end = own().select(keys::expires_at);
        let end: Option<Option<Col<Timestamp>>> =
            for_update!(end).get_result(conn).await.optional()?;
        let Some(end) = end else { return Ok(false) };
        if let Some(period) = ClosedPeriod::before_new_end(end.map(|at| at.0), now) {
            let row = connections::table.filter(connections::id.eq(connection));
            let periods = period.added_to(stored.as_deref());
            let closed = connections::closed_periods.eq(Some(periods));
            diesel::update(row).set(closed).execute(conn).await?;
        }
        let expires_at = caps.expires_at.map(Col);
        // An expiry time that was reported is reported again only if it changes.
        let is_reported =
            case_when(keys::expires_at.eq(expires_at), keys::expiry_reported).otherwise(false);
        let changed = (
            keys::rate_limit.eq(Col(caps.rate_limit)),
            keys::messages_per_month.eq(caps.messages_per_month.map(Col)),
            keys::expires_at.eq(expires_at),
            keys::expiry_reported.eq(is_reported),
        );
        Ok::<_, Error>(diesel::update(own()).set(changed).execute(conn).await? > 0)
    })
    .await
}

/// Records the event that a connection's key ends soon, once for each key that ends before `until`.
/// Returns the organizations of these keys.
pub async fn report_expiring_keys(
    conn: &mut Conn,
    now: Timestamp,
    until: Timestamp,
    limit: i64,
) -> Result<Vec<OrganizationId>> {
    conn.transaction(async |conn| {
        let expiring = keys::table
            .filter(keys::expires_at.is_not_null())
            .filter(keys::expires_at.gt(Some(Col(now))))
            .filter(keys::expires_at.le(Some(Col(until))))
            .filter(keys::expiry_reported.eq(false))
            .order(keys::expires_at)
            .limit(limit)
            .select(Key::as_select());
        let expiring: Vec<Key> = for_update!(expiring).load(conn).await?;
        if expiring.is_empty() {
            return Ok(Vec::new());
        }
        let ids: Vec<_> = expiring.iter().map(|key| Col(key.id)).collect();
        let told = keys::table.filter(keys::id.eq_any(listed(ids.clone())));
        diesel::update(told).set(keys::expiry_reported.eq(true)).execute(conn).await?;
        let found = connections::table
            .filter(connections::key_id.eq_any(listed(ids)))
            .select((connections::key_id, connections::id));
        let found: Vec<(Col<KeyId>, Col<ConnectionId>)> = found.load(conn).await?;
        let found: HashMap<KeyId, ConnectionId> =
            found.into_iter().map(|(key, connection)| (key.0, connection.0)).collect();
        let event = |key: &Key| {
            let (connection, expires_at) = (*found.get(&key.id)?, key.expires_at?);
            let expiry = KeyExpiry {
                id: key.id,
                client_id: key.client_id.clone(),
                name: key.name.clone(),
                connection,
                expires_at,
            };
            Some(NewEvent {
                organization: key.organization_id,
                account: key.account_id,
                kind: EventKind::KeyExpiring,
                payload: EventPayload::Key(Box::new(expiry)),
                at: now,
            })
        };
        let events: Vec<NewEvent> = expiring.iter().filter_map(event).collect();
        let organizations = events.iter().map(|event| event.organization).collect();
        events::record(conn, events).await?;
        Ok::<_, Error>(organizations)
    })
    .await
}

pub async fn keys_named(
    conn: &mut Conn,
    organization: OrganizationId,
    name: String,
) -> Result<Vec<Key>> {
    let named = keys::table
        .filter(keys::organization_id.eq(Col(organization)))
        .filter(keys::name.eq(name))
        .order(keys::created_at)
        .select(Key::as_select());
    Ok(named.load(conn).await?)
}
