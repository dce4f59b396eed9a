//! Messages that are sent later (`docs/contract.md#send-later`), and fallback templates.

use crate::connect::{Partner, connect_application};
use crate::dashboard::sign_in_member;
use crate::events::events;
use crate::template_creation::TEMPLATES;
use crate::world::{Answer, Pair, World, on_both_databases};
use domain::id::KeyId;
use domain::keyword::Keyword as _;
use domain::scope::Scope;
use domain::time::Timestamp;
use reqwest::Method;
use serde_json::{Value, json};
use std::time::Duration;

const SEND: &str = "/api/v1/messages";
const SCHEDULED: &str = "/api/v1/messages/scheduled";
const INBOUND: &str = "/api/v1/sandbox/inbound";
const PERSON: &str = "+12025550143";
const HOUR: Duration = Duration::from_hours(1);

fn text(text: &str) -> Value {
    json!({"type": "text", "phone_number": PERSON, "text": text})
}

/// Lets a long time pass: most of it at once.
async fn pass(world: &World, time: Duration) {
    world.settle().await;
    let end = time.min(Duration::from_secs(2));
    world.advance(time.saturating_sub(end));
    world.live_through(end).await;
}

/// Returns the time after this long, as a caller writes it.
fn after(world: &World, time: Duration) -> String {
    world.clock.now().plus(time).to_string()
}

async fn schedule(world: &World, mut body: Value, time: Duration) -> Answer {
    body["send_at"] = json!(after(world, time));
    let answer = world.post(SEND, &world.key, &body).await;
    assert_eq!(answer.status, 201, "{}", answer.text);
    assert_eq!(answer.body["status"], "scheduled", "{}", answer.text);
    answer
}

async fn find(world: &World, id: &str) -> Answer {
    world.get(&format!("{SEND}/{id}"), &world.key).await
}

async fn cancel(world: &World, id: &str) -> Answer {
    Answer::of(world.request(Method::DELETE, &format!("{SEND}/{id}"), &world.key)).await
}

/// Returns the ids of a page of scheduled messages.
fn listed(answer: &Answer) -> Vec<&str> {
    answer.body["data"].as_array().unwrap().iter().map(|it| it["id"].as_str().unwrap()).collect()
}

async fn texts(world: &World) -> Vec<String> {
    let history = world.history(PERSON).await;
    history.iter().map(|it| it["text"].as_str().unwrap_or_default().to_owned()).collect()
}

async fn template(world: &World, name: &str, category: &str) {
    let body = json!({
        "name": name, "language": "en", "category": category,
        "components": [{"type": "BODY", "text": "Hello there."}],
    });
    let made = world.post(TEMPLATES, &world.key, &body).await;
    assert_eq!(made.status, 201, "{}", made.text);
    world.live_through(Duration::from_secs(2)).await;
}

async fn a_message_is_sent_at_its_time(world: World) {
    // Given a message in an hour,
    let mut body = text("Later");
    body["client_ref"] = json!("reminder");
    let scheduled = schedule(&world, body, HOUR).await;
    let id = scheduled.text_of("id");
    assert_eq!(scheduled.body["phone_number"], PERSON);
    assert_eq!(scheduled.body["client_ref"], "reminder");
    assert_eq!(scheduled.body["type"], "text");
    assert_eq!(scheduled.body["canceled_at"], Value::Null);
    assert_eq!(find(&world, &id).await.body, scheduled.body);
    // when it is not time yet, then nothing is sent, counted or in the history.
    pass(&world, Duration::from_secs(3599)).await;
    assert_eq!(find(&world, &id).await.body["status"], "scheduled");
    assert!(texts(&world).await.is_empty());
    let me = world.get("/api/v1/me", &world.key).await;
    assert_eq!(me.body["plan"]["usage"]["messages"]["used"].as_u64().unwrap_or_default(), 0);
    world.post(SEND, &world.key, &text("Sooner")).await;
    // When its time comes, then it is sent, after what was sent before,
    world.live_through(Duration::from_secs(2)).await;
    let sent = find(&world, &id).await;
    assert_eq!(sent.body["status"], "delivered", "{}", sent.text);
    assert_eq!(sent.body["client_ref"], "reminder");
    assert_eq!(texts(&world).await, ["Sooner", "Later"]);
    // and it has its events.
    let all = events(&world, &world.key).await;
    let of_it = all.iter().filter(|it| it["data"]["id"] == json!(id));
    let kinds: Vec<&Value> = of_it.map(|it| &it["type"]).collect();
    assert_eq!(kinds, ["message.queued", "message.sent", "message.delivered"]);
    cancel(&world, &id).await.is_problem(409, "not_cancelable");
}

