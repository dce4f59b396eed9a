//! Old rows are deleted after their time, and rows that somebody may still need are kept.

use crate::connect::{Browser, Partner, connect_application, create_member};
use crate::webhooks::receiver::Receiver;
use crate::webhooks::{send_message, with_receivers};
use crate::world::{Answer, World};
use domain::id::ApplicationId;
use domain::webhook::Selection;
use persistence::records::Owner;
use reqwest::Method;
use serde_json::json;
use service::applications;
use service::endpoints::{self, EndpointInput};
use std::time::Duration;
use workers::housekeeping;

const DAY: Duration = Duration::from_hours(24);

async fn count_rows(world: &World, rows: &str) -> i64 {
    world.beside().await.number(&format!("SELECT count(*) AS number FROM {rows}")).await
}

/// Moves the clock by `days` days and runs housekeeping.
async fn advance_days(world: &World, days: u32) {
    world.advance(DAY * days);
    housekeeping::step(&world.server.deps, true).await.unwrap();
}

async fn usage_and_verdicts_can_be_looked_up_for_thirteen_months(world: World) {
    // Given an organization that has sent a message and created a template, which was reviewed,
    let template = json!({
        "name": "order",
        "language": "en",
        "category": "utility",
        "components": [{"type": "BODY", "text": "Your order is on its way."}],
    });
    assert_eq!(world.post("/api/v1/templates", &world.key, &template).await.status, 201);
    send_message(&world).await;
    world.live_through(Duration::from_secs(3)).await;
    // when a year passes, then its usage and the verdicts still exist;
    advance_days(&world, 366).await;
    let (used, said) = (count_rows(&world, "usage").await, count_rows(&world, "verdicts").await);
    assert!(used >= 2 && said >= 2, "{used} {said}");
    // when it sends again and two more months pass, then only the new usage is left,
    send_message(&world).await;
    advance_days(&world, 70).await;
    assert_eq!(count_rows(&world, "usage").await, 2);
    assert_eq!(count_rows(&world, "verdicts").await, 0);
    // and all messages and templates.
    assert_eq!(count_rows(&world, "messages").await, 2);
    let page = world.get("/api/v1/templates?status=approved", &world.key).await;
    assert_eq!(page.body["pagination"]["total"], 1);
}

async fn rows_of_an_ended_connection_are_deleted_when_nothing_needs_them(world: World) {
    // Given an application with a webhook endpoint, and two organizations that have connected
    // it,
    create_member(&world).await;
    let partner = Partner::of(&world).await;
    let receiver = Receiver::start().await;
    let application: ApplicationId = partner.application.id.parse().unwrap();
    let deps = &world.server.deps;
    let row = deps.db.application(application).find().await.unwrap().unwrap();
    let organization = row.organization_id.unwrap();
    let owner = Owner::Application(application);
    let endpoint_input =
        EndpointInput { url: &receiver.url, description: "", events: Selection::All };
    endpoints::create(deps, owner, endpoint_input).await.unwrap();
    let mut browser = Browser::new(&world);
    let (_, key) = connect_application(&world, &mut browser, &partner).await;
    // when one connection ends, then its events can be replayed while they are kept,
    let gone = Answer::of(world.request(Method::DELETE, "/api/v1/me", &key)).await;
    assert_eq!(gone.status, 200, "{}", gone.text);
    world.settle().await;
    advance_days(&world, 29).await;
    assert_eq!(count_rows(&world, "webhook_feeds WHERE ends_with IS NOT NULL").await, 1);
    let (_, key) = connect_application(&world, &mut browser, &partner).await;
    assert_eq!(world.get("/api/v1/me", &key).await.status, 200);
    deps.usage_counter.flush(&deps.db).await.unwrap();
    assert_eq!(count_rows(&world, "key_uses").await, 1);
    world.settle().await;
    // and not after that; the other connection's feed stays.
    advance_days(&world, 2).await;
    assert_eq!(count_rows(&world, "webhook_feeds WHERE ends_with IS NOT NULL").await, 0);
    assert_eq!(count_rows(&world, "webhook_feeds").await, 1);
    assert_eq!(count_rows(&world, "connections").await, 2);
    // When the application is deleted, then its row stays while connections of it exist,
    assert!(applications::delete(deps, organization, application).await.unwrap());
    advance_days(&world, 401).await;
    assert_eq!(count_rows(&world, "connections").await, 1);
    assert_eq!(count_rows(&world, "applications").await, 1);
    // and is deleted after the last one.
    let theirs = deps.db.application(application);
    assert_eq!(theirs.revoke_connections(None, world.clock.now(), 10).await.unwrap(), 1);
    advance_days(&world, 399).await;
    assert_eq!(count_rows(&world, "connections").await, 1);
    advance_days(&world, 2).await;
    assert_eq!(count_rows(&world, "connections").await, 0);
    assert_eq!(count_rows(&world, "applications").await, 0);
    // The last use of a key is deleted together with its connection.
    assert_eq!(count_rows(&world, "key_uses").await, 0);
}

with_receivers! {
    usage_and_verdicts_can_be_looked_up_for_thirteen_months,
    rows_of_an_ended_connection_are_deleted_when_nothing_needs_them,
}
