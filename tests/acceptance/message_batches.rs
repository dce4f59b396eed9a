//! Several messages with one request (`docs/contract.md#send-a-batch`).

use crate::events::events;
use crate::world::{Answer, World, on_both_databases};
use domain::keyword::Keyword as _;
use domain::scope::Scope;
use platform::clock::Stopwatch;
use reqwest::Method;
use serde_json::{Value, json};
use std::time::Duration;

const BATCH: &str = "/api/v1/messages/batch";
const SEND: &str = "/api/v1/messages";

fn text(number: usize, text: &str) -> Value {
    let phone_number = format!("+1202555{number:04}");
    json!({"type": "text", "phone_number": phone_number, "text": text})
}

fn batch(messages: &[Value]) -> Value {
    json!({ "messages": messages })
}

async fn send(world: &World, messages: &[Value]) -> Answer {
    let answer = world.post(BATCH, &world.key, &batch(messages)).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    answer
}

fn statuses(answer: &Answer) -> Vec<u64> {
    let results = answer.body["results"].as_array().unwrap();
    results.iter().map(|it| it["status"].as_u64().unwrap()).collect()
}

async fn each_message_of_a_batch_is_judged_by_itself(world: World) {
    // Given messages of which some are wrong, each in its own way,
    let mut named = text(1, "Hello");
    named["client_ref"] = json!("first");
    let messages = [
        named,
        json!({"type": "text", "phone_number": "+12025550002"}),
        json!(5),
        text(3, "Hello"),
        json!({"type": "text", "phone_number": "+12025550004", "text": "Hello", "nmae": "x"}),
        json!({"type": "text", "contact_id": "ctc_01h455vb4pex5vsknk084sn02q", "text": "Hello"}),
        json!({"type": "text", "phone_number": "+12025550005", "text": "a\u{0}b"}),
        json!({"type": "text", "phone_number": "+12025550006", "text": "Hello", "as": "agent"}),
        json!({"type": "text", "phone_number": "+12025550007", "text": "Hello", "dry_run": true}),
        text(1, "Again"),
    ];
    // when they are sent together,
    let answer = send(&world, &messages).await;
    // then each has the result that it would have alone,
    assert_eq!(statuses(&answer), [201, 422, 422, 201, 422, 404, 422, 422, 200, 201]);
    let results = answer.body["results"].as_array().unwrap();
    assert_eq!(results[0]["message"]["client_ref"], "first");
    assert_eq!(results[0]["message"]["status"], "queued");
    assert!(results[0].get("error").is_none());
    assert_eq!(results[1]["error"]["code"], "validation_failed");
    assert_eq!(results[1]["error"]["details"][0]["field"], "text");
    assert!(results[1].get("message").is_none());
    assert_eq!(results[4]["error"]["details"][0]["field"], "nmae");
    assert_eq!(results[5]["error"]["code"], "not_found");
    assert_eq!(results[7]["error"]["details"][0]["field"], "as");
    assert_eq!(results[8]["message"]["valid"], true);
    for (place, message) in messages.iter().enumerate().filter(|(place, _)| *place != 7) {
        let alone = world.post(SEND, &world.key, message).await;
        let expected = results[place]["status"].as_u64().unwrap();
        assert_eq!(u64::from(alone.status), expected, "{message}: {}", alone.text);
        if alone.status >= 400 {
            let mut error = alone.body;
            error.as_object_mut().unwrap().remove("request_id");
            assert_eq!(results[place]["error"], error);
        }
    }
    // and what is accepted is in the history, in order, with its events.
    let first = results[0]["message"]["id"].as_str().unwrap();
    let found = world.get(&format!("{SEND}/{first}"), &world.key).await;
    assert_eq!(found.body["text"], "Hello");
    let history = world.history("+12025550001").await;
    let texts: Vec<&Value> = history.iter().map(|it| &it["text"]).collect();
    assert_eq!(texts, ["Hello", "Again", "Hello", "Again"]);
    let queued = events(&world, &world.key).await;
    let queued = queued.iter().filter(|it| it["type"] == "message.queued").count();
    assert_eq!(queued, 6);
}

async fn a_body_that_is_no_batch_is_refused_as_a_whole(world: World) {
    let many: Vec<Value> = (0..101).map(|it| text(it, "Hello")).collect();
    for (body, field) in [
        (json!({}), "messages"),
        (json!({"messages": null}), "messages"),
        (json!({"messages": []}), "messages"),
        (json!({"messages": {}}), "messages"),
        (batch(&many), "messages"),
        (json!({"messages": [text(1, "Hello")], "dry_run": true}), "dry_run"),
        (json!([text(1, "Hello")]), ""),
    ] {
        let answer = world.post(BATCH, &world.key, &body).await;
        answer.is_problem(422, "validation_failed");
        assert_eq!(answer.body["details"][0]["field"], field, "{}", answer.text);
    }
    let request = world.request(Method::POST, BATCH, &world.key);
    let request = request.header("content-type", "application/json").body("{\"messages\": [");
    Answer::of(request).await.is_problem(400, "invalid_json");
    // More than 1 MiB is refused whatever it holds.
    let large: Vec<Value> = (0..100)
        .map(|it| {
            let mut message = text(it, &"x".repeat(4096));
            message["metadata"] = json!(
                (0..20)
                    .map(|it| (format!("{it}"), "y".repeat(400)))
                    .collect::<std::collections::BTreeMap<_, _>>()
            );
            message
        })
        .collect();
    world.post(BATCH, &world.key, &batch(&large)).await.is_problem(413, "payload_too_large");
    assert!(events(&world, &world.key).await.is_empty());
}