async fn a_scheduled_message_pauses_the_agent_when_it_goes(world: World) {
    let sent =
        world.post(INBOUND, &world.key, &json!({"phone_number": PERSON, "text": "Hi"})).await;
    assert_eq!(sent.status, 201, "{}", sent.text);
    world.live_through(Duration::from_secs(1)).await;
    schedule(&world, text("Later"), HOUR).await;
    let agent = async || {
        let conversations = world.get("/api/v1/conversations", &world.key).await;
        conversations.body["data"][0]["ai_agent"].clone()
    };
    pass(&world, Duration::from_secs(3598)).await;
    assert_eq!(agent().await, "running");
    world.live_through(Duration::from_secs(3)).await;
    assert_eq!(agent().await, "paused");
}

async fn messages_with_one_time_leave_in_order(world: World) {
    let mut batch = Vec::new();
    for number in 0..30 {
        let mut body = text(&format!("{number:02}"));
        body["send_at"] = json!(after(&world, HOUR));
        batch.push(body);
    }
    let answer =
        world.post("/api/v1/messages/batch", &world.key, &json!({"messages": batch})).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    let results = answer.body["results"].as_array().unwrap();
    assert!(results.iter().all(|it| it["status"] == 201 && it["message"]["status"] == "scheduled"));
    pass(&world, HOUR).await;
    let expected: Vec<String> = (0..30).map(|it| format!("{it:02}")).collect();
    assert_eq!(texts(&world).await, expected);
}

async fn a_message_is_canceled_before_its_time(world: World) {
    let id = schedule(&world, text("Never"), HOUR).await.text_of("id");
    // When it is canceled, then the answer and the message say so,
    let canceled = cancel(&world, &id).await;
    assert_eq!(canceled.status, 200, "{}", canceled.text);
    assert_eq!(canceled.body["status"], "canceled");
    assert!(canceled.body["canceled_at"].is_string());
    assert_eq!(find(&world, &id).await.body, canceled.body);
    let all = events(&world, &world.key).await;
    let event = all.iter().find(|it| it["type"] == "message.canceled").expect("the event");
    assert_eq!(event["data"], canceled.body);
    // it cannot be canceled again, and it is never sent.
    cancel(&world, &id).await.is_problem(409, "not_cancelable");
    pass(&world, HOUR * 2).await;
    assert!(texts(&world).await.is_empty());
    // A message that does not exist is not found, and neither is one of another number.
    cancel(&world, "msg_01h455vb4pex5vsknk084sn02q").await.is_problem(404, "not_found");
    let other = schedule(&world, text("Other"), HOUR).await.text_of("id");
    let second = world.number(world.organization, "+12025550192").await;
    let bound = world.key_with(world.organization, Scope::ALL, Some(second), 0).await;
    let path = format!("{SEND}/{other}");
    Answer::of(world.request(Method::DELETE, &path, &bound)).await.is_problem(404, "not_found");
    world.get(&path, &bound).await.is_problem(404, "not_found");
}

async fn a_cancel_that_races_with_the_time_has_one_winner(world: World) {
    for round in 0..12_u64 {
        let id = schedule(&world, text("Race"), HOUR).await.text_of("id");
        world.advance(HOUR);
        let race = async {
            // Either may begin first.
            tokio::time::sleep(Duration::from_millis(round % 4)).await; // real time: either side of the race begins first
            cancel(&world, &id).await
        };
        let (canceled, ()) = tokio::join!(race, world.settle());
        world.settle().await;
        let now = find(&world, &id).await;
        if canceled.status == 200 {
            assert_eq!(now.body["status"], "canceled");
        } else {
            canceled.is_problem(409, "not_cancelable");
            assert_ne!(now.body["status"], "canceled", "{}", now.text);
            assert_ne!(now.body["status"], "scheduled", "{}", now.text);
        }
    }
}

