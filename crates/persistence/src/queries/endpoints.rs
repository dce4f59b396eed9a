//! Queries on webhook endpoints. Each query names the owner.
use super::application_events::find_log;
use super::endpoint_work::{self, with_endpoints};
use super::owners::{held_secret, owned};
use super::{Conn, RunQueryDsl, Transactional, events, feed_ends, feeds, listed, organizations};
use crate::records::{Endpoint, EndpointChange, Owner};
use crate::schema::webhooks::{
    application_events, endpoint_work as work, webhook_deliveries, webhook_endpoints,
};
use crate::types::Col;
use crate::{Error, Result};
use diesel::prelude::*;
use domain::id::{ApplicationId, DeliveryId, OrganizationId, OwnerId, WebhookEndpointId};
use domain::time::Timestamp;
use domain::webhook::{DisabledReason, EndpointState};

/// Returns the owner's endpoints, the oldest first.
pub async fn list_own_endpoints(conn: &mut Conn, owner: Owner) -> Result<Vec<Endpoint>> {
    let endpoints = with_endpoints()
        .filter(work::owner_id.eq(Col(owner.id())))
        .filter(owned(owner.organization().map(Col), owner.application().map(Col)))
        .filter(webhook_endpoints::is_log.eq(false))
        .order((webhook_endpoints::created_at, webhook_endpoints::id))
        .select(Endpoint::as_select());
    Ok(endpoints.load(conn).await?)
}

pub async fn endpoint(
    conn: &mut Conn,
    owner: Owner,
    id: WebhookEndpointId,
) -> Result<Option<Endpoint>> {
    let found = with_endpoints()
        .filter(work::owner_id.eq(Col(owner.id())))
        .filter(work::endpoint_id.eq(Col(id)))
        .filter(owned(owner.organization().map(Col), owner.application().map(Col)))
        .filter(webhook_endpoints::is_log.eq(false))
        .select(Endpoint::as_select())
        .get_result(conn)
        .await;
    Ok(found.optional()?)
}

/// Creates an endpoint with its feeds. Returns `false` if its owner already has `most` endpoints.
pub async fn insert_endpoint(
    conn: &mut Conn,
    owner: Owner,
    new: Endpoint,
    most: i64,
) -> Result<bool> {
    conn.transaction(async |conn| {
        match owner {
            Owner::Organization(id) => organizations::lock(conn, id).await?,
            Owner::Application(id) => feeds::lock_application(conn, Col(id)).await?,
        }
        let there: i64 = webhook_endpoints::table
            .filter(owned(owner.organization().map(Col), owner.application().map(Col)))
            .filter(webhook_endpoints::is_log.eq(false))
            .count()
            .get_result(conn)
            .await?;
        if there >= most {
            return Ok(false);
        }
        let id = new.id;
        insert(conn, new).await?;
        endpoint_work::begin(conn, owner.id(), id).await?;
        feeds::begin(conn, owner, Col(id)).await?;
        Ok::<_, Error>(true)
    })
    .await
}

pub(super) async fn insert(conn: &mut Conn, new: Endpoint) -> Result<()> {
    let new = (
        webhook_endpoints::id.eq(Col(new.id)),
        webhook_endpoints::owner_id.eq(Col(new.owner_id)),
        webhook_endpoints::organization_id.eq(new.organization_id.map(Col)),
        webhook_endpoints::application_id.eq(new.application_id.map(Col)),
        webhook_endpoints::url.eq(new.url),
        webhook_endpoints::description.eq(new.description),
        webhook_endpoints::events.eq(new.events),
        webhook_endpoints::state.eq(Col(EndpointState::Enabled)),
        webhook_endpoints::secret.eq(new.secret),
        webhook_endpoints::created_at.eq(Col(new.created_at)),
        webhook_endpoints::is_log.eq(new.is_log),
    );
    diesel::insert_into(webhook_endpoints::table).values(new).execute(conn).await?;
    Ok(())
}

