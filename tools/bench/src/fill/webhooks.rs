//! Webhook endpoints, their feeds and deliveries.

use super::counts::OWN_ENDPOINTS;
use super::ids::{self, Id, Kind};
use super::row::Rows;
use super::shape::Shape;
use super::world::{Table, World};

/// An event type that experiments do not cause. All filled endpoints subscribe to this type only,
/// so sending a message does not wake them.
const SELDOM: &str = "template.disabled";

/// Returns the organization or application that owns the endpoint.
fn owner(world: &World, endpoint: i64) -> Id {
    if endpoint < OWN_ENDPOINTS {
        *world.organization()
    } else if endpoint < world.shape.counts.endpoints {
        world.application(endpoint - OWN_ENDPOINTS)
    } else {
        world.site.hub
    }
}

/// Returns the organization's own endpoints, those of applications, and the hub's.
pub fn endpoints(rows: i64) -> Table {
    Table {
        name: "webhook_endpoints",
        columns: "id, owner_id, organization_id, application_id, url, description, events, state, secret, created_at",
        rows,
        write: |world, n, row| {
            let counts = world.shape.counts;
            row.id(&world.endpoint(n)).id(&owner(world, n));
            if n < OWN_ENDPOINTS {
                row.id(world.organization()).null();
            } else if n < counts.endpoints {
                row.null().id(&world.application(n - OWN_ENDPOINTS));
            } else {
                row.null().id(&world.site.hub);
            }
            row.text_value(&format!("https://hooks.example/switchboard/{n}"));
            row.text_value(&format!("Endpoint {n}")).text_value(SELDOM).text_value("enabled");
            row.bytes(&ids::digest(Kind::Endpoint, n));
            row.time(world.made(n));
        },
    }
}

/// Returns the time of each endpoint's next work.
pub fn endpoint_work(rows: i64) -> Table {
    Table {
        name: "endpoint_work",
        columns: "owner_id, endpoint_id, state, due_at",
        rows,
        write: |world, n, row| {
            row.id(&owner(world, n)).id(&world.endpoint(n)).text_value("enabled");
            // Not before the last waiting delivery is retried.
            row.time(world.shape.retried_at());
        },
    }
}

/// Returns the feeds of the organization's events first, then those of the other organizations'
/// events, which go to the hub.
pub fn feeds(rows: i64) -> Table {
    Table {
        name: "webhook_feeds",
        columns: "endpoint_id, organization_id, connection_id, starts_after, position, replay",
        rows,
        write: |world, n, row| {
            let counts = world.shape.counts;
            let other = n - counts.endpoints;
            row.id(&world.endpoint(n.min(counts.endpoints)));
            if other >= 0 {
                row.id(&world.other(other));
                row.id(&world.connection(counts.applications() + other)).int(0).int(1);
            } else {
                row.id(world.organization());
                let is_application = n >= OWN_ENDPOINTS;
                let connection = is_application.then(|| world.connection(n - OWN_ENDPOINTS));
                row.id_or_null(connection);
                row.int(0).int(world.shape.last_sequence());
            }
            row.bool(false);
        },
    }
}

/// The number of attempts of a delivery that failed permanently.
const ATTEMPTS: i64 = 10;
/// The duration of an attempt in microseconds.
const TOOK: i64 = 23_000;

/// Returns the delivery of every event.
pub fn deliveries(rows: i64) -> Table {
    Table {
        name: "webhook_deliveries",
        columns: "owner_id, id, endpoint_id, organization_id, sequence, event_id, kind, state, attempts, failures, due_at, created_at, completed_at",
        rows,
        write: |world, e, row| {
            let shape = &world.shape;
            let at = world.delivered(e);
            let endpoint = shape.endpoint_of(e);
            row.id(&owner(world, endpoint)).id(&world.delivery(e)).id(&world.endpoint(endpoint));
            row.id(world.organization()).int(world.sequence(e)).id(&world.event(e));
            row.text_value(world.told(e).0);
            if Shape::has_failed(e) {
                row.text_value("failed").int(ATTEMPTS).int(ATTEMPTS).null();
                row.time(at).time((at + 76 * 3_600_000_000).min(shape.now));
            } else if shape.is_retried(e) {
                row.text_value("pending").int(1).int(1).time(shape.retried_at()).time(at).null();
            } else {
                row.text_value("succeeded").int(1).int(0).null().time(at).time(at + TOOK);
            }
        },
    }
}

const OF_ATTEMPTS: &str = "owner_id, delivery_id, number, at, took_ms, signature, status, response";

/// Returns the last attempt of each delivery.
pub fn attempts(rows: i64) -> Table {
    Table {
        name: "webhook_attempts",
        columns: OF_ATTEMPTS,
        rows,
        write: |world, e, row| {
            let has_failed = Shape::has_failed(e);
            let is_taken = !has_failed && !world.shape.is_retried(e);
            let number = if has_failed { ATTEMPTS } else { 1 };
            attempt(world, e, number, row);
            row.int(if is_taken { 200 } else { 503 }).text_value(if is_taken { "ok" } else { "" });
        },
    }
}

/// Returns the earlier attempts of failed deliveries.
pub fn earlier_attempts(failed: i64) -> Table {
    let rows = failed * (ATTEMPTS - 1);
    Table {
        name: "webhook_attempts",
        columns: OF_ATTEMPTS,
        rows,
        write: |world, n, row| {
            let e = Shape::nth_failed(n / (ATTEMPTS - 1));
            attempt(world, e, n % (ATTEMPTS - 1) + 1, row);
            row.int(503).text_value("");
        },
    }
}

fn attempt(world: &World, e: i64, number: i64, row: &mut Rows) {
    let (one, two) = ids::bits(Kind::Delivery, e);
    row.id(&owner(world, world.shape.endpoint_of(e)));
    row.id(&world.delivery(e)).int(number).time(world.delivered(e) + number * 1000);
    row.int(TOOK / 1000).text_value(&format!("v1,{one:016x}{two:016x}{one:011x}="));
}
