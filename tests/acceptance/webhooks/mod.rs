//! Webhooks (`docs/contract.md#webhooks`): the delivered events, their signatures, and the handling
//! of failing endpoints.

mod api;
mod applications;
mod backlog;
mod cost;
mod crashes;
mod delivering;
mod earlier_version;
mod health;
mod hostile;
mod pages;
pub mod receiver;
mod retries;
mod signature_page;
mod signing;

use crate::world::{Database, World};
use auth::webhook::WebhookSecret;
use domain::event::EventKind;
use domain::keyword::Keyword as _;
use domain::webhook::{DeliveryState, Selection};
use persistence::records::{Attempt, Delivery, Endpoint, Owner};
use receiver::Receiver;
use serde_json::json;
use service::endpoints::{self, EndpointInput};
use std::time::Duration;

/// The settings for receivers on this machine, with a timeout of one second.
pub const SETTINGS: [(&str, &str); 2] =
    [("webhook_allow", "127.0.0.0/8"), ("webhook_timeout", "1")];
/// A sandbox number that accepts messages and never replies.
pub const PERSON: &str = "+12025550177";

/// Runs each of the listed functions on SQLite and on PostgreSQL, in a world that may send webhooks
/// to this machine.
macro_rules! with_receivers {
    ($($test:ident),+ $(,)?) => {$(
        mod $test {
            use $crate::webhooks::world_with_receivers;
            use $crate::world::Database;
            #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn sqlite() {
                super::$test(world_with_receivers(Database::migrated_sqlite()).await).await;
            }
            #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn postgres() {
                super::$test(world_with_receivers(Database::migrated_postgres().await).await).await;
            }
        }
    )+};
}
pub(crate) use with_receivers;

pub async fn world_with_receivers(database: Database) -> World {
    World::on(database, &SETTINGS).await
}

/// Returns the owner of the webhook endpoints of the world's organization.
pub fn endpoint_owner(world: &World) -> Owner {
    Owner::Organization(world.organization)
}

/// Creates a webhook endpoint at a receiver. It receives these events, or all events if the list is
/// empty.
pub async fn create_endpoint(
    world: &World,
    receiver: &Receiver,
    events: &[EventKind],
) -> (Endpoint, WebhookSecret) {
    let events = match events {
        [] => Selection::All,
        some => Selection::parse(some.iter().map(|kind| kind.as_str())).unwrap(),
    };
    let endpoint_input = EndpointInput { url: &receiver.url, description: "", events };
    endpoints::create(&world.server.deps, endpoint_owner(world), endpoint_input).await.unwrap()
}

/// Sends a message of the world's organization, and returns its id.
pub async fn send_message(world: &World) -> String {
    let body = json!({"type": "text", "phone_number": PERSON, "text": "Hello"});
    let sent = world.post("/api/v1/messages", &world.key, &body).await;
    assert_eq!(sent.status, 201, "{}", sent.text);
    sent.text_of("id")
}

/// Returns the present state of an endpoint.
pub async fn read_endpoint(world: &World, endpoint: &Endpoint) -> Endpoint {
    let owner = Owner::Organization(world.organization);
    world.server.deps.db.owner(owner).endpoint(endpoint.id).await.unwrap().unwrap()
}

/// Returns the deliveries of an endpoint with their attempts, oldest first.
pub async fn delivery_log(world: &World, endpoint: &Endpoint) -> Vec<(Delivery, Vec<Attempt>)> {
    let acme = Owner::Organization(world.organization);
    let db = world.server.deps.db.owner(acme);
    let deliveries = db.list_deliveries(endpoint.id, None, None, 500).await.unwrap();
    let mut log = Vec::new();
    for delivery in deliveries.into_iter().rev() {
        let (delivery, _, attempts) = db.delivery(endpoint.id, delivery.id).await.unwrap().unwrap();
        log.push((delivery, attempts));
    }
    log
}

/// Returns the state and the attempts of an endpoint's only delivery.
pub async fn only_delivery(world: &World, endpoint: &Endpoint) -> (DeliveryState, Vec<Attempt>) {
    let mut log = delivery_log(world, endpoint).await;
    assert_eq!(log.len(), 1, "{log:?}");
    let (delivery, attempts) = log.remove(0);
    (delivery.state, attempts)
}

pub const SECOND: Duration = Duration::from_secs(1);
