//! Several organizations on one server, and several servers for one organization.

use super::{Shop, person};
use crate::world::{World, on_both_databases};
use platform::clock::Stopwatch;
use serde_json::json;
use std::time::Duration;
use workers::send;

const PEOPLE: usize = 200;
const ALTERNATIONS: usize = 15;

async fn a_large_backlog_of_one_organization_does_not_delay_others(world: World) {
    // Given an organization with messages to two hundred contacts, which were sent first,
    for of in 0..PEOPLE {
        let body = json!({"type": "text", "phone_number": person(of), "text": "Hello"});
        assert_eq!(world.post("/api/v1/messages", &world.key, &body).await.status, 201);
    }
    // and another organization with one message,
    let other = world.organization_on("Bakery", "Unlimited").await;
    world.number(other, "+12025550177").await;
    let key = world.key_of(other).await;
    let body =
        json!({"type": "text", "phone_number": person(PEOPLE), "text": "Your bread is ready"});
    let sent = world.post("/api/v1/messages", &key, &body).await;
    assert_eq!(sent.status, 201, "{sent:?}");
    // when one step of the worker submits some of the due messages,
    assert!(send::step(&world.server.deps).await.unwrap() < PEOPLE);
    // then the other organization's message is among them.
    let waiting = format!(
        "SELECT count(*) AS number FROM outbox \
         WHERE conversation_id IN (SELECT id FROM conversations WHERE phone_number = '{}')",
        person(PEOPLE)
    );
    let all = world.beside().await.number("SELECT count(*) AS number FROM outbox").await;
    assert!(all > 100, "{all} wait");
    assert_eq!(world.beside().await.number(&waiting).await, 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn messages_for_an_organization_that_another_server_claims_leave_at_once() {
    // Given two servers, one of which has claimed an organization,
    let world = World::on_postgres().await;
    let shop = Shop::on(world.database_url()).await;
    let servers = [shop.serve().await, shop.serve().await];
    let mut took = Vec::new();
    for number in 0..ALTERNATIONS {
        // when the servers accept messages in turn,
        let server = servers.iter().cycle().nth(number).expect("a server");
        let accepted = shop.text(&server.base, &person(1), "Hello").await;
        assert!(accepted.is_some());
        let watch = Stopwatch::start();
        shop.until_arrived(number + 1, Duration::from_secs(5)).await;
        took.push(watch.elapsed());
    }
    // then the messages are sent long before the half-second poll of the server with the claim.
    took.sort_unstable();
    eprintln!("from the answer to the channel: {took:?}");
    assert!(took[ALTERNATIONS / 2] < Duration::from_millis(100), "{took:?}");
}

on_both_databases! {
    a_large_backlog_of_one_organization_does_not_delay_others,
}
