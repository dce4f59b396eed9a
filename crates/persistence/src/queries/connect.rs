//! The handshake: consents, codes and connections.
use super::{Conn, RunQueryDsl, Transactional, applications, events, feed_ends, listed};
use crate::cached::Cached;
use crate::records::{Application, Connection, Consent, IssuedCode, Key, ListedConnection};
use crate::schema::{
    applications as applications_table, codes, connections, consents, keys, organizations,
};
use crate::types::{Col, Literal};
use crate::{Error, Result};
use diesel::prelude::*;
use domain::connection::{ClosedPeriod, ConnectionState, EndReason};
use domain::event::{EventKind, EventPayload, NewEvent};
use domain::id::{ApplicationId, ConnectionId, ConsentId, KeyId, OrganizationId};
use domain::number::saturating;
use domain::time::Timestamp;
use std::collections::BTreeMap;

/// Stores a consent that is shown in a session. An existing consent with this id is not changed, so
/// a request belongs to the session that submitted it first, however often a browser submits it.
pub async fn insert_consent(conn: &mut Conn, new: Consent) -> Result<()> {
    diesel::insert_into(consents::table)
        .values(&new)
        .on_conflict_do_nothing()
        .execute(conn)
        .await?;
    Ok(())
}

/// Returns a consent of this session, if the consent is not too old and has not been answered.
pub async fn consent(
    conn: &mut Conn,
    id: ConsentId,
    session_digest: Vec<u8>,
    cutoff: Timestamp,
) -> Result<Option<Consent>> {
    let found = consents::table
        .filter(consents::id.eq(Col(id)))
        .filter(consents::session_digest.eq(session_digest))
        .filter(consents::created_at.gt(Col(cutoff)))
        .filter(consents::used_at.is_null())
        .select(Consent::as_select())
        .get_result(conn)
        .await;
    Ok(found.optional()?)
}

/// Answers a consent once, with a code if it was granted. Returns `false` if it was answered
/// before.
pub async fn answer_consent(
    conn: &mut Conn,
    id: ConsentId,
    session_digest: Vec<u8>,
    at: Timestamp,
    code: Option<IssuedCode>,
) -> Result<bool> {
    conn.transaction(async |conn| {
        let open = consents::table
            .filter(consents::id.eq(Col(id)))
            .filter(consents::session_digest.eq(session_digest))
            .filter(consents::used_at.is_null());
        let used = consents::used_at.eq(Some(Col(at)));
        if diesel::update(open).set(used).execute(conn).await? == 0 {
            return Ok(false);
        }
        if let Some(code) = code {
            diesel::insert_into(codes::table).values(&code).execute(conn).await?;
        }
        Ok::<_, Error>(true)
    })
    .await
}

/// Consumes the authorization codes of a faulty exchange request, in one statement.
pub async fn consume_codes(conn: &mut Conn, digests: Vec<Vec<u8>>, at: Timestamp) -> Result<()> {
    let unused =
        codes::table.filter(codes::digest.eq_any(digests)).filter(codes::consumed_at.is_null());
    diesel::update(unused).set(codes::consumed_at.eq(Some(Col(at)))).execute(conn).await?;
    Ok(())
}

/// Returns codes, whether or not they have been used. The handshake log needs used codes, too.
pub async fn list_codes(conn: &mut Conn, digests: Vec<Vec<u8>>) -> Result<Vec<IssuedCode>> {
    let found = codes::table
        .filter(codes::digest.eq_any(digests))
        .order(codes::digest)
        .select(IssuedCode::as_select());
    Ok(found.load(conn).await?)
}

/// Returns the application of connections. An application's row is kept as long as there are
/// connections of it.
async fn find_connection_application(conn: &mut Conn, id: ApplicationId) -> Result<Application> {
    let found = applications::applications_of_connections(shared!(conn), vec![Col(id)]).await?;
    let found = found.into_iter().next();
    found.ok_or_else(|| Error::Internal("a connection has no application".to_owned()))
}

/// Deletes the keys of an application's connections that have just ended, and returns the events to
/// record.
async fn end(
    conn: &mut Conn,
    ended: &[Connection],
    application: &Application,
    at: Timestamp,
) -> Result<Vec<NewEvent>> {
    let deleted_keys = remove_keys(conn, ended).await?;
    Ok(ended.iter().map(|it| disconnected(it, &deleted_keys, application, at)).collect())
}

/// The client ids of deleted keys, by the ids of the keys.
pub(super) type RemovedKeys = BTreeMap<KeyId, String>;

