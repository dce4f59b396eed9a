//! `Idempotency-Key`: a repeated POST gets the first response again
//! (`docs/contract.md#idempotency`).

use crate::credentials::with_credentials;
use crate::world::{Answer, Pair, World, on_both_databases, settings};
use delivery::cli::start;
use domain::keyword::Keyword as _;
use domain::scope::Scope;
use futures_util::future::join_all;
use reqwest::Method;
use serde_json::{Value, json};
use std::time::Duration;

const ME: &str = "/api/v1/me";
const SEND: &str = "/api/v1/messages";
const TEMPLATE: &str = "/api/v1/messages/template";
const HISTORY: &str = "/api/v1/conversations/history";
const TO: &str = "+12025550102";
const DAY: Duration = Duration::from_hours(24);

fn text_message(said: &str) -> Value {
    json!({"type": "text", "phone_number": TO, "text": said})
}

/// Asserts that `answer` is a replay of `first`.
#[track_caller]
fn is_replay(answer: &Answer, first: &Answer) {
    assert_eq!(first.header("idempotent-replayed"), "", "the first was no replay");
    assert_eq!(answer.header("idempotent-replayed"), "true", "{}", answer.text);
    assert_eq!(answer.status, first.status, "{}", answer.text);
    assert_eq!(answer.text, first.text);
    assert_eq!(answer.header("content-type"), "application/json");
    assert_ne!(answer.header("x-request-id"), first.header("x-request-id"));
}

async fn count_used(world: &World, what: &str) -> Value {
    world.get(ME, &world.key).await.body["plan"][what]["used"].clone()
}

async fn a_send_that_comes_again_is_answered_and_not_sent(world: World) {
    // Given a message that was sent,
    let first = world.post_once(SEND, "order-1", &text_message("Hello")).await;
    assert_eq!(first.status, 201, "{}", first.text);

    // when the same request is repeated, also after the message was delivered,
    for _ in 0..3 {
        world.live_through(Duration::from_secs(1)).await;
        // then each response equals the first one byte for byte,
        is_replay(&world.post_once(SEND, "order-1", &text_message("Hello")).await, &first);
    }

    // and there is only one message.
    let history = world.history(TO).await;
    assert_eq!(history.len(), 1);
    assert_eq!(history[0]["id"], first.body["id"]);
    assert_eq!(count_used(&world, "messages").await, 1);
}

async fn another_body_under_the_same_name_is_refused(world: World) {
    let first = world.post_once(SEND, "order-1", &text_message("Hello")).await;
    world
        .post_once(SEND, "order-1", &text_message("Goodbye"))
        .await
        .is_problem(422, "idempotency_key_reused");
    world.post_once(SEND, "order-1", &json!({})).await.is_problem(422, "idempotency_key_reused");
    is_replay(&world.post_once(SEND, "order-1", &text_message("Hello")).await, &first);
    assert_eq!(world.history(TO).await.len(), 1);
}

async fn a_name_belongs_to_one_key_and_one_path(world: World) {
    // Given an idempotency key that an API key has used on one path,
    let first = world.post_once(SEND, "order-1", &text_message("Hello")).await;
    assert_eq!(first.status, 201);

    // when another API key of the organization uses it, then that is another request,
    let other = world.key_of(world.organization).await;
    let request = world.request(Method::POST, SEND, &other).json(&text_message("Hello"));
    let second = Answer::of(request.header("idempotency-key", "order-1")).await;
    assert_eq!(second.status, 201);
    assert_eq!(second.header("idempotent-replayed"), "");
    assert_ne!(second.body["id"], first.body["id"]);

    // and so it is on another path,
    let template = json!({"to": TO, "template_name": "hello", "language": "en"});
    let third = world.post_once(TEMPLATE, "order-1", &template).await;
    assert_eq!(third.status, 201, "{}", third.text);
    assert_eq!(third.header("idempotent-replayed"), "", "{}", third.text);
    let read = world.post_once(HISTORY, "order-1", &json!({"phone_number": TO})).await;
    assert_eq!(read.status, 200, "{}", read.text);
    assert_eq!(read.header("idempotent-replayed"), "", "{}", read.text);

    // with another idempotency key, and without one.
    assert_eq!(
        world
            .post_once(SEND, "Order-1", &text_message("Hello"))
            .await
            .header("idempotent-replayed"),
        ""
    );
    assert_eq!(
        world.post(SEND, &world.key, &text_message("Hello")).await.header("idempotent-replayed"),
        ""
    );
    assert_eq!(world.history(TO).await.len(), 5);
}

