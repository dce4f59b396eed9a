//! Messages that the organization sends from the `WhatsApp` app on its phone.

use super::{deletion_fields, edit_fields, events_of, inbound_callback};
use crate::cloud::{Cloud, MINUTE, PERSON, PERSON_THERE, SECOND, from_person, on_both_clouds};
use crate::world::graph::callbacks;
use serde_json::{Value, json};
use service::inbox::find_by_words;

const HISTORY: &str = "/api/v1/conversations/history";

/// Builds a callback with one message that the organization sent to a contact from the phone.
fn echo_callback_to(person: &Value, id: &str, second: i64, fields: &Value) -> Value {
    let mut callback = inbound_callback(id, second, fields);
    let change = &mut callback["entry"][0]["changes"][0];
    change["field"] = json!("smb_message_echoes");
    let value = change["value"].as_object_mut().unwrap();
    let mut echoes = value.remove("messages").unwrap();
    value.remove("contacts");
    echoes[0]["from"] = json!("15550783881");
    echoes[0].as_object_mut().unwrap().extend(person.as_object().unwrap().clone());
    value.insert("message_echoes".to_owned(), echoes);
    callback
}

fn echo_callback(id: &str, second: i64, fields: &Value) -> Value {
    echo_callback_to(&json!({"to": PERSON_THERE}), id, second, fields)
}

fn text_fields(body: &str) -> Value {
    json!({"type": "text", "text": {"body": body}})
}

async fn conversation(cloud: &Cloud) -> Value {
    cloud.get(&format!("{HISTORY}?phone_number={PERSON_THERE}"), &cloud.key).await.body["conversation"].clone()
}

async fn a_phone_message_is_in_its_place_and_pauses_the_agent(cloud: Cloud) {
    cloud.advance(MINUTE);
    // Given a conversation that a contact began,
    cloud.post_callback(&from_person("wamid.A").text("Hello")).await;
    let before = conversation(&cloud).await;
    assert_eq!(before["ai_agent"], "running");
    // when the organization replies from the phone, and the callback comes twice,
    let mut answer = text_fields("Hi there");
    answer["context"] = json!({"from": PERSON_THERE, "id": "wamid.A"});
    let callback = echo_callback("wamid.B", 5, &answer);
    cloud.report(&callback).await;
    cloud.post_callback(&callback).await;
    cloud.post_callback(&from_person("wamid.C").text("Thanks")).await;
    // then the reply is in its place with status `sent`, and the agent is paused once.
    let history = cloud.history(PERSON).await;
    assert_eq!(history.len(), 3);
    let echo = &history[1];
    for (field, value) in [
        ("direction", "outbound"),
        ("source", "phone"),
        ("status", "sent"),
        ("type", "text"),
        ("text", "Hi there"),
        ("sent_at", "2026-11-21T12:00:05.999Z"),
    ] {
        assert_eq!(echo[field], value, "{field}");
    }
    assert_eq!(echo["reply_to"], history[0]["id"]);
    assert_eq!(conversation(&cloud).await["ai_agent"], "paused");
    assert_eq!(events_of(&cloud, "message.sent").await, std::slice::from_ref(echo));
    assert_eq!(events_of(&cloud, "conversation.agent_paused").await.len(), 1);
    assert_eq!(events_of(&cloud, "message.queued").await.len(), 0);
    // The reply is not sent to the channel, and does not count against the allowance.
    assert_eq!(cloud.graph.accepted().len(), 0);
    let me = cloud.get("/api/v1/me", &cloud.key).await.body;
    assert_eq!(me["plan"]["messages"]["used"], 0, "{me}");
    assert!(cloud.is_idle().await);
}

async fn a_status_that_comes_before_its_phone_message_is_applied(cloud: Cloud) {
    cloud.advance(MINUTE);
    // Given a status that comes before its message,
    cloud.report(&cloud.status_callback("wamid.A", None, "delivered")).await;
    cloud.post_callback(&echo_callback("wamid.A", 0, &text_fields("Hi"))).await;
    cloud.advance_by(2, SECOND * 10).await;
    assert_eq!(cloud.history(PERSON).await[0]["status"], "delivered");
    cloud.post_callback(&cloud.status_callback("wamid.A", None, "sent")).await;
    cloud.post_callback(&cloud.status_callback("wamid.A", None, "read")).await;
    let echo = cloud.history(PERSON).await.remove(0);
    assert_eq!(echo["status"], "read");
    assert!(echo["delivered_at"].is_string());
    assert!(echo["read_at"].is_string());
    for (kind, times) in [("message.sent", 1), ("message.delivered", 1), ("message.read", 1)] {
        assert_eq!(events_of(&cloud, kind).await.len(), times, "{kind}");
    }
    assert!(cloud.is_idle().await);
}

