//! The position of each endpoint's feed in an organization's events. Events are numbered without
//! gaps in the order of commits, so one number per feed is enough.
use super::application_events::{self, find_log};
use super::deliveries::insert_deliveries;
use super::endpoint_work;
use super::events::last_sequence;
use super::feed_ends::lock_feeds;
use super::owners::{own_endpoint, own_endpoint_id};
use super::{Conn, RunQueryDsl, SharedConn, Transactional, event_resends, events, inserts, listed};
use crate::cached::Cached;
use crate::records::{Connection, Delivery, Event, Feed, FeedProgress, LaggingFeed, Owner};
use crate::schema::webhooks::{webhook_endpoints, webhook_feeds};
use crate::schema::{applications, connections, event_counters, events as events_table, keys};
use crate::types::{Col, Literal};
use crate::{Error, Result};
use diesel::prelude::*;
use domain::connection::ConnectionState;
use domain::id::{
    AccountId, ApplicationId, ConnectionId, OrganizationId, OwnerId, WebhookEndpointId,
};
use domain::number::saturating;
use domain::time::Timestamp;
use std::collections::{BTreeMap, BTreeSet};

type FeedRow = (
    Feed,
    Col<OwnerId>,
    String,
    Option<Col<Timestamp>>,
    Option<Col<AccountId>>,
    Option<String>,
    i64,
    bool,
    Option<Col<Timestamp>>,
    Option<Col<Timestamp>>,
    Option<String>,
);

/// Selects feeds that have unprocessed events, with their endpoints.
#[diesel::dsl::auto_type]
fn lagging() -> _ {
    let of_organization = event_counters::organization_id.eq(webhook_feeds::organization_id);
    let of_connection = keys::id.nullable().eq(connections::key_id.nullable());
    webhook_feeds::table
        .inner_join(webhook_endpoints::table)
        .inner_join(event_counters::table.on(of_organization))
        .left_join(connections::table)
        .left_join(keys::table.on(of_connection))
        .filter(webhook_feeds::position.lt(event_counters::last))
        .filter(
            webhook_feeds::ends_with
                .is_null()
                .or(webhook_feeds::ends_with.gt(webhook_feeds::position.nullable())),
        )
}

/// The columns of a [`FeedRow`]. This is a macro because the type of a selected record depends on
/// the database.
macro_rules! feed_columns {
    () => {
        (
            Feed::as_select(),
            webhook_endpoints::owner_id,
            webhook_endpoints::events,
            webhook_endpoints::disabled_at,
            connections::account_id.nullable(),
            connections::scopes.nullable(),
            event_counters::last,
            webhook_endpoints::is_log,
            connections::connected_at.nullable(),
            keys::expires_at.nullable(),
            connections::closed_periods.nullable(),
        )
    };
}

/// Returns feeds with an id after `after` that have unprocessed events.
pub async fn lagging_feeds(conn: &mut Conn, after: i64, limit: i64) -> Result<Vec<LaggingFeed>> {
    let some = lagging()
        .filter(webhook_feeds::id.gt(after))
        .order(webhook_feeds::id)
        .limit(limit)
        .select(feed_columns!());
    Ok(some.load::<FeedRow>(conn).await?.into_iter().map(lagging_feed).collect())
}

/// Returns feeds of these organizations that have unprocessed events. The cost does not depend on
/// the number of other organizations.
pub async fn lagging_feeds_of(
    conn: &mut Conn,
    organizations: Vec<OrganizationId>,
    after: i64,
    limit: i64,
) -> Result<Vec<LaggingFeed>> {
    let some = lagging()
        .filter(webhook_feeds::id.gt(after))
        .order(webhook_feeds::id)
        .limit(limit)
        .select(feed_columns!());
    let of = webhook_feeds::organization_id;
    // With one organization, the statement goes to one node.
    let rows: Vec<FeedRow> = if let [only] = organizations.as_slice() {
        Cached(some.filter(of.eq(Col(*only)))).load(conn).await?
    } else {
        let of = of.eq_any(listed(organizations.into_iter().map(Col)));
        Cached(some.filter(of)).load(conn).await?
    };
    Ok(rows.into_iter().map(lagging_feed).collect())
}