async fn a_scheduled_message_that_is_refused_at_its_time_fails(world: World) {
    template(&world, "spring_sale", "marketing").await;
    let body = json!({
        "type": "template", "phone_number": PERSON, "template_name": "spring_sale",
        "language": "en",
    });
    let id = schedule(&world, body, HOUR).await.text_of("id");
    // Given a person who opts out before the time,
    world.post(INBOUND, &world.key, &json!({"phone_number": PERSON, "text": "STOP"})).await;
    pass(&world, HOUR).await;
    // when the time comes, then the message fails and counts for nothing.
    let failed = find(&world, &id).await;
    assert_eq!(failed.body["status"], "failed", "{}", failed.text);
    assert_eq!(failed.body["error"]["code"], "recipient_opted_out");
    let all = events(&world, &world.key).await;
    let kinds: Vec<&Value> =
        all.iter().filter(|it| it["data"]["id"] == json!(id)).map(|it| &it["type"]).collect();
    assert_eq!(kinds, ["message.failed"]);
}

async fn a_month_of_waiting_ends_with_the_allowance_of_that_month(world: World) {
    // Given a plan with one message a month, and two messages in 30 days,
    world.plan("One", true, None, Some(1)).await;
    let organization = world.organization_on("Small", "One").await;
    world.number(organization, "+12025550195").await;
    let key = world.key_of(organization).await;
    let mut ids = Vec::new();
    for number in ["First", "Second"] {
        let mut body = text(number);
        body["send_at"] = json!(after(&world, HOUR * 24 * 30));
        let scheduled = world.post(SEND, &key, &body).await;
        assert_eq!(scheduled.status, 201, "{}", scheduled.text);
        ids.push(scheduled.text_of("id"));
        world.advance(Duration::from_millis(1));
    }
    // when the time comes, then one is sent and the other fails.
    pass(&world, HOUR * 24 * 30).await;
    world.live_through(Duration::from_secs(1)).await;
    let mut found = Vec::new();
    for id in ids {
        let message = world.get(&format!("{SEND}/{id}"), &key).await;
        found.push((message.body["status"].clone(), message.body["error"]["code"].clone()));
    }
    assert_eq!(
        found,
        [(json!("delivered"), Value::Null), (json!("failed"), json!("plan_limit_exceeded"))]
    );
}

async fn a_time_is_in_the_next_thirty_days(world: World) {
    let month = HOUR * 24 * 30;
    for (send_at, code) in [
        (json!(after(&world, Duration::ZERO)), "out_of_range"),
        (json!("2020-01-01T00:00:00Z"), "out_of_range"),
        (json!(after(&world, month + Duration::from_secs(1))), "out_of_range"),
        (json!(after(&world, HOUR * 24 * 31)), "out_of_range"),
        (json!("tomorrow"), "invalid_format"),
        (json!("2026-11-22"), "invalid_format"),
        (json!(5), "wrong_type"),
    ] {
        let mut body = text("Hello");
        body["send_at"] = send_at.clone();
        let answer = world.post(SEND, &world.key, &body).await;
        answer.is_problem(422, "validation_failed");
        assert_eq!(answer.body["details"][0]["field"], "send_at");
        assert_eq!(answer.body["details"][0]["code"], code, "{send_at}: {}", answer.text);
    }
    // The edges count, and so does any offset.
    schedule(&world, text("Soon"), Duration::from_millis(1)).await;
    schedule(&world, text("Late"), month).await;
    let mut body = text("Offset");
    body["send_at"] = json!("2026-11-22T01:30:00-05:00");
    let answer = world.post(SEND, &world.key, &body).await;
    assert_eq!(answer.body["send_at"], "2026-11-22T06:30:00.000Z", "{}", answer.text);
    // An answer of an agent cannot wait, and a dry run schedules nothing.
    let mut body = text("Agent");
    (body["send_at"], body["as"]) = (json!(after(&world, HOUR)), json!("agent"));
    world.post(SEND, &world.key, &body).await.is_problem(422, "validation_failed");
    let mut body = text("Dry");
    (body["send_at"], body["dry_run"]) = (json!(after(&world, HOUR)), json!(true));
    assert_eq!(world.post(SEND, &world.key, &body).await.status, 200);
    let mut body =
        json!({"type": "text", "contact_id": "ctc_01h455vb4pex5vsknk084sn02q", "text": "x"});
    body["send_at"] = json!(after(&world, HOUR));
    world.post(SEND, &world.key, &body).await.is_problem(404, "not_found");
}

