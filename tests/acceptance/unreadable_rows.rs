//! Rows that this version cannot read, because a later version or a person wrote them: each is
//! reported as an error and logged, and never guessed.

use crate::connect::{
    Browser, Partner, REDIRECT, connect_application, create_member, exchange_code, obtain_code,
    percent_encode,
};
use crate::dashboard::{WEBHOOKS, csrf_token, sign_in_member};
use crate::webhooks::receiver::Receiver;
use crate::webhooks::{PERSON, create_endpoint, send_message, with_receivers};
use crate::world::{World, on_both_databases};
use domain::event::EventKind;
use futures_util::future::join_all;
use serde_json::json;
use std::time::Duration;

const ME: &str = "/api/v1/me";
const SEND: &str = "/api/v1/messages";

async fn a_limit_below_zero_is_an_error_and_neither_zero_nor_none(world: World) {
    let text = json!({"type": "text", "phone_number": PERSON, "text": "Hello"});
    world.plan("Other", true, None, None).await;
    let other = world.organization_on("Other", "Other").await;
    let other = world.key_of(other).await;
    let plan = |change: &str| format!("UPDATE plans SET {change} WHERE name = 'Unlimited'");
    let id = &world.key.client_id;
    let key = |change: &str| format!("UPDATE keys SET {change} WHERE client_id = '{id}'");
    for (broken, repaired) in [
        (plan("api_calls_per_day = -5"), plan("api_calls_per_day = NULL")),
        (plan("messages_per_month = -5"), plan("messages_per_month = NULL")),
        (key("rate_limit = -5"), key("rate_limit = 0")),
        (key("rate_limit = 100001"), key("rate_limit = 0")),
        (key("scopes = 'messages.send fax.send'"), key("scopes = 'messages.send'")),
    ] {
        // Given a row that this version cannot have written,
        world.beside().await.execute(&broken).await;
        // when its organization calls, then the response is an internal error,
        world.get(ME, &world.key).await.is_problem(500, "internal_error");
        world.post(SEND, &world.key, &text).await.is_problem(500, "internal_error");
        // but other organizations' calls in the same batch succeed,
        let calls = (0..20).map(|number| if number % 2 == 0 { &world.key } else { &other });
        let answers = join_all(calls.map(|key| world.get(ME, key))).await;
        let statuses: Vec<u16> = answers.iter().map(|it| it.status).collect();
        assert_eq!(statuses, [500, 200].repeat(10), "{broken}");
        // until the row is repaired.
        world.beside().await.execute(&repaired).await;
        assert_eq!(world.get(ME, &world.key).await.status, 200, "{broken}");
    }
    assert_eq!(world.post(SEND, &world.key, &text).await.status, 201);
}