fn lagging_feed(row: FeedRow) -> LaggingFeed {
    let (
        feed,
        owner,
        events,
        disabled_at,
        account,
        scopes,
        last,
        is_log,
        connected_at,
        ends_at,
        connection_closed,
    ) = row;
    let last = feed.ends_with.map_or(last, |end| last.min(end));
    let account = account.map(|id| id.0);
    let disabled_at = disabled_at.map(|at| at.0);
    LaggingFeed {
        feed,
        owner: owner.0,
        events,
        disabled_at,
        connection: scopes.map(|it| (account, it)),
        connection_ends_at: ends_at.map(|at| at.0),
        connection_closed,
        logs_since: connected_at.filter(|_| is_log).map(|at| at.0),
        last,
    }
}

/// Returns an organization's events with `after < sequence <= last`, in order, without their
/// subjects.
pub async fn events_between(
    conn: &mut Conn,
    organization: OrganizationId,
    after: i64,
    last: i64,
    limit: i64,
) -> Result<Vec<Event>> {
    let some = events_table::table
        .filter(events_table::organization_id.eq(Col(organization)))
        .filter(events_table::sequence.gt(after))
        .filter(events_table::sequence.le(last))
        .order(events_table::sequence)
        .limit(limit)
        .select(Event::as_select());
    Ok(some.load(conn).await?)
}

/// Advances feeds and inserts their deliveries. A feed that another worker has advanced in the
/// meantime is skipped, so that no event is delivered twice.
pub async fn advance_feeds(
    conn: &mut Conn,
    looked: Vec<FeedProgress>,
    several_nodes: bool,
    now: Timestamp,
) -> Result<usize> {
    conn.transaction(async |conn| {
        let moved = advance(conn, &looked).await?;
        let advanced = looked.into_iter().filter(|it| moved.contains(&it.feed));
        let mut advanced: Vec<FeedProgress> = advanced.collect();
        let logged = advanced.iter_mut().flat_map(|it| std::mem::take(&mut it.logged)).collect();
        let (replayed, once): (Vec<_>, Vec<_>) = advanced.into_iter().partition(|it| it.replay);
        let deliveries = |all: Vec<FeedProgress>| all.into_iter().flat_map(|it| it.deliveries);
        let (once, replayed) = (deliveries(once).collect(), deliveries(replayed).collect());
        deliver(conn, once, replayed, several_nodes, now).await?;
        application_events::append(conn, logged).await?;
        Ok::<_, Error>(moved.len())
    })
    .await
}

/// Advances the feeds that are still at the expected position, and deletes the replays that are
/// done. Returns the ids of both. One statement advances all feeds of an organization that have the
/// same old and the same new position, as most of them do. Rows are locked in the order of
/// organizations, then of ids, to avoid deadlocks.
async fn advance(conn: &mut Conn, looked: &[FeedProgress]) -> Result<BTreeSet<i64>> {
    let mut by_organization: BTreeMap<OrganizationId, Vec<&FeedProgress>> = BTreeMap::new();
    for progress in looked {
        by_organization.entry(progress.organization).or_default().push(progress);
    }
    let shared = shared!(conn);
    let moved = pipelined_each!(shared; (organization, looked) in by_organization.into_iter() => advance_organization(shared, organization, looked))?;
    Ok(moved.into_iter().flatten().collect())
}

