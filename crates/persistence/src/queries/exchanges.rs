//! Exchanges of codes for connections, in batches.
use super::connect::{disconnected, event, remove_keys};
use super::{Conn, Rows, RunQueryDsl, SharedConn, Transactional, applications, events, feed_ends};
use super::{feeds, inserts, listed};
use crate::cached::Cached;
use crate::records::{
    Account, Application, CodeBusiness, CodeConsumption, Connection, Handshake, IssuedCode, Key,
    NewConnectedKey, Organization, Plan, ShownCode,
};
use crate::schema::{accounts, codes, connections, handshakes, keys, organizations, plans};
use crate::types::{Col, Literal};
use crate::{Error, Result};
use diesel::prelude::*;
use domain::connection::{ConnectionState, EndReason};
use domain::event::{EventKind, NewEvent};
use domain::id::{ApplicationId, OrganizationId};
use domain::time::Timestamp;
use std::collections::{BTreeMap, BTreeSet};

/// Consumes authorization codes. Of several concurrent callers exactly one receives each code, even
/// if a later check fails. The consumption is a transaction of its own, because a later failure
/// must not undo it (`docs/security.md` 16).
pub async fn consume_code(conn: &mut Conn, batch: Vec<CodeConsumption>) -> Result<Vec<ShownCode>> {
    let Some(at) = batch.iter().map(|it| it.at).max() else { return Ok(Vec::new()) };
    let digests: BTreeSet<&[u8]> = batch.iter().map(|it| it.digest.as_slice()).collect();
    let client_ids: BTreeSet<&str> =
        batch.iter().filter_map(|it| it.client_id.as_deref()).collect();
    let (consumed, applications, businesses) = conn
        .transaction(async |conn| {
            let (.., consumed, applications, businesses) = pipelined!(conn;
                hold_unused(conn, &digests),
                consume(conn, &digests, at),
                applications::list_applications_by_client_id(conn, &client_ids),
                list_code_businesses(conn, &digests),
            )?;
            Ok::<_, Error>((consumed, applications, businesses))
        })
        .await?;
    let mut consumed: BTreeMap<Vec<u8>, IssuedCode> =
        consumed.into_iter().map(|code| (code.digest.clone(), code)).collect();
    let applications: BTreeMap<&str, &Application> =
        applications.iter().map(|it| (it.client_id.as_str(), it)).collect();
    let shown = batch.iter().map(|it| ShownCode {
        code: consumed.remove(&it.digest),
        application: it
            .client_id
            .as_ref()
            .and_then(|id| applications.get(id.as_str()))
            .copied()
            .cloned(),
        business: businesses.get(&it.digest).cloned(),
    });
    Ok(shown.collect())
}

/// Locks unused codes in the order of their digests, to avoid a deadlock with an instance that
/// receives the same codes at the same time.
async fn hold_unused(conn: &mut SharedConn<'_>, digests: &BTreeSet<&[u8]>) -> Result<()> {
    if digests.len() > 1 {
        let held = codes::table
            .filter(codes::digest.eq_any(listed(digests.iter().copied())))
            .filter(codes::consumed_at.is_null())
            .order(codes::digest)
            .select(codes::digest);
        Cached(for_update!(held)).load::<Vec<u8>>(conn).await?;
    }
    Ok(())
}

async fn consume(
    conn: &mut SharedConn<'_>,
    digests: &BTreeSet<&[u8]>,
    at: Timestamp,
) -> Result<Vec<IssuedCode>> {
    let unused = codes::table
        .filter(codes::digest.eq_any(listed(digests.iter().copied())))
        .filter(codes::consumed_at.is_null());
    let consumed = diesel::update(unused)
        .set(codes::consumed_at.eq(Some(Col(at))))
        .returning(IssuedCode::as_returning());
    Ok(Cached(consumed).load(conn).await?)
}

/// A code's digest, and the business that the code is for.
type BusinessRow = (Vec<u8>, Organization, Option<Plan>, Option<Account>);

/// Returns the businesses that codes are for, by the codes' digests.
async fn list_code_businesses(
    conn: &mut SharedConn<'_>,
    digests: &BTreeSet<&[u8]>,
) -> Result<BTreeMap<Vec<u8>, CodeBusiness>> {
    let number = accounts::organization_id
        .eq(codes::organization_id)
        .and(accounts::id.nullable().eq(codes::account_id));
    let all = codes::table
        .inner_join(organizations::table.on(organizations::id.eq(codes::organization_id)))
        .left_join(plans::table.on(plans::id.nullable().eq(organizations::plan_id)))
        .left_join(accounts::table.on(number))
        .filter(codes::digest.eq_any(listed(digests.iter().copied())))
        .select((
            codes::digest,
            Organization::as_select(),
            Option::<Plan>::as_select(),
            Option::<Account>::as_select(),
        ));
    let found: Vec<BusinessRow> = Cached(all).load(conn).await?;
    let found = found.into_iter().map(|(digest, organization, plan, account)| {
        (digest, CodeBusiness { organization, plan, account })
    });
    Ok(found.collect())
}

/// Creates connections with their keys and logs the exchanges. Previous connections of the same
/// applications and organizations end in the same transaction. If two instances connect the same
/// organization at the same time, one of them gets a unique violation, and its caller tries again.
pub async fn connect(conn: &mut Conn, batch: Vec<NewConnectedKey>) -> Result<Vec<()>> {
    let done = batch.iter().map(|_| ()).collect();
    conn.transaction(async |conn| {
        let mut rest = batch;
        while !rest.is_empty() {
            // Only one new connection per organization is created in each round, because a second
            // one replaces the first.
            let mut seen = BTreeSet::new();
            let (first, others) =
                rest.into_iter().partition(|it| seen.insert(it.connection.organization_id));
            connect_some(conn, first).await?;
            rest = others;
        }
        Ok::<_, Error>(done)
    })
    .await
}

