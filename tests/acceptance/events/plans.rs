//! The event of a reached limit is recorded once per period.

use super::{SEND, are_gapless, events, kinds};
use crate::world::{Pair, World, on_both_databases, settings};
use api_types::event::Envelope;
use delivery::cli::start;
use domain::id::OrganizationId;
use futures_util::future::join_all;
use serde_json::{Value, json};
use std::time::Duration;

const LIMIT: &str = "plan.limit_reached";
const ME: &str = "/api/v1/me";

/// Returns the `plan.limit_reached` events of an organization from the database, because reading
/// them with the API would count as a call.
async fn limit_events(world: &World, of: OrganizationId) -> Vec<Value> {
    let reported = world.server.deps.db.organization(of).events_after(0, 1000).await.unwrap();
    let reported = reported
        .into_iter()
        .map(|reported| serde_json::to_value(Envelope::from(reported)).unwrap());
    reported.filter(|event| event["type"] == LIMIT).map(|event| event["data"].clone()).collect()
}

async fn on_plan(
    world: &World,
    calls: Option<u32>,
    messages: Option<u32>,
) -> (OrganizationId, Pair) {
    world.plan("Small", true, calls, messages).await;
    let small = world.organization_on("Small", "Small").await;
    world.number(small, "+12025550195").await;
    (small, world.key_of(small).await)
}

fn text_message(number: u32) -> Value {
    json!({"type": "text", "phone_number": format!("+1202555{number:04}"), "text": "Hello"})
}

async fn the_last_message_of_the_month_records_the_limit(world: World) {
    // Given an allowance of three messages a month,
    let (small, key) = on_plan(&world, None, Some(3)).await;
    for number in 0..2 {
        assert_eq!(world.post(SEND, &key, &text_message(number)).await.status, 201);
    }
    assert_eq!(limit_events(&world, small).await, Vec::<Value>::new());

    // when the third message is sent, then the event follows those of the message at once,
    assert_eq!(world.post(SEND, &key, &text_message(2)).await.status, 201);
    let all = events(&world, &key).await;
    assert_eq!(kinds(&all).last(), Some(&LIMIT));
    assert_eq!(all.last().unwrap()["account_id"], json!(null));
    let reported = json!({
        "resource": "messages",
        "limit": 3,
        "used": 3,
        "resets_at": "2026-12-01T00:00:00.000Z",
    });
    assert_eq!(limit_events(&world, small).await, std::slice::from_ref(&reported));

    // is not repeated when more messages are rejected,
    for number in 3..6 {
        world.post(SEND, &key, &text_message(number)).await.is_problem(403, "plan_limit_exceeded");
    }
    assert_eq!(limit_events(&world, small).await, [reported]);

    // and is recorded again in the next month.
    world.advance(Duration::from_hours(24 * 12));
    for number in 0..4 {
        world.post(SEND, &key, &text_message(number)).await;
    }
    let again = limit_events(&world, small).await;
    assert_eq!(again.len(), 2);
    assert_eq!(again[1]["resets_at"], "2027-01-01T00:00:00.000Z");
}

async fn a_lowered_limit_is_reported_by_the_first_refusal(world: World) {
    let (small, key) = on_plan(&world, None, None).await;
    for number in 0..5 {
        assert_eq!(world.post(SEND, &key, &text_message(number)).await.status, 201);
    }
    world.plan("Small", true, None, Some(2)).await;
    for _ in 0..2 {
        world.post(SEND, &key, &text_message(9)).await.is_problem(403, "plan_limit_exceeded");
    }
    let reported = limit_events(&world, small).await;
    assert_eq!(reported.len(), 1);
    assert_eq!(reported[0]["limit"], 2);
    assert_eq!(reported[0]["used"], 5);
}

async fn parallel_messages_at_the_limit_record_it_once(world: World) {
    let (small, key) = on_plan(&world, None, Some(10)).await;
    let bodies: Vec<Value> = (0..40).map(text_message).collect();
    let answers = join_all(bodies.iter().map(|body| world.post(SEND, &key, body))).await;
    assert_eq!(answers.iter().filter(|answer| answer.status == 201).count(), 10);
    assert_eq!(limit_events(&world, small).await.len(), 1);
    let all = events(&world, &key).await;
    are_gapless(&all);
    assert_eq!(kinds(&all).iter().filter(|kind| **kind == "message.queued").count(), 10);
}

async fn the_last_call_of_the_day_records_the_limit(world: World) {
    // Given a ceiling of five calls a day,
    let (small, key) = on_plan(&world, Some(5), None).await;
    for _ in 0..4 {
        assert_eq!(world.get(ME, &key).await.status, 200);
    }
    assert_eq!(limit_events(&world, small).await, Vec::<Value>::new());
    // when the fifth call is made, and others are rejected, then the event is recorded once,
    assert_eq!(world.get(ME, &key).await.status, 200);
    let reported = json!({
        "resource": "api_calls",
        "limit": 5,
        "used": 5,
        "resets_at": "2026-11-22T00:00:00.000Z",
    });
    assert_eq!(limit_events(&world, small).await, std::slice::from_ref(&reported));
    for _ in 0..3 {
        world.get(ME, &key).await.is_problem(403, "plan_limit_exceeded");
    }
    world.settle().await;
    world.get(ME, &key).await.is_problem(403, "plan_limit_exceeded");
    assert_eq!(limit_events(&world, small).await, [reported]);
    // and again on the next day.
    world.advance(Duration::from_hours(24));
    for _ in 0..7 {
        world.get(ME, &key).await;
    }
    assert_eq!(limit_events(&world, small).await.len(), 2);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_servers_record_a_reached_limit_once() {
    let world = World::on_postgres().await;
    let (small, key) = on_plan(&world, Some(20), None).await;
    let second = start(settings(world.database_url()), world.clock.clone(), false).await.unwrap();
    let other = format!("http://{}", second.address);
    let calls = (0..60).map(|turn| {
        let base = if turn % 2 == 0 { &world.base } else { &other };
        let request = world.http.get(format!("{base}{ME}"));
        let request = request.header("x-client-id", &key.client_id);
        request.header("x-client-secret", &key.client_secret).send()
    });
    let answers = join_all(calls).await;
    assert_eq!(answers.iter().filter(|it| it.as_ref().unwrap().status() == 200).count(), 20);
    assert_eq!(limit_events(&world, small).await.len(), 1);
}

on_both_databases! {
    the_last_message_of_the_month_records_the_limit,
    a_lowered_limit_is_reported_by_the_first_refusal,
    parallel_messages_at_the_limit_record_it_once,
    the_last_call_of_the_day_records_the_limit,
}
