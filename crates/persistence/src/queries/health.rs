//! The health of endpoints.
use super::{Conn, RunQueryDsl, listed};
use crate::Result;
use crate::cached::Cached;
use crate::schema::webhooks::{webhook_deliveries, webhook_endpoints};
use crate::types::{Col, Literal};
use diesel::prelude::*;
use domain::id::WebhookEndpointId;
use domain::time::Timestamp;
use domain::webhook::{DeliveryState, Health};
use std::collections::BTreeMap;

type NextDue = (Col<WebhookEndpointId>, Option<Col<Timestamp>>);

/// When the next delivery to each of these endpoints is due, of those that have one.
pub(super) async fn next_due(
    conn: &mut Conn,
    endpoints: Vec<Col<WebhookEndpointId>>,
) -> Result<BTreeMap<WebhookEndpointId, Timestamp>> {
    if endpoints.is_empty() {
        return Ok(BTreeMap::new());
    }
    let next = webhook_deliveries::table
        .filter(webhook_deliveries::owner_id.eq(webhook_endpoints::owner_id))
        .filter(webhook_deliveries::endpoint_id.eq(webhook_endpoints::id))
        .filter(webhook_deliveries::state.eq(Literal(DeliveryState::Pending)))
        .order(webhook_deliveries::due_at)
        .limit(1)
        .select(webhook_deliveries::due_at)
        .single_value();
    let theirs = webhook_endpoints::table
        .filter(webhook_endpoints::id.eq_any(listed(endpoints)))
        .select((webhook_endpoints::id, next));
    let rows: Vec<NextDue> = Cached(theirs).load(conn).await?;
    Ok(rows.into_iter().filter_map(|(id, due)| Some((id.0, due?.0))).collect())
}

/// Records the status of a held endpoint, and when there is next something to do for it: `next` is when its next
/// delivery is due.
pub(super) async fn save_health(
    conn: &mut Conn,
    id: WebhookEndpointId,
    health: Health,
    next: Option<Timestamp>,
    claimed_until: Option<Col<Timestamp>>,
    at: Timestamp,
) -> Result<()> {
    // Anyone who was served stands behind those that wait, however much is left for them.
    let next = next.map(|due| due.max(at));
    let due = next.into_iter().chain(health.ends_at()).min();
    let stands = (
        webhook_endpoints::state.eq(Col(health.state())),
        webhook_endpoints::disabled_reason.eq(health.disabled.map(|(reason, _)| Col(reason))),
        webhook_endpoints::disabled_at.eq(health.disabled.map(|(_, at)| Col(at))),
        webhook_endpoints::failing_since.eq(health.failing_since.map(Col)),
        webhook_endpoints::due_at.eq(due.map(Col)),
        webhook_endpoints::claimed_until.eq(claimed_until),
    );
    let one = diesel::update(webhook_endpoints::table.find(Col(id)));
    prepared!(one.set(stands)).execute(conn).await?;
    Ok(())
}
