//! Caps that a business sets for a connection (`docs/contract.md#connections`): requests per minute,
//! messages per month and an end.

use super::{Browser, Partner, connect_application, create_member, exchange_code, query_parameter};
use crate::dashboard::{KEYS, csrf_token};
use crate::events::{EVENTS, events, kinds};
use crate::world::{Answer, Pair, World, on_both_databases};
use domain::id::KeyId;
use domain::key::KeyKind;
use domain::plan::SubscriptionStatus;
use serde_json::{Value, json};
use std::time::Duration;

const SEND: &str = "/api/v1/messages";
const DAY: Duration = Duration::from_hours(24);
/// The time for which a transaction stays open while a request waits for it.
const OPEN: Duration = Duration::from_millis(300);

async fn send(world: &World, key: &Pair) -> Answer {
    let body = json!({"type": "text", "phone_number": "+12025550102", "text": "Hello"});
    world.post(SEND, key, &body).await
}

/// Connects the application with these caps, as a member who fills in the consent page.
async fn connect_with(world: &World, browser: &mut Browser, caps: &[(&str, &str)]) -> Pair {
    let partner = Partner::of(world).await;
    let (path, page) = browser.until_consent(&partner.asks(&[])).await;
    let (token, organization) = (page.field("token"), page.field("organization"));
    let account = page.field("account");
    let fields = [
        ("token", token.as_str()),
        ("organization", organization.as_str()),
        ("account", account.as_str()),
        ("decision", "allow"),
        ("scope", "messages.send"),
        ("scope", "conversations.read"),
    ];
    let sent_on = browser.post(&path, &[&fields, caps].concat()).await;
    let code = query_parameter(sent_on.location(), "code").expect("a code");
    let answer = exchange_code(world, &partner.exchange(&code)).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    Pair { client_id: answer.text_of("client_id"), client_secret: answer.text_of("client_secret") }
}

/// Returns the key of the only connection.
async fn connection_key(world: &World) -> KeyId {
    let db = world.server.deps.db.organization(world.organization);
    let keys = db.list_own_keys(None, 1000).await.unwrap();
    keys.iter().find(|it| it.kind == KeyKind::Connection).unwrap().id
}

/// Sets the caps of the only connection on the page of its key.
async fn set_caps(world: &World, messages: &str, last_day: &str) -> u16 {
    let mut browser = Browser::new(world);
    browser.sign_in("/login").await;
    let path = format!("{KEYS}/{}", connection_key(world).await);
    let token = csrf_token(&browser.get(&path).await);
    let fields = [
        ("token", token.as_str()),
        ("action", "cap"),
        ("messages_per_month", messages),
        ("last_day", last_day),
    ];
    browser.post(&path, &fields).await.status
}

async fn read_me(world: &World, key: &Pair) -> Value {
    let answer = world.get("/api/v1/me", key).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    answer.body
}

async fn caps_of_the_consent_page_apply_to_the_connection(world: World) {
    create_member(&world).await;
    let mut browser = Browser::new(&world);
    // When a member allows an application 2 messages a month, 60 requests and a last day,
    let caps = [("rate_limit", "60"), ("messages_per_month", "2"), ("last_day", "2026-12-01")];
    let key = connect_with(&world, &mut browser, &caps).await;

    // then `GET /me` shows it,
    let shown = read_me(&world, &key).await;
    assert_eq!(shown["key"]["rate_limit"], 60);
    assert_eq!(shown["connection"]["expires_at"], "2026-12-02T00:00:00.000Z");
    let expected = json!({"limit": 2, "used": 0, "resets_at": "2026-12-01T00:00:00.000Z"});
    assert_eq!(shown["connection"]["messages"], expected);

    // and the third message of the month is refused, alone and in a batch, checked or sent.
    assert_eq!(send(&world, &key).await.status, 201);
    assert_eq!(send(&world, &key).await.status, 201);
    let refused = send(&world, &key).await;
    refused.is_problem(403, "plan_limit_exceeded");
    assert_eq!(refused.body["resource"], "connection_messages");
    assert_eq!(refused.body["limit"], 2);
    assert_eq!(refused.body["used"], 2);
    let body = json!({"type": "text", "phone_number": "+12025550102", "text": "Hello"});
    let mut checked = body.clone();
    checked["dry_run"] = json!(true);
    world.post(SEND, &key, &checked).await.is_problem(403, "plan_limit_exceeded");
    let batch = json!({"messages": [body, body]});
    let batch = world.post("/api/v1/messages/batch", &key, &batch).await;
    for result in batch.body["results"].as_array().unwrap() {
        assert_eq!(result["error"]["resource"], "connection_messages", "{}", batch.text);
    }
    assert_eq!(read_me(&world, &key).await["connection"]["messages"]["used"], 2);
    // A key of the business itself has no such cap, and a new month begins at zero.
    assert_eq!(send(&world, &world.key).await.status, 201);
    world.advance(DAY * 10);
    assert_eq!(send(&world, &key).await.status, 201);
    assert_eq!(read_me(&world, &key).await["connection"]["messages"]["used"], 1);

    // When the last day is over, then the key is refused like one that never was.
    world.advance(DAY * 2);
    send(&world, &key).await.is_problem(401, "invalid_credentials");
}