async fn a_change_of_summer_time_moves_no_message(world: World) {
    // Given the night in which New York's clocks go back, so that they show 01:30 twice,
    world.clock.set(Timestamp::parse("2027-11-07T05:00:00Z").unwrap());
    let mut ids = Vec::new();
    for (local, utc) in [
        ("2027-11-07T01:30:00-05:00", "2027-11-07T06:30:00.000Z"),
        ("2027-11-07T01:30:00-04:00", "2027-11-07T05:30:00.000Z"),
    ] {
        let mut body = text(local);
        body["send_at"] = json!(local);
        let answer = world.post(SEND, &world.key, &body).await;
        assert_eq!(answer.status, 201, "{local}");
        assert_eq!(answer.body["send_at"], json!(utc), "{local}");
        ids.push(answer.text_of("id"));
    }
    // when an hour passes, then the first 01:30 is over, and the second is not.
    pass(&world, HOUR).await;
    assert_eq!(texts(&world).await, ["2027-11-07T01:30:00-04:00"]);
    assert_eq!(find(&world, &ids[0]).await.body["status"], "scheduled");
    pass(&world, HOUR).await;
    assert_eq!(texts(&world).await, ["2027-11-07T01:30:00-04:00", "2027-11-07T01:30:00-05:00"]);
}

async fn many_messages_for_one_second_are_sent_once_each(world: World) {
    // Given 1,000 messages to 50 people for one second,
    let send_at = after(&world, HOUR);
    for part in 0..10 {
        world.advance(Duration::from_secs(1));
        let messages: Vec<Value> = (0..100)
            .map(|it| {
                let number = part * 100 + it;
                json!({
                    "type": "text", "phone_number": format!("+1202555{:04}", 7000 + number % 50),
                    "text": format!("{number:04}"), "send_at": send_at,
                })
            })
            .collect();
        let answer =
            world.post("/api/v1/messages/batch", &world.key, &json!({"messages": messages})).await;
        assert_eq!(answer.status, 200, "{}", answer.text);
    }
    // when their time comes, then a message to another person is accepted meanwhile,
    world.advance(HOUR);
    let body = text("Meanwhile");
    let (sooner, ()) = tokio::join!(world.post(SEND, &world.key, &body), world.settle());
    assert_eq!(sooner.status, 201, "{}", sooner.text);
    world.live_through(Duration::from_secs(2)).await;
    // and each person gets each of theirs once, in order.
    for person in 0..50 {
        let history = world.history(&format!("+1202555{:04}", 7000 + person)).await;
        let texts: Vec<&str> = history.iter().map(|it| it["text"].as_str().unwrap()).collect();
        let expected: Vec<String> = (0..20).map(|it| format!("{:04}", it * 50 + person)).collect();
        assert_eq!(texts, expected);
        assert!(history.iter().all(|it| it["status"] == "delivered"), "{history:?}");
    }
}

async fn a_repeated_request_schedules_once(world: World) {
    let mut body = text("Once");
    body["send_at"] = json!(after(&world, HOUR));
    let first = world.post_once(SEND, "once", &body).await;
    assert_eq!(first.status, 201, "{}", first.text);
    let second = world.post_once(SEND, "once", &body).await;
    assert_eq!(second.text, first.text);
    pass(&world, HOUR).await;
    assert_eq!(texts(&world).await, ["Once"]);
}

