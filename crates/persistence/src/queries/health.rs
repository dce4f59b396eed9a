//! The health of endpoints.
use super::{RunQueryDsl, SharedConn};
use crate::Result;
use crate::schema::webhooks::{webhook_deliveries, webhook_endpoints};
use crate::types::{Col, Literal};
use diesel::prelude::*;
use domain::id::{OwnerId, WebhookEndpointId};
use domain::time::Timestamp;
use domain::webhook::{DeliveryState, Health};

/// When the next delivery to an endpoint is due, if there is one.
pub(super) async fn next_due(
    conn: &mut SharedConn<'_>,
    owner: OwnerId,
    endpoint: WebhookEndpointId,
) -> Result<Option<Timestamp>> {
    let next = webhook_deliveries::table
        .filter(webhook_deliveries::owner_id.eq(Col(owner)))
        .filter(webhook_deliveries::endpoint_id.eq(Col(endpoint)))
        .filter(webhook_deliveries::state.eq(Literal(DeliveryState::Pending)))
        .order(webhook_deliveries::due_at)
        .limit(1)
        .select(webhook_deliveries::due_at);
    let next = prepared!(next).get_result::<Option<Col<Timestamp>>>(conn).await.optional()?;
    Ok(next.flatten().map(|at| at.0))
}

/// Records the status of a held endpoint, and when there is next something to do for it: `next` is when its next
/// delivery is due.
pub(super) async fn save_health(
    conn: &mut SharedConn<'_>,
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