type ApplicationsById = BTreeMap<ApplicationId, Application>;
type Superseded = BTreeMap<(ApplicationId, OrganizationId), Connection>;

/// Creates connections of different organizations. Rows are locked in the order of organizations.
async fn connect_some(conn: &mut Conn, mut batch: Vec<NewConnectedKey>) -> Result<()> {
    batch.sort_by_key(|it| it.connection.organization_id);
    let of: Vec<_> = batch.iter().map(|it| Col(it.connection.application_id)).collect();
    let (superseded, applications) = pipelined!(conn;
        supersede(conn, &batch),
        applications::applications_of_connections(conn, of),
    )?;
    let ended: Vec<Connection> = superseded.values().cloned().collect();
    let deleted_keys = remove_keys(conn, &ended).await?;
    let applications: ApplicationsById = applications.into_iter().map(|it| (it.id, it)).collect();
    let mut new_events = Vec::with_capacity(batch.len());
    for new in &batch {
        let application = applications.get(&new.connection.application_id);
        let application = application
            .ok_or_else(|| Error::Internal("a connection has no application".to_owned()))?;
        let of = (application.id, new.connection.organization_id);
        let at = new.connection.connected_at;
        new_events
            .extend(superseded.get(&of).map(|it| disconnected(it, &deleted_keys, application, at)));
        new_events.push(created(new, application));
    }
    let keys: Vec<Key> = batch.iter().map(|it| it.key.clone()).collect();
    let connections: Vec<Connection> = batch.iter().map(|it| it.connection.clone()).collect();
    let exchanges: Vec<Handshake> = batch.iter().map(|it| it.exchange.clone()).collect();
    let ids = applications.keys().copied().collect();
    let (.., endpoints, next) = pipelined!(conn;
        insert_keys(conn, &keys),
        insert_connections(conn, &connections),
        insert_exchanges(conn, &exchanges),
        // The endpoints are read after the new connections are inserted, because the foreign key of
        // a connection then locks the row of its application; see `feeds::lock_application`.
        feeds::endpoints_of_applications(conn, ids),
        events::count(conn, &new_events),
    )?;
    events::insert(conn, &new_events, next).await?;
    // One more event follows the end of the old connection: the event of the new connection.
    feed_ends::end_connection_feeds(conn, &ended, 1).await?;
    for new in &connections {
        let application_endpoints =
            endpoints.get(&new.application_id).map_or(&[][..], Vec::as_slice);
        feeds::follow_connection(conn, new, application_endpoints).await?;
    }
    Ok(())
}

fn created(new: &NewConnectedKey, application: &Application) -> NewEvent {
    let (connection, client_id) = (&new.connection, &new.key.client_id);
    event(EventKind::ConnectionCreated, connection, client_id, application, connection.connected_at)
}

/// Ends the connections that the new ones replace.
async fn supersede(conn: &mut SharedConn<'_>, batch: &[NewConnectedKey]) -> Result<Superseded> {
    let mut of: BTreeMap<ApplicationId, Vec<&Connection>> = BTreeMap::new();
    for new in batch {
        of.entry(new.connection.application_id).or_default().push(&new.connection);
    }
    let mut superseded = Superseded::new();
    for (application, new) in of {
        let at = new.iter().map(|it| it.connected_at).max();
        let organizations = listed(new.iter().map(|it| Col(it.organization_id)));
        let before = connections::table
            .filter(connections::application_id.eq(Col(application)))
            .filter(connections::organization_id.eq_any(organizations))
            .filter(connections::state.eq(Literal(ConnectionState::Connected)));
        let update = diesel::update(before)
            .set((
                connections::state.eq(Col(ConnectionState::Superseded)),
                connections::ending.eq(Some(Col(EndReason::Superseded))),
                connections::ended_at.eq(at.map(Col)),
            ))
            .returning(Connection::as_returning());
        let ended: Vec<Connection> = Cached(update).load(conn).await?;
        superseded.extend(ended.into_iter().map(|it| ((application, it.organization_id), it)));
    }
    Ok(superseded)
}

async fn insert_keys(conn: &mut SharedConn<'_>, keys: &[Key]) -> Result<()> {
    pipelined_each!(conn; rows in inserts(keys) => insert_some_keys(conn, rows))?;
    Ok(())
}

async fn insert_some_keys(conn: &mut SharedConn<'_>, rows: Rows<'_, Key>) -> Result<()> {
    prepared!(diesel::insert_into(keys::table).values(rows)).execute(conn).await?;
    Ok(())
}

async fn insert_connections(conn: &mut SharedConn<'_>, new: &[Connection]) -> Result<()> {
    pipelined_each!(conn; rows in inserts(new) => insert_some_connections(conn, rows))?;
    Ok(())
}

async fn insert_some_connections(
    conn: &mut SharedConn<'_>,
    rows: Rows<'_, Connection>,
) -> Result<()> {
    prepared!(diesel::insert_into(connections::table).values(rows)).execute(conn).await?;
    Ok(())
}

async fn insert_exchanges(conn: &mut SharedConn<'_>, exchanges: &[Handshake]) -> Result<()> {
    pipelined_each!(conn; rows in inserts(exchanges) => insert_some_exchanges(conn, rows))?;
    Ok(())
}

async fn insert_some_exchanges(conn: &mut SharedConn<'_>, rows: Rows<'_, Handshake>) -> Result<()> {
    prepared!(diesel::insert_into(handshakes::table).values(rows)).execute(conn).await?;
    Ok(())
}