async fn a_late_phone_message_is_placed_by_its_time(cloud: Cloud) {
    // Given a conversation over an hour, with a message that waits because the channel is down,
    cloud.post_callback(&from_person("wamid.A").text("one")).await;
    cloud.advance(MINUTE * 10);
    cloud.text(PERSON, "three").await;
    cloud.settle().await;
    cloud.advance(MINUTE * 10);
    cloud.graph.down(true).await;
    let waits = cloud.text(PERSON, "five").await;
    cloud.settle().await;
    // when messages from the phone are reported late and in the wrong order,
    for (id, minute, body) in
        [("wamid.D", 15, "four"), ("wamid.B", 5, "two"), ("wamid.0", -5, "zero")]
    {
        cloud.post_callback(&echo_callback(id, minute * 60, &text_fields(body))).await;
    }
    // then each is in its place,
    let read = async || -> Vec<String> {
        cloud
            .history(PERSON)
            .await
            .iter()
            .map(|it| it["text"].as_str().unwrap().to_owned())
            .collect()
    };
    let expected = ["zero", "one", "two", "three", "four", "five"];
    assert_eq!(read().await, expected);
    // on each page and in both directions,
    for (order, offset, expected) in [("asc", 1, ["one", "two"]), ("desc", 1, ["four", "three"])] {
        let page = cloud
            .get(
                &format!(
                    "{HISTORY}?phone_number={PERSON_THERE}&order={order}&offset={offset}&limit=2"
                ),
                &cloud.key,
            )
            .await
            .body;
        let texts: Vec<&str> = page["data"]
            .as_array()
            .unwrap()
            .iter()
            .map(|it| it["text"].as_str().unwrap())
            .collect();
        assert_eq!(texts, expected.to_vec());
        assert_eq!(page["pagination"]["total"], 6);
    }
    // and the waiting messages are sent once and in order when the channel is back.
    let next = cloud.text(PERSON, "six").await;
    cloud.graph.down(false).await;
    cloud.advance_by(8, SECOND * 20).await;
    assert_eq!(cloud.accepted(&waits).len(), 1);
    assert_eq!(cloud.accepted(&next).len(), 1);
    assert_eq!(cloud.texts(), ["three", "five", "six"]);
    assert_eq!(read().await, [&expected[..], &["six"]].concat());
    // The window is unchanged, and a contact's late message is placed where it arrived.
    cloud.post_callback(&from_person("wamid.L").text("late")).await;
    assert_eq!(read().await.last().unwrap(), "late");
    assert!(cloud.is_idle().await);
}

async fn a_message_can_be_edited_and_deleted_on_the_phone(cloud: Cloud) {
    cloud.advance(MINUTE);
    // Given a message from the phone and one from the API,
    cloud.post_callback(&echo_callback("wamid.A", 0, &text_fields("Tuesday"))).await;
    let id = cloud.text(PERSON, "Your total is 10").await;
    cloud.settle().await;
    let wamid = cloud.accepted(&id)[0].wamid.clone();
    // when the organization edits and deletes both on the phone,
    cloud.advance(SECOND);
    cloud.post_callback(&echo_callback("wamid.B", 20, &edit_fields("wamid.A", "Wednesday"))).await;
    cloud.post_callback(&echo_callback("wamid.C", 30, &deletion_fields("wamid.A"))).await;
    cloud.post_callback(&echo_callback("wamid.D", 40, &deletion_fields(&wamid))).await;
    // then they are edited and deleted, and there is no other message.
    let history = cloud.history(PERSON).await;
    assert_eq!(history.len(), 2);
    let echo = &history[0];
    assert_eq!(echo["text"], "Wednesday");
    assert_eq!(echo["previous_versions"][0]["text"], "Tuesday");
    assert!(echo["deleted_at"].is_string());
    assert_eq!(history[1]["text"], "Your total is 10");
    assert!(history[1]["deleted_at"].is_string());
    assert_eq!(events_of(&cloud, "message.sent").await[0]["text"], "Tuesday");
    // A contact cannot edit them.
    cloud.post_callback(&inbound_callback("wamid.E", 50, &edit_fields("wamid.A", "Never"))).await;
    assert_eq!(cloud.history(PERSON).await[0]["text"], "Wednesday");
}