/// Changes one of the owner's endpoints. Returns `false` if it has none with this id.
pub async fn change_endpoint(
    conn: &mut Conn,
    owner: Owner,
    id: WebhookEndpointId,
    change: EndpointChange,
) -> Result<bool> {
    let own = webhook_endpoints::table
        .filter(webhook_endpoints::id.eq(Col(id)))
        .filter(owned(owner.organization().map(Col), owner.application().map(Col)));
    Ok(diesel::update(own).set(change).execute(conn).await? > 0)
}

/// Replaces the secret of one of the owner's endpoints. Until `until`, events are also signed with
/// the previous secret.
pub async fn rotate_endpoint(
    conn: &mut Conn,
    owner: Owner,
    id: WebhookEndpointId,
    secret: Vec<u8>,
    until: Timestamp,
) -> Result<bool> {
    conn.transaction(async |conn| {
        let Some(before) = held_secret(conn, owner, id).await? else { return Ok(false) };
        let rotated = (
            webhook_endpoints::secret.eq(secret),
            webhook_endpoints::previous_secret.eq(Some(before)),
            webhook_endpoints::previous_until.eq(Some(Col(until))),
        );
        diesel::update(webhook_endpoints::table.find(Col(id))).set(rotated).execute(conn).await?;
        Ok::<_, Error>(true)
    })
    .await
}

/// Creates the log of an application. From then on the log follows new connections;
/// `feeds::follow_earlier_connections` adds the existing ones. Does nothing if the application has
/// a log.
pub async fn begin_log(conn: &mut Conn, application: ApplicationId, new: Endpoint) -> Result<()> {
    conn.transaction(async |conn| {
        // A transaction that creates a connection either waits for this lock and then finds the
        // log, or has already committed. In the second case its connection is added to the log
        // later.
        feeds::lock_application(conn, Col(application)).await?;
        if find_log(conn, application).await?.is_some() {
            return Ok(());
        }
        let id = new.id;
        insert(conn, new).await?;
        let owner = Owner::Application(application);
        endpoint_work::begin(conn, owner.id(), id).await?;
        let first = OrganizationId::from_bytes([0; 16]);
        diesel::update(webhook_endpoints::table.find(Col(id)))
            .set(webhook_endpoints::begun_to.eq(Some(Col(first))))
            .execute(conn)
            .await?;
        Ok::<_, Error>(())
    })
    .await
}

/// Disables or enables an endpoint, as a member decided. Returns `false` if the owner has no such
/// endpoint.
pub async fn switch_endpoint(
    conn: &mut Conn,
    owner: Owner,
    id: WebhookEndpointId,
    on: bool,
    at: Timestamp,
) -> Result<bool> {
    conn.transaction(async |conn| {
        // The work row is locked first, because every change of the state needs that lock.
        let held = endpoint_work::hold_one(conn, owner.id(), id).await?;
        let Some((mut work, before)) = held.zip(endpoint(conn, owner, id).await?) else {
            return Ok(false);
        };
        let health = before.health();
        let health = if on { health.enable(at) } else { health.disable(at) };
        (work.state, work.failing_since) = (health.state(), health.failing_since);
        let change = health.report(work.reported, at);
        work.reported = change.map_or(work.reported, |change| change.reported);
        let shared = shared!(conn);
        endpoint_work::save(shared, &work, at).await?;
        endpoint_work::save_disabled(shared, id, health).await?;
        if let Some(kind) = change.and_then(|change| change.kind) {
            let event = endpoint_work::report(conn, id, kind, health, at).await?;
            events::record(conn, event.into_iter().collect()).await?;
        }
        Ok::<_, Error>(true)
    })
    .await
}

/// Marks an endpoint as deleted: lookups no longer find it, and it receives nothing more.
/// Housekeeping deletes its deliveries later, in portions.
pub async fn delete_endpoint(
    conn: &mut Conn,
    owner: Owner,
    id: WebhookEndpointId,
    at: Timestamp,
) -> Result<bool> {
    conn.transaction(async |conn| {
        if endpoint(conn, owner, id).await?.is_none() {
            return Ok(false);
        }
        detach_endpoints(conn, owner, &[Col(id)], at).await?;
        Ok::<_, Error>(true)
    })
    .await
}

