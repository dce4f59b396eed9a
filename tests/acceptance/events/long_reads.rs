//! A search for a rare event type among many events: each call examines a bounded number of events,
//! and other callers are not slowed down.

use super::EVENTS;
use crate::world::{Pair, World, on_both_databases};
use domain::id::OrganizationId;
use persistence::Db;
use platform::clock::Stopwatch;
use reqwest::Method;
use serde_json::{Value, json};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

const MANY: i64 = 500_000;
/// The most events that a call examines, as documented in the reference.
const LOOKED_AT: i64 = 5_000;
const RARE: &str = "plan.limit_reached";
const OFTEN: &str = "template.approved";

async fn execute(world: &World, sql: String) {
    world.beside().await.execute(&sql).await;
}

/// Gives an organization `many` events of one type; the last one is of the rare type.
async fn with_events(world: &World, organization: OrganizationId, many: i64, kind: &str) {
    let data = r#"{"resource": "messages", "limit": 3, "used": 3, "resets_at": "2026-12-01T00:00:00.000Z"}"#;
    let (id, of, at) = match &world.server.deps.db {
        Db::Sqlite(_) => {
            let of = format!("x'{}'", organization.uuid().simple());
            ("randomblob(16)", of, world.clock.now().micros().to_string())
        }
        Db::Postgres(_) => {
            let of = format!("'{}'::uuid", organization.uuid());
            ("gen_random_uuid()", of, format!("'{}'::timestamptz", world.clock.now()))
        }
    };
    let insert = format!(
        "INSERT INTO events (organization_id, sequence, id, kind, data, at)
         WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < {many})
         SELECT {of}, n, {id}, CASE WHEN n = {many} THEN '{RARE}' ELSE '{kind}' END, '{data}', {at}
         FROM numbers;
         INSERT INTO event_counters (organization_id, last) VALUES ({of}, {many});
         ANALYZE events;"
    );
    execute(world, insert).await;
}

async fn read_page(world: &World, key: &Pair, after: i64) -> Value {
    let answer = world.get(&format!("{EVENTS}?type={RARE}&after={after}"), key).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    answer.body
}

async fn a_call_looks_at_so_many_events_and_says_where_to_go_on(world: World) {
    // Given an organization with 12,000 events, of which only the last has a rare type,
    let busy = world.organization_on("Busy", "Unlimited").await;
    let key = world.key_of(busy).await;
    with_events(&world, busy, 12_000, OFTEN).await;

    // when a client searches for that type, then each call examines this many events
    for (after, next) in [(0, LOOKED_AT), (LOOKED_AT, 2 * LOOKED_AT), (300, LOOKED_AT + 300)] {
        let page = read_page(&world, &key, after).await;
        assert_eq!(page["data"], json!([]));
        assert_eq!(
            page["pagination"],
            json!({"limit": 50, "after": after, "has_more": true, "next_after": next})
        );
    }
    // until the event is found and no events are left.
    let last = read_page(&world, &key, 2 * LOOKED_AT).await;
    assert_eq!(last["data"].as_array().unwrap().len(), 1);
    assert_eq!(last["data"][0]["sequence"], 12_000);
    assert_eq!(
        last["pagination"],
        json!({"limit": 50, "after": 10_000, "has_more": false, "next_after": 12_000})
    );

    // A search from a future sequence examines nothing.
    let future = read_page(&world, &key, 12_000).await;
    assert_eq!(
        future["pagination"],
        json!({"limit": 50, "after": 12_000, "has_more": false, "next_after": 12_000})
    );
}

async fn deleted_events_are_not_scanned(world: World) {
    // Given an organization whose first 11,000 events have been deleted,
    let busy = world.organization_on("Busy", "Unlimited").await;
    let key = world.key_of(busy).await;
    with_events(&world, busy, 12_000, OFTEN).await;
    execute(&world, "DELETE FROM events WHERE sequence <= 11000".to_owned()).await;

    // when a client searches for the rare type from the beginning, then the first call finds
    // it.
    let found = read_page(&world, &key, 0).await;
    assert_eq!(found["data"][0]["sequence"], 12_000);
    assert_eq!(found["pagination"]["has_more"], false);

    // When all events have been deleted, then the call returns the end of the sequence.
    execute(&world, "DELETE FROM events".to_owned()).await;
    let none = read_page(&world, &key, 0).await;
    assert_eq!(
        none["pagination"],
        json!({"limit": 50, "after": 0, "has_more": false, "next_after": 12_000})
    );
}

async fn a_page_that_is_full_says_that_more_remain(world: World) {
    // Given more events of a type than fit on a page, when they are read page by page, then
    // none is skipped.
    let busy = world.organization_on("Busy", "Unlimited").await;
    let key = world.key_of(busy).await;
    with_events(&world, busy, 301, RARE).await;
    let (mut after, mut found) = (0, 0);
    loop {
        let answer =
            world.get(&format!("{EVENTS}?type={RARE}&limit=100&after={after}"), &key).await;
        found += answer.body["data"].as_array().unwrap().len();
        after = answer.body["pagination"]["next_after"].as_i64().unwrap();
        if answer.body["pagination"]["has_more"] == false {
            break;
        }
    }
    assert_eq!(found, 301);
    assert_eq!(after, 301);
}

async fn a_neighbour_is_not_slowed_by_those_who_look_for_a_rare_kind(world: World) {
    // Given an organization with half a million events, and another organization
    let busy = world.organization_on("Busy", "Unlimited").await;
    let key = world.key_of(busy).await;
    with_events(&world, busy, MANY, OFTEN).await;
    let alone = p99_of_a_neighbour(&world).await;

    // when sixteen callers search for a rare type without a pause,
    let stop = AtomicBool::new(false);
    let caller = async || {
        let mut after = 0;
        while !stop.load(Ordering::Relaxed) {
            let path = format!("{EVENTS}?type={RARE}&after={after}");
            let page = world.request(Method::GET, &path, &key).send().await.unwrap();
            let page: Value = page.json().await.unwrap();
            let more = page["pagination"]["has_more"] == true;
            after = if more { page["pagination"]["next_after"].as_i64().unwrap() } else { 0 };
        }
    };
    let neighbour = async {
        let p99 = p99_of_a_neighbour(&world).await;
        stop.store(true, Ordering::Relaxed);
        p99
    };
    let (p99, _) =
        tokio::join!(neighbour, futures_util::future::join_all((0..16).map(|_| caller())));

    // then the other organization's calls are not much slower.
    println!("the neighbour's p99: {alone:?} alone, {p99:?} beside 16 callers");
    assert!(
        p99 < 3 * alone.max(Duration::from_millis(50)),
        "{alone:?} alone, {p99:?} beside 16 callers"
    );
}

/// Returns the 99th percentile of the duration of another organization's calls, made one after
/// another.
async fn p99_of_a_neighbour(world: &World) -> Duration {
    let mut all = Vec::new();
    for _ in 0..400 {
        let begun = Stopwatch::start();
        let answer = world.request(Method::GET, "/api/v1/me", &world.key).send().await.unwrap();
        assert_eq!(answer.status(), 200);
        all.push(begun.elapsed());
    }
    all.sort_unstable();
    all[all.len() * 99 / 100]
}

on_both_databases! {
    a_call_looks_at_so_many_events_and_says_where_to_go_on,
    deleted_events_are_not_scanned,
    a_page_that_is_full_says_that_more_remain,
    a_neighbour_is_not_slowed_by_those_who_look_for_a_rare_kind,
}
