//! Connections and their end (`docs/contract.md#connections` and `docs/contract.md#current-key`,
//! `docs/security.md` 25 and 26).

use super::{Browser, Partner, connect_application, create_member, exchange_code, obtain_code};
use crate::credentials::with_credentials;
use crate::world::{Answer, Pair, World, on_both_databases};
use domain::connection::EndReason;
use domain::id::{
    ApplicationId, Connection as ConnectionOf, Handshake as HandshakeOf, Key as KeyOf,
};
use futures_util::future::join_all;
use persistence::records::{Connection, Handshake, Key, NewConnectedKey};
use reqwest::Method;
use serde_json::json;
use service::connections;
use std::time::Duration;

const ME: &str = "/api/v1/me";

fn revoke(partner: &Partner) -> String {
    format!("/api/v1/applications/{}/revoke-connections", partner.application.client_id)
}

/// Builds the log entry of the exchange that creates a connection.
fn exchange_of(world: &World, connection: &Connection) -> Handshake {
    let now = world.clock.now();
    Handshake {
        id: world.server.deps.id::<HandshakeOf>(now),
        application_id: connection.application_id,
        organization_id: Some(connection.organization_id),
        failure: None,
        at: now,
    }
}

/// Connects more organizations to the application of `held`, as exchanges would.
async fn connect_others(world: &World, held: &Pair, businesses: u32) {
    let deps = &world.server.deps;
    let now = world.clock.now();
    let key = deps.db.caller(held.secret_digest()).await.unwrap().expect("the key").key;
    let theirs = deps.db.organization(key.organization_id);
    let found = theirs.connection_of_key(key.id).await.unwrap();
    let (connection, _) = found.expect("the connection");
    for number in 0..businesses {
        let organization = world.organization_on(&format!("Shop {number}"), "Unlimited").await;
        let id = deps.id::<KeyOf>(now);
        let key = Key {
            id,
            organization_id: organization,
            client_id: format!("swk_{number:022}"),
            secret_digest: number.to_be_bytes().to_vec(),
            account_id: None,
            ..key.clone()
        };
        let connection = Connection {
            id: deps.id::<ConnectionOf>(now),
            organization_id: organization,
            account_id: None,
            key_id: id,
            ..connection.clone()
        };
        let exchange = exchange_of(world, &connection);
        deps.db.connect(NewConnectedKey { key, connection, exchange }).await.unwrap();
    }
}

async fn all_connections_end_however_many_there_are(world: World) {
    // Given an application with more connections than one transaction can end,
    create_member(&world).await;
    let partner = Partner::of(&world).await;
    let mut browser = Browser::new(&world);
    let (_, key) = connect_application(&world, &mut browser, &partner).await;
    connect_others(&world, &key, 449).await;

    // when it revokes them, then all have ended when the response arrives.
    let counted = world.post(&revoke(&partner), &partner.pair(), &json!({"dry_run": true})).await;
    assert_eq!(counted.body, json!({"revoked": 450, "dry_run": true}));
    let application = partner.application.id.parse::<ApplicationId>().unwrap();
    let theirs = world.server.deps.db.application(application);
    for (most, counted) in [(Some(449), 449), (Some(450), 450), (Some(451), 450), (None, 450)] {
        assert_eq!(theirs.live_connections(most).await.unwrap(), counted, "{most:?}");
    }
    let answer = world.post(&revoke(&partner), &partner.pair(), &json!({})).await;
    assert_eq!(answer.body, json!({"revoked": 450, "dry_run": false}));
    world.get(ME, &key).await.is_problem(401, "invalid_credentials");
    let again = world.post(&revoke(&partner), &partner.pair(), &json!({})).await;
    assert_eq!(again.body["revoked"], 0);
}

