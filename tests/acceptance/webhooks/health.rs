//! Events about the health of webhook endpoints: `endpoint.failing`, `endpoint.disabled` and
//! `endpoint.recovered` (`docs/contract.md#webhooks`).

use super::receiver::{Answers, Receiver};
use super::{SECOND, create_endpoint, endpoint_owner, send_message, with_receivers};
use crate::events::{events, kinds};
use crate::world::World;
use domain::event::EventKind;
use serde_json::{Value, json};
use service::endpoints;
use std::time::Duration;

const MINUTE: Duration = Duration::from_mins(1);

/// Returns the events about endpoints, in order.
async fn of_endpoints(world: &World) -> Vec<Value> {
    let all = events(world, &world.key).await;
    let is_of = |it: &Value| it["type"].as_str().unwrap().starts_with("endpoint.");
    all.into_iter().filter(is_of).collect()
}

async fn a_failing_endpoint_is_reported_to_the_others(world: World) {
    // Given an endpoint that fails and one that works, which receive everything,
    let (failing, well) = (Receiver::that(Answers::With(500)).await, Receiver::start().await);
    let (made, _) = create_endpoint(&world, &failing, &[]).await;
    create_endpoint(&world, &well, &[]).await;

    // when an attempt fails once, then nothing is reported;
    send_message(&world).await;
    world.settle().await;
    assert_eq!(of_endpoints(&world).await, Vec::<Value>::new());

    // but after a minute the event says so, once.
    world.advance(6 * MINUTE);
    world.settle().await;
    world.advance(31 * MINUTE);
    world.settle().await;
    let told = of_endpoints(&world).await;
    assert_eq!(kinds(&told), ["endpoint.failing"]);
    let data = &told[0]["data"];
    assert_eq!(data["id"], json!(made.id.to_string()));
    assert_eq!(data["url"], json!(made.url));
    assert_eq!(data["state"], "enabled");
    assert_eq!(data["failing_since"], "2026-11-21T12:00:00.000Z");
    assert_eq!(told[0]["account_id"], json!(null));
    assert!(well.take().iter().any(|it| it.kind() == "endpoint.failing"));

    // When it works again, then the other learns of it, and the endpoint never of itself.
    failing.answer(Answers::With(200));
    world.advance(3 * 60 * MINUTE);
    world.settle().await;
    assert_eq!(kinds(&of_endpoints(&world).await), ["endpoint.failing", "endpoint.recovered"]);
    let recovered = well.take();
    let recovered = recovered.iter().find(|it| it.kind() == "endpoint.recovered").unwrap();
    assert_eq!(recovered.json()["data"]["failing_since"], json!(null));
    assert!(!failing.take().iter().any(|it| it.kind().starts_with("endpoint.")));
}

async fn a_disabled_endpoint_is_reported_with_the_reason(world: World) {
    // When an endpoint is gone,
    let gone = Receiver::that(Answers::With(410)).await;
    let (made, _) = create_endpoint(&world, &gone, &[EventKind::MessageQueued]).await;
    send_message(&world).await;
    world.settle().await;
    // and a member disables another one and enables it again,
    let well = Receiver::start().await;
    let (other, _) = create_endpoint(&world, &well, &[EventKind::MessageQueued]).await;
    let (deps, owner) = (&world.server.deps, endpoint_owner(&world));
    assert!(endpoints::disable(deps, owner, other.id).await.unwrap());
    assert!(endpoints::disable(deps, owner, other.id).await.unwrap());
    assert!(endpoints::enable(deps, owner, other.id).await.unwrap());
    // then each change is an event.
    let told = of_endpoints(&world).await;
    let told: Vec<_> = told
        .iter()
        .map(|it| (&it["type"], &it["data"]["id"], &it["data"]["disabled_reason"]))
        .collect();
    let (made, other) = (json!(made.id.to_string()), json!(other.id.to_string()));
    assert_eq!(
        told,
        [
            (&json!("endpoint.disabled"), &made, &json!("gone")),
            (&json!("endpoint.disabled"), &other, &json!("by_member")),
            (&json!("endpoint.recovered"), &other, &json!(null)),
        ]
    );
}

async fn two_failing_endpoints_do_not_feed_each_other(world: World) {
    // Given two endpoints that fail and get only the events of each other,
    let kinds = [
        EventKind::EndpointFailing,
        EventKind::EndpointDisabled,
        EventKind::EndpointRecovered,
        EventKind::MessageQueued,
    ];
    let (one, other) =
        (Receiver::that(Answers::With(500)).await, Receiver::that(Answers::With(500)).await);
    create_endpoint(&world, &one, &kinds).await;
    create_endpoint(&world, &other, &kinds).await;
    // when a day passes, then each is reported once.
    send_message(&world).await;
    for _ in 0..48 {
        world.settle().await;
        world.advance(30 * MINUTE);
    }
    assert_eq!(of_endpoints(&world).await.len(), 2);
    // When they alternate, then there is at most one report a minute for each.
    for round in 0..40 {
        one.answer(Answers::With(if round % 2 == 0 { 200 } else { 500 }));
        other.answer(Answers::With(if round % 2 == 0 { 500 } else { 200 }));
        world.advance(SECOND);
        world.settle().await;
    }
    assert!(of_endpoints(&world).await.len() <= 6, "{:?}", of_endpoints(&world).await);
}

with_receivers! {
    a_failing_endpoint_is_reported_to_the_others,
    a_disabled_endpoint_is_reported_with_the_reason,
    two_failing_endpoints_do_not_feed_each_other,
}
