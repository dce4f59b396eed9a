//! Webhook endpoints of applications receive the events of their own connections that the
//! connection's scopes and account permit.

use super::receiver::{Received, Receiver};
use super::{PERSON, SECOND, send_message, with_receivers};
use crate::connect::{Browser, Partner, connect_application, create_member};
use crate::events::{EVENTS, events};
use crate::world::{Answer, Pair, World};
use domain::connection::ConnectionCaps;
use domain::time::Timestamp;
use domain::webhook::Selection;
use persistence::records::{Endpoint, Owner};
use reqwest::Method;
use serde_json::json;
use service::connections;
use service::endpoints::{self, EndpointInput};
use std::collections::BTreeSet;
use std::time::Duration;

const HOUR: Duration = Duration::from_hours(1);

/// Creates an endpoint of the partner's application at a receiver.
async fn endpoint_of(world: &World, partner: &Partner, receiver: &Receiver) -> (Owner, Endpoint) {
    let owner = Owner::Application(partner.application.id.parse().unwrap());
    let endpoint_input =
        EndpointInput { url: &receiver.url, description: "", events: Selection::All };
    let (made, _) = endpoints::create(&world.server.deps, owner, endpoint_input).await.unwrap();
    (owner, made)
}

/// Sets the end of a connection's key, as the business does on the page of the key.
async fn end_key(world: &World, key: &Pair, end: Timestamp) {
    let db = world.server.deps.db.organization(world.organization);
    let row = db.key_of_client_id(key.client_id.clone()).await.unwrap().unwrap();
    let caps = ConnectionCaps { expires_at: Some(end), ..row.caps() };
    let capped = connections::cap(&world.server.deps, world.organization, row.id, caps).await;
    assert!(capped.unwrap());
}

/// Ends a connection, as the business does.
async fn disconnect(world: &World, key: &Pair) {
    let db = world.server.deps.db.organization(world.organization);
    assert!(db.delete_key(key.client_id.clone(), world.clock.now()).await.unwrap());
}

/// Returns the ids of the objects that the received events are about.
fn objects_of(received: &[Received]) -> BTreeSet<String> {
    let id = |it: &Received| it.json()["data"]["id"].as_str().unwrap_or_default().to_owned();
    received.iter().map(id).collect()
}

/// Delivers everything again, and returns the ids of the objects that it is about.
async fn replayed(
    world: &World,
    (owner, made): &(Owner, Endpoint),
    receiver: &Receiver,
) -> BTreeSet<String> {
    receiver.take();
    let (deps, from) = (&world.server.deps, Timestamp::from_seconds(0));
    endpoints::replay(deps, *owner, made, from, world.clock.now()).await.unwrap();
    world.settle().await;
    objects_of(&receiver.take())
}

/// Returns the ids of the objects in the application's own list of events.
async fn listed(world: &World, partner: &Partner) -> BTreeSet<String> {
    let id = |it: &serde_json::Value| it["data"]["id"].as_str().unwrap_or_default().to_owned();
    events(world, &partner.pair()).await.iter().map(id).collect()
}