async fn a_phone_message_opens_no_window_and_may_begin_a_conversation(cloud: Cloud) {
    // Given contacts to whom only the organization has written, one of them without a phone
    // number,
    cloud.post_callback(&echo_callback("wamid.A", 0, &text_fields("We are open"))).await;
    let user = "US.13491208655302741918";
    cloud
        .post_callback(&echo_callback_to(
            &json!({"to_user_id": user, "to_parent_user_id": "US.ENT.1"}),
            "wamid.B",
            0,
            &text_fields("We are open"),
        ))
        .await;
    // then their conversations exist, and the customer service window is closed until the
    // contact replies.
    let begun = conversation(&cloud).await;
    assert_eq!(begun["window_expires_at"], Value::Null);
    assert_eq!(begun["ai_agent"], "paused");
    let page = cloud.get(&format!("{HISTORY}?channel_user_id={user}"), &cloud.key).await.body;
    assert_eq!(page["data"][0]["source"], "phone");
    assert_eq!(page["conversation"]["contact"]["channel_parent_user_id"], "US.ENT.1");
    let answer = cloud
        .post(
            crate::cloud::SEND,
            &cloud.key,
            &json!({"type": "text", "phone_number": PERSON, "text": "Hi"}),
        )
        .await;
    assert_eq!(answer.body["warnings"], json!(["window_closed"]));
    for kind in
        ["contact.created", "conversation.created", "conversation.agent_paused", "message.sent"]
    {
        assert_eq!(events_of(&cloud, kind).await.len(), 2, "{kind}");
    }
}

async fn each_type_of_phone_message_is_shown_and_files_are_fetched(cloud: Cloud) {
    cloud.graph.put_file("7", "image/jpeg", &b"\xff\xd8\xff\xe0 a picture"[..]);
    let place = json!({"latitude": 1.5, "longitude": 2.0});
    let file = json!({
        "type": "image",
        "image": {"id": "7", "mime_type": "image/jpeg", "caption": "Look"},
    });
    let all = callbacks::merge(vec![
        echo_callback("wamid.A", 0, &json!({"type": "location", "location": place})),
        echo_callback("wamid.B", 1, &file),
        echo_callback("wamid.C", 2, &json!({"type": "poll", "poll": {"name": "When?"}})),
    ]);
    cloud.post_callback(&all).await;
    let history = cloud.history(PERSON).await;
    assert_eq!(history[0]["location"], place);
    assert_eq!(history[1]["media"]["caption"], "Look");
    assert_eq!(history[2]["unsupported"]["type"], "poll");
    assert!(history[1]["media"]["url"].is_string(), "{}", history[1]);
    assert!(history.iter().all(|it| it["source"] == "phone"));
}

async fn groups_are_passed_over_and_what_cannot_be_read_is_kept(cloud: Cloud) {
    cloud
        .post_callback(&echo_callback_to(
            &json!({"to": PERSON_THERE, "group_id": "g"}),
            "wamid.A",
            0,
            &text_fields("All"),
        ))
        .await;
    cloud
        .post_callback(&echo_callback_to(&json!({"to": "x"}), "wamid.B", 0, &text_fields("Nobody")))
        .await;
    assert_eq!(cloud.history(PERSON).await.len(), 0);
    let listed =
        crate::operators::admin(cloud.database_url(), &["callback", "list", "--limit", "10"]).await;
    let letters = listed["data"].as_array().unwrap();
    assert_eq!(letters.len(), 1);
    assert_eq!(letters[0]["kind"], "echo");
    assert_eq!(letters[0]["reason"], "no_phone_number");
}

async fn words_of_a_phone_message_are_found_in_the_inbox(cloud: Cloud) {
    // Given a search that follows the events,
    cloud.advance(MINUTE);
    cloud.post_callback(&from_person("wamid.A").text("Hello")).await;
    let deps = &cloud.server.deps;
    workers::search::run_until_idle(deps).await.unwrap();
    // when the organization replies from the phone,
    cloud.post_callback(&echo_callback("wamid.B", 5, &text_fields("Tuesday suits us"))).await;
    workers::search::run_until_idle(deps).await.unwrap();
    // then the conversation is found by a word of the reply.
    let id = conversation(&cloud).await["id"].as_str().unwrap().to_owned();
    let found = find_by_words(deps, cloud.organization, "tuesday").await.unwrap();
    assert_eq!(found, [id.parse().unwrap()]);
}

on_both_clouds! {
    words_of_a_phone_message_are_found_in_the_inbox,
    a_phone_message_is_in_its_place_and_pauses_the_agent,
    a_status_that_comes_before_its_phone_message_is_applied,
    a_late_phone_message_is_placed_by_its_time,
    a_message_can_be_edited_and_deleted_on_the_phone,
    a_phone_message_opens_no_window_and_may_begin_a_conversation,
    each_type_of_phone_message_is_shown_and_files_are_fetched,
    groups_are_passed_over_and_what_cannot_be_read_is_kept,
}