/// Deletes the keys of connections that have just ended. Applications can still get earlier events
/// of these connections, so a key's expiry time is kept in the connection, as the beginning of a
/// period whose events the application may not read (a closed period).
pub(super) async fn remove_keys(conn: &mut Conn, ended: &[Connection]) -> Result<RemovedKeys> {
    if ended.is_empty() {
        return Ok(RemovedKeys::new());
    }
    let ids = ended.iter().map(|it| Col(it.key_id));
    let deleted_keys = diesel::delete(keys::table.filter(keys::id.eq_any(listed(ids))))
        .returning((keys::id, keys::client_id, keys::expires_at));
    let deleted_keys: Vec<(KeyId, String, Option<Col<Timestamp>>)> =
        Cached(deleted_keys).get_results(conn).await?;
    let end = |(key, _, end): &(KeyId, String, Option<Col<Timestamp>>)| Some((*key, (*end)?.0));
    let ends: BTreeMap<KeyId, Timestamp> = deleted_keys.iter().filter_map(end).collect();
    if !ends.is_empty() {
        keep_ends(conn, ended, &ends).await?;
    }
    Ok(deleted_keys.into_iter().map(|(key, client_id, _)| (key, client_id)).collect())
}

/// Adds a closed period to each connection whose deleted key had an expiry time.
async fn keep_ends(
    conn: &mut Conn,
    ended: &[Connection],
    ends: &BTreeMap<KeyId, Timestamp>,
) -> Result<()> {
    let with_end = ended.iter().filter(|it| ends.contains_key(&it.key_id)).map(|it| Col(it.id));
    let rows = connections::table.filter(connections::id.eq_any(listed(with_end))).select((
        connections::id,
        connections::key_id,
        connections::closed_periods,
    ));
    let rows: Vec<(Col<ConnectionId>, Col<KeyId>, Option<String>)> = rows.load(conn).await?;
    let mut by_periods: BTreeMap<String, Vec<Col<ConnectionId>>> = BTreeMap::new();
    for (id, key, stored) in rows {
        if let Some(end) = ends.get(&key.0) {
            let periods = ClosedPeriod::after_removed_key(*end).added_to(stored.as_deref());
            by_periods.entry(periods).or_default().push(id);
        }
    }
    for (periods, of) in by_periods {
        let rows = connections::table.filter(connections::id.eq_any(listed(of)));
        let closed = connections::closed_periods.eq(Some(periods));
        diesel::update(rows).set(closed).execute(conn).await?;
    }
    Ok(())
}

/// Returns the event of a connection's end.
pub(super) fn disconnected(
    ended: &Connection,
    gone: &RemovedKeys,
    application: &Application,
    at: Timestamp,
) -> NewEvent {
    let client_id = gone.get(&ended.key_id).map_or("", String::as_str);
    event(EventKind::ConnectionDisconnected, ended, client_id, application, at)
}

pub(super) fn event(
    kind: EventKind,
    connection: &Connection,
    client_id: &str,
    application: &Application,
    at: Timestamp,
) -> NewEvent {
    NewEvent {
        organization: connection.organization_id,
        account: connection.account_id,
        kind,
        payload: EventPayload::Connection(Box::new(connection.snapshot(client_id, application))),
        at,
    }
}

/// Ends the connection of one of the organization's keys and deletes the key. Returns the ended
/// connection, or `None` if the key has no active connection.
pub async fn disconnect(
    conn: &mut Conn,
    organization: OrganizationId,
    key: KeyId,
    ending: EndReason,
    at: Timestamp,
) -> Result<Option<Connection>> {
    conn.transaction(async |conn| {
        let alive = connections::table
            .filter(connections::key_id.eq(Col(key)))
            .filter(connections::organization_id.eq(Col(organization)))
            .filter(connections::state.eq(Literal(ConnectionState::Connected)));
        let ended = diesel::update(alive)
            .set((
                connections::state.eq(Col(ending.state())),
                connections::ending.eq(Some(Col(ending))),
                connections::ended_at.eq(Some(Col(at))),
            ))
            .returning(Connection::as_returning())
            .get_result(conn)
            .await
            .optional()?;
        if let Some(ended) = &ended {
            let application = find_connection_application(conn, ended.application_id).await?;
            let ended = std::slice::from_ref(ended);
            let new_events = end(conn, ended, &application, at).await?;
            events::record(conn, new_events).await?;
            feed_ends::end_connection_feeds(conn, ended, 0).await?;
        }
        Ok::<_, Error>(ended)
    })
    .await
}