async fn advance_organization(
    conn: &mut SharedConn<'_>,
    organization: OrganizationId,
    looked: Vec<&FeedProgress>,
) -> Result<Vec<i64>> {
    // A single feed need not be locked first, because its update locks it.
    if looked.len() > 1 {
        lock_feeds(conn, organization, looked.iter().map(|it| it.feed)).await?;
    }
    let mut ways: BTreeMap<(i64, i64, bool), Vec<i64>> = BTreeMap::new();
    for FeedProgress { feed, from, to, done, .. } in looked {
        ways.entry((*from, *to, *done)).or_default().push(*feed);
    }
    let mut moved = Vec::new();
    for ((from, to, done), feeds) in ways {
        let stand = webhook_feeds::table
            .filter(webhook_feeds::organization_id.eq(Col(organization)))
            .filter(webhook_feeds::id.eq_any(listed(feeds)))
            .filter(webhook_feeds::position.eq(from));
        let some: Vec<i64> = if done {
            let deletion = diesel::delete(stand).returning(webhook_feeds::id);
            Cached(deletion).get_results(conn).await?
        } else {
            let position = webhook_feeds::position.eq(to);
            let at = diesel::update(stand).set(position).returning(webhook_feeds::id);
            Cached(at).get_results(conn).await?
        };
        moved.extend(some);
    }
    Ok(moved)
}

/// Inserts deliveries after locking their endpoints in order. A worker that settles an endpoint at
/// the same time either sees the deliveries or waits for this transaction.
async fn deliver(
    conn: &mut Conn,
    once: Vec<Delivery>,
    replayed: Vec<Delivery>,
    several_nodes: bool,
    now: Timestamp,
) -> Result<()> {
    let endpoints = once.iter().chain(&replayed).map(|it| (it.owner_id, it.endpoint_id));
    let parts = endpoint_work::parts(endpoints, several_nodes);
    let shared = shared!(conn);
    pipelined_each!(shared; part in parts.iter() => endpoint_work::hold(shared, part))?;
    insert_deliveries(conn, &once, false, now).await?;
    insert_deliveries(conn, &replayed, true, now).await?;
    let shared = shared!(conn);
    pipelined_each!(shared; part in parts.iter() => endpoint_work::due_now(shared, part, now))?;
    Ok(())
}

/// Records a test event and delivers it to one of the owner's endpoints. Returns `false` if the
/// owner has no such endpoint. This function sets the event's sequence and id in `delivery`.
pub async fn send_test(
    conn: &mut Conn,
    owner: Owner,
    test: domain::event::NewEvent,
    delivery: Delivery,
    now: Timestamp,
) -> Result<bool> {
    conn.transaction(async |conn| {
        if own_endpoint(conn, owner, delivery.endpoint_id).await?.is_none() {
            return Ok(false);
        }
        // The endpoint is locked before the event counter. Recording an event about the endpoint's
        // health locks them in the same order, so the two cannot deadlock.
        if endpoint_work::hold_one(conn, owner.id(), delivery.endpoint_id).await?.is_none() {
            return Ok(false);
        }
        let organization = test.organization;
        events::record(conn, vec![test]).await?;
        let sequence = last_sequence(conn, organization).await?;
        let recorded = events_between(conn, organization, sequence - 1, sequence, 1).await?;
        let recorded = recorded.into_iter().next();
        let recorded = recorded.ok_or_else(|| Error::Internal("a test went missing".to_owned()))?;
        let delivery = Delivery { sequence, event_id: recorded.id, ..delivery };
        deliver(conn, vec![delivery], Vec::new(), true, now).await?;
        Ok(true)
    })
    .await
}

/// Locks the row of an application. A new connection has a foreign key to that row, so no
/// connection can be created until the transaction ends, and none is overlooked.
pub(super) async fn lock_application(
    conn: &mut Conn,
    application: Col<ApplicationId>,
) -> Result<()> {
    let one = applications::table.filter(applications::id.eq(application));
    let _: Option<Col<ApplicationId>> =
        for_update!(one.select(applications::id)).get_result(conn).await.optional()?;
    Ok(())
}

/// Creates the feeds of a new endpoint. From now on the endpoint receives the events that its owner
/// may see.
pub(super) async fn begin(
    conn: &mut Conn,
    owner: Owner,
    endpoint: Col<WebhookEndpointId>,
) -> Result<()> {
    let of: Vec<(Col<OrganizationId>, Option<Col<ConnectionId>>)> = match owner {
        Owner::Organization(id) => vec![(Col(id), None)],
        Owner::Application(id) => {
            let alive = connections::table
                .filter(connections::application_id.eq(Col(id)))
                .filter(connections::state.eq(Literal(ConnectionState::Connected)))
                .select((connections::organization_id, connections::id));
            let alive: Vec<(Col<OrganizationId>, Col<ConnectionId>)> = alive.load(conn).await?;
            alive.into_iter().map(|(of, connection)| (of, Some(connection))).collect()
        }
    };
    for (organization, connection) in of {
        let after = last_sequence(conn, *organization).await?;
        insert_feed(conn, endpoint, organization, connection, after).await?;
    }
    Ok(())
}

