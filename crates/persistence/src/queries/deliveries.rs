//! Queries on deliveries of events to webhook endpoints, for workers and replays.
use super::owners::own_endpoint;
use super::{
    Conn, RunQueryDsl, Transactional, endpoint_work, event_resends, events, inserts, listed,
};
use crate::cached::Cached;
use crate::records::{Delivery, EventWithSubject, Owner};
use crate::schema::connections;
use crate::schema::webhooks::{webhook_deliveries, webhook_endpoints};
use crate::types::{Col, Literal};
use crate::{Error, Result};
use diesel::dsl;
use diesel::prelude::*;
use domain::id::{
    ApplicationId, ConnectionId, DeliveryId, OrganizationId, OwnerId, WebhookEndpointId,
};
use domain::time::Timestamp;
use domain::webhook::DeliveryState;
use std::collections::{BTreeMap, BTreeSet};

/// The maximum number of endpoints whose old deliveries one statement deletes.
const ENDPOINTS: i64 = 512;

/// Returns the due deliveries of a claimed endpoint, each with its event, in the order of their due
/// times. If an event has been deleted, its delivery is returned without the event.
pub async fn due_deliveries(
    conn: &mut Conn,
    owner: OwnerId,
    endpoint: WebhookEndpointId,
    now: Timestamp,
    limit: i64,
) -> Result<Vec<(Delivery, Option<EventWithSubject>)>> {
    let due = webhook_deliveries::table
        .filter(webhook_deliveries::owner_id.eq(Col(owner)))
        .filter(webhook_deliveries::endpoint_id.eq(Col(endpoint)))
        .filter(webhook_deliveries::state.eq(Literal(DeliveryState::Pending)))
        .filter(webhook_deliveries::due_at.le(Col(now)))
        .order((webhook_deliveries::due_at, webhook_deliveries::sequence))
        .limit(limit)
        .select(Delivery::as_select());
    let due: Vec<Delivery> = due.load(conn).await?;
    let numbers = due.iter().map(|it| (it.organization_id, it.sequence));
    let mut events = events::numbered_events(conn, numbers).await?;
    name_connections(conn, owner, &mut events).await?;
    let mut events: BTreeMap<_, _> = events.into_iter().map(|it| (it.event.id, it)).collect();
    let due = due.into_iter().map(|delivery| {
        let event = events.remove(&delivery.event_id);
        (delivery, event)
    });
    Ok(due.collect())
}

/// Sets on each event the connection through which an application may see it. That is the
/// connection that the organization had at the time of the event. Events of the owner itself get no
/// connection.
pub(super) async fn name_connections(
    conn: &mut Conn,
    owner: OwnerId,
    events: &mut [EventWithSubject],
) -> Result<()> {
    let others = events.iter().map(|it| it.event.organization_id);
    let others: BTreeSet<_> = others.filter(|it| it.uuid() != owner.uuid()).map(Col).collect();
    if others.is_empty() {
        return Ok(());
    }
    let application_connections = connections::table
        .filter(connections::application_id.eq(Col(ApplicationId::from_uuid(*owner.uuid()))))
        .filter(connections::organization_id.eq_any(listed(others)))
        .order(connections::connected_at)
        .select((connections::organization_id, connections::id, connections::connected_at));
    let application_connections: Vec<(Col<OrganizationId>, Col<ConnectionId>, Col<Timestamp>)> =
        Cached(application_connections).load(conn).await?;
    // A test event belongs to the owner alone.
    let is_told = |it: &&mut EventWithSubject| it.event.endpoint_id.is_none();
    for it in events.iter_mut().filter(is_told).filter(|it| it.connection.is_none()) {
        let then = |(of, _, since): &&(Col<OrganizationId>, Col<ConnectionId>, Col<Timestamp>)| {
            of.0 == it.event.organization_id && since.0 <= it.event.at
        };
        it.connection = application_connections.iter().rev().find(then).map(|(_, id, _)| id.0);
    }
    Ok(())
}

/// Inserts deliveries. An existing delivery stays as it is or, with `again`, restarts its schedule.
pub(super) async fn insert_deliveries(
    conn: &mut Conn,
    new: &[Delivery],
    again: bool,
    now: Timestamp,
) -> Result<()> {
    if again {
        begin_again(conn, new, now).await?;
    }
    for rows in inserts(new) {
        let insert = diesel::insert_into(webhook_deliveries::table).values(rows);
        insert.on_conflict_do_nothing().execute(conn).await?;
    }
    Ok(())
}

/// Restarts the schedule of those deliveries that exist.
async fn begin_again(conn: &mut Conn, of: &[Delivery], now: Timestamp) -> Result<()> {
    let mut numbers: BTreeMap<_, Vec<i64>> = BTreeMap::new();
    for delivery in of {
        let at = (delivery.owner_id, delivery.endpoint_id, delivery.organization_id);
        numbers.entry(at).or_default().push(delivery.sequence);
    }
    for ((owner, endpoint, organization), sequences) in numbers {
        let existing = webhook_deliveries::table
            .filter(webhook_deliveries::owner_id.eq(Col(owner)))
            .filter(webhook_deliveries::endpoint_id.eq(Col(endpoint)))
            .filter(webhook_deliveries::organization_id.eq(Col(organization)))
            .filter(webhook_deliveries::sequence.eq_any(listed(sequences)));
        Cached(diesel::update(existing).set(pending_from(now))).execute(conn).await?;
    }
    Ok(())
}