async fn the_applications_pair_may_come_by_http_basic(world: World) {
    create_member(&world).await;
    let partner = Partner::of(&world).await;
    let mut browser = Browser::new(&world);
    let (_, key) = connect_application(&world, &mut browser, &partner).await;
    let url = format!("{}{}", world.base, revoke(&partner));
    let ask = || world.http.post(&url).json(&json!({"dry_run": true}));
    let Pair { client_id: id, client_secret: secret } = partner.pair();
    let counted = Answer::of(ask().basic_auth(&id, Some(&secret))).await;
    assert_eq!(counted.body, json!({"revoked": 1, "dry_run": true}), "{}", counted.text);
    let escaped =
        Answer::of(ask().basic_auth(id.replace('_', "%5F"), Some(secret.replace('_', "%5F"))))
            .await;
    assert_eq!(escaped.status, 200, "{}", escaped.text);

    // A wrong pair, a pair sent twice, and a key's pair are not an application's credentials.
    let both = with_credentials(ask().basic_auth(&id, Some(&secret)), &partner.pair());
    for refused in [
        ask().basic_auth(&id, Some("sws_wrong")),
        ask().basic_auth(&id, None::<&str>),
        ask().basic_auth(&key.client_id, Some(&key.client_secret)),
        ask().header("authorization", "Basic !"),
        ask().basic_auth(&id, Some(&secret)).basic_auth(&id, Some(&secret)),
        ask().bearer_auth(&secret),
        both,
    ] {
        Answer::of(refused).await.is_problem(401, "invalid_credentials");
    }
    // Nor is any pair by HTTP Basic a key's credentials.
    for pair in [&partner.pair(), &key] {
        let me = world.http.get(format!("{}{ME}", world.base));
        let me = me.basic_auth(&pair.client_id, Some(&pair.client_secret));
        Answer::of(me).await.is_problem(401, "invalid_credentials");
    }
    let others = world.http.post(format!(
        "{}/api/v1/applications/swa_0000000000000000000000/revoke-connections",
        world.base
    ));
    Answer::of(others.basic_auth(&id, Some(&secret))).await.is_problem(404, "not_found");
    let revoked = Answer::of(world.http.post(&url).basic_auth(&id, Some(&secret))).await;
    assert_eq!(revoked.body["revoked"], 1, "{}", revoked.text);
}

async fn a_connection_that_can_be_ended_is_listed_however_many_have_ended_since(world: World) {
    // Given a connection, and a hundred later ones that have ended,
    create_member(&world).await;
    let partner = Partner::of(&world).await;
    let mut browser = Browser::new(&world);
    let (_, held) = connect_application(&world, &mut browser, &partner).await;
    let deps = &world.server.deps;
    let key = deps.db.caller(held.secret_digest()).await.unwrap().expect("the key").key;
    let theirs = deps.db.organization(key.organization_id);
    let (active, _) = theirs.connection_of_key(key.id).await.unwrap().expect("the connection");
    let second = world.organization_on("Second", "Unlimited").await;
    let second = Partner::registered(&world, Some(second), true).await.application.id;
    let second: ApplicationId = second.parse().unwrap();
    for number in 1..=100 {
        let at = world.clock.now().plus(Duration::from_secs(number));
        let (id, key_id) = (deps.id::<ConnectionOf>(at), deps.id::<KeyOf>(at));
        let client_id = format!("swk_{number:022}");
        let secret_digest = number.to_be_bytes().to_vec();
        let made = Key { id: key_id, client_id, secret_digest, ..key.clone() };
        let (id, key_id, connected_at) = (id, key_id, at);
        let application_id = second;
        let connection = Connection { id, key_id, connected_at, application_id, ..active.clone() };
        let exchange = exchange_of(&world, &connection);
        let new = NewConnectedKey { key: made, connection, exchange };
        deps.db.connect(new).await.unwrap();
        theirs.disconnect(key_id, EndReason::Business, at).await.unwrap().expect("it ended");
    }

    // when connections are listed, then the active one comes before the ended ones.
    let listed = connections::list(deps, persistence::Reader::from_primary(key.organization_id))
        .await
        .unwrap();
    assert_eq!(listed.len(), 100);
    assert_eq!(listed[0].0.id, active.id);
    assert!(listed[1..].iter().all(|(it, ..)| it.ended_at.is_some()));
}

async fn a_reconnect_supersedes_the_key_before(world: World) {
    create_member(&world).await;
    let partner = Partner::of(&world).await;
    let mut browser = Browser::new(&world);
    let (first, old) = connect_application(&world, &mut browser, &partner).await;

    // An abandoned handshake does not end the connection,
    browser.until_consent(&partner.asks(&[])).await;
    obtain_code(&mut browser, &partner).await;
    assert_eq!(world.get(ME, &old).await.status, 200);

    // but a completed one does.
    let (second, new) = connect_application(&world, &mut browser, &partner).await;
    assert_ne!(first["connection_id"], second["connection_id"]);
    world.get(ME, &old).await.is_problem(401, "invalid_credentials");
    assert_eq!(world.get(ME, &new).await.status, 200);
}

async fn parallel_reconnects_leave_one_live_key(world: World) {
    create_member(&world).await;
    let partner = Partner::of(&world).await;
    let mut browser = Browser::new(&world);
    let mut codes = Vec::new();
    for _ in 0..8 {
        codes.push(obtain_code(&mut browser, &partner).await);
    }
    let exchanges = codes.iter().map(|code| {
        let body = partner.exchange(code);
        let world = &world;
        async move { exchange_code(world, &body).await }
    });
    let answers = join_all(exchanges).await;
    let mut live = 0;
    for answer in &answers {
        assert_eq!(answer.status, 200, "{}", answer.text);
        let key = Pair {
            client_id: answer.text_of("client_id"),
            client_secret: answer.text_of("client_secret"),
        };
        live += u32::from(world.get(ME, &key).await.status == 200);
    }
    assert_eq!(live, 1);
}

