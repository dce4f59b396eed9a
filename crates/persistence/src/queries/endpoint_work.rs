//! The work rows of webhook endpoints. A work row says when something is due, which instance works
//! on it, and since when the endpoint has been failing. There is one row per endpoint, on the node
//! of its owner. Rows are locked in the order of owners, then of endpoints, and before the endpoint
//! itself.
use super::{Conn, RunQueryDsl, SharedConn, Transactional, listed};
use crate::cached::Cached;
use crate::records::{Endpoint, EndpointWork};
use crate::schema::applications;
use crate::schema::webhooks::{endpoint_work, webhook_deliveries, webhook_endpoints};
use crate::types::{Col, Literal, Utc};
use crate::{Error, Result};
use diesel::dsl::case_when;
use diesel::prelude::*;
use diesel::sql_types::Nullable;
use domain::event::{EndpointSnapshot, EventKind, EventPayload, NewEvent};
use domain::id::{ApplicationId, InstanceId, OrganizationId, OwnerId, WebhookEndpointId};
use domain::time::Timestamp;
use domain::webhook::{DeliveryState, EndpointHealth, EndpointState};
use std::collections::{BTreeMap, BTreeSet};

pub(super) type EndpointKey = (OwnerId, WebhookEndpointId);

/// The endpoints of one statement. They belong to one owner or, if all rows are on one node, to
/// several owners.
pub(super) struct EndpointSelection {
    owner: Option<Col<OwnerId>>,
    endpoints: Vec<Col<WebhookEndpointId>>,
}

/// Splits endpoints into parts, one statement each. With several nodes, a statement may lock rows
/// of one owner only.
pub(super) fn parts(
    places: impl Iterator<Item = EndpointKey>,
    several_nodes: bool,
) -> Vec<EndpointSelection> {
    let mut by_owner: BTreeMap<OwnerId, BTreeSet<Col<WebhookEndpointId>>> = BTreeMap::new();
    for (owner, endpoint) in places {
        by_owner.entry(owner).or_default().insert(Col(endpoint));
    }
    if by_owner.len() > 1 && !several_nodes {
        let endpoints = by_owner.into_values().flatten().collect();
        return vec![EndpointSelection { owner: None, endpoints }];
    }
    let part = |(owner, endpoints): (OwnerId, BTreeSet<_>)| EndpointSelection {
        owner: Some(Col(owner)),
        endpoints: endpoints.into_iter().collect(),
    };
    by_owner.into_iter().map(part).collect()
}

