//! Large amounts of work: overlapping replays, a large backlog, and more endpoints than one step
//! handles.

use super::receiver::Receiver;
use super::{create_endpoint, endpoint_owner, send_message, with_receivers};
use crate::world::World;
use domain::id::OrganizationId;
use domain::webhook::Selection;
use persistence::records::{Endpoint, Owner};
use service::endpoints::{self, EndpointInput};
use std::collections::BTreeSet;
use workers::webhook;

/// Creates `many` webhook endpoints of an organization, with URLs where nothing listens.
async fn create_endpoints(
    world: &World,
    organization: OrganizationId,
    many: usize,
) -> Vec<Endpoint> {
    let owner = Owner::Organization(organization);
    let mut made = Vec::new();
    for number in 0..many {
        let url = format!("http://127.0.0.1:9/{number}");
        let endpoint_input = EndpointInput { url: &url, description: "", events: Selection::All };
        made.push(endpoints::create(&world.server.deps, owner, endpoint_input).await.unwrap().0);
    }
    made
}

/// Returns the number of pending deliveries of an endpoint.
async fn count_pending(world: &World, endpoint: &Endpoint) -> usize {
    let db = &world.server.deps.db;
    db.operator()
        .due_deliveries(endpoint.owner_id, endpoint.id, world.clock.now(), 1000)
        .await
        .unwrap()
        .len()
}

async fn replays_of_the_same_time_go_together(world: World) {
    let receiver = Receiver::start().await;
    let (made, _) = create_endpoint(&world, &receiver, &[]).await;
    let began = world.clock.now();
    for _ in 0..3 {
        send_message(&world).await;
    }
    world.settle().await;
    let first: BTreeSet<String> = receiver.take().into_iter().map(|it| it.id).collect();
    assert!(first.len() >= 5, "{first:?}");
    for _ in 0..3 {
        let (owner, now) = (endpoint_owner(&world), world.clock.now());
        endpoints::replay(&world.server.deps, owner, &made, began, now).await.unwrap();
    }
    world.settle().await;
    let again: BTreeSet<String> = receiver.take().into_iter().map(|it| it.id).collect();
    assert_eq!(again, first);
}

/// Six thousand deliveries are created in one step, which is more than a single PostgreSQL
/// statement can insert.
async fn six_thousand_deliveries_are_created_in_one_step(world: World) {
    let all = create_endpoints(&world, world.organization, 30).await;
    for _ in 0..200 {
        send_message(&world).await;
    }
    while webhook::fan_out(&world.server.deps).await.unwrap() > 0 {}
    for endpoint in &all {
        assert!(count_pending(&world, endpoint).await >= 200);
    }
}

async fn busy_feeds_do_not_starve_others(world: World) {
    // Given more feeds than one step handles, of which the first 64 have new events before each
    // step,
    let busy = create_endpoints(&world, world.organization, 50).await;
    let other = world.organization_on("Other", "Unlimited").await;
    world.number(other, "+12025550195").await;
    let key = world.key_of(other).await;
    let late = create_endpoints(&world, other, 30).await;
    let text = serde_json::json!({"type": "text", "phone_number": "+12025550101", "text": "Hello"});
    for _ in 0..3 {
        send_message(&world).await;
        assert_eq!(world.post("/api/v1/messages", &key, &text).await.status, 201);
        webhook::fan_out(&world.server.deps).await.unwrap();
    }
    // then all feeds have been handled.
    for endpoint in busy.iter().chain(&late) {
        assert!(count_pending(&world, endpoint).await > 0, "{}", endpoint.url);
    }
}

with_receivers! {
    replays_of_the_same_time_go_together,
    six_thousand_deliveries_are_created_in_one_step,
    busy_feeds_do_not_starve_others,
}
