//! Webhook endpoints of applications receive the events of their own connections that the
//! connection's scopes and account permit.

use super::receiver::{Received, Receiver};
use super::{PERSON, SECOND, send_message, with_receivers};
use crate::connect::{Browser, Partner, connect_application, create_member};
use crate::world::{Answer, World};
use domain::webhook::Selection;
use persistence::records::Owner;
use reqwest::Method;
use serde_json::json;
use service::endpoints::{EndpointInput, Endpoints};
use std::collections::BTreeSet;

async fn an_application_receives_the_events_of_its_connections(world: World) {
    // Given an application with a webhook endpoint,
    create_member(&world).await;
    let partner = Partner::of(&world).await;
    let receiver = Receiver::start().await;
    let application = partner.application.id.parse().unwrap();
    let row = world.server.deps.db.application(application).find().await.unwrap().unwrap();
    let organization = row.organization_id.unwrap();
    let theirs = Endpoints {
        deps: &world.server.deps,
        owner: Owner::Application(application),
        organization,
    };
    let endpoint_input =
        EndpointInput { url: &receiver.url, description: "", events: Selection::All };
    let (made, secret) = theirs.create(endpoint_input).await.unwrap();

    // then it receives no events from before the first connection,
    send_message(&world).await;
    world.live_through(SECOND).await;
    assert!(receiver.take().is_empty());

    // receives the event of the connection, and then those that its account and scopes permit,
    let mut browser = Browser::new(&world);
    let (connection, key) = connect_application(&world, &mut browser, &partner).await;
    world.settle().await;
    let reported = receiver.take();
    assert_eq!(reported.len(), 1);
    assert_eq!(reported[0].kind(), "connection.created");
    assert_eq!(reported[0].json()["organization_id"], world.organization.to_string());
    assert!(reported[0].is_signed_by(&secret));
    let other = world.number(world.organization, "+12025550191").await;
    let elsewhere = world
        .key_with(world.organization, &[domain::scope::Scope::MessagesSend], Some(other), 0)
        .await;
    let body = json!({"type": "text", "phone_number": PERSON, "text": "Hello"});
    assert_eq!(world.post("/api/v1/messages", &elsewhere, &body).await.status, 201);
    let template = json!({"name": "order_sent", "language": "en", "category": "utility",
        "components": [{"type": "BODY", "text": "Your order is on its way."}]});
    assert_eq!(world.post("/api/v1/templates", &world.key, &template).await.status, 201);
    send_message(&world).await;
    world.live_through(2 * SECOND).await;
    let reported = receiver.take();
    let kinds: BTreeSet<String> = reported.iter().map(Received::kind).collect();
    assert!(kinds.contains("message.queued") && kinds.contains("message.delivered"), "{kinds:?}");
    assert!(!kinds.iter().any(|kind| kind.starts_with("template.")), "{kinds:?}");
    assert!(reported.iter().all(|it| it.json()["account_id"] == connection["account"]["id"]));
    // each with the connection that lets the application see it, as with the connection's key,
    assert!(reported.iter().all(|it| it.json()["connection_id"] == connection["connection_id"]));
    let read = world.get("/api/v1/events?limit=100", &key).await;
    assert!(
        read.body["data"]
            .as_array()
            .unwrap()
            .iter()
            .all(|it| it["connection_id"] == connection["connection_id"]),
        "{}",
        read.text
    );
    let own = world.get("/api/v1/events?type=message.queued", &world.key).await;
    assert!(
        own.body["data"].as_array().unwrap().iter().all(|it| it.get("connection_id").is_none()),
        "{}",
        own.text
    );

    // a test event belongs to the application's publisher,
    theirs.test(&made).await.unwrap();
    world.settle().await;
    let test = receiver.take()[0].json();
    assert_eq!(test["organization_id"], json!(organization.to_string()));
    assert_eq!(test.get("connection_id"), None);

    // and the end of the connection is the last event, also in a replay.
    let gone = Answer::of(world.request(Method::DELETE, "/api/v1/me", &key)).await;
    assert_eq!(gone.status, 200, "{}", gone.text);
    send_message(&world).await;
    world.live_through(SECOND).await;
    let reported = receiver.take();
    assert_eq!(reported.len(), 1, "{reported:?}");
    assert_eq!(reported[0].kind(), "connection.disconnected");
    theirs
        .replay(&made, domain::time::Timestamp::from_seconds(0), world.clock.now())
        .await
        .unwrap();
    world.settle().await;
    let again = receiver.take();
    assert!(again.iter().all(|it| it.kind() != "contact.created"));
    assert_eq!(again.iter().map(Received::sequence).max(), Some(reported[0].sequence()));
    assert_eq!(again.iter().filter(|it| it.kind() == "connection.created").count(), 1);
}

async fn a_later_endpoint_receives_events_of_existing_connections(world: World) {
    create_member(&world).await;
    let partner = Partner::of(&world).await;
    let mut browser = Browser::new(&world);
    connect_application(&world, &mut browser, &partner).await;
    let receiver = Receiver::start().await;
    let application = partner.application.id.parse().unwrap();
    let theirs = Endpoints {
        deps: &world.server.deps,
        owner: Owner::Application(application),
        organization: world.organization,
    };
    let endpoint_input =
        EndpointInput { url: &receiver.url, description: "", events: Selection::All };
    theirs.create(endpoint_input).await.unwrap();
    send_message(&world).await;
    world.settle().await;
    assert!(receiver.kinds().contains(&"message.queued".to_owned()));
    // A reconnection ends one connection and creates another, with one event each.
    receiver.take();
    connect_application(&world, &mut browser, &partner).await;
    world.settle().await;
    let mut reported = receiver.received();
    reported.sort_by_key(Received::sequence);
    let kinds: Vec<String> = reported.iter().map(Received::kind).collect();
    assert_eq!(kinds, ["connection.disconnected", "connection.created"]);
    let ended = &reported[0].json()["data"];
    assert_eq!(ended["reason"], "superseded", "{ended}");
}

async fn a_deleted_application_receives_no_more_events(world: World) {
    create_member(&world).await;
    let partner = Partner::registered(&world, Some(world.organization), true).await;
    let mut browser = Browser::new(&world);
    let (_, key) = connect_application(&world, &mut browser, &partner).await;
    let receiver = Receiver::start().await;
    let application = partner.application.id.parse().unwrap();
    let db = &world.server.deps.db;
    let owner = Owner::Application(application);
    let theirs = Endpoints { deps: &world.server.deps, owner, organization: world.organization };
    let endpoint_input =
        EndpointInput { url: &receiver.url, description: "", events: Selection::All };
    theirs.create(endpoint_input).await.unwrap();
    assert!(
        db.organization(world.organization)
            .delete_application(application, world.clock.now())
            .await
            .unwrap()
    );
    send_message(&world).await;
    world.settle().await;
    assert!(receiver.received().is_empty());
    assert_eq!(world.get("/api/v1/me", &key).await.status, 200, "its connections live on");
}

with_receivers! {
    an_application_receives_the_events_of_its_connections,
    a_later_endpoint_receives_events_of_existing_connections,
    a_deleted_application_receives_no_more_events,
}
