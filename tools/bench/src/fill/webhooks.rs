//! Webhook endpoints, their feeds and deliveries.

use domain::event::EventKind;
use domain::id::{Delivery, OwnerId, WebhookEndpoint};
use domain::keyword::Keyword as _;
use domain::webhook::{DeliveryState, EndpointState};
use tables::schema::webhooks::{
    endpoint_work, webhook_attempts, webhook_deliveries, webhook_endpoints, webhook_feeds,
};

use super::counts::OWN_ENDPOINTS;
use super::ids;
use super::row::Rows;
use super::shape::Shape;
use super::world::{Table, World, table};

/// An event type that experiments do not cause. All filled endpoints select only this type, so
/// sending a message causes no deliveries to them.
const SELDOM: EventKind = EventKind::TemplateDisabled;

/// Returns the organization or application that owns the endpoint.
fn owner(world: &World, endpoint: i64) -> OwnerId {
    let own = if endpoint < OWN_ENDPOINTS {
        *world.organization().uuid()
    } else if endpoint < world.shape.counts.endpoints {
        *world.application(endpoint - OWN_ENDPOINTS).uuid()
    } else {
        *world.site.hub.uuid()
    };
    OwnerId::from_uuid(own)
}

/// Returns the organization's own endpoints, those of applications, and the hub's.
pub fn endpoints(rows: i64) -> Table {
    table!(
        webhook_endpoints(
            id,
            owner_id,
            organization_id,
            application_id,
            url,
            description,
            events,
            state,
            secret,
            created_at
        ),
        rows,
        |world, n, row| {
            let counts = world.shape.counts;
            row.id(world.endpoint(n)).id(owner(world, n));
            if n < OWN_ENDPOINTS {
                row.id(world.organization()).null();
            } else if n < counts.endpoints {
                row.null().id(world.application(n - OWN_ENDPOINTS));
            } else {
                row.null().id(world.site.hub);
            }
            row.text_value(&format!("https://hooks.example/switchboard/{n}"));
            row.text_value(&format!("Endpoint {n}"))
                .text_value(SELDOM.as_str())
                .word(EndpointState::Enabled);
            row.bytes(&ids::digest::<WebhookEndpoint>(n));
            row.time(world.made(n));
        }
    )
}

/// Returns the time of each endpoint's next work.
pub fn endpoint_work(rows: i64) -> Table {
    table!(endpoint_work(owner_id, endpoint_id, state, due_at), rows, |world, n, row| {
        row.id(owner(world, n)).id(world.endpoint(n)).word(EndpointState::Enabled);
        // No endpoint has work to do before the time at which the deliveries are retried.
        row.time(world.shape.retried_at());
    })
}

/// Returns the feeds of the organization's events first, then those of the other organizations'
/// events, which go to the hub.
pub fn feeds(rows: i64) -> Table {
    table!(
        webhook_feeds(endpoint_id, organization_id, connection_id, starts_after, position, replay),
        rows,
        |world, n, row| {
            let counts = world.shape.counts;
            let other = n - counts.endpoints;
            row.id(world.endpoint(n.min(counts.endpoints)));
            if other >= 0 {
                row.id(world.other(other));
                row.id(world.connection(counts.applications() + other)).int(0).int(1);
            } else {
                row.id(world.organization());
                let is_application = n >= OWN_ENDPOINTS;
                let connection = is_application.then(|| world.connection(n - OWN_ENDPOINTS));
                row.id_or_null(connection);
                row.int(0).int(world.shape.last_sequence());
            }
            row.bool(false);
        }
    )
}

/// The number of attempts of a delivery that failed permanently.
const ATTEMPTS: i64 = 10;
/// The duration of an attempt in microseconds.
const TOOK: i64 = 23_000;

/// Returns the delivery of every event.
pub fn deliveries(rows: i64) -> Table {
    table!(
        webhook_deliveries(
            owner_id,
            id,
            endpoint_id,
            organization_id,
            sequence,
            event_id,
            kind,
            state,
            attempts,
            failures,
            due_at,
            created_at,
            completed_at
        ),
        rows,
        |world, e, row| {
            let shape = &world.shape;
            let at = world.delivered(e);
            let endpoint = shape.endpoint_of(e);
            row.id(owner(world, endpoint)).id(world.delivery(e)).id(world.endpoint(endpoint));
            row.id(world.organization()).int(world.sequence(e)).id(world.event(e));
            row.word(world.told(e).0);
            if Shape::has_failed(e) {
                row.word(DeliveryState::Failed).int(ATTEMPTS).int(ATTEMPTS).null();
                row.time(at).time((at + 76 * 3_600_000_000).min(shape.now));
            } else if shape.is_retried(e) {
                row.word(DeliveryState::Pending)
                    .int(1)
                    .int(1)
                    .time(shape.retried_at())
                    .time(at)
                    .null();
            } else {
                row.word(DeliveryState::Succeeded).int(1).int(0).null().time(at).time(at + TOOK);
            }
        }
    )
}

/// Returns the last attempt of each delivery.
pub fn attempts(rows: i64) -> Table {
    table!(
        webhook_attempts(owner_id, delivery_id, number, at, took_ms, signature, status, response),
        rows,
        |world, e, row| {
            let has_failed = Shape::has_failed(e);
            let is_taken = !has_failed && !world.shape.is_retried(e);
            let number = if has_failed { ATTEMPTS } else { 1 };
            attempt(world, e, number, row);
            row.int(if is_taken { 200 } else { 503 }).text_value(if is_taken { "ok" } else { "" });
        }
    )
}

/// Returns the earlier attempts of failed deliveries.
pub fn earlier_attempts(failed: i64) -> Table {
    let rows = failed * (ATTEMPTS - 1);
    table!(
        webhook_attempts(owner_id, delivery_id, number, at, took_ms, signature, status, response),
        rows,
        |world, n, row| {
            let e = Shape::nth_failed(n / (ATTEMPTS - 1));
            attempt(world, e, n % (ATTEMPTS - 1) + 1, row);
            row.int(503).text_value("");
        }
    )
}

fn attempt(world: &World, e: i64, number: i64, row: &mut Rows) {
    let (one, two) = ids::bits::<Delivery>(e);
    row.id(owner(world, world.shape.endpoint_of(e)));
    row.id(world.delivery(e)).int(number).time(world.delivered(e) + number * 1000);
    row.int(TOOK / 1000).text_value(&format!("v1,{one:016x}{two:016x}{one:011x}="));
}