/// Creates feeds of an application's log for up to `limit` of its connections. A feed begins with
/// the oldest event of the organization; events that are older than the connection are left out
/// when the feed is read. Returns whether connections without a feed may be left.
pub async fn follow_earlier_connections(
    conn: &mut Conn,
    application: ApplicationId,
    limit: i64,
) -> Result<bool> {
    conn.transaction(async |conn| {
        // A transaction that creates a connection either waits for this lock, or has already
        // committed, so that its connection is read below.
        lock_application(conn, Col(application)).await?;
        let log = find_log(conn, application).await?;
        let Some((log, begun_to)) = log.and_then(|it| Some((Col(it.id), it.begun_to?))) else {
            return Ok(false);
        };
        let next = connections::table
            .filter(connections::application_id.eq(Col(application)))
            .filter(connections::state.eq(Literal(ConnectionState::Connected)))
            .filter(connections::organization_id.gt(Col(begun_to)))
            .order(connections::organization_id)
            .limit(limit)
            .select((connections::organization_id, connections::id));
        let next: Vec<(Col<OrganizationId>, Col<ConnectionId>)> = next.load(conn).await?;
        let is_full = saturating::<_, i64>(next.len(), i64::MAX) >= limit;
        let begun_to = next.last().map(|(organization, _)| *organization).filter(|_| is_full);
        insert_log_feeds(conn, log, next).await?;
        diesel::update(webhook_endpoints::table.find(log))
            .set(webhook_endpoints::begun_to.eq(begun_to))
            .execute(conn)
            .await?;
        Ok::<_, Error>(is_full)
    })
    .await
}

/// Creates the feeds of a log for those of these connections that have none.
async fn insert_log_feeds(
    conn: &mut Conn,
    log: Col<WebhookEndpointId>,
    of: Vec<(Col<OrganizationId>, Col<ConnectionId>)>,
) -> Result<()> {
    let connections = listed(of.iter().map(|(_, connection)| Some(*connection)));
    let existing = webhook_feeds::table
        .filter(webhook_feeds::endpoint_id.eq(log))
        .filter(webhook_feeds::replay.eq(false))
        .filter(webhook_feeds::connection_id.eq_any(connections))
        .select(webhook_feeds::connection_id.assume_not_null());
    let existing: Vec<Col<ConnectionId>> = Cached(existing).load(conn).await?;
    let existing: BTreeSet<ConnectionId> = existing.into_iter().map(|it| it.0).collect();
    let feed = |(organization, connection): (Col<OrganizationId>, Col<ConnectionId>)| {
        (
            webhook_feeds::endpoint_id.eq(log),
            webhook_feeds::organization_id.eq(organization),
            webhook_feeds::connection_id.eq(Some(connection)),
            webhook_feeds::starts_after.eq(0_i64),
            webhook_feeds::position.eq(0_i64),
            webhook_feeds::replay.eq(false),
        )
    };
    let new = of.into_iter().filter(|(_, connection)| !existing.contains(&connection.0));
    let new: Vec<_> = new.map(feed).collect();
    for rows in inserts(&new) {
        diesel::insert_into(webhook_feeds::table).values(rows).execute(conn).await?;
    }
    Ok(())
}

async fn insert_feed(
    conn: &mut Conn,
    endpoint: Col<WebhookEndpointId>,
    organization: Col<OrganizationId>,
    connection: Option<Col<ConnectionId>>,
    after: i64,
) -> Result<()> {
    let feed = (
        webhook_feeds::endpoint_id.eq(endpoint),
        webhook_feeds::organization_id.eq(organization),
        webhook_feeds::connection_id.eq(connection),
        webhook_feeds::starts_after.eq(after),
        webhook_feeds::position.eq(after),
        webhook_feeds::replay.eq(false),
    );
    diesel::insert_into(webhook_feeds::table).values(feed).execute(conn).await?;
    Ok(())
}