/// Deletes all endpoints of an application, because nobody could manage them.
pub(super) async fn delete_endpoints_of(
    conn: &mut Conn,
    application: ApplicationId,
    at: Timestamp,
) -> Result<()> {
    let owner = Owner::Application(application);
    let endpoints = webhook_endpoints::table
        .filter(webhook_endpoints::application_id.eq(Some(Col(application))))
        .order(webhook_endpoints::id)
        .select(webhook_endpoints::id);
    let endpoints: Vec<Col<WebhookEndpointId>> = endpoints.load(conn).await?;
    detach_endpoints(conn, owner, &endpoints, at).await
}

async fn detach_endpoints(
    conn: &mut Conn,
    owner: Owner,
    ids: &[Col<WebhookEndpointId>],
    at: Timestamp,
) -> Result<()> {
    feed_ends::remove_feeds(conn, ids).await?;
    endpoint_work::end(conn, owner.id(), ids.iter().map(|id| id.0)).await?;
    let without_owner = (
        webhook_endpoints::organization_id.eq(None::<Col<OrganizationId>>),
        webhook_endpoints::application_id.eq(None::<Col<ApplicationId>>),
        webhook_endpoints::state.eq(Col(EndpointState::Disabled)),
        webhook_endpoints::disabled_reason.eq(Some(Col(DisabledReason::ByMember))),
        webhook_endpoints::disabled_at.eq(Some(Col(at))),
        webhook_endpoints::secret.eq(Vec::<u8>::new()),
        webhook_endpoints::previous_secret.eq(None::<Vec<u8>>),
    );
    let endpoints = webhook_endpoints::table.filter(webhook_endpoints::id.eq_any(ids));
    diesel::update(endpoints).set(without_owner).execute(conn).await?;
    Ok(())
}

/// Deletes up to `portion` deliveries of deleted endpoints, which have no owner, and at last the
/// endpoints themselves. Returns the number of deleted rows.
pub async fn remove_endpoints(conn: &mut Conn, portion: i64) -> Result<usize> {
    conn.transaction(async |conn| {
        let ownerless = webhook_endpoints::table
            .filter(webhook_endpoints::organization_id.is_null())
            .filter(webhook_endpoints::application_id.is_null())
            .limit(portion)
            .select((webhook_endpoints::owner_id, webhook_endpoints::id));
        let ownerless: Vec<(Col<OwnerId>, Col<WebhookEndpointId>)> = ownerless.load(conn).await?;
        let mut gone = 0;
        for (owner, endpoint) in ownerless {
            let endpoints =
                || webhook_deliveries::table.filter(webhook_deliveries::owner_id.eq(owner));
            let sent = endpoints()
                .filter(webhook_deliveries::endpoint_id.eq(endpoint))
                .limit(portion)
                .select(webhook_deliveries::id);
            let sent: Vec<Col<DeliveryId>> = sent.load(conn).await?;
            let some = endpoints().filter(webhook_deliveries::id.eq_any(&sent));
            let removed = diesel::delete(some).execute(conn).await?;
            if removed > 0 {
                return Ok(removed);
            }
            let logged = remove_logged(conn, owner, portion).await?;
            if logged > 0 {
                return Ok(logged);
            }
            endpoint_work::remove(conn, owner, endpoint).await?;
            gone += diesel::delete(webhook_endpoints::table.find(endpoint)).execute(conn).await?;
        }
        Ok::<_, Error>(gone)
    })
    .await
}

/// Deletes at most `limit` events of the log of a deleted application, and returns how many.
async fn remove_logged(conn: &mut Conn, owner: Col<OwnerId>, limit: i64) -> Result<usize> {
    let rows = || application_events::table.filter(application_events::owner_id.eq(owner));
    let some = rows().limit(limit).select(application_events::sequence);
    let some: Vec<i64> = some.load(conn).await?;
    if some.is_empty() {
        return Ok(0);
    }
    let some = rows().filter(application_events::sequence.eq_any(listed(some)));
    Ok(diesel::delete(some).execute(conn).await?)
}