async fn an_answer_is_kept_for_a_day(world: World) {
    let first = world.post_once(SEND, "order-1", &text_message("Hello")).await;
    world.advance(DAY.saturating_sub(Duration::from_millis(1)));
    is_replay(&world.post_once(SEND, "order-1", &text_message("Hello")).await, &first);

    // A replay does not extend the time for which the response is stored.
    world.advance(Duration::from_millis(2));
    let again = world.post_once(SEND, "order-1", &text_message("Goodbye")).await;
    assert_eq!(again.status, 201, "{}", again.text);
    assert_eq!(again.header("idempotent-replayed"), "", "{}", again.text);
    assert_ne!(again.body["id"], first.body["id"]);
    is_replay(&world.post_once(SEND, "order-1", &text_message("Goodbye")).await, &again);
    assert_eq!(world.history(TO).await.len(), 2);
}

async fn answers_older_than_a_day_are_replaced_in_a_batch(world: World) {
    // Given stored responses that are more than a day old,
    let names: Vec<_> = (0..40).map(|number| format!("order-{number}")).collect();
    let send = |name: &String| {
        let (world, name) = (&world, name.clone());
        async move { world.post_once(SEND, &name, &text_message(&name)).await }
    };
    let before = join_all(names.iter().step_by(7).map(send)).await;
    world.advance(DAY + Duration::from_millis(1));

    // when their idempotency keys are used again, in one batch with new ones,
    let after = join_all(names.iter().map(send)).await;

    // then each request is handled once, like a new one,
    let mut ids: Vec<_> = before.iter().chain(&after).map(|it| it.text_of("id")).collect();
    for answer in &after {
        assert_eq!(answer.status, 201, "{}", answer.text);
        assert_eq!(answer.header("idempotent-replayed"), "", "{}", answer.text);
    }
    ids.sort();
    ids.dedup();
    assert_eq!(ids.len(), before.len() + names.len());
    // and its response is stored.
    for (name, first) in names.iter().zip(&after) {
        is_replay(&send(name).await, first);
    }
}

async fn rejections_are_replayed(world: World) {
    // Given requests that were rejected because of their content,
    let unknown =
        json!({"type": "text", "contact_id": "ctc_01h455vb4pex5vsknk084sn02q", "text": "Hello"});
    let refused =
        [(json!({"type": "text"}), 422, "validation_failed"), (unknown, 404, "not_found")];
    for (body, status, code) in refused {
        let first = world.post_once(SEND, code, &body).await;
        first.is_problem(status, code);

        // when they are repeated, then the response is the first one with the first one's
        // request id.
        let again = world.post_once(SEND, code, &body).await;
        is_replay(&again, &first);
        assert_eq!(again.text_of("request_id"), first.header("x-request-id"));
    }

    // A rejection because of the allowance is replayed too, even if the allowance was raised in
    // the meantime.
    world.plan("Unlimited", true, None, Some(0)).await;
    let first = world.post_once(SEND, "allowance", &text_message("Hello")).await;
    first.is_problem(403, "plan_limit_exceeded");
    world.plan("Unlimited", true, None, None).await;
    is_replay(&world.post_once(SEND, "allowance", &text_message("Hello")).await, &first);
    assert_eq!(world.history(TO).await.len(), 0);
}

async fn a_rate_limited_answer_is_not_stored(world: World) {
    // Given a key that has used up its rate limit of one call a minute,
    let key = world.key_with(world.organization, Scope::ALL, None, 1).await;
    assert_eq!(world.get(ME, &key).await.status, 200);
    let send = || {
        let request = world.request(Method::POST, SEND, &key).json(&text_message("Hello"));
        Answer::of(request.header("idempotency-key", "order-1"))
    };

    // when a send is rejected and repeated after the wait, then the message is sent,
    send().await.is_problem(429, "rate_limited");
    world.advance(Duration::from_mins(1));
    let first = send().await;
    assert_eq!(first.status, 201, "{}", first.text);
    assert_eq!(first.header("idempotent-replayed"), "", "{}", first.text);

    // and a replay counts against the rate limit like any call.
    send().await.is_problem(429, "rate_limited");
    world.advance(Duration::from_mins(1));
    is_replay(&send().await, &first);
}