async fn nobody_is_sent_to_a_redirect_address_that_could_not_be_registered(world: World) {
    let partner = Partner::of(&world).await;
    let plain = "http://partner.example/callback";
    let odd = [r#"["http://partner.example/callback"]"#, r#"["javascript:alert(1)"]"#, "{}"];
    for stored in odd {
        // Given stored redirect URIs that no application can register,
        let broken = format!("UPDATE applications SET redirect_uris = '{stored}'");
        world.beside().await.execute(&broken).await;
        // when one of them or a valid one is requested, then the response is an internal error.
        for asked in [plain, "javascript:alert(1)", REDIRECT] {
            let asks = partner.asks(&[("redirect_uri", Some(&percent_encode(asked)))]);
            let page = Browser::new(&world).get(&asks).await;
            assert_eq!(page.status, 500, "{stored} {asked}");
            assert_eq!(page.header("location"), "", "{stored} {asked}");
        }
    }
}

async fn a_connection_ends_whatever_its_scopes_are(world: World) {
    create_member(&world).await;
    let partner = Partner::of(&world).await;
    let mut browser = Browser::new(&world);
    for reconnects in [true, false] {
        // Given a connection with a scope of a later version,
        let (_, key) = connect_application(&world, &mut browser, &partner).await;
        let later =
            "UPDATE connections SET scopes = 'messages.send fax.send' WHERE ended_at IS NULL";
        world.beside().await.execute(later).await;
        // when the organization connects again, or the application revokes its connections,
        if reconnects {
            connect_application(&world, &mut browser, &partner).await;
        } else {
            let revoke = format!(
                "/api/v1/applications/{}/revoke-connections",
                partner.application.client_id
            );
            assert_eq!(world.post(&revoke, &partner.pair(), &json!({})).await.body["revoked"], 1);
        }
        // then the connection has ended, and there is an event.
        world.get(ME, &key).await.is_problem(401, "invalid_credentials");
        let events = "SELECT COUNT(*) AS number FROM events WHERE kind = 'connection.disconnected' \
                      AND CAST(data AS TEXT) LIKE '%fax.send%'";
        assert_eq!(world.beside().await.number(events).await, if reconnects { 1 } else { 2 });
    }
}

async fn an_exchange_that_cannot_read_a_row_is_no_outage(world: World) {
    // Given an authorization code, and a plan that cannot be read,
    create_member(&world).await;
    let partner = Partner::of(&world).await;
    let code = obtain_code(&mut Browser::new(&world), &partner).await;
    world.beside().await.execute("UPDATE plans SET api_calls_per_day = -5").await;
    // when the code is exchanged, then the response is an internal error and does not ask to
    // try again.
    let answer = exchange_code(&world, &partner.exchange(&code)).await;
    answer.is_problem(500, "internal_error");
    assert_eq!(answer.header("cache-control"), "no-store");
}

async fn a_wrong_count_of_attempts_stops_no_queue(world: World) {
    // Given statuses of a message with an invalid number of attempts,
    let text = json!({"type": "text", "phone_number": PERSON, "text": "Hello"});
    assert_eq!(world.post(SEND, &world.key, &text).await.status, 201);
    world.settle().await;
    let mut beside = world.beside().await;
    assert!(beside.number("SELECT COUNT(*) AS number FROM callbacks").await > 0);
    beside.execute("UPDATE callbacks SET attempts = -5").await;
    // when time passes, then they are processed.
    world.live_through(Duration::from_secs(5)).await;
    assert_eq!(world.history(PERSON).await[0]["status"], "delivered");
}

async fn an_endpoint_whose_selection_cannot_be_read_is_shown_and_mended(world: World) {
    // Given a webhook endpoint that selected an event type of a later version,
    let receiver = Receiver::start().await;
    let (made, _) = create_endpoint(&world, &receiver, &[EventKind::MessageQueued]).await;
    let set = "UPDATE webhook_endpoints SET events = 'message.queued message.sung'";
    world.beside().await.execute(set).await;
    // when its pages are opened, then they report it,
    let mut browser = sign_in_member(&world).await;
    let list = browser.get(WEBHOOKS).await;
    assert!(list.status == 200 && list.text.contains(&made.url), "{}", list.text);
    let path = format!("{WEBHOOKS}/{}", made.id);
    let page = browser.get(&path).await;
    assert_eq!(page.status, 200);
    assert!(page.text.contains("Its selection of events cannot be read"), "{}", page.text);
    // and the member can select another event type.
    let (url, token) = (made.url.as_str(), csrf_token(&page));
    let fields = [
        ("token", token.as_str()),
        ("action", "save"),
        ("url", url),
        ("description", ""),
        ("which", "some"),
        ("event", "message.read"),
    ];
    assert_eq!(browser.post(&path, &fields).await.status, 303);
    let page = browser.get(&path).await;
    assert!(!page.text.contains("cannot be read"), "{}", page.text);
}

async fn events_wait_for_an_endpoint_whose_selection_cannot_be_read(world: World) {
    // Given two webhook endpoints, of which one selected an event type of a later version,
    let (ours, other) = (Receiver::start().await, Receiver::start().await);
    let (made, _) = create_endpoint(&world, &ours, &[EventKind::MessageQueued]).await;
    create_endpoint(&world, &other, &[EventKind::MessageQueued]).await;
    let set = |events: &str| {
        format!("UPDATE webhook_endpoints SET events = '{events}' WHERE url = '{}'", made.url)
    };
    world.beside().await.execute(&set("message.queued message.sung")).await;
    // when there is an event,
    send_message(&world).await;
    world.live_through(Duration::from_secs(3)).await;
    // then the other endpoint receives it,
    assert_eq!(other.kinds().len(), 1);
    assert_eq!(ours.kinds().len(), 0);
    // and when the selection can be read again, the waiting event is delivered.
    world.beside().await.execute(&set("message.queued")).await;
    world.live_through(Duration::from_secs(3)).await;
    assert_eq!(other.kinds(), vec!["message.queued".to_owned()]);
    assert_eq!(ours.kinds(), vec!["message.queued".to_owned()]);
}

on_both_databases! {
    a_limit_below_zero_is_an_error_and_neither_zero_nor_none,
    nobody_is_sent_to_a_redirect_address_that_could_not_be_registered,
    a_connection_ends_whatever_its_scopes_are,
    an_exchange_that_cannot_read_a_row_is_no_outage,
    a_wrong_count_of_attempts_stops_no_queue,
}

with_receivers! {
    an_endpoint_whose_selection_cannot_be_read_is_shown_and_mended,
    events_wait_for_an_endpoint_whose_selection_cannot_be_read,
}
