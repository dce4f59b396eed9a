//! The event that the customer service window is about to close (`docs/contract.md#webhooks`).

use crate::events::events;
use crate::world::{World, on_both_databases};
use serde_json::{Value, json};
use std::time::Duration;

const PERSON: &str = "+12025550143";
const HOUR: Duration = Duration::from_hours(1);

async fn write(world: &World, text: &str) {
    let body = json!({"phone_number": PERSON, "text": text});
    let answer = world.post("/api/v1/sandbox/inbound", &world.key, &body).await;
    assert_eq!(answer.status, 201, "{}", answer.text);
    live_through(world, Duration::from_secs(1)).await;
}

/// Lets time pass, most of it at once, and the inbox follow.
async fn live_through(world: &World, time: Duration) {
    world.settle().await;
    let end = time.min(Duration::from_secs(2));
    world.advance(time.saturating_sub(end));
    world.live_through(end).await;
    workers::inbox::run_until_idle(&world.server.deps).await.unwrap();
}

async fn closing(world: &World) -> Vec<Value> {
    let all = events(world, &world.key).await.into_iter();
    all.filter(|it| it["type"] == "conversation.window_closing").collect()
}

async fn a_window_without_an_answer_is_reported_an_hour_before_it_closes(world: World) {
    // Given a person who wrote last, when 23 hours have passed, then that is an event, once.
    write(&world, "Hello?").await;
    live_through(&world, Duration::from_secs(23 * 3600 - 5)).await;
    assert!(closing(&world).await.is_empty());
    live_through(&world, Duration::from_secs(10)).await;
    let found = closing(&world).await;
    assert_eq!(found.len(), 1);
    assert_eq!(found[0]["data"]["phone_number"], PERSON);
    let closes_at = found[0]["data"]["window_closes_at"].as_str().unwrap();
    assert!(closes_at.starts_with("2026-11-22T12:00:0"), "{closes_at}");
    live_through(&world, HOUR * 2).await;
    assert_eq!(closing(&world).await.len(), 1);
    // A new message opens a new window.
    write(&world, "Hello again?").await;
    live_through(&world, HOUR * 23).await;
    assert_eq!(closing(&world).await.len(), 2);
}

async fn an_answered_person_has_no_closing_window(world: World) {
    write(&world, "Hello?").await;
    let answer = json!({"type": "text", "phone_number": PERSON, "text": "Good morning"});
    let sent = world.post("/api/v1/messages", &world.key, &answer).await;
    assert_eq!(sent.status, 201, "{}", sent.text);
    live_through(&world, HOUR * 23 + Duration::from_secs(10)).await;
    assert!(closing(&world).await.is_empty());
}

async fn a_window_that_closed_while_no_server_ran_is_not_reported(world: World) {
    write(&world, "Hello?").await;
    live_through(&world, HOUR * 25).await;
    assert!(closing(&world).await.is_empty());
}

on_both_databases! {
    a_window_without_an_answer_is_reported_an_hour_before_it_closes,
    an_answered_person_has_no_closing_window,
    a_window_that_closed_while_no_server_ran_is_not_reported,
}
