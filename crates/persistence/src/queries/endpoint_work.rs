//! What there is to do for endpoints: when something is due, who is at work on it, and since when it has been failing. That is a
//! row for each, on the node of its owner; rows are held in the order of owners, then of endpoints, and before the endpoint itself.
use super::{Conn, RunQueryDsl, SharedConn, Transactional, listed};
use crate::cached::Cached;
use crate::records::{Endpoint, EndpointWork};
use crate::schema::webhooks::{endpoint_work, webhook_deliveries, webhook_endpoints};
use crate::types::{Col, Literal, Utc};
use crate::{Error, Result};
use diesel::dsl::case_when;
use diesel::prelude::*;
use diesel::sql_types::Nullable;
use domain::id::{InstanceId, OwnerId, WebhookEndpointId};
use domain::time::Timestamp;
use domain::webhook::{DeliveryState, EndpointState, Health};
use std::collections::{BTreeMap, BTreeSet};

/// An endpoint and whose it is.
pub(super) type Place = (OwnerId, WebhookEndpointId);

/// Endpoints that one statement is about: of one owner, or, where all rows are in one place, of several.
pub(super) struct Part {
    owner: Option<Col<OwnerId>>,
    endpoints: Vec<Col<WebhookEndpointId>>,
}

/// How endpoints are shared out over statements. A database of several nodes locks rows of one owner at a time.
pub(super) fn parts(places: impl Iterator<Item = Place>, several_nodes: bool) -> Vec<Part> {
    let mut by_owner: BTreeMap<OwnerId, BTreeSet<Col<WebhookEndpointId>>> = BTreeMap::new();
    for (owner, endpoint) in places {
        by_owner.entry(owner).or_default().insert(Col(endpoint));
    }
    if by_owner.len() > 1 && !several_nodes {
        let endpoints = by_owner.into_values().flatten().collect();
        return vec![Part { owner: None, endpoints }];
    }
    let part = |(owner, endpoints): (OwnerId, BTreeSet<_>)| Part {
        owner: Some(Col(owner)),
        endpoints: endpoints.into_iter().collect(),
    };
    by_owner.into_iter().map(part).collect()
}

/// Does something with the rows of a part.
macro_rules! of {
    ($part:expr, $rows:ident => $work:expr) => {{
        let part: &Part = $part;
        let ids = endpoint_work::endpoint_id.eq_any(listed(part.endpoints.iter().copied()));
        match part.owner {
            Some(owner) => {
                let $rows =
                    endpoint_work::table.filter(endpoint_work::owner_id.eq(owner)).filter(ids);
                $work
            }
            None => {
                let $rows = endpoint_work::table.filter(ids);
                $work
            }
        }
    }};
}

/// Endpoints with what there is to do for them.
#[diesel::dsl::auto_type]
pub(super) fn with_endpoints() -> _ {
    let same_owner = webhook_endpoints::owner_id.eq(endpoint_work::owner_id);
    let same = webhook_endpoints::id.eq(endpoint_work::endpoint_id).and(same_owner);
    endpoint_work::table.inner_join(webhook_endpoints::table.on(same))
}

/// Nobody is at work on it.
#[diesel::dsl::auto_type]
fn is_free(now: Col<Timestamp>) -> _ {
    endpoint_work::claimed_until.is_null().or(endpoint_work::claimed_until.lt(now))
}

/// Endpoints for which there is something to do and on which nobody is at work: those that succeed, or those that are failing.
pub async fn due_endpoints(
    conn: &mut Conn,
    failing: bool,
    limit: i64,
    now: Timestamp,
) -> Result<Vec<Endpoint>> {
    let due = with_endpoints()
        .filter(endpoint_work::due_at.le(Col(now)))
        .filter(endpoint_work::failing_since.is_not_null().eq(failing))
        .filter(is_free(Col(now)))
        .order(endpoint_work::due_at)
        .limit(limit)
        .select(Endpoint::as_select());
    Ok(due.load(conn).await?)
}

/// Claims those of these endpoints for which there still is something to do, each for one worker until `until` or until its
/// server dies. Select, then update, as with conversations.
pub async fn claim_endpoints(
    conn: &mut Conn,
    due: Vec<(OwnerId, WebhookEndpointId)>,
    several_nodes: bool,
    failing: bool,
    (now, until): (Timestamp, Timestamp),
    by: InstanceId,
) -> Result<BTreeSet<WebhookEndpointId>> {
    conn.transaction(async |conn| {
        let parts = parts(due.into_iter(), several_nodes);
        let shared = shared!(conn);
        let claimed = each_together!(shared; part in parts.into_iter() => claim(shared, part, failing, (now, until), by))?;
        Ok::<_, Error>(claimed.into_iter().flatten().map(|id| id.0).collect())
    })
    .await
}

