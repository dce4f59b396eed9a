//! The sandbox's numbers and their behavior, and the order in which messages reach it.

use crate::template_creation::plain_template;
use crate::world::snapshot::with_numbered_ids;
use crate::world::{World, on_both_databases};
use serde_json::{Value, json};
use std::time::Duration;

const SEND: &str = "/api/v1/messages";
const SECOND: Duration = Duration::from_secs(1);

async fn send(world: &World, body: &Value) -> Value {
    let answer = world.post(SEND, &world.key, body).await;
    assert_eq!(answer.status, 201, "{}", answer.text);
    answer.body["id"].clone()
}

fn text_message(number: &str) -> Value {
    json!({"type": "text", "phone_number": number, "text": "Hello"})
}

fn template_message(number: &str) -> Value {
    json!({"type": "template", "phone_number": number, "template_name": "hello", "language": "en"})
}

/// Returns the history one second after a send, and asserts that nothing changes in three more
/// seconds.
async fn history_after(world: &World, body: &Value) -> Vec<Value> {
    let id = send(world, body).await;
    world.live_through(SECOND).await;
    let number = body["phone_number"].as_str().unwrap();
    let history = world.history(number).await;
    assert_eq!(history[0]["id"], id);
    world.live_through(SECOND * 3).await;
    assert_eq!(world.history(number).await, history);
    history
}

fn is_a_time(record: &Value, field: &str) -> bool {
    record[field].as_str().is_some_and(|time| time.starts_with("2026-11-21T12:00:0"))
}

/// Asserts that a message has this status, with a time for each step up to it and none for later
/// steps.
fn went_as_far_as(record: &Value, status: &str) {
    assert_eq!(record["status"], status, "{record}");
    assert_eq!(record["error"], json!(null));
    let steps = ["sent", "delivered", "read"];
    let last = steps.iter().position(|step| *step == status).unwrap();
    for (index, step) in steps.iter().enumerate() {
        assert_eq!(is_a_time(record, &format!("{step}_at")), index <= last, "{step}: {record}");
    }
}

async fn message_fails(world: &World, number: &str, code: &str, channel_code: i64) {
    let history = history_after(world, &text_message(number)).await;
    assert_eq!(history.len(), 1);
    assert_eq!(history[0]["status"], "failed");
    let error = history[0]["error"].as_object().unwrap();
    assert_eq!(error.len(), 3, "{error:?}");
    assert_eq!(error["code"], json!(code));
    assert_eq!(error["channel_code"], json!(channel_code));
    assert!(error["message"].as_str().is_some_and(|it| !it.is_empty()));
    assert!(!is_a_time(&history[0], "delivered_at") && !is_a_time(&history[0], "read_at"));
}

fn interactive_message(number: &str, kind: &str, action: &Value) -> Value {
    let interactive = json!({"type": kind, "body": {"text": "Well?"}, "action": action});
    json!({"type": "interactive", "phone_number": number, "interactive": interactive})
}

async fn statuses(world: &World, number: &str) -> Vec<String> {
    let history = world.history(number).await;
    history.iter().map(|it| it["status"].as_str().unwrap().to_owned()).collect()
}

async fn a_message_is_sent_delivered_read_and_echoed(world: World) {
    let history = history_after(&world, &text_message("+12025550100")).await;
    assert_eq!(history.len(), 2);
    went_as_far_as(&history[0], "read");
    assert_eq!(history[1]["text"], "Hello");
    assert_eq!(history[1]["direction"], "inbound");
    assert_eq!(history[1]["reply_to"], history[0]["id"]);
}

async fn a_message_is_delivered_and_never_read(world: World) {
    let history = history_after(&world, &text_message("+12025550101")).await;
    assert_eq!(history.len(), 1);
    went_as_far_as(&history[0], "delivered");
}

async fn a_message_is_sent_and_never_delivered(world: World) {
    let history = history_after(&world, &text_message("+12025550102")).await;
    assert_eq!(history.len(), 1);
    went_as_far_as(&history[0], "sent");
}

async fn any_other_number_gets_its_message_and_does_not_answer(world: World) {
    for number in ["+12025550110", "+4915112345678"] {
        let id = send(&world, &text_message(number)).await;
        world.live_through(SECOND).await;
        let history = world.history(number).await;
        assert_eq!(history.len(), 1);
        assert_eq!(history[0]["id"], id);
        went_as_far_as(&history[0], "delivered");
    }
}