async fn a_repeated_batch_is_sent_once(world: World) {
    let messages = [text(1, "Hello"), json!({"type": "text"}), text(2, "Hello")];
    let first = world.post_once(BATCH, "once", &batch(&messages)).await;
    assert_eq!(statuses(&first), [201, 422, 201]);
    let second = world.post_once(BATCH, "once", &batch(&messages)).await;
    assert_eq!(second.text, first.text);
    assert_eq!(second.header("idempotent-replayed"), "true");
    let other = world.post_once(BATCH, "once", &batch(&messages[..1])).await;
    other.is_problem(422, "idempotency_key_reused");
    assert_eq!(world.history("+12025550001").await.len(), 1);
    // A batch of which nothing is accepted is stored, too.
    let refused = batch(&[json!({"type": "text"})]);
    let first = world.post_once(BATCH, "refused", &refused).await;
    assert_eq!(world.post_once(BATCH, "refused", &refused).await.text, first.text);
    // Of two at the same time, the messages of one are sent.
    let body = batch(&[text(3, "Hello"), text(4, "Hello")]);
    let (one, other) =
        tokio::join!(world.post_once(BATCH, "twin", &body), world.post_once(BATCH, "twin", &body));
    assert!([one.status, other.status].contains(&200), "{} {}", one.text, other.text);
    assert_eq!(world.history("+12025550003").await.len(), 1);
}

async fn the_allowance_admits_the_first_messages(world: World) {
    // Given a plan with an allowance of 50 messages,
    world.plan("Fifty", true, None, Some(50)).await;
    let organization = world.organization_on("Small", "Fifty").await;
    world.number(organization, "+12025550195").await;
    let key = world.key_with(organization, Scope::ALL, None, 0).await;
    // when a batch of 60 is sent, then the first 50 are accepted,
    let messages: Vec<Value> = (0..60).map(|it| text(it, "Hello")).collect();
    let answer = world.post(BATCH, &key, &batch(&messages)).await;
    let statuses = statuses(&answer);
    assert!(statuses[..50].iter().all(|status| *status == 201), "{}", answer.text);
    assert!(statuses[50..].iter().all(|status| *status == 403), "{}", answer.text);
    let error = &answer.body["results"][50]["error"];
    assert_eq!(error["code"], "plan_limit_exceeded");
    assert_eq!(error["resource"], "messages");
    assert_eq!(error["used"], 50);
    // and the limit is reported once.
    let reached = events(&world, &key).await;
    assert_eq!(reached.iter().filter(|it| it["type"] == "plan.limit_reached").count(), 1);
}

async fn each_message_counts_as_a_call(world: World) {
    // Given a plan with 10 calls a day and a key with 6 calls a minute,
    world.plan("Ten", true, Some(10), None).await;
    let organization = world.organization_on("Small", "Ten").await;
    world.number(organization, "+12025550196").await;
    let key = world.key_with(organization, Scope::ALL, None, 6).await;
    // when a batch of 4 is sent, then 4 calls are counted.
    let messages: Vec<Value> = (0..4).map(|it| text(it, "Hello")).collect();
    let answer = world.post(BATCH, &key, &batch(&messages)).await;
    assert_eq!(statuses(&answer), [201; 4]);
    let limits = answer.header("ratelimit");
    assert!(limits.starts_with("\"key\";r=2;"), "{limits}");
    assert!(limits.contains("\"plan\";r=6;"), "{limits}");
    // Of a second batch, the messages beyond the rate limit are refused.
    let answer = world.post(BATCH, &key, &batch(&messages)).await;
    assert_eq!(statuses(&answer), [201, 201, 429, 429]);
    let error = &answer.body["results"][2]["error"];
    assert_eq!(error["code"], "rate_limited");
    assert!(error["retry_after"].as_u64().is_some_and(|it| it > 0), "{error}");
    world.post(BATCH, &key, &batch(&messages)).await.is_problem(429, "rate_limited");
    // A minute later 4 calls of the day are left.
    world.advance(Duration::from_secs(61));
    let messages: Vec<Value> = (0..6).map(|it| text(it, "Hello")).collect();
    let answer = world.post(BATCH, &key, &batch(&messages)).await;
    assert_eq!(statuses(&answer), [201, 201, 201, 201, 403, 403]);
    assert_eq!(answer.body["results"][4]["error"]["resource"], "api_calls");
}

async fn a_batch_is_faster_than_its_messages_alone(world: World) {
    // Warmed up,
    send(&world, &[text(9_999, "Hello")]).await;
    world.post(SEND, &world.key, &text(9_998, "Hello")).await;
    // when 100 messages are sent together and 25 alone,
    let messages: Vec<Value> = (0..100).map(|it| text(it, "Hello")).collect();
    let begin = Stopwatch::start();
    let answer = send(&world, &messages).await;
    let together = begin.elapsed();
    assert_eq!(statuses(&answer), [201; 100]);
    let begin = Stopwatch::start();
    for number in 100..125 {
        let alone = world.post(SEND, &world.key, &text(number, "Hello")).await;
        assert_eq!(alone.status, 201);
    }
    let alone = begin.elapsed();
    // then the batch is faster than as many messages alone.
    assert!(together < alone * 4, "{together:?} {alone:?}");
}

on_both_databases! {
    each_message_of_a_batch_is_judged_by_itself,
    a_body_that_is_no_batch_is_refused_as_a_whole,
    a_repeated_batch_is_sent_once,
    the_allowance_admits_the_first_messages,
    each_message_counts_as_a_call,
    a_batch_is_faster_than_its_messages_alone,
}