async fn one_of_many_concurrent_requests_is_handled(world: World) {
    for round in 0..5 {
        // Given an idempotency key, when fifty requests use it at once,
        let name = format!("round-{round}");
        let body = text_message(&name);
        let answers = join_all((0..50).map(|_| world.post_once(SEND, &name, &body))).await;

        // then one is handled, and the others get a conflict or its response.
        only_one_was_done(&answers);
        assert_eq!(world.history(TO).await.len(), round + 1);
    }
}

async fn a_replay_is_a_call_and_no_message(world: World) {
    // Given an allowance of one message and a ceiling of five calls,
    world.plan("Unlimited", true, Some(5), Some(1)).await;
    let first = world.post_once(SEND, "order-1", &text_message("Hello")).await;
    assert_eq!(first.status, 201);
    for left in [3, 2] {
        // when the send is repeated, then the replay counts as a call,
        let again = world.post_once(SEND, "order-1", &text_message("Hello")).await;
        is_replay(&again, &first);
        assert_eq!(again.header("ratelimit"), format!("\"plan\";r={left};t=43200"));
    }
    // but not as a message.
    let me = world.get(ME, &world.key).await;
    assert_eq!(me.body["plan"]["messages"]["used"], 1);
    assert_eq!(me.body["plan"]["api_calls"]["used"], 4);
    world
        .post(SEND, &world.key, &text_message("Hello"))
        .await
        .is_problem(403, "plan_limit_exceeded");

    // When no call is left, then even a replay is rejected.
    let refused = world.post_once(SEND, "order-1", &text_message("Hello")).await;
    refused.is_problem(403, "plan_limit_exceeded");
    assert_eq!(refused.body["resource"], "api_calls");
}

async fn a_name_is_visible_ascii_and_given_once(world: World) {
    let long = "x".repeat(255);
    for name in ["!", "~", "order/1?\"'\\", long.as_str()] {
        assert_eq!(world.post_once(SEND, name, &text_message("Hello")).await.status, 201, "{name}");
    }
    for name in ["", &"x".repeat(256), "two words", "tab\there"] {
        let answer = world.post_once(SEND, name, &text_message("Hello")).await;
        answer.has_faults(&[("Idempotency-Key", "invalid_format")]);
    }
    let request = || world.request(Method::POST, SEND, &world.key).json(&text_message("Hello"));
    let latin = reqwest::header::HeaderValue::from_bytes(b"caf\xe9").unwrap();
    let answer = Answer::of(request().header("idempotency-key", latin)).await;
    answer.has_faults(&[("Idempotency-Key", "invalid_format")]);
    let twice = request().header("idempotency-key", "a").header("idempotency-key", "a");
    Answer::of(twice).await.has_faults(&[("Idempotency-Key", "duplicate")]);
    assert_eq!(world.history(TO).await.len(), 4);
}

async fn checks_and_look_ups_are_kept_as_well(world: World) {
    // Given a dry run and a read by POST,
    let dry = json!({"type": "text", "phone_number": TO, "text": "Hello", "dry_run": true});
    let checked = world.post_once(SEND, "check", &dry).await;
    assert_eq!(checked.status, 200, "{}", checked.body);
    assert_eq!(checked.body["valid"], json!(true));
    let wanted = json!({"phone_number": TO});
    let read = world.post_once(HISTORY, "read", &wanted).await;
    assert_eq!(read.status, 200, "{}", read.body);
    assert_eq!(read.body["data"], json!([]));

    // when they are repeated after things have changed, then the responses are the old ones,
    assert_eq!(world.post(SEND, &world.key, &text_message("Hello")).await.status, 201);
    is_replay(&world.post_once(SEND, "check", &dry).await, &checked);
    is_replay(&world.post_once(HISTORY, "read", &wanted).await, &read);

    // and the real send needs another idempotency key.
    world
        .post_once(SEND, "check", &text_message("Hello"))
        .await
        .is_problem(422, "idempotency_key_reused");

    // A GET is never replayed, even with an idempotency key.
    let path = format!("{HISTORY}?phone_number=%2B12025550102");
    for total in 1..=2 {
        let request = world.request(Method::GET, &path, &world.key);
        let answer = Answer::of(request.header("idempotency-key", "get")).await;
        assert_eq!(answer.header("idempotent-replayed"), "");
        assert_eq!(answer.body["pagination"]["total"], json!(total));
        assert_eq!(world.post(SEND, &world.key, &text_message("Hello")).await.status, 201);
    }
}