async fn a_batch_of_an_earlier_month_does_not_set_back_the_count(world: World) {
    create_member(&world).await;
    let mut browser = Browser::new(&world);
    // Given a connection that has sent one of its 2 messages in a new month,
    let caps = [("rate_limit", "0"), ("messages_per_month", "2")];
    let key = connect_with(&world, &mut browser, &caps).await;
    world.advance(DAY * 10);
    assert_eq!(send(&world, &key).await.status, 201);
    let december = world.clock.now();
    // when a server whose clock is a day late counts a message for the month before,
    world.clock.set(december.minus(DAY));
    assert_eq!(send(&world, &key).await.status, 201);
    world.clock.set(december);
    // then it counts in the new month, whose count goes on from where it was.
    assert_eq!(read_me(&world, &key).await["connection"]["messages"]["used"], 2);
    let refused = send(&world, &key).await;
    refused.is_problem(403, "plan_limit_exceeded");
    assert_eq!(refused.body["used"], 2);
    assert_eq!(read_me(&world, &key).await["connection"]["messages"]["used"], 2);
}

async fn a_cap_admits_exactly_as_many_messages_at_once(world: World) {
    create_member(&world).await;
    let mut browser = Browser::new(&world);
    let caps = [("rate_limit", "0"), ("messages_per_month", "7")];
    let key = connect_with(&world, &mut browser, &caps).await;
    let answers = futures_util::future::join_all((0..20).map(|_| send(&world, &key))).await;
    assert_eq!(answers.iter().filter(|it| it.status == 201).count(), 7);
    assert_eq!(read_me(&world, &key).await["connection"]["messages"]["used"], 7);
}

async fn a_message_that_the_plan_refuses_does_not_count_for_the_connection(world: World) {
    create_member(&world).await;
    let mut browser = Browser::new(&world);
    world.plan("Small", true, None, Some(1)).await;
    let key = connect_with(&world, &mut browser, &[("messages_per_month", "5")]).await;
    let active = SubscriptionStatus::Active;
    let admin = world.admin();
    admin.set_subscription(world.organization, Some("Small"), active).await.unwrap();
    assert_eq!(send(&world, &key).await.status, 201);
    let refused = send(&world, &key).await;
    refused.is_problem(403, "plan_limit_exceeded");
    assert_eq!(refused.body["resource"], "messages");
    assert_eq!(read_me(&world, &key).await["connection"]["messages"]["used"], 1);
}