async fn an_application_receives_the_events_of_its_connections(world: World) {
    // Given an application with a webhook endpoint,
    create_member(&world).await;
    let partner = Partner::of(&world).await;
    let receiver = Receiver::start().await;
    let application = partner.application.id.parse().unwrap();
    let row = world.server.deps.db.application(application).find().await.unwrap().unwrap();
    let organization = row.organization_id.unwrap();
    let owner = Owner::Application(application);
    let endpoint_input =
        EndpointInput { url: &receiver.url, description: "", events: Selection::All };
    let (made, secret) =
        endpoints::create(&world.server.deps, owner, endpoint_input).await.unwrap();

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
    endpoints::send_test(&world.server.deps, owner, organization, &made).await.unwrap();
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
    let (deps, from) = (&world.server.deps, Timestamp::from_seconds(0));
    endpoints::replay(deps, owner, &made, from, world.clock.now()).await.unwrap();
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
    let owner = Owner::Application(application);
    let endpoint_input =
        EndpointInput { url: &receiver.url, description: "", events: Selection::All };
    endpoints::create(&world.server.deps, owner, endpoint_input).await.unwrap();
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
    let endpoint_input =
        EndpointInput { url: &receiver.url, description: "", events: Selection::All };
    endpoints::create(&world.server.deps, owner, endpoint_input).await.unwrap();
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

async fn events_after_the_last_day_stay_hidden_when_the_connection_ends(world: World) {
    // Given an application with an endpoint and a list of events, and a connection whose key ended
    // an hour ago,
    create_member(&world).await;
    let partner = Partner::of(&world).await;
    let receiver = Receiver::start().await;
    let endpoint = endpoint_of(&world, &partner, &receiver).await;
    let (_, key) = connect_application(&world, &mut Browser::new(&world), &partner).await;
    world.get(EVENTS, &partner.pair()).await;
    end_key(&world, &key, world.clock.now().plus(HOUR)).await;
    let before = send_message(&world).await;
    world.advance(2 * HOUR);
    let after = send_message(&world).await;
    // when the business disconnects it before its events are looked at,
    disconnect(&world, &key).await;
    world.settle().await;
    // then its endpoint, its list and a replay have no event from after the end except the
    // disconnection.
    let told = receiver.take();
    assert!(told.iter().any(|it| it.kind() == "connection.disconnected"), "{told:?}");
    let told = [
        objects_of(&told),
        listed(&world, &partner).await,
        replayed(&world, &endpoint, &receiver).await,
    ];
    for told in told {
        assert!(told.contains(&before) && !told.contains(&after), "{before} {after} {told:?}");
    }
}

async fn events_between_two_ends_of_a_key_stay_hidden(world: World) {
    // Given a connection whose key ended an hour ago, and events that nobody has looked at,
    create_member(&world).await;
    let partner = Partner::of(&world).await;
    let receiver = Receiver::start().await;
    let endpoint = endpoint_of(&world, &partner, &receiver).await;
    let (_, key) = connect_application(&world, &mut Browser::new(&world), &partner).await;
    end_key(&world, &key, world.clock.now().plus(HOUR)).await;
    let before = send_message(&world).await;
    world.advance(2 * HOUR);
    let between = send_message(&world).await;
    world.advance(SECOND);
    // when the business sets a later end,
    end_key(&world, &key, world.clock.now().plus(HOUR)).await;
    let later = send_message(&world).await;
    world.settle().await;
    // then events of the time between are not shown: not at once, not in a replay, and not in a
    // list that begins only now. Events before and after that time are shown.
    let told = objects_of(&receiver.take());
    world.get(EVENTS, &partner.pair()).await;
    world.settle().await;
    let told = [told, listed(&world, &partner).await, replayed(&world, &endpoint, &receiver).await];
    for told in told {
        let expected = [(&before, true), (&between, false), (&later, true)];
        for (message, is_told) in expected {
            assert_eq!(told.contains(message), is_told, "{expected:?} {told:?}");
        }
    }
    // When the connection is disconnected after the second end, both periods stay hidden.
    world.advance(2 * HOUR);
    let after = send_message(&world).await;
    disconnect(&world, &key).await;
    world.settle().await;
    let told = [listed(&world, &partner).await, replayed(&world, &endpoint, &receiver).await];
    for told in told {
        assert!(told.contains(&before) && told.contains(&later), "{told:?}");
        assert!(!told.contains(&between) && !told.contains(&after), "{between} {after} {told:?}");
    }
}

with_receivers! {
    events_after_the_last_day_stay_hidden_when_the_connection_ends,
    events_between_two_ends_of_a_key_stay_hidden,
    an_application_receives_the_events_of_its_connections,
    a_later_endpoint_receives_events_of_existing_connections,
    a_deleted_application_receives_no_more_events,
}