/// Asserts that one response is the first, and that all others with status 201 are replays of it.
#[track_caller]
fn only_one_was_done(answers: &[Answer]) {
    let done: Vec<_> = answers.iter().filter(|it| it.status == 201).collect();
    let (again, first): (Vec<&Answer>, Vec<&Answer>) =
        done.iter().copied().partition(|it| it.headers.contains_key("idempotent-replayed"));
    assert_eq!(first.len(), 1, "one was done, not {}", first.len());
    for answer in again {
        is_replay(answer, first[0]);
    }
    for answer in answers.iter().filter(|it| it.status != 201) {
        answer.is_problem(409, "idempotency_in_progress");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_of_many_concurrent_requests_on_two_servers_is_handled() {
    one_is_done_on_two_servers(text_message, 10).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_of_many_concurrent_agent_answers_on_two_servers_is_handled() {
    let as_agent = |said: &str| {
        let mut body = text_message(said);
        body["as"] = json!("agent");
        body
    };
    // An agent sends at most three messages in a row.
    one_is_done_on_two_servers(as_agent, 3).await;
}

async fn one_is_done_on_two_servers(message: impl Fn(&str) -> Value, rounds: usize) {
    // Given two servers on one database,
    let world = World::on_postgres().await;
    let second =
        start(settings(world.database_url()), world.clock.clone(), false).await.expect("it starts");
    let second = format!("http://{}", second.address);
    let send = |base: &str, key: &Pair, name: &str| {
        let request =
            with_credentials(world.http.post(format!("{base}{SEND}")), key).json(&message(name));
        Answer::of(request.header("idempotency-key", name))
    };
    for round in 0..rounds {
        // when fifty requests with one idempotency key come to both at once, then one is handled,
        let name = format!("round-{round}");
        let bases = [&world.base, &second];
        let calls = (0..50).map(|number| send(bases[number % 2], &world.key, &name));
        let answers = join_all(calls).await;
        only_one_was_done(&answers);
        assert_eq!(world.history(TO).await.len(), round + 1);

        // and either server replays its response.
        let [here, there] = bases.map(|base| send(base, &world.key, &name));
        let (here, there) = (here.await, there.await);
        assert_eq!(here.status, 201);
        assert_eq!(here.header("idempotent-replayed"), "true");
        assert_eq!(there.status, 201);
        assert_eq!(there.header("idempotent-replayed"), "true");
        assert_eq!(here.text, there.text);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_error_is_not_stored_as_a_response() {
    // Given a database that cannot store a message,
    let world = World::on_postgres().await;
    let (client, connection) =
        tokio_postgres::connect(world.database_url(), tokio_postgres::NoTls).await.unwrap();
    let driver = tokio::spawn(connection);
    client.batch_execute("ALTER TABLE messages RENAME TO elsewhere").await.unwrap();

    // when a message is sent, then the error is a 500 or 503,
    let failed = world.post_once(SEND, "order-1", &text_message("Hello")).await;
    assert!([500, 503].contains(&failed.status), "{}", failed.text);
    assert!(!failed.text.contains("elsewhere") && !failed.text.contains("relation"));

    // and once the database works again, the same request succeeds.
    client.batch_execute("ALTER TABLE elsewhere RENAME TO messages").await.unwrap();
    let first = world.post_once(SEND, "order-1", &text_message("Hello")).await;
    assert_eq!(first.status, 201, "{}", first.text);
    assert_eq!(first.header("idempotent-replayed"), "", "{}", first.text);
    is_replay(&world.post_once(SEND, "order-1", &text_message("Hello")).await, &first);
    assert_eq!(world.history(TO).await.len(), 1);
    driver.abort();
}

on_both_databases! {
    a_send_that_comes_again_is_answered_and_not_sent,
    another_body_under_the_same_name_is_refused,
    a_name_belongs_to_one_key_and_one_path,
    an_answer_is_kept_for_a_day,
    answers_older_than_a_day_are_replaced_in_a_batch,
    rejections_are_replayed,
    a_rate_limited_answer_is_not_stored,
    one_of_many_concurrent_requests_is_handled,
    a_replay_is_a_call_and_no_message,
    a_name_is_visible_ascii_and_given_once,
    checks_and_look_ups_are_kept_as_well,
}
