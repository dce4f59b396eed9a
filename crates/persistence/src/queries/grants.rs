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
use domain::connection::{ConnectionState, EndReason};
use domain::event::{Event, EventKind, Payload};
use domain::id::{ApplicationId, ConnectionId, ConsentId, KeyId, OrganizationId};
use domain::number::saturating;
use domain::time::Timestamp;
use std::collections::BTreeMap;

/// Keeps what is asked of a session. An id that is kept already stays as it is: what a browser carried is
/// asked of one session only, however often the browser submits it.
pub async fn insert_consent(conn: &mut Conn, new: Consent) -> Result<()> {
    diesel::insert_into(consents::table)
        .values(&new)
        .on_conflict_do_nothing()
        .execute(conn)
        .await?;
    Ok(())
}

/// What was asked of this session, if it is not too old and nobody has answered yet.
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

/// Answers what was asked, once: with a code where it is allowed. `false` if somebody answered before.
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

/// Burns the codes of a request that cannot be acted on, with one statement.
pub async fn consume_codes(conn: &mut Conn, digests: Vec<Vec<u8>>, at: Timestamp) -> Result<()> {
    let unused =
        codes::table.filter(codes::digest.eq_any(digests)).filter(codes::consumed_at.is_null());
    diesel::update(unused).set(codes::consumed_at.eq(Some(Col(at)))).execute(conn).await?;
    Ok(())
}

/// A code, used or not: for the log.
pub async fn code(conn: &mut Conn, digest: Vec<u8>) -> Result<Option<IssuedCode>> {
    let found = codes::table
        .filter(codes::digest.eq(digest))
        .select(IssuedCode::as_select())
        .get_result(conn)
        .await;
    Ok(found.optional()?)
}

/// The application of connections: it keeps its row as long as they keep theirs.
async fn application_of(conn: &mut Conn, id: ApplicationId) -> Result<Application> {
    let found = applications::applications_of_connections(shared!(conn), vec![Col(id)]).await?;
    let found = found.into_iter().next();
    found.ok_or_else(|| Error::Unknown("a connection has no application".to_owned()))
}

/// Removes the keys of an application's connections that have just ended; returns the events to record.
async fn end(
    conn: &mut Conn,
    ended: &[Connection],
    application: &Application,
    at: Timestamp,
) -> Result<Vec<Event>> {
    let gone = remove_keys(conn, ended).await?;
    Ok(ended.iter().map(|it| disconnected(it, &gone, application, at)).collect())
}

/// The client ids of keys that are removed.
pub(super) type RemovedKeys = BTreeMap<KeyId, String>;

/// Removes the keys of connections that have just ended.
pub(super) async fn remove_keys(conn: &mut Conn, ended: &[Connection]) -> Result<RemovedKeys> {
    if ended.is_empty() {
        return Ok(RemovedKeys::new());
    }
    let ids = ended.iter().map(|it| Col(it.key_id));
    let gone = diesel::delete(keys::table.filter(keys::id.eq_any(listed(ids))))
        .returning((keys::id, keys::client_id));
    let gone: Vec<(KeyId, String)> = Cached(gone).get_results(conn).await?;
    Ok(gone.into_iter().collect())
}

/// What is told of a connection that has ended.
pub(super) fn disconnected(
    ended: &Connection,
    gone: &RemovedKeys,
    application: &Application,
    at: Timestamp,
) -> Event {
    let client_id = gone.get(&ended.key_id).map_or("", String::as_str);
    event(EventKind::ConnectionDisconnected, ended, client_id, application, at)
}

/// What is told of a connection.
pub(super) fn event(
    kind: EventKind,
    connection: &Connection,
    client_id: &str,
    application: &Application,
    at: Timestamp,
) -> Event {
    Event {
        organization: connection.organization_id,
        account: connection.account_id,
        kind,
        payload: Payload::Connection(Box::new(connection.snapshot(client_id, application))),
        at,
    }
}

/// Ends the connection of one of the organization's keys and removes the key; returns the connection as it was, or nothing if it
/// was none or had ended.
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
            let application = application_of(conn, ended.application_id).await?;
            let ended = std::slice::from_ref(ended);
            let new_events = end(conn, ended, &application, at).await?;
            events::record(conn, new_events).await?;
            feed_ends::end_connection_feeds(conn, ended, 0).await?;
        }
        Ok::<_, Error>(ended)
    })
    .await
}

/// How many connections of an application live: all of them, or `most` where there are that many.
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

/// Some of an application's active connections with the names of the organizations, those of the newest organizations
/// first: an index has them in that order, however many there are.
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

/// Ends up to `limit` connections of an application; returns how many there were.
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
        // Locked in one order, lest two that end the same connections wait for each other.
        let held = alive.order(connections::id).limit(limit).select(connections::id);
        let held: Vec<Col<ConnectionId>> = held!(held).load(conn).await?;
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
        let application = application_of(conn, application).await?;
        let new_events = end(conn, &ended, &application, at).await?;
        events::record(conn, new_events).await?;
        feed_ends::end_connection_feeds(conn, &ended, 0).await?;
        Ok::<_, Error>(count)
    })
    .await
}

/// The connection of one of the organization's keys, with its application, which may be deleted by now.
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

/// An organization's connections with their applications and keys: those that are active, then those that have ended, each
/// the newest first, so that a bound hides none that can be ended.
pub async fn connections_of(
    conn: &mut Conn,
    organization: OrganizationId,
    limit: i64,
) -> Result<Vec<ListedConnection>> {
    let theirs = |limit: i64| {
        connections::table
            .inner_join(applications_table::table)
            .left_join(keys::table)
            .filter(connections::organization_id.eq(Col(organization)))
            .order((connections::connected_at.desc(), connections::id.desc()))
            .limit(limit)
            .select((Connection::as_select(), Application::as_select(), Option::<Key>::as_select()))
    };
    let living = connections::state.eq(Literal(ConnectionState::Connected));
    let mut found: Vec<ListedConnection> = theirs(limit).filter(living).load(conn).await?;
    let left = limit - saturating(found.len(), i64::MAX);
    if left > 0 {
        // Fewer than `limit` of those that are passed over live.
        let ended = theirs(left).filter(connections::ended_at.is_not_null());
        found.extend(ended.load::<ListedConnection>(conn).await?);
    }
    Ok(found)
}
