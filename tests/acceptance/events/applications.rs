//! `GET /events` with an application's own pair (`docs/contract.md#webhooks`): the events of all its
//! connections, with sequences of its own.

use super::{EVENTS, are_gapless, events, kinds};
use crate::connect::{Browser, PASSWORD, Partner, connect_application, create_member};
use crate::world::{Pair, World, on_both_databases};
use domain::id::ApplicationId;
use domain::key::KeyKind;
use domain::webhook::{EndpointState, Selection};
use persistence::records::{Endpoint, Owner};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::time::Duration;

async fn send(world: &World, key: &Pair) -> String {
    let body = json!({"type": "text", "phone_number": "+12025550102", "text": "Hello"});
    let sent = world.post("/api/v1/messages", key, &body).await;
    assert_eq!(sent.status, 201, "{}", sent.text);
    sent.text_of("id")
}

/// Numbers what was recorded.
async fn settle(world: &World) {
    while workers::webhook::fan_out(&world.server.deps).await.unwrap() > 0 {}
}

async fn an_application_reads_what_its_connections_may_see(world: World) {
    // Given an application that is connected, and a message from before,
    create_member(&world).await;
    let partner = Partner::of(&world).await;
    let before = send(&world, &world.key).await;
    world.advance(Duration::from_secs(1));
    let mut browser = Browser::new(&world);
    let (connected, key) = connect_application(&world, &mut browser, &partner).await;
    let message = send(&world, &key).await;

    // when it reads its events for the first time, then it gets those since it was connected,
    world.get(EVENTS, &partner.pair()).await;
    settle(&world).await;
    let read = events(&world, &partner.pair()).await;
    are_gapless(&read);
    assert_eq!(kinds(&read)[0], "connection.created");
    assert!(read.iter().any(|it| it["data"]["id"] == json!(message)), "{read:?}");
    assert!(!read.iter().any(|it| it["data"]["id"] == json!(before)), "{read:?}");
    let connection = &read[0]["data"]["id"];
    assert!(read.iter().all(|it| it["connection_id"] == *connection), "{read:?}");
    assert!(connected["scope"].is_string());

    // and the sequence is its own: the organization's own list has another.
    let own = events(&world, &world.key).await;
    assert!(own.len() > read.len());
    assert_eq!(own.last().unwrap()["id"], read.last().unwrap()["id"]);
    // More events continue the list,
    let last = read.last().unwrap()["sequence"].as_i64().unwrap();
    send(&world, &key).await;
    settle(&world).await;
    let page = world.get(&format!("{EVENTS}?after={last}"), &partner.pair()).await;
    assert_eq!(page.body["data"][0]["sequence"], last + 1);
    // and a filter keeps the numbers.
    let page = world.get(&format!("{EVENTS}?type=message.queued"), &partner.pair()).await;
    let queued = page.body["data"].as_array().unwrap();
    assert_eq!(kinds(queued), ["message.queued", "message.queued"]);
    assert!(queued[0]["sequence"].as_i64().unwrap() > 1);
    // The log is no webhook endpoint.
    let endpoints = world.get("/api/v1/webhook-endpoints", &partner.pair()).await;
    if endpoints.status == 200 {
        assert_eq!(endpoints.body["data"], json!([]));
    }
}

async fn the_end_of_a_connection_is_its_last_event(world: World) {
    create_member(&world).await;
    let partner = Partner::of(&world).await;
    let mut browser = Browser::new(&world);
    let (_, key) = connect_application(&world, &mut browser, &partner).await;
    world.get(EVENTS, &partner.pair()).await;
    // When the business disconnects the application,
    let db = world.server.deps.db.organization(world.organization);
    let keys = db.list_own_keys(None, 10).await.unwrap();
    let own = keys.iter().find(|it| it.kind == KeyKind::Connection).unwrap();
    let now = world.clock.now();
    assert!(db.delete_key(own.client_id.clone(), now).await.unwrap());
    assert_eq!(own.client_id, key.client_id);
    send(&world, &world.key).await;
    settle(&world).await;
    // then the application reads that, and nothing later.
    let read = events(&world, &partner.pair()).await;
    are_gapless(&read);
    assert_eq!(kinds(&read).last(), Some(&"connection.disconnected"));
    // When it is connected again, then its list goes on.
    let (_, key) = connect_application(&world, &mut browser, &partner).await;
    send(&world, &key).await;
    settle(&world).await;
    let again = events(&world, &partner.pair()).await;
    are_gapless(&again);
    assert_eq!(again[..read.len()], read[..]);
    assert_eq!(kinds(&again)[read.len()], "connection.created");
}

async fn several_workers_number_without_gaps(world: World) {
    // Given an application with a connection, many events, and workers at the same time,
    create_member(&world).await;
    let partner = Partner::of(&world).await;
    let mut browser = Browser::new(&world);
    let (_, key) = connect_application(&world, &mut browser, &partner).await;
    let pair = partner.pair();
    let reads = (0..4).map(|_| world.get(EVENTS, &pair));
    futures_util::future::join_all(reads).await;
    for _ in 0..5 {
        futures_util::future::join_all((0..10).map(|_| send(&world, &key))).await;
        futures_util::future::join_all((0..4).map(|_| settle(&world))).await;
    }
    settle(&world).await;
    // then every event is numbered once.
    let read = events(&world, &partner.pair()).await;
    are_gapless(&read);
    let queued = kinds(&read).into_iter().filter(|it| *it == "message.queued").count();
    assert_eq!(queued, 50);
}