/// Returns the endpoints of applications, in the order in which `advance_feeds` locks them, to
/// avoid deadlocks.
pub(super) async fn endpoints_of_applications(
    conn: &mut SharedConn<'_>,
    applications: Vec<ApplicationId>,
) -> Result<BTreeMap<ApplicationId, Vec<Col<WebhookEndpointId>>>> {
    let applications = listed(applications.into_iter().map(Col)).into_iter().map(Some);
    let endpoints = webhook_endpoints::table
        .filter(webhook_endpoints::application_id.eq_any(applications))
        .order(webhook_endpoints::id)
        .select((webhook_endpoints::application_id, webhook_endpoints::id));
    let rows: Vec<(Option<Col<ApplicationId>>, Col<WebhookEndpointId>)> =
        Cached(endpoints).load(conn).await?;
    let mut endpoints: BTreeMap<_, Vec<_>> = BTreeMap::new();
    for (application, id) in rows {
        if let Some(application) = application {
            endpoints.entry(application.0).or_default().push(id);
        }
    }
    Ok(endpoints)
}

/// Creates the feeds of a new connection for the application's endpoints. The event of the
/// connection must be the last event that this transaction has recorded. It is the first event that
/// the endpoints receive.
pub(super) async fn follow_connection(
    conn: &mut Conn,
    new: &Connection,
    endpoints: &[Col<WebhookEndpointId>],
) -> Result<()> {
    if endpoints.is_empty() {
        return Ok(());
    }
    let after = last_sequence(conn, new.organization_id).await? - 1;
    for endpoint in endpoints {
        insert_feed(conn, *endpoint, Col(new.organization_id), Some(Col(new.id)), after).await?;
    }
    Ok(())
}

/// Delivers all events of a period to one of the owner's endpoints again. Returns how many events
/// the replay has to read.
pub async fn replay(
    conn: &mut Conn,
    owner: Owner,
    endpoint: WebhookEndpointId,
    from: Timestamp,
    to: Timestamp,
) -> Result<i64> {
    conn.transaction(async |conn| {
        let feeds = webhook_feeds::table
            .filter(webhook_feeds::endpoint_id.nullable().eq(own_endpoint_id(owner, endpoint)))
            .filter(webhook_feeds::replay.eq(false))
            .order(webhook_feeds::id)
            .select(Feed::as_select());
        let feeds: Vec<Feed> = feeds.load(conn).await?;
        let (mut found, mut again) = (0, None);
        for feed in feeds {
            let of_time = events::numbers_between(conn, feed.organization_id, from, to).await?;
            let Some((first, last)) = of_time else { continue };
            // An application may see only events from the time of its connection.
            let connected = feed.connection_id.is_some();
            let after = if connected { feed.starts_after.max(first - 1) } else { first - 1 };
            let last = feed.ends_with.map_or(last, |end| end.min(last));
            if last <= after {
                continue;
            }
            found += last - after;
            again = Some((after + 1, last));
            let replayed = (
                webhook_feeds::endpoint_id.eq(Col(feed.endpoint_id)),
                webhook_feeds::organization_id.eq(Col(feed.organization_id)),
                webhook_feeds::connection_id.eq(feed.connection_id),
                webhook_feeds::starts_after.eq(after),
                webhook_feeds::ends_with.eq(Some(last)),
                webhook_feeds::position.eq(after),
                webhook_feeds::replay.eq(true),
            );
            diesel::insert_into(webhook_feeds::table).values(replayed).execute(conn).await?;
        }
        // A resend is recorded only for an endpoint of an organization, whose events have one
        // sequence of numbers. The endpoint of an application receives events of several
        // organizations, each with its own numbers.
        if let (Owner::Organization(organization), Some((first, last))) = (owner, again) {
            event_resends::record(conn, organization, first, last).await?;
        }
        Ok::<_, Error>(found)
    })
    .await
}