async fn a_scheduled_message_is_judged_by_the_cap_when_it_goes(world: World) {
    create_member(&world).await;
    let mut browser = Browser::new(&world);
    let key = connect_with(&world, &mut browser, &[("messages_per_month", "1")]).await;
    let later = world.clock.now().plus(Duration::from_mins(1)).to_string();
    let body = json!({"type": "text", "phone_number": "+12025550102", "text": "Hello",
        "send_at": later});
    let one = world.post(SEND, &key, &body).await.text_of("id");
    let other = world.post(SEND, &key, &body).await.text_of("id");
    world.live_through(Duration::from_secs(61)).await;
    let status = async |id: &str| {
        let message = world.get(&format!("{SEND}/{id}"), &world.key).await;
        (message.text_of("status"), message.body["error"]["code"].clone())
    };
    // Messages that are due at the same time go in any order: one is sent and the other is not.
    let mut found = [status(&one).await, status(&other).await];
    found.sort_by(|one, other| one.0.cmp(&other.0));
    let expected =
        [("failed".to_owned(), json!("plan_limit_exceeded")), ("sent".to_owned(), json!(null))];
    assert_eq!(found, expected);
}

async fn caps_are_set_and_taken_back_later(world: World) {
    create_member(&world).await;
    let mut browser = Browser::new(&world);
    let partner = Partner::of(&world).await;
    let (_, key) = connect_application(&world, &mut browser, &partner).await;
    let shown = read_me(&world, &key).await;
    assert_eq!(shown["key"]["rate_limit"], 100);
    assert_eq!(shown["connection"]["messages"]["limit"], json!(null));
    assert_eq!(shown["connection"]["expires_at"], json!(null));

    // A cap of none refuses everything, from the next call on.
    assert_eq!(set_caps(&world, "0", "").await, 303);
    send(&world, &key).await.is_problem(403, "plan_limit_exceeded");
    // An end can be moved, also after it was reached: the key works again.
    assert_eq!(set_caps(&world, "", "2026-11-21").await, 303);
    assert_eq!(send(&world, &key).await.status, 201);
    world.advance(DAY);
    send(&world, &key).await.is_problem(401, "invalid_credentials");
    assert_eq!(set_caps(&world, "", "").await, 303);
    assert_eq!(send(&world, &key).await.status, 201);
    // What is not a cap is refused, and the page says why.
    assert_eq!(set_caps(&world, "-1", "").await, 422);
    assert_eq!(set_caps(&world, "", "2020-01-01").await, 422);
    // The list of connected apps shows the end. The first session has ended in the meantime.
    assert_eq!(set_caps(&world, "", "2026-12-31").await, 303);
    let mut browser = Browser::new(&world);
    browser.sign_in("/login").await;
    let page = browser.get("/integrations/connected").await;
    assert!(page.text.contains("Connected until 2026-12-31"), "{}", page.text);
}

/// Returns the statements of an application that ends a connection, up to the commit.
fn end_of_connection(world: &World, key: KeyId) -> String {
    let is_sqlite = world.database_url().starts_with("sqlite:");
    let (begin, prefix) = if is_sqlite { ("BEGIN IMMEDIATE", "X") } else { ("BEGIN", "") };
    let id = format!("{prefix}'{}'", key.uuid().simple());
    format!(
        "{begin}; \
         UPDATE connections SET state = 'disconnected', ending = 'application', \
         ended_at = connected_at WHERE key_id = {id}; \
         DELETE FROM keys WHERE id = {id}"
    )
}

async fn caps_of_a_connection_that_ends_at_that_moment_are_not_saved(world: World) {
    // Given a member on the page of a connection, and an application that is about to end it,
    create_member(&world).await;
    let mut browser = Browser::new(&world);
    let partner = Partner::of(&world).await;
    connect_application(&world, &mut browser, &partner).await;
    let mut member = Browser::new(&world);
    member.sign_in("/login").await;
    let key = connection_key(&world).await;
    let path = format!("{KEYS}/{key}");
    let token = csrf_token(&member.get(&path).await);
    let mut application = world.beside().await;
    application.execute(&end_of_connection(&world, key)).await;
    // when the member saves caps before that is done,
    let commit = async {
        tokio::time::sleep(OPEN).await; // real time: the server waits for a lock of the database
        application.execute("COMMIT").await;
    };
    let fields = [
        ("token", token.as_str()),
        ("action", "cap"),
        ("messages_per_month", "5"),
        ("last_day", "2026-12-31"),
    ];
    let (saved, ()) = tokio::join!(member.post(&path, &fields), commit);
    // then the page that follows says that nothing was saved, and the audit log has no entry.
    assert_eq!(saved.status, 303, "{}", saved.text);
    assert!(saved.location().starts_with("/integrations/connected"), "{}", saved.location());
    let page = member.get(saved.location()).await;
    let notice = "<b>Nothing was saved.</b> This connection has ended.";
    assert!(page.text.contains(notice), "{}", page.text);
    let capped = "SELECT count(*) AS number FROM audit_entries WHERE action = 'connection.capped'";
    assert_eq!(application.number(capped).await, 0);
}