async fn claim(
    conn: &mut SharedConn<'_>,
    part: Part,
    failing: bool,
    (now, until): (Timestamp, Timestamp),
    by: InstanceId,
) -> Result<Vec<Col<WebhookEndpointId>>> {
    let free: Vec<Col<WebhookEndpointId>> = of!(&part, rows => {
        let due = rows
            .filter(endpoint_work::due_at.le(Col(now)))
            .filter(endpoint_work::failing_since.is_not_null().eq(failing))
            .filter(is_free(Col(now)))
            .order((endpoint_work::owner_id, endpoint_work::endpoint_id))
            .select(endpoint_work::endpoint_id);
        Cached(unclaimed!(due)).load(conn).await?
    });
    if free.is_empty() {
        return Ok(free);
    }
    let part = Part { owner: part.owner, endpoints: free };
    let claimed = (
        endpoint_work::claimed_until.eq(Some(Col(until))),
        endpoint_work::claimed_by.eq(Some(Col(by))),
    );
    of!(&part, rows => Cached(diesel::update(rows).set(claimed)).execute(conn).await?);
    Ok(part.endpoints)
}

/// When there is next something to do for an endpoint that nobody is at work on.
pub async fn next_delivery_due(
    conn: &mut Conn,
    failing: bool,
    now: Timestamp,
) -> Result<Option<Timestamp>> {
    let due: Option<Col<Timestamp>> = endpoint_work::table
        .filter(endpoint_work::due_at.is_not_null())
        .filter(endpoint_work::failing_since.is_not_null().eq(failing))
        .filter(is_free(Col(now)))
        .order(endpoint_work::due_at)
        .limit(1)
        .select(endpoint_work::due_at.assume_not_null())
        .get_result(conn)
        .await
        .optional()?;
    Ok(due.map(|at| at.0))
}

/// Of the endpoints for which there is something to do: when it was due, and since when they have been failing, if they are.
/// At most so many, those whose turn is longest past.
pub async fn waiting_endpoints(
    conn: &mut Conn,
    most: i64,
) -> Result<Vec<(Timestamp, Option<Timestamp>)>> {
    let waiting = endpoint_work::table
        .filter(endpoint_work::due_at.is_not_null())
        .order(endpoint_work::due_at)
        .limit(most)
        .select((endpoint_work::due_at.assume_not_null(), endpoint_work::failing_since));
    let rows: Vec<(Col<Timestamp>, Option<Col<Timestamp>>)> = waiting.load(conn).await?;
    Ok(rows.into_iter().map(|(due, failing)| (due.0, failing.map(|it| it.0))).collect())
}

/// There is nothing to do yet for a new endpoint. Servers of the version before have a trigger write this.
pub(super) async fn begin(conn: &mut Conn, (owner, endpoint): Place) -> Result<()> {
    let new = (
        endpoint_work::owner_id.eq(Col(owner)),
        endpoint_work::endpoint_id.eq(Col(endpoint)),
        endpoint_work::state.eq(Col(EndpointState::Enabled)),
    );
    let insert = diesel::insert_into(endpoint_work::table).values(new).on_conflict_do_nothing();
    insert.execute(conn).await?;
    Ok(())
}

/// There never is anything to do again for endpoints of an owner.
pub(super) async fn end(
    conn: &mut Conn,
    owner: OwnerId,
    endpoints: impl Iterator<Item = WebhookEndpointId>,
) -> Result<()> {
    for part in parts(endpoints.map(|id| (owner, id)), true) {
        hold(shared!(conn), &part).await?;
        let over = (
            endpoint_work::state.eq(Col(EndpointState::Disabled)),
            endpoint_work::due_at.eq(None::<Col<Timestamp>>),
        );
        of!(&part, rows => Cached(diesel::update(rows).set(over)).execute(conn).await?);
    }
    Ok(())
}

/// Forgets an endpoint that is removed.
pub(super) async fn remove(
    conn: &mut Conn,
    owner: Col<OwnerId>,
    endpoint: Col<WebhookEndpointId>,
) -> Result<()> {
    diesel::delete(endpoint_work::table.find((endpoint, owner))).execute(conn).await?;
    Ok(())
}

/// Holds what there is to do for endpoints until the transaction ends, in their order.
pub(super) async fn hold(conn: &mut SharedConn<'_>, part: &Part) -> Result<Vec<EndpointWork>> {
    Ok(of!(part, rows => {
        let rows = rows.order((endpoint_work::owner_id, endpoint_work::endpoint_id));
        Cached(held!(rows.select(EndpointWork::as_select()))).load(conn).await?
    }))
}

/// The same of one endpoint.
pub(super) async fn hold_one(
    conn: &mut Conn,
    (owner, endpoint): Place,
) -> Result<Option<EndpointWork>> {
    let row = endpoint_work::table.find((Col(endpoint), Col(owner)));
    Ok(held!(row.select(EndpointWork::as_select())).get_result(conn).await.optional()?)
}

/// Something is due now at endpoints that are held, those that are sent anything.
pub(super) async fn due_now(conn: &mut SharedConn<'_>, part: &Part, now: Timestamp) -> Result<()> {
    of!(part, rows => {
        let later = endpoint_work::due_at.is_null().or(endpoint_work::due_at.gt(Some(Col(now))));
        let idle = rows.filter(endpoint_work::state.eq(Col(EndpointState::Enabled))).filter(later);
        Cached(diesel::update(idle).set(endpoint_work::due_at.eq(Some(Col(now)))))
            .execute(conn)
            .await?
    });
    Ok(())
}

