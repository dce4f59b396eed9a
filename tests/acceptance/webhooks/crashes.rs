//! Several servers share the deliveries, and a killed server loses no event.

use super::receiver::Receiver;
use super::{PERSON, create_endpoint, world_with_receivers};
use crate::world::{Database, Pair, Process, World, free_port};
use domain::event::EventKind;
use platform::clock::Clock;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::time::Duration;

const ENVIRONMENT: [(&str, &str); 2] = [
    ("SWITCHBOARD_WEBHOOK_ALLOW", "127.0.0.0/8"),
    ("SWITCHBOARD_ENCRYPTION_KEY", "c3dpdGNoYm9hcmQtc3Rvcmllcy1zZWFsaW5nLWtleTE="),
];

async fn send(world: &World, base: &str, key: &Pair) -> bool {
    let body = json!({"type": "text", "phone_number": PERSON, "text": "Hello"});
    let request = world.http.post(format!("{base}/api/v1/messages")).json(&body);
    let request =
        request.header("x-client-id", &key.client_id).header("x-client-secret", &key.client_secret);
    request.send().await.is_ok_and(|answer| answer.status() == 201)
}

/// Counts the deliveries of each sequence, as soon as `enough` sequences have arrived.
async fn counted(receiver: &Receiver, enough: usize) -> BTreeMap<i64, usize> {
    let mut counts = BTreeMap::new();
    for _ in 0..600 {
        counts = BTreeMap::new();
        for it in receiver.received() {
            *counts.entry(it.sequence()).or_insert(0) += 1;
        }
        if counts.len() >= enough {
            break;
        }
        tokio::time::sleep(Duration::from_millis(100)).await; // real time: other processes deliver
    }
    counts
}

/// Returns the number of `message.queued` events.
async fn events(world: &World) -> usize {
    let db = &world.server.deps.db;
    let all =
        db.organization(world.organization).events_between(0, i64::MAX, 10_000).await.unwrap();
    all.iter().filter(|it| it.kind == EventKind::MessageQueued).count()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_servers_deliver_each_event_once_and_a_killed_one_loses_none() {
    // Given two servers and three webhook endpoints,
    let world = world_with_receivers(Database::migrated_postgres().await).await;
    world.clock.set(Clock::system().now());
    let receivers = [Receiver::start().await, Receiver::start().await, Receiver::start().await];
    for receiver in &receivers {
        create_endpoint(&world, receiver, &[EventKind::MessageQueued]).await;
    }
    let url = world.database_url();
    let one = Process::serve_with(url, free_port(), &ENVIRONMENT).await;
    let other = Process::serve_with(url, free_port(), &ENVIRONMENT).await;

    // then each endpoint receives each event once,
    for number in 0..100 {
        let base = if number % 2 == 0 { &one.base } else { &other.base };
        assert!(send(&world, base, &world.key).await);
    }
    for receiver in &receivers {
        let counts = counted(receiver, 100).await;
        assert_eq!(counts.len(), 100);
        assert!(counts.values().all(|count| *count == 1), "{counts:?}");
    }

    // and when one server is killed at work, the other delivers the rest, at least once.
    for _ in 0..50 {
        assert!(send(&world, &one.base, &world.key).await);
    }
    one.kill().await;
    for _ in 0..50 {
        assert!(send(&world, &other.base, &world.key).await);
    }
    let there = events(&world).await;
    assert!(there >= 200, "{there}");
    for receiver in &receivers {
        assert_eq!(counted(receiver, there).await.len(), there);
    }
}

/// A receiver that lost events notices the gaps in the sequence and reads the missing events.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn consumers_that_were_killed_see_what_is_missing_and_read_it() {
    let world = world_with_receivers(Database::migrated_sqlite()).await;
    let receivers = [Receiver::start().await, Receiver::start().await];
    for receiver in &receivers {
        create_endpoint(&world, receiver, &[]).await;
    }
    for round in 0..6 {
        super::send_message(&world).await;
        world.live_through(Duration::from_secs(1)).await;
        // In every other round one receiver loses everything that it received.
        if round % 2 == 0 {
            receivers[round / 2 % 2].take();
        }
    }
    for receiver in &receivers {
        let kept = receiver.received();
        let mut known: BTreeMap<i64, Value> =
            kept.iter().map(|it| (it.sequence(), it.json())).collect();
        let last = *known.keys().max().unwrap();
        let missing: Vec<i64> = (1..=last).filter(|it| !known.contains_key(it)).collect();
        assert!(!missing.is_empty());
        let mut after = 0;
        while after < last {
            let path = format!("/api/v1/events?after={after}&limit=100");
            let page = world.get(&path, &world.key).await;
            assert_eq!(page.status, 200, "{}", page.text);
            for event in page.body["data"].as_array().unwrap() {
                after = event["sequence"].as_i64().unwrap();
                let before = known.insert(after, event.clone());
                assert!(before.is_none_or(|before| before == *event), "the envelopes are the same");
            }
        }
        assert!((1..=last).all(|it| known.contains_key(&it)));
    }
}