type PendingColumns = (
    dsl::Eq<webhook_deliveries::state, Col<DeliveryState>>,
    dsl::Eq<webhook_deliveries::failures, i32>,
    dsl::Eq<webhook_deliveries::due_at, Option<Col<Timestamp>>>,
    dsl::Eq<webhook_deliveries::completed_at, Option<Col<Timestamp>>>,
);

/// Returns the columns of a delivery at the start of its schedule.
fn pending_from(now: Timestamp) -> PendingColumns {
    (
        webhook_deliveries::state.eq(Col(DeliveryState::Pending)),
        webhook_deliveries::failures.eq(0),
        webhook_deliveries::due_at.eq(Some(Col(now))),
        webhook_deliveries::completed_at.eq(None::<Col<Timestamp>>),
    )
}

/// Restarts the schedule of a delivery. Returns `false` if the endpoint has no such delivery.
pub async fn resend_delivery(
    conn: &mut Conn,
    owner: Owner,
    endpoint: WebhookEndpointId,
    id: DeliveryId,
    now: Timestamp,
) -> Result<bool> {
    conn.transaction(async |conn| {
        let is_own = own_endpoint(conn, owner, endpoint).await?.is_some();
        if !is_own || endpoint_work::hold_one(conn, owner.id(), endpoint).await?.is_none() {
            return Ok(false);
        }
        let one = webhook_deliveries::table
            .find((Col(owner.id()), Col(id)))
            .filter(webhook_deliveries::endpoint_id.eq(Col(endpoint)));
        let again =
            diesel::update(one).set(pending_from(now)).returning(webhook_deliveries::sequence);
        let sequence: Option<i64> = again.get_result(conn).await.optional()?;
        for part in endpoint_work::parts(std::iter::once((owner.id(), endpoint)), true) {
            endpoint_work::due_now(shared!(conn), &part, now).await?;
        }
        if let (Owner::Organization(organization), Some(sequence)) = (owner, sequence) {
            event_resends::record(conn, organization, sequence, sequence).await?;
        }
        Ok::<_, Error>(sequence.is_some())
    })
    .await
}

/// Deletes at most `portion` deliveries from before `cutoff`, and returns how many. Endpoints are
/// processed in pages, because a distributed database cannot look up rows of one node for each row
/// of a table that every node has.
pub async fn delete_expired_deliveries(
    conn: &mut Conn,
    cutoff: Timestamp,
    portion: i64,
) -> Result<usize> {
    let mut after = None;
    loop {
        let mut page = webhook_endpoints::table
            .order(webhook_endpoints::id)
            .limit(ENDPOINTS)
            .select((webhook_endpoints::owner_id, webhook_endpoints::id))
            .into_boxed();
        if let Some(after) = after {
            page = page.filter(webhook_endpoints::id.gt(after));
        }
        let page: Vec<(Col<OwnerId>, Col<WebhookEndpointId>)> = page.load(conn).await?;
        let Some((_, last)) = page.last() else { return Ok(0) };
        after = Some(*last);
        let forgotten = delete_deliveries_to(conn, page, cutoff, portion).await?;
        if forgotten > 0 {
            return Ok(forgotten);
        }
    }
}

async fn delete_deliveries_to(
    conn: &mut Conn,
    page: Vec<(Col<OwnerId>, Col<WebhookEndpointId>)>,
    cutoff: Timestamp,
    portion: i64,
) -> Result<usize> {
    let (owners, endpoints): (Vec<_>, Vec<_>) = page.into_iter().unzip();
    let old = webhook_deliveries::table
        .filter(webhook_deliveries::owner_id.eq_any(listed(owners)))
        .filter(webhook_deliveries::endpoint_id.eq_any(listed(endpoints)))
        .filter(webhook_deliveries::created_at.lt(Col(cutoff)))
        .limit(portion)
        .select((webhook_deliveries::owner_id, webhook_deliveries::id));
    let old: Vec<(Col<OwnerId>, Col<DeliveryId>)> = old.load(conn).await?;
    let mut by_owner: BTreeMap<_, Vec<_>> = BTreeMap::new();
    for (owner, id) in old {
        by_owner.entry(owner).or_default().push(id);
    }
    let mut forgotten = 0;
    for (owner, ids) in by_owner {
        let application_connections = webhook_deliveries::table
            .filter(webhook_deliveries::owner_id.eq(owner))
            .filter(webhook_deliveries::id.eq_any(ids));
        forgotten += diesel::delete(application_connections).execute(conn).await?;
    }
    Ok(forgotten)
}