async fn old_events_are_deleted_and_numbers_go_on(world: World) {
    create_member(&world).await;
    let partner = Partner::of(&world).await;
    let mut browser = Browser::new(&world);
    let (_, key) = connect_application(&world, &mut browser, &partner).await;
    world.get(EVENTS, &partner.pair()).await;
    send(&world, &key).await;
    settle(&world).await;
    let last = events(&world, &partner.pair()).await.len();
    world.advance(Duration::from_hours(24 * 31));
    workers::housekeeping::step(&world.server.deps, true).await.unwrap();
    assert_eq!(events(&world, &partner.pair()).await, Vec::<Value>::new());
    send(&world, &key).await;
    settle(&world).await;
    let page = world.get(EVENTS, &partner.pair()).await;
    assert_eq!(page.body["data"][0]["sequence"], last + 1);
}

async fn another_application_reads_nothing_of_it(world: World) {
    create_member(&world).await;
    let (partner, other) = (Partner::of(&world).await, Partner::of(&world).await);
    let mut browser = Browser::new(&world);
    let (_, key) = connect_application(&world, &mut browser, &partner).await;
    send(&world, &key).await;
    world.get(EVENTS, &other.pair()).await;
    settle(&world).await;
    assert_eq!(events(&world, &other.pair()).await, Vec::<Value>::new());
    let wrong = Pair { client_secret: key.client_secret.clone(), ..partner.pair() };
    world.get(EVENTS, &wrong).await.is_problem(401, "invalid_credentials");
}

/// Connects an application with another organization, and returns the key.
async fn connect_another(world: &World, partner: &Partner, number: u32) -> Pair {
    let other = world.organization_on(&format!("Other {number}"), "Unlimited").await;
    world.number(other, &format!("+1202555030{number}")).await;
    let email = format!("eve{number}@other.example");
    world.admin().create_member(other, &email, "Eve", PASSWORD).await.unwrap();
    let mut browser = Browser::new(world);
    let token = browser.get("/login").await.field("token");
    let fields = [("token", token.as_str()), ("email", email.as_str()), ("password", PASSWORD)];
    assert_eq!(browser.post("/login", &fields).await.status, 303);
    connect_application(world, &mut browser, partner).await.1
}

/// Returns the row of a new log.
fn new_log(world: &World, application: ApplicationId) -> Endpoint {
    let (owner, now) = (Owner::Application(application), world.clock.now());
    Endpoint {
        id: world.server.deps.id(now),
        owner_id: owner.id(),
        organization_id: None,
        application_id: Some(application),
        url: String::new(),
        description: None,
        events: Selection::All.written(),
        state: EndpointState::Enabled,
        disabled_reason: None,
        disabled_at: None,
        secret: Vec::new(),
        previous_secret: None,
        previous_until: None,
        created_at: now,
        is_log: true,
        failing_since: None,
    }
}

async fn a_log_follows_many_connections_a_portion_at_a_time(world: World) {
    // Given an application with three connections, whose log follows two of them so far,
    let partner = Partner::of(&world).await;
    let mut keys = Vec::new();
    for number in 0..3 {
        keys.push(connect_another(&world, &partner, number).await);
    }
    let application = partner.application.id.parse().unwrap();
    let db = world.server.deps.db.application(application);
    db.begin_log(new_log(&world, application)).await.unwrap();
    assert!(db.follow_earlier_connections(2).await.unwrap());
    settle(&world).await;
    let owner = world.server.deps.db.owner(Owner::Application(application));
    let part = owner.log_after(None, 0, 100, 1000).await.unwrap().unwrap();
    let followed: BTreeSet<_> = part.found.iter().map(|(_, it)| it.connection).collect();
    assert_eq!(followed.len(), 2);
    assert!(part.is_incomplete);
    // when another organization connects meanwhile, and the application reads its events,
    keys.push(connect_another(&world, &partner, 3).await);
    for key in &keys {
        send(&world, key).await;
    }
    world.get(EVENTS, &partner.pair()).await;
    settle(&world).await;
    // then it gets the events of all four connections, each once.
    let read = events(&world, &partner.pair()).await;
    are_gapless(&read);
    let of: BTreeSet<&str> = read.iter().map(|it| it["connection_id"].as_str().unwrap()).collect();
    assert_eq!(of.len(), 4, "{read:?}");
    let count = |kind: &str| kinds(&read).into_iter().filter(|it| *it == kind).count();
    assert_eq!(count("connection.created"), 4, "{read:?}");
    assert_eq!(count("message.queued"), 4, "{read:?}");
    assert!(!db.follow_earlier_connections(2).await.unwrap());
}

on_both_databases! {
    a_log_follows_many_connections_a_portion_at_a_time,
    an_application_reads_what_its_connections_may_see,
    the_end_of_a_connection_is_its_last_event,
    several_workers_number_without_gaps,
    old_events_are_deleted_and_numbers_go_on,
    another_application_reads_nothing_of_it,
}
