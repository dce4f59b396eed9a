//! The health of endpoints.
use super::{Conn, RunQueryDsl};
use crate::Result;
use crate::records::Endpoint;
use crate::schema::webhooks::{webhook_deliveries, webhook_endpoints};
use crate::types::{Col, Literal};
use diesel::prelude::*;
use domain::id::WebhookEndpointId;
use domain::time::Timestamp;
use domain::webhook::{DeliveryState, Health};

/// An endpoint by its id alone, held until the transaction ends: for the dispatcher.
pub(super) async fn held_by_id(conn: &mut Conn, id: WebhookEndpointId) -> Result<Option<Endpoint>> {
    let one = webhook_endpoints::table
        .filter(webhook_endpoints::id.eq(Col(id)))
        .select(Endpoint::as_select());
    Ok(held!(one).get_result(conn).await.optional()?)
}

/// Records the status of a held endpoint, and when there is next something to do for it.
pub(super) async fn save_health(
    conn: &mut Conn,
    id: WebhookEndpointId,
    health: Health,
    claimed_until: Option<Col<Timestamp>>,
    at: Timestamp,
) -> Result<()> {
    let next: Option<Option<Col<Timestamp>>> = webhook_deliveries::table
        .filter(webhook_deliveries::endpoint_id.eq(Col(id)))
        .filter(webhook_deliveries::state.eq(Literal(DeliveryState::Pending)))
        .order(webhook_deliveries::due_at)
        .limit(1)
        .select(webhook_deliveries::due_at)
        .get_result(conn)
        .await
        .optional()?;
    // Anyone who was served stands behind those that wait, however much is left for them.
    let next = next.flatten().map(|due| due.0.max(at));
    let due = next.into_iter().chain(health.ends_at()).min();
    let stands = (
        webhook_endpoints::state.eq(Col(health.state())),
        webhook_endpoints::disabled_reason.eq(health.disabled.map(|(reason, _)| Col(reason))),
        webhook_endpoints::disabled_at.eq(health.disabled.map(|(_, at)| Col(at))),
        webhook_endpoints::failing_since.eq(health.failing_since.map(Col)),
        webhook_endpoints::due_at.eq(due.map(Col)),
        webhook_endpoints::claimed_until.eq(claimed_until),
    );
    diesel::update(webhook_endpoints::table.find(Col(id))).set(stands).execute(conn).await?;
    Ok(())
}