async fn a_closed_window_is_answered_with_the_fallback_template(world: World) {
    template(&world, "we_are_back", "utility").await;
    let mut body = text("Hello");
    body["fallback_template"] = json!({"template_name": "we_are_back", "language": "en"});
    // Given a closed window, when a text with a fallback is sent, then the template is,
    let sent = world.post(SEND, &world.key, &body).await;
    assert_eq!(sent.status, 201, "{}", sent.text);
    assert_eq!(sent.body["type"], "template");
    assert_eq!(sent.body["warnings"], json!(["fallback_used"]));
    let mut dry = body.clone();
    dry["dry_run"] = json!(true);
    let checked = world.post(SEND, &world.key, &dry).await;
    assert_eq!(checked.body["warnings"], json!(["fallback_used"]));
    assert_eq!(checked.body["rendered"], "Hello there.");
    // also at the time of a scheduled message.
    let id = schedule(&world, body.clone(), HOUR).await.text_of("id");
    pass(&world, HOUR).await;
    assert_eq!(find(&world, &id).await.body["type"], "template");
    // Once the person has written, the text is sent.
    world.post(INBOUND, &world.key, &json!({"phone_number": PERSON, "text": "Hi"})).await;
    world.live_through(Duration::from_secs(1)).await;
    let sent = world.post(SEND, &world.key, &body).await;
    assert_eq!(sent.body["type"], "text");
    assert_eq!(sent.body["warnings"], json!([]));
}

async fn messages_that_wait_are_listed_in_the_order_of_their_times(world: World) {
    // Given messages for different times, two of them for the same, and one that was canceled,
    let mut ids = Vec::new();
    for hours in [3, 1, 2, 2] {
        let waiting = schedule(&world, text("Later"), HOUR * hours).await;
        ids.push(waiting.text_of("id"));
    }
    let canceled = schedule(&world, text("Never"), HOUR).await.text_of("id");
    assert_eq!(cancel(&world, &canceled).await.status, 200);
    let second = world.number(world.organization, "+12025550192").await;
    let bound = world.key_with(world.organization, Scope::ALL, Some(second), 0).await;

    // when they are listed, then those that leave first come first, each as it is found by its id,
    let all = world.get(SCHEDULED, &world.key).await;
    assert_eq!(all.status, 200, "{}", all.text);
    let expected: Vec<_> = [1, 2, 3, 0].map(|it: usize| ids[it].as_str()).to_vec();
    assert_eq!(listed(&all), expected);
    assert_eq!(all.body["data"][0], find(&world, &ids[1]).await.body);
    assert_eq!(all.body["has_more"], false);
    assert_eq!(all.body["next_after"], Value::Null);
    // pages follow each other without a gap, also between two messages of the same time,
    let first = world.get(&format!("{SCHEDULED}?limit=2"), &world.key).await;
    assert_eq!(listed(&first), expected[..2]);
    assert_eq!(first.body["has_more"], true);
    let next = format!("{SCHEDULED}?limit=2&after={}", first.text_of("next_after"));
    let rest = world.get(&next, &world.key).await;
    assert_eq!(listed(&rest), expected[2..]);
    assert_eq!(rest.body["has_more"], false);
    // a key of another number sees none of them, and a cursor of another list is refused.
    assert!(listed(&world.get(SCHEDULED, &bound).await).is_empty());
    let wrong = world.get(&format!("{SCHEDULED}?after={}", ids[0]), &world.key).await;
    wrong.is_problem(422, "validation_failed");

    // When one of them has left, then it is not listed any more.
    pass(&world, HOUR).await;
    assert_eq!(listed(&world.get(SCHEDULED, &world.key).await), expected[1..]);
}

async fn a_fallback_template_is_judged_when_it_is_used(world: World) {
    let with = |fallback: Value| {
        let mut body = text("Hello");
        body["fallback_template"] = fallback;
        body
    };
    // A template that was rejected is refused while the window is closed.
    template(&world, "sale_rejected_promotional", "utility").await;
    let body = with(json!({"template_name": "sale_rejected_promotional", "language": "en"}));
    world.post(SEND, &world.key, &body).await.is_problem(422, "template_not_approved");
    // A scheduled message that would use it fails.
    let id = schedule(&world, body, HOUR).await.text_of("id");
    pass(&world, HOUR).await;
    let failed = find(&world, &id).await;
    assert_eq!(failed.body["status"], "failed");
    assert_eq!(failed.body["error"]["code"], "template_not_approved", "{}", failed.text);
    // Its form is checked at once.
    for (fallback, field) in [
        (json!({"language": "en"}), "fallback_template.template_name"),
        (json!({"template_name": "x", "language": "english!"}), "fallback_template.language"),
        (json!("x"), "fallback_template"),
        (json!({"template_name": "x", "language": "en", "x": 1}), "fallback_template.x"),
    ] {
        let answer = world.post(SEND, &world.key, &with(fallback)).await;
        answer.is_problem(422, "validation_failed");
        assert_eq!(answer.body["details"][0]["field"], field, "{}", answer.text);
    }
    let mut template = json!({
        "type": "template", "phone_number": PERSON, "template_name": "x", "language": "en",
    });
    template["fallback_template"] = json!({"template_name": "x", "language": "en"});
    world.post(SEND, &world.key, &template).await.is_problem(422, "validation_failed");
}