/// Returns the number of an application's active connections, at most `most`.
pub async fn live_connections(
    conn: &mut Conn,
    application: ApplicationId,
    most: Option<i64>,
) -> Result<i64> {
    let alive = || {
        connections::table
            .filter(connections::application_id.eq(Col(application)))
            .filter(connections::state.eq(Literal(ConnectionState::Connected)))
    };
    if let Some(most) = most {
        let last = alive().order(connections::organization_id).offset(most - 1).limit(1);
        let last = last.select(connections::organization_id);
        let last: Option<Col<OrganizationId>> = last.get_result(conn).await.optional()?;
        if last.is_some() {
            return Ok(most);
        }
    }
    Ok(alive().count().get_result(conn).await?)
}

/// Returns up to `limit` of an application's active connections with the names of the
/// organizations. The connections of the newest organizations come first, because an index has this
/// order. The cost therefore does not depend on the number of connections.
pub async fn application_connections(
    conn: &mut Conn,
    application: ApplicationId,
    limit: i64,
) -> Result<Vec<(Connection, String)>> {
    let found = connections::table
        .inner_join(organizations::table)
        .filter(connections::application_id.eq(Col(application)))
        .filter(connections::state.eq(Literal(ConnectionState::Connected)))
        .order(connections::organization_id.desc())
        .limit(limit)
        .select((Connection::as_select(), organizations::name));
    Ok(found.load(conn).await?)
}

/// Ends up to `limit` connections of an application, and returns how many.
pub async fn revoke_connections(
    conn: &mut Conn,
    application: ApplicationId,
    reason: Option<String>,
    at: Timestamp,
    limit: i64,
) -> Result<usize> {
    conn.transaction(async |conn| {
        let alive = connections::table
            .filter(connections::application_id.eq(Col(application)))
            .filter(connections::state.eq(Literal(ConnectionState::Connected)));
        // The rows are locked in one order, to avoid deadlocks between callers that end the same
        // connections.
        let held = alive.order(connections::id).limit(limit).select(connections::id);
        let held: Vec<Col<ConnectionId>> = for_update!(held).load(conn).await?;
        let alive = connections::table
            .filter(connections::id.eq_any(held))
            .filter(connections::state.eq(Literal(ConnectionState::Connected)));
        let ended: Vec<Connection> = diesel::update(alive)
            .set((
                connections::state.eq(Col(EndReason::Revoked.state())),
                connections::ending.eq(Some(Col(EndReason::Revoked))),
                connections::ending_reason.eq(reason),
                connections::ended_at.eq(Some(Col(at))),
            ))
            .returning(Connection::as_returning())
            .get_results(conn)
            .await?;
        let count = ended.len();
        let application = find_connection_application(conn, application).await?;
        let new_events = end(conn, &ended, &application, at).await?;
        events::record(conn, new_events).await?;
        feed_ends::end_connection_feeds(conn, &ended, 0).await?;
        Ok::<_, Error>(count)
    })
    .await
}

/// Returns the connection of one of the organization's keys, with its application, which may be
/// deleted.
pub async fn connection_of_key(
    conn: &mut Conn,
    organization: OrganizationId,
    key: KeyId,
) -> Result<Option<(Connection, Application)>> {
    let found = connections::table
        .inner_join(applications_table::table)
        .filter(connections::key_id.eq(Col(key)))
        .filter(connections::organization_id.eq(Col(organization)))
        .select((Connection::as_select(), Application::as_select()))
        .get_result(conn)
        .await;
    Ok(found.optional()?)
}

/// Returns an organization's connections with their applications and keys. The active connections
/// come first, then those that have ended, each the newest first. The limit therefore cuts off
/// ended connections first.
pub async fn list_connections(
    conn: &mut Conn,
    organization: OrganizationId,
    limit: i64,
) -> Result<Vec<ListedConnection>> {
    let connections_with_keys = |limit: i64| {
        connections::table
            .inner_join(applications_table::table)
            .left_join(keys::table)
            .filter(connections::organization_id.eq(Col(organization)))
            .order((connections::connected_at.desc(), connections::id.desc()))
            .limit(limit)
            .select((Connection::as_select(), Application::as_select(), Option::<Key>::as_select()))
    };
    let is_connected = connections::state.eq(Literal(ConnectionState::Connected));
    let mut found: Vec<ListedConnection> =
        connections_with_keys(limit).filter(is_connected).load(conn).await?;
    let left = limit - saturating(found.len(), i64::MAX);
    if left > 0 {
        // The scan passes over the active connections, of which there are fewer than `limit`.
        let ended = connections_with_keys(left).filter(connections::ended_at.is_not_null());
        found.extend(ended.load::<ListedConnection>(conn).await?);
    }
    Ok(found)
}