async fn a_message_to_the_unreachable_number_fails(world: World) {
    message_fails(&world, "+12025550103", "recipient_unreachable", 131_026).await;
}

async fn the_person_has_opted_out(world: World) {
    message_fails(&world, "+12025550105", "recipient_opted_out", 131_050).await;
}

async fn a_template_that_nobody_has_made_is_refused_as_the_channel_would(world: World) {
    // Given the name of a template that does not exist, when it is sent, then the send is
    // accepted,
    for number in ["+12025550100", "+12025550103", "+12025550110"] {
        // and the message fails as it would in production.
        let history = history_after(&world, &template_message(number)).await;
        assert_eq!(history.len(), 1);
        assert_eq!(history[0]["status"], "failed");
        let error = &history[0]["error"];
        assert_eq!(error["code"], "template_not_found");
        assert_eq!(error["channel_code"], json!(132_001));
        assert!(error["message"].as_str().unwrap().contains("hello in en"), "{error}");
    }
    // Once the template is approved, it arrives, but not in a language in which it does not
    // exist.
    let made = world.post("/api/v1/templates", &world.key, &plain_template("hello")).await;
    assert_eq!(made.status, 201, "{}", made.text);
    world.live_through(SECOND * 2).await;
    send(&world, &template_message("+12025550111")).await;
    let mut german = template_message("+12025550112");
    german["language"] = json!("de");
    send(&world, &german).await;
    world.live_through(SECOND).await;
    assert_eq!(statuses(&world, "+12025550111").await, ["delivered"]);
    assert_eq!(statuses(&world, "+12025550112").await, ["failed"]);
}

async fn outside_the_window_free_form_fails_and_a_template_arrives(world: World) {
    message_fails(&world, "+12025550104", "window_closed", 131_047).await;
    let made = world.post("/api/v1/templates", &world.key, &plain_template("hello")).await;
    assert_eq!(made.status, 201, "{}", made.text);
    world.live_through(SECOND * 2).await;
    send(&world, &template_message("+12025550104")).await;
    world.live_through(SECOND).await;
    let history = world.history("+12025550104").await;
    assert_eq!(history.len(), 2);
    went_as_far_as(&history[1], "delivered");
}

async fn a_message_waits_while_the_channel_is_busy_and_then_goes(world: World) {
    let id = send(&world, &text_message("+12025550106")).await;
    // The sandbox refuses the message twice, 200 ms apart,
    world.live_through(Duration::from_millis(350)).await;
    assert_eq!(statuses(&world, "+12025550106").await, ["queued"]);
    // and accepts it the third time.
    world.live_through(Duration::from_millis(650)).await;
    let history = world.history("+12025550106").await;
    assert_eq!(history.len(), 1);
    assert_eq!(history[0]["id"], id);
    went_as_far_as(&history[0], "delivered");
}

async fn another_conversation_does_not_wait_behind_one_that_waits(world: World) {
    send(&world, &text_message("+12025550106")).await;
    send(&world, &text_message("+12025550110")).await;
    world.live_through(Duration::from_millis(250)).await;
    assert_eq!(statuses(&world, "+12025550106").await, ["queued"]);
    assert_eq!(statuses(&world, "+12025550110").await, ["delivered"]);
    world.live_through(SECOND).await;
    assert_eq!(statuses(&world, "+12025550106").await, ["delivered"]);
}

async fn messages_of_a_conversation_keep_their_order_though_each_has_to_wait(world: World) {
    // Given thirty messages, each of which the channel accepts only at the third attempt,
    let mut ids = Vec::new();
    for _ in 0..30 {
        ids.push(send(&world, &text_message("+12025550106")).await);
    }
    // when time passes,
    let mut earlier = 0;
    for _ in 0..150 {
        world.live_through(Duration::from_millis(100)).await;
        let found = statuses(&world, "+12025550106").await;
        let arrived = found.iter().take_while(|it| *it == "delivered").count();
        // then no message arrives before one that was accepted earlier,
        assert!(found.iter().skip(arrived).all(|it| it == "queued"), "{found:?}");
        assert!(arrived - earlier <= 1, "one by one: {found:?}");
        earlier = arrived;
    }
    // and all arrive once and in order.
    let history = world.history("+12025550106").await;
    assert_eq!(history.iter().map(|it| it["id"].clone()).collect::<Vec<_>>(), ids);
    assert_eq!(earlier, 30);
    let times: Vec<_> =
        history.iter().map(|it| it["sent_at"].as_str().unwrap().to_owned()).collect();
    assert!(times.is_sorted_by(|a, b| a < b), "{times:?}");
}