async fn a_week_before_its_end_the_key_is_reported_once(world: World) {
    create_member(&world).await;
    let mut browser = Browser::new(&world);
    let key = connect_with(&world, &mut browser, &[("last_day", "2026-11-30")]).await;
    let expiring = async || {
        workers::housekeeping::step(&world.server.deps, false).await.unwrap();
        let all = events(&world, &world.key).await;
        all.into_iter().filter(|it| it["type"] == "key.expiring").collect::<Vec<Value>>()
    };
    // Nothing is said ten days before, and one event seven days before.
    assert_eq!(expiring().await, Vec::<Value>::new());
    world.advance(DAY * 3);
    let told = expiring().await;
    assert_eq!(kinds(&told), ["key.expiring"]);
    assert_eq!(told[0]["data"]["client_id"], json!(key.client_id));
    assert_eq!(told[0]["data"]["expires_at"], "2026-12-01T00:00:00.000Z");
    assert_eq!(told[0]["connection_id"], told[0]["data"]["connection_id"]);
    assert_eq!(expiring().await.len(), 1);
    // Another end is reported again.
    assert_eq!(set_caps(&world, "", "2026-11-29").await, 303);
    assert_eq!(expiring().await.len(), 2);
}

async fn after_its_last_day_a_connection_brings_no_events(world: World) {
    // Given an application that reads its events, and whose connection has a last day,
    create_member(&world).await;
    let mut browser = Browser::new(&world);
    let partner = Partner::of(&world).await;
    let (_, key) = connect_application(&world, &mut browser, &partner).await;
    world.get(EVENTS, &partner.pair()).await;
    assert_eq!(set_caps(&world, "", "2026-11-21").await, 303);
    let read = async || {
        while workers::webhook::fan_out(&world.server.deps).await.unwrap() > 0 {}
        events(&world, &partner.pair()).await
    };
    let tells = |read: &[Value], sent: &Answer| {
        read.iter().any(|it| it["data"]["id"] == json!(sent.text_of("id")))
    };
    let before = send(&world, &world.key).await;
    assert!(tells(&read().await, &before));
    // when the day is over, then it gets nothing of what happens,
    world.advance(DAY);
    let between = send(&world, &world.key).await;
    send(&world, &key).await.is_problem(401, "invalid_credentials");
    let told = read().await;
    assert!(tells(&told, &before) && !tells(&told, &between), "{told:?}");
    // with another end it gets what happens from then on,
    assert_eq!(set_caps(&world, "", "2026-11-22").await, 303);
    let later = send(&world, &world.key).await;
    let told = read().await;
    assert!(tells(&told, &later) && !tells(&told, &between), "{told:?}");
    // and the end of the connection itself is told in any case.
    world.advance(DAY);
    let db = world.server.deps.db.organization(world.organization);
    assert!(db.delete_key(key.client_id, world.clock.now()).await.unwrap());
    assert_eq!(kinds(&read().await).last(), Some(&"connection.disconnected"));
}

on_both_databases! {
    after_its_last_day_a_connection_brings_no_events,
    a_batch_of_an_earlier_month_does_not_set_back_the_count,
    caps_of_the_consent_page_apply_to_the_connection,
    a_cap_admits_exactly_as_many_messages_at_once,
    a_message_that_the_plan_refuses_does_not_count_for_the_connection,
    a_scheduled_message_is_judged_by_the_cap_when_it_goes,
    caps_are_set_and_taken_back_later,
    a_week_before_its_end_the_key_is_reported_once,
    caps_of_a_connection_that_ends_at_that_moment_are_not_saved,
}