/// Runs a statement on the work rows of a part.
macro_rules! of {
    ($part:expr, $rows:ident => $work:expr) => {{
        let part: &EndpointSelection = $part;
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

/// Joins endpoints with their work rows.
#[diesel::dsl::auto_type]
pub(super) fn with_endpoints() -> _ {
    let same_owner = webhook_endpoints::owner_id.eq(endpoint_work::owner_id);
    let same = webhook_endpoints::id.eq(endpoint_work::endpoint_id).and(same_owner);
    endpoint_work::table.inner_join(webhook_endpoints::table.on(same))
}

/// The condition that no instance works on the endpoint.
#[diesel::dsl::auto_type]
fn is_free(now: Col<Timestamp>) -> _ {
    endpoint_work::claimed_until.is_null().or(endpoint_work::claimed_until.lt(now))
}

/// Returns endpoints that have due deliveries and are not claimed. Depending on the argument,
/// returns either only failing endpoints or only the others.
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

/// Claims those of the endpoints `due` that still have due deliveries, until `until` or until the
/// instance dies. First selects the unclaimed rows, except rows that are locked, and then updates
/// the selected rows.
pub async fn claim_endpoints(
    conn: &mut Conn,
    due: Vec<(OwnerId, WebhookEndpointId)>,
    several_nodes: bool,
    failing: bool,
    now: Timestamp,
    until: Timestamp,
    by: InstanceId,
) -> Result<BTreeSet<WebhookEndpointId>> {
    conn.transaction(async |conn| {
        let parts = parts(due.into_iter(), several_nodes);
        let shared = shared!(conn);
        let claimed = pipelined_each!(shared; part in parts.into_iter() => claim(shared, part, failing, now, until, by))?;
        Ok::<_, Error>(claimed.into_iter().flatten().map(|id| id.0).collect())
    })
    .await
}

async fn claim(
    conn: &mut SharedConn<'_>,
    part: EndpointSelection,
    failing: bool,
    now: Timestamp,
    until: Timestamp,
    by: InstanceId,
) -> Result<Vec<Col<WebhookEndpointId>>> {
    let free: Vec<Col<WebhookEndpointId>> = of!(&part, rows => {
        let due = rows
            .filter(endpoint_work::due_at.le(Col(now)))
            .filter(endpoint_work::failing_since.is_not_null().eq(failing))
            .filter(is_free(Col(now)))
            .order((endpoint_work::owner_id, endpoint_work::endpoint_id))
            .select(endpoint_work::endpoint_id);
        Cached(skip_locked!(due)).load(conn).await?
    });
    if free.is_empty() {
        return Ok(free);
    }
    let part = EndpointSelection { owner: part.owner, endpoints: free };
    let claimed = (
        endpoint_work::claimed_until.eq(Some(Col(until))),
        endpoint_work::claimed_by.eq(Some(Col(by))),
    );
    of!(&part, rows => Cached(diesel::update(rows).set(claimed)).execute(conn).await?);
    Ok(part.endpoints)
}

/// Returns when the next delivery of an unclaimed endpoint is due, among the failing endpoints or
/// among the others.
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

/// Returns for each endpoint that has pending deliveries the time at which the next one is due, and
/// the time since which the endpoint has been failing. Returns at most `most`, in the order in
/// which they are due.
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

/// Creates the work row of a new endpoint, with nothing due. The row may exist already, because a
/// trigger inserts it for instances of the previous version.
pub(super) async fn begin(
    conn: &mut Conn,
    owner: OwnerId,
    endpoint: WebhookEndpointId,
) -> Result<()> {
    let new = (
        endpoint_work::owner_id.eq(Col(owner)),
        endpoint_work::endpoint_id.eq(Col(endpoint)),
        endpoint_work::state.eq(Col(EndpointState::Enabled)),
    );
    let insert = diesel::insert_into(endpoint_work::table).values(new).on_conflict_do_nothing();
    insert.execute(conn).await?;
    Ok(())
}

/// Marks the work rows of deleted endpoints of one owner as disabled, so that nothing is due for
/// these endpoints again.
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

/// Deletes the work row of an endpoint that is deleted.
pub(super) async fn remove(
    conn: &mut Conn,
    owner: Col<OwnerId>,
    endpoint: Col<WebhookEndpointId>,
) -> Result<()> {
    diesel::delete(endpoint_work::table.find((endpoint, owner))).execute(conn).await?;
    Ok(())
}

/// Locks the work rows of endpoints in order, until the transaction ends, and returns them.
pub(super) async fn hold(
    conn: &mut SharedConn<'_>,
    part: &EndpointSelection,
) -> Result<Vec<EndpointWork>> {
    Ok(of!(part, rows => {
        let rows = rows.order((endpoint_work::owner_id, endpoint_work::endpoint_id));
        Cached(for_update!(rows.select(EndpointWork::as_select()))).load(conn).await?
    }))
}

/// Locks and returns the work row of one endpoint.
pub(super) async fn hold_one(
    conn: &mut Conn,
    owner: OwnerId,
    endpoint: WebhookEndpointId,
) -> Result<Option<EndpointWork>> {
    let row = endpoint_work::table.find((Col(endpoint), Col(owner)));
    Ok(for_update!(row.select(EndpointWork::as_select())).get_result(conn).await.optional()?)
}

/// Makes locked endpoints due now, unless they are disabled or due already.
pub(super) async fn due_now(
    conn: &mut SharedConn<'_>,
    part: &EndpointSelection,
    now: Timestamp,
) -> Result<()> {
    of!(part, rows => {
        let later = endpoint_work::due_at.is_null().or(endpoint_work::due_at.gt(Some(Col(now))));
        let idle = rows.filter(endpoint_work::state.eq(Col(EndpointState::Enabled))).filter(later);
        Cached(diesel::update(idle).set(endpoint_work::due_at.eq(Some(Col(now)))))
            .execute(conn)
            .await?
    });
    Ok(())
}

/// Selects the next pending delivery of an endpoint.
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

/// Returns when the next delivery of an endpoint is due.
async fn next_due(
    conn: &mut SharedConn<'_>,
    owner: OwnerId,
    endpoint: WebhookEndpointId,
) -> Result<Option<Timestamp>> {
    let next = pending!(owner, endpoint).select(webhook_deliveries::due_at.assume_not_null());
    let next = prepared!(next).get_result::<Col<Timestamp>>(conn).await.optional()?;
    Ok(next.map(|at| at.0))
}

/// Stores the state of a locked endpoint, and the time at which something is next due. That time is
/// not before `at`, the time of this work, so endpoints that have waited longer come first.
pub(super) async fn save(
    conn: &mut SharedConn<'_>,
    work: &EndpointWork,
    at: Timestamp,
) -> Result<()> {
    let EndpointWork {
        owner_id, endpoint_id, state, failing_since, claimed_until, reported, ..
    } = *work;
    let row = endpoint_work::table.find((Col(endpoint_id), Col(owner_id)));
    let stands = (
        endpoint_work::state.eq(Col(state)),
        endpoint_work::failing_since.eq(failing_since.map(Col)),
        endpoint_work::claimed_until.eq(claimed_until.map(Col)),
        endpoint_work::reported.eq(reported.map(Col)),
    );
    let due = match (state, EndpointHealth { disabled: None, failing_since }.ends_at()) {
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
        // The endpoint has to be disabled at `end`, so it is due at `end` at the latest.
        (EndpointState::Enabled, Some(end)) => {
            let next = next_due(conn, owner_id, endpoint_id).await?;
            Some(next.map_or(end, |due| due.max(at).min(end)))
        }
    };
    let due = endpoint_work::due_at.eq(due.map(Col));
    prepared!(diesel::update(row).set((stands, due))).execute(conn).await?;
    Ok(())
}

/// Stores whether an endpoint is disabled, in the table that every node has.
pub(super) async fn save_disabled(
    conn: &mut SharedConn<'_>,
    id: WebhookEndpointId,
    health: EndpointHealth,
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

type EndpointRow =
    (Option<Col<OrganizationId>>, Option<Col<ApplicationId>>, String, Option<String>);

/// Returns the event to record about the health of a locked endpoint. The event belongs to the
/// organization that owns the endpoint or registered its application. There is no event for an
/// application of the platform, which belongs to no organization.
pub(super) async fn report(
    conn: &mut Conn,
    id: WebhookEndpointId,
    kind: EventKind,
    health: EndpointHealth,
    at: Timestamp,
) -> Result<Option<NewEvent>> {
    let endpoint = webhook_endpoints::table.find(Col(id)).select((
        webhook_endpoints::organization_id,
        webhook_endpoints::application_id,
        webhook_endpoints::url,
        webhook_endpoints::description,
    ));
    let found: Option<EndpointRow> = endpoint.get_result(conn).await.optional()?;
    let Some((own, application, url, description)) = found else { return Ok(None) };
    let organization = match (own, application) {
        (None, Some(application)) => {
            let registered_by =
                applications::table.find(application).select(applications::organization_id);
            registered_by.get_result(conn).await.optional()?.flatten()
        }
        (own, _) => own,
    };
    let Some(organization): Option<Col<OrganizationId>> = organization else { return Ok(None) };
    let snapshot = EndpointSnapshot { id, url, description, health };
    Ok(Some(NewEvent {
        organization: organization.0,
        account: None,
        kind,
        payload: EventPayload::EndpointHealth(Box::new(snapshot)),
        at,
    }))
}

/// Releases the endpoints that an instance had claimed.
pub(super) async fn release_endpoints_of(conn: &mut Conn, server: InstanceId) -> Result<()> {
    let claimed_endpoints = endpoint_work::table
        .filter(endpoint_work::claimed_until.is_not_null())
        .filter(endpoint_work::claimed_by.eq(Some(Col(server))))
        .order((endpoint_work::owner_id, endpoint_work::endpoint_id))
        .select((endpoint_work::owner_id, endpoint_work::endpoint_id));
    let claimed_endpoints: Vec<(Col<OwnerId>, Col<WebhookEndpointId>)> =
        claimed_endpoints.load(conn).await?;
    let shared = shared!(conn);
    pipelined_each!(shared; (owner, endpoint) in claimed_endpoints.into_iter() => release(shared, server, owner, endpoint))?;
    Ok(())
}

async fn release(
    conn: &mut SharedConn<'_>,
    server: InstanceId,
    owner: Col<OwnerId>,
    endpoint: Col<WebhookEndpointId>,
) -> Result<()> {
    let row = endpoint_work::table
        .find((endpoint, owner))
        .filter(endpoint_work::claimed_by.eq(Some(Col(server))));
    let free = endpoint_work::claimed_until.eq(None::<Col<Timestamp>>);
    prepared!(diesel::update(row).set(free)).execute(conn).await?;
    Ok(())
}

/// Releases all claimed endpoints. Must be called only by an instance that is the only one on the
/// database.
pub(super) async fn release_endpoints(conn: &mut Conn) -> Result<usize> {
    let claimed = endpoint_work::table.filter(endpoint_work::claimed_until.is_not_null());
    let free = endpoint_work::claimed_until.eq(None::<Col<Timestamp>>);
    Ok(diesel::update(claimed).set(free).execute(conn).await?)
}