/// The next delivery to an endpoint.
macro_rules! pending {
    ($owner:expr, $endpoint:expr) => {
        webhook_deliveries::table
            .filter(webhook_deliveries::owner_id.eq(Col($owner)))
            .filter(webhook_deliveries::endpoint_id.eq(Col($endpoint)))
            .filter(webhook_deliveries::state.eq(Literal(DeliveryState::Pending)))
            .order(webhook_deliveries::due_at)
            .limit(1)
    };
}

/// When the next delivery to an endpoint is due, if there is one.
async fn next_due(
    conn: &mut SharedConn<'_>,
    (owner, endpoint): Place,
) -> Result<Option<Timestamp>> {
    let next = pending!(owner, endpoint).select(webhook_deliveries::due_at.assume_not_null());
    let next = prepared!(next).get_result::<Col<Timestamp>>(conn).await.optional()?;
    Ok(next.map(|at| at.0))
}

/// Records how a held endpoint stands, and when there is next something to do for it. Anyone who was served at `at` stands
/// behind those that wait, however much is left for them.
pub(super) async fn save(
    conn: &mut SharedConn<'_>,
    work: &EndpointWork,
    at: Timestamp,
) -> Result<()> {
    let EndpointWork { owner_id, endpoint_id, state, failing_since, claimed_until } = *work;
    let row = endpoint_work::table.find((Col(endpoint_id), Col(owner_id)));
    let stands = (
        endpoint_work::state.eq(Col(state)),
        endpoint_work::failing_since.eq(failing_since.map(Col)),
        endpoint_work::claimed_until.eq(claimed_until.map(Col)),
    );
    let due = match (state, Health { disabled: None, failing_since }.ends_at()) {
        (EndpointState::Disabled, _) => None,
        (EndpointState::Enabled, None) => {
            let now = || Some(Col(at)).into_sql::<Nullable<Utc>>();
            let is_past = webhook_deliveries::due_at.lt(now());
            let next = pending!(owner_id, endpoint_id)
                .select(case_when(is_past, now()).otherwise(webhook_deliveries::due_at));
            let due = endpoint_work::due_at.eq(next.single_value());
            prepared!(diesel::update(row).set((stands, due))).execute(conn).await?;
            return Ok(());
        }
        // It is disabled then, if nothing is due before.
        (EndpointState::Enabled, Some(end)) => {
            let next = next_due(conn, (owner_id, endpoint_id)).await?;
            Some(next.map_or(end, |due| due.max(at).min(end)))
        }
    };
    let due = endpoint_work::due_at.eq(due.map(Col));
    prepared!(diesel::update(row).set((stands, due))).execute(conn).await?;
    Ok(())
}

/// Records whether an endpoint is disabled, where everybody reads it.
pub(super) async fn save_disabled(
    conn: &mut SharedConn<'_>,
    id: WebhookEndpointId,
    health: Health,
) -> Result<()> {
    let stands = (
        webhook_endpoints::state.eq(Col(health.state())),
        webhook_endpoints::disabled_reason.eq(health.disabled.map(|(reason, _)| Col(reason))),
        webhook_endpoints::disabled_at.eq(health.disabled.map(|(_, at)| Col(at))),
    );
    let one = diesel::update(webhook_endpoints::table.find(Col(id)));
    prepared!(one.set(stands)).execute(conn).await?;
    Ok(())
}

/// Lets go of the endpoints that a server had claimed.
pub(super) async fn release_endpoints_of(conn: &mut Conn, server: InstanceId) -> Result<()> {
    let theirs = endpoint_work::table
        .filter(endpoint_work::claimed_until.is_not_null())
        .filter(endpoint_work::claimed_by.eq(Some(Col(server))))
        .order((endpoint_work::owner_id, endpoint_work::endpoint_id))
        .select((endpoint_work::owner_id, endpoint_work::endpoint_id));
    let theirs: Vec<(Col<OwnerId>, Col<WebhookEndpointId>)> = theirs.load(conn).await?;
    let shared = shared!(conn);
    each_together!(shared; one in theirs.into_iter() => release(shared, server, one))?;
    Ok(())
}

async fn release(
    conn: &mut SharedConn<'_>,
    server: InstanceId,
    (owner, endpoint): (Col<OwnerId>, Col<WebhookEndpointId>),
) -> Result<()> {
    let row = endpoint_work::table
        .find((endpoint, owner))
        .filter(endpoint_work::claimed_by.eq(Some(Col(server))));
    let free = endpoint_work::claimed_until.eq(None::<Col<Timestamp>>);
    prepared!(diesel::update(row).set(free)).execute(conn).await?;
    Ok(())
}

/// Lets go of the endpoints that servers which are gone had claimed.
pub(super) async fn release_endpoints(conn: &mut Conn) -> Result<usize> {
    let claimed = endpoint_work::table.filter(endpoint_work::claimed_until.is_not_null());
    let free = endpoint_work::claimed_until.eq(None::<Col<Timestamp>>);
    Ok(diesel::update(claimed).set(free).execute(conn).await?)
}