async fn an_application_disconnects(world: World) {
    create_member(&world).await;
    let partner = Partner::of(&world).await;
    let mut browser = Browser::new(&world);
    let (_, key) = connect_application(&world, &mut browser, &partner).await;
    // The request has the content type that every request must name
    // (`docs/contract.md#conventions`), and no body.
    let request =
        world.request(Method::DELETE, ME, &key).header("content-type", "application/json");
    let gone = Answer::of(request).await;
    assert_eq!(gone.status, 200, "{}", gone.text);
    assert_eq!(
        gone.body,
        json!({
            "status": "disconnected",
            "client_id": key.client_id,
            "disconnected_at": "2026-11-21T12:00:00.000Z",
        })
    );
    world.get(ME, &key).await.is_problem(401, "invalid_credentials");

    // A key that a member created cannot be handed back.
    let refused = Answer::of(world.request(Method::DELETE, ME, &world.key)).await;
    refused.is_problem(409, "not_a_connection");
    assert_eq!(world.get(ME, &world.key).await.status, 200);
}

async fn a_business_that_deletes_the_key_disconnects_the_application(world: World) {
    create_member(&world).await;
    let partner = Partner::of(&world).await;
    let mut browser = Browser::new(&world);
    let (_, key) = connect_application(&world, &mut browser, &partner).await;
    world.admin().delete_key(&key.client_id).await.unwrap();
    world.get(ME, &key).await.is_problem(401, "invalid_credentials");
    let dry = world.post(&revoke(&partner), &partner.pair(), &json!({"dry_run": true})).await;
    assert_eq!(dry.body, json!({"revoked": 0, "dry_run": true}), "{}", dry.text);
}

async fn an_application_ends_all_its_connections(world: World) {
    create_member(&world).await;
    let partner = Partner::of(&world).await;
    let mut browser = Browser::new(&world);
    let (_, key) = connect_application(&world, &mut browser, &partner).await;
    let path = revoke(&partner);

    // The operation needs the application's own credentials, and affects only that application:
    world.post(&path, &world.key, &json!({})).await.is_problem(401, "invalid_credentials");
    world.post(&path, &key, &json!({})).await.is_problem(401, "invalid_credentials");
    let other = Partner::registered(&world, Some(world.organization), true).await;
    world.post(&path, &other.pair(), &json!({})).await.is_problem(404, "not_found");
    world.get(ME, &partner.pair()).await.is_problem(401, "invalid_credentials");

    // first as a dry run, then for real.
    let dry = world.post(&path, &partner.pair(), &json!({"dry_run": true})).await;
    assert_eq!(dry.body, json!({"revoked": 1, "dry_run": true}), "{}", dry.text);
    assert_eq!(world.get(ME, &key).await.status, 200);
    let request = world
        .request(Method::POST, &path, &partner.pair())
        .header("content-type", "application/json");
    let done = Answer::of(request).await;
    assert_eq!(done.body, json!({"revoked": 1, "dry_run": false}), "{}", done.text);
    world.get(ME, &key).await.is_problem(401, "invalid_credentials");
}

async fn billing_gates_the_key_and_not_the_exchange(world: World) {
    let broke = world.organization_on("Broke", "Unlimited").await;
    world.number(broke, "+12025550197").await;
    world
        .admin()
        .create_member(broke, crate::connect::EMAIL, "Bo", crate::connect::PASSWORD)
        .await
        .unwrap();
    world.subscription(broke, domain::plan::SubscriptionStatus::Canceled).await;
    let partner = Partner::of(&world).await;
    let mut browser = Browser::new(&world);
    let (body, key) = connect_application(&world, &mut browser, &partner).await;
    assert_eq!(body["plan"]["status"], "canceled");
    world.get(ME, &key).await.is_problem(403, "subscription_required");
    let revoked = world.post(&revoke(&partner), &partner.pair(), &json!({})).await;
    assert_eq!(revoked.body["revoked"], 1);
}

on_both_databases! {
    all_connections_end_however_many_there_are,
    the_applications_pair_may_come_by_http_basic,
    a_connection_that_can_be_ended_is_listed_however_many_have_ended_since,
    a_reconnect_supersedes_the_key_before,
    parallel_reconnects_leave_one_live_key,
    an_application_disconnects,
    a_business_that_deletes_the_key_disconnects_the_application,
    an_application_ends_all_its_connections,
    billing_gates_the_key_and_not_the_exchange,
}