async fn late_and_repeated_statuses_never_lead_back(world: World) {
    send(&world, &text_message("+12025550107")).await;
    let order = ["queued", "sent", "delivered", "read"];
    let mut before = 0;
    let mut first_read = Value::Null;
    for _ in 0..20 {
        world.live_through(Duration::from_millis(50)).await;
        let record = world.history("+12025550107").await[0].clone();
        let now = order.iter().position(|it| record["status"] == *it).unwrap();
        assert!(now >= before, "{record}");
        before = now;
        if first_read.is_null() && record["status"] == "read" {
            first_read = record;
        } else if !first_read.is_null() {
            assert_eq!(record, first_read);
        }
    }
    went_as_far_as(&first_read, "read");
    let times = ["sent_at", "delivered_at", "read_at"].map(|it| first_read[it].as_str().unwrap());
    assert!(times.is_sorted(), "{times:?}");
    assert_eq!(world.history("+12025550107").await.len(), 1);
}

async fn the_first_button_is_tapped(world: World) {
    let buttons = json!({
        "buttons": [
            {"type": "reply", "reply": {"id": "yes", "title": "Yes"}},
            {"type": "reply", "reply": {"id": "no", "title": "No"}},
        ],
    });
    let history =
        history_after(&world, &interactive_message("+12025550108", "button", &buttons)).await;
    assert_eq!(history.len(), 2);
    went_as_far_as(&history[0], "read");
    insta::assert_compact_json_snapshot!(with_numbered_ids(&history[1]), @r#"
    {
      "id": "msg_1",
      "conversation_id": "conv_1",
      "contact_id": "ctc_1",
      "contact": {
        "id": "ctc_1",
        "phone_number": "+12025550108",
        "channel_user_id": null,
        "username": null,
        "name": null
      },
      "account_id": "acc_1",
      "direction": "inbound",
      "source": "customer",
      "type": "interactive",
      "text": null,
      "media": null,
      "interactive": {
        "type": "button_reply",
        "button_reply": {
          "id": "yes",
          "title": "Yes"
        }
      },
      "template": null,
      "status": "received",
      "error": null,
      "client_ref": null,
      "metadata": null,
      "reply_to": "msg_2",
      "created_at": "2026-11-21T12:00:00.600Z",
      "sent_at": null,
      "delivered_at": null,
      "read_at": null
    }
    "#);
    assert_eq!(history[1]["reply_to"], history[0]["id"]);
    assert_eq!(history[1]["conversation_id"], history[0]["conversation_id"]);
}

async fn the_first_row_of_a_list_is_tapped(world: World) {
    let rows = json!([
        {"id": "s", "title": "Small", "description": "For one"},
        {"id": "l", "title": "Large"},
    ]);
    let list = json!({"button": "Choose", "sections": [{"title": "Sizes", "rows": rows}]});
    let history = history_after(&world, &interactive_message("+12025550108", "list", &list)).await;
    assert_eq!(history.len(), 2);
    assert_eq!(
        history[1]["interactive"],
        json!({
            "type": "list_reply",
            "list_reply": {"id": "s", "title": "Small", "description": "For one"},
        })
    );
    assert_eq!(history[1]["reply_to"], history[0]["id"]);
}

async fn only_one_number_answers_requests(world: World) {
    let requests = [
        ("request_contact_info", "request_contact_info", "contacts"),
        ("location_request_message", "send_location", "location"),
        ("call_permission_request", "call_permission_request", "interactive"),
    ];
    for (request, action, answered) in requests {
        let action = json!({"name": action});
        // The numbers that only receive stay silent, and the one that echoes does nothing else.
        for number in ["+12025550101", "+12025550102", "+12025550107", "+12025550199"] {
            let earlier = world.history(number).await.len();
            let asked = interactive_message(number, request, &action);
            send(&world, &asked).await;
            world.live_through(SECOND * 3).await;
            assert_eq!(world.history(number).await.len(), earlier + 1, "{number} {request}");
        }
        send(&world, &interactive_message("+12025550100", request, &action)).await;
        send(&world, &interactive_message("+12025550108", request, &action)).await;
        world.live_through(SECOND * 3).await;
        assert_eq!(world.history("+12025550100").await.last().unwrap()["type"], "text");
        let history = world.history("+12025550108").await;
        assert_eq!(history.last().unwrap()["type"], answered, "{request}");
        assert_eq!(history.last().unwrap()["direction"], "inbound", "{request}");
    }
}

async fn a_message_without_buttons_gets_no_tap(world: World) {
    let history = history_after(&world, &text_message("+12025550108")).await;
    assert_eq!(history.len(), 1);
}

async fn one_number_replies_with_a_picture(world: World) {
    let history = history_after(&world, &text_message("+12025550109")).await;
    assert_eq!(history.len(), 2);
    insta::assert_compact_json_snapshot!(with_numbered_ids(&history[1]), @r#"
    {
      "id": "msg_1",
      "conversation_id": "conv_1",
      "contact_id": "ctc_1",
      "contact": {
        "id": "ctc_1",
        "phone_number": "+12025550109",
        "channel_user_id": null,
        "username": null,
        "name": null
      },
      "account_id": "acc_1",
      "direction": "inbound",
      "source": "customer",
      "type": "media",
      "text": null,
      "media": {
        "url": "https://api.example.com/media/med_1/image.png",
        "media_type": "image",
        "content_type": "image/png",
        "caption": "A picture from the sandbox",
        "filename": null
      },
      "interactive": null,
      "template": null,
      "status": "received",
      "error": null,
      "client_ref": null,
      "metadata": null,
      "reply_to": "msg_2",
      "created_at": "2026-11-21T12:00:00.600Z",
      "sent_at": null,
      "delivered_at": null,
      "read_at": null
    }
    "#);
    assert_eq!(history[1]["reply_to"], history[0]["id"]);
}

/// There is one word for each action of a contact, and of the organization in the `WhatsApp`
/// app on its phone.
async fn one_contact_performs_the_action_that_the_text_names(world: World) {
    let number = "+12025550130";
    let mut shown = Vec::new();
    for word in
        ["location", "contacts", "order", "ad", "forward", "edit", "Delete", "phone", "Hello"]
    {
        let body = json!({"type": "text", "phone_number": number, "text": word});
        let before = world.history(number).await.len();
        send(&world, &body).await;
        world.live_through(SECOND).await;
        let history = world.history(number).await;
        went_as_far_as(&history[before], "read");
        shown.extend(history.into_iter().skip(before + 1));
    }
    let types: Vec<&Value> = shown.iter().map(|it| &it["type"]).collect();
    assert_eq!(types, ["location", "contacts", "order", "text", "text", "text", "text", "text"]);
    assert_eq!(shown[0]["location"]["name"], "Sandbox");
    assert_eq!(shown[2]["order"]["text"], "Two, please");
    assert_eq!(shown[3]["referral"]["source_type"], "ad");
    assert_eq!(shown[4]["forwarded"], json!(true));
    assert_eq!(shown[5]["text"], "I meant Wednesday");
    assert_eq!(shown[5]["previous_versions"][0]["text"], "I meant Tuesday");
    assert!(shown[5]["edited_at"].is_string() && shown[6]["deleted_at"].is_string());
    assert_eq!(shown[7]["source"], "phone");
    assert_eq!(shown[7]["direction"], "outbound");
    assert_eq!(shown[7]["status"], "sent");
}

async fn an_inbound_message_does_not_count_as_sent(world: World) {
    for number in ["+12025550100", "+12025550109"] {
        history_after(&world, &text_message(number)).await;
    }
    let me = world.get("/api/v1/me", &world.key).await;
    assert_eq!(me.body["plan"]["messages"]["used"], 2);
}

on_both_databases! {
    a_message_is_sent_delivered_read_and_echoed,
    a_message_is_delivered_and_never_read,
    a_message_is_sent_and_never_delivered,
    any_other_number_gets_its_message_and_does_not_answer,
    a_message_to_the_unreachable_number_fails,
    the_person_has_opted_out,
    a_template_that_nobody_has_made_is_refused_as_the_channel_would,
    outside_the_window_free_form_fails_and_a_template_arrives,
    a_message_waits_while_the_channel_is_busy_and_then_goes,
    another_conversation_does_not_wait_behind_one_that_waits,
    messages_of_a_conversation_keep_their_order_though_each_has_to_wait,
    late_and_repeated_statuses_never_lead_back,
    the_first_button_is_tapped,
    the_first_row_of_a_list_is_tapped,
    only_one_number_answers_requests,
    a_message_without_buttons_gets_no_tap,
    one_number_replies_with_a_picture,
    one_contact_performs_the_action_that_the_text_names,
    an_inbound_message_does_not_count_as_sent,
}