async fn id_of(world: &World, key: &Pair) -> KeyId {
    let db = world.server.deps.db.organization(world.organization);
    db.key_of_client_id(key.client_id.clone()).await.unwrap().expect("the key").id
}

/// Returns the key that is stored with a message.
async fn stored_key(world: &World, id: &str) -> Option<KeyId> {
    let db = world.server.deps.db.organization(world.organization);
    db.message(None, id.parse().unwrap()).await.unwrap().expect("the message").key_id
}

async fn a_scheduled_message_has_the_key_that_scheduled_it(world: World) {
    // Given messages that a key and a connected app schedule, alone and in a batch, and one that
    // will be refused,
    let mut browser = sign_in_member(&world).await;
    let partner = Partner::of(&world).await;
    let (_, app) = connect_application(&world, &mut browser, &partner).await;
    let (own, of_app) = (id_of(&world, &world.key).await, id_of(&world, &app).await);
    let at = |mut body: Value| {
        body["send_at"] = json!(after(&world, HOUR));
        body
    };
    let alone = world.post(SEND, &world.key, &at(text("Alone"))).await.text_of("id");
    let batch = json!({"messages": [at(text("In a batch"))]});
    let batched = world.post("/api/v1/messages/batch", &world.key, &batch).await;
    let batched = batched.body["results"][0]["message"]["id"].as_str().unwrap().to_owned();
    let missing = json!({
        "type": "template", "phone_number": PERSON, "template_name": "gone", "language": "en",
    });
    let refused = world.post(SEND, &world.key, &at(missing)).await.text_of("id");
    // and a row of an earlier version, which has only the key of the connection,
    let earlier = world.post(SEND, &app, &at(text("Earlier"))).await.text_of("id");
    let mut beside = world.beside().await;
    beside
        .execute("UPDATE scheduled_messages SET key_id = NULL WHERE connection_key_id IS NOT NULL")
        .await;
    let by_app = world.post(SEND, &app, &at(text("By the app"))).await.text_of("id");
    // then the page of a waiting message names the key,
    let waiting = browser.get(&format!("/messages/{alone}")).await;
    let link = format!("href=\"/integrations/keys/{own}\">Integration</a>");
    assert!(waiting.text.contains(&link), "{}", waiting.text);
    // and when their time comes, then each message has its key.
    pass(&world, HOUR).await;
    for (id, key) in [(&alone, own), (&batched, own), (&refused, own)] {
        assert_eq!(stored_key(&world, id).await, Some(key), "{id}");
    }
    for id in [&by_app, &earlier] {
        assert_eq!(stored_key(&world, id).await, Some(of_app), "{id}");
    }
    assert_eq!(find(&world, &refused).await.body["status"], "failed");
}

on_both_databases! {
    a_message_is_sent_at_its_time,
    a_scheduled_message_pauses_the_agent_when_it_goes,
    messages_with_one_time_leave_in_order,
    a_message_is_canceled_before_its_time,
    a_cancel_that_races_with_the_time_has_one_winner,
    a_scheduled_message_that_is_refused_at_its_time_fails,
    a_month_of_waiting_ends_with_the_allowance_of_that_month,
    a_time_is_in_the_next_thirty_days,
    a_change_of_summer_time_moves_no_message,
    many_messages_for_one_second_are_sent_once_each,
    a_repeated_request_schedules_once,
    a_closed_window_is_answered_with_the_fallback_template,
    a_fallback_template_is_judged_when_it_is_used,
    messages_that_wait_are_listed_in_the_order_of_their_times,
    a_scheduled_message_has_the_key_that_scheduled_it,
}
