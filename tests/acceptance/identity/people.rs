//! Contacts whose phone number is unknown: they write, receive messages, and are kept apart.

use super::{HISTORY, OTHER_USER, Person, USER, events, events_of, history_of, on_number, texts};
use crate::cloud::{Cloud, MINUTE, NUMBER, PERSON, PERSON_THERE, SEND, on_both_clouds, refusal};
use crate::world::{World, on_both_databases};
use serde_json::{Value, json};
use std::time::Duration;

fn with_username() -> Person<'static> {
    Person { user: Some(USER), username: Some("realjessica"), name: Some("Jessica"), number: None }
}

fn with_both() -> Person<'static> {
    Person { number: Some(PERSON_THERE), user: Some(USER), ..Person::default() }
}

const MAGIC: &str = "US.12025550100";
/// The sandbox user who answers requests.
const MAGIC_ANSWERER: &str = "US.12025550108";

async fn the_sandbox_has_people_without_numbers(world: World) {
    // When a message is sent to a sandbox user id, then the contact reads and replies like the
    // corresponding number,
    let text = json!({"type": "text", "channel_user_id": MAGIC, "text": "Hello"});
    let sent = world.post(SEND, &world.key, &text).await;
    assert_eq!(sent.body["phone_number"], Value::Null);
    assert_eq!(sent.body["channel_user_id"], json!(MAGIC));
    world.live_through(Duration::from_secs(1)).await;
    let history = world.post(HISTORY, &world.key, &json!({"channel_user_id": MAGIC})).await;
    assert_eq!(texts(&history), ["Hello", "Hello"]);
    let contact = &history.body["conversation"]["contact"];
    assert_eq!(contact["username"], "sandbox.0100");
    assert_eq!(contact["phone_number"], Value::Null);
    // and the one that answers requests shares its phone number when asked for it.
    let asks = json!({
        "type": "request_contact_info",
        "body": {"text": "May we call you?"},
        "action": {"name": "request_contact_info"},
    });
    let asked =
        json!({"type": "interactive", "channel_user_id": MAGIC_ANSWERER, "interactive": asks});
    assert_eq!(world.post(SEND, &world.key, &asked).await.status, 201);
    world.live_through(Duration::from_secs(1)).await;
    let history = world.post(HISTORY, &world.key, &json!({"phone_number": "+12025550108"})).await;
    assert_eq!(history.body["conversation"]["contact"]["channel_user_id"], MAGIC_ANSWERER);
    assert_eq!(history.body["data"].as_array().unwrap().len(), 2);
}

async fn a_sender_without_a_number_becomes_a_contact(cloud: Cloud) {
    // Given a message from a contact with a username, which comes twice,
    let callback = with_username().text("wamid.A", 0, "Does it come in another color?");
    cloud.post_callback(&callback).await;
    cloud.post_callback(&callback).await;
    // then it is in the history of the user id once, with the sender's name.
    let history = history_of(&cloud, json!({"channel_user_id": USER})).await;
    assert_eq!(texts(&history), ["Does it come in another color?"]);
    let contact = &history.body["conversation"]["contact"];
    let shown = json!({
        "phone_number": null,
        "channel_user_id": USER,
        "channel_parent_user_id": null,
        "username": "realjessica",
        "name": "Jessica",
    });
    for (field, value) in shown.as_object().unwrap() {
        assert_eq!(&contact[field], value, "{field}");
    }
    let all = events(&cloud).await;
    let kinds: Vec<&Value> = all.iter().map(|it| &it["type"]).collect();
    assert_eq!(kinds, ["contact.created", "conversation.created", "message.received"]);
    assert_eq!(&all[0]["data"], contact);
    assert_eq!(all[1]["data"]["phone_number"], Value::Null);
    assert_eq!(all[1]["data"]["channel_user_id"], json!(USER));
}

async fn a_message_goes_to_the_user_id_where_no_number_is_known(cloud: Cloud) {
    cloud.post_callback(&with_username().text("wamid.A", 0, "Hello")).await;
    let history = history_of(&cloud, json!({"channel_user_id": USER})).await;
    let conversation = &history.body["conversation"];
    // When the contact is addressed by user id, contact id or conversation id,
    for named in [
        json!({"channel_user_id": USER}),
        json!({"contact_id": conversation["contact"]["id"]}),
        json!({"conversation_id": conversation["id"]}),
    ] {
        let mut body = json!({"type": "text", "text": "Yes"});
        body.as_object_mut().unwrap().extend(named.as_object().unwrap().clone());
        let answer = cloud.post(SEND, &cloud.key, &body).await;
        assert_eq!(answer.status, 201, "{}", answer.text);
        assert_eq!(answer.body["phone_number"], Value::Null);
        assert_eq!(answer.body["channel_user_id"], json!(USER));
        assert_eq!(answer.body["conversation_id"], conversation["id"]);
        assert_eq!(answer.body["warnings"], json!([]), "the window is open");
        let read = history_of(&cloud, named).await;
        assert_eq!(read.body["conversation"]["id"], conversation["id"]);
    }
    cloud.settle().await;
    // then the request to the channel contains the user id.
    for accepted in cloud.graph.accepted() {
        assert_eq!(accepted.body["recipient"], json!(USER));
        assert_eq!(accepted.body["to"], Value::Null);
    }
    assert_eq!(cloud.graph.accepted().len(), 3);
    cloud.all_in_shape();
}

async fn a_send_to_an_unknown_user_id_creates_a_contact(cloud: Cloud) {
    let body = json!({"type": "text", "channel_user_id": OTHER_USER, "text": "Hello"});
    let dry = cloud
        .post(
            SEND,
            &cloud.key,
            &json!({
                "type": "text",
                "channel_user_id": OTHER_USER,
                "text": "Hello",
                "dry_run": true,
            }),
        )
        .await;
    assert_eq!(dry.status, 200, "{}", dry.body);
    assert_eq!(dry.body["contact_id"], Value::Null);
    let first = cloud.post(SEND, &cloud.key, &body).await;
    let second = cloud.post(SEND, &cloud.key, &body).await;
    assert_eq!(first.body["contact_id"], second.body["contact_id"]);
    assert_eq!(events_of(&cloud, "contact.created").await.len(), 1);
}

async fn a_known_number_is_preferred_to_the_user_id(cloud: Cloud) {
    cloud.post_callback(&with_both().text("wamid.A", 0, "Hello")).await;
    let id = cloud.send(&json!({"type": "text", "channel_user_id": USER, "text": "Yes"})).await;
    cloud.settle().await;
    let accepted = cloud.accepted(&id).remove(0);
    assert_eq!(accepted.body["to"], json!(PERSON));
    assert_eq!(accepted.body["recipient"], Value::Null);
}

async fn messages_with_number_and_user_id_complete_one_contact(cloud: Cloud) {
    // Given a contact that is known by its number,
    let sent = cloud
        .post(SEND, &cloud.key, &json!({"type": "text", "phone_number": PERSON, "text": "Hello"}))
        .await;
    // when two messages come with number and user id,
    cloud.post_callback(&with_both().text("wamid.A", 0, "Hi")).await;
    cloud.post_callback(&with_both().text("wamid.B", 1, "Anybody there?")).await;
    // then the contact is the same, is found by both, and has one event.
    for named in [json!({"phone_number": PERSON}), json!({"channel_user_id": USER})] {
        let history = history_of(&cloud, named).await;
        assert_eq!(texts(&history), ["Hello", "Hi", "Anybody there?"]);
        assert_eq!(history.body["conversation"]["contact"]["id"], sent.body["contact_id"]);
    }
    let updated = events_of(&cloud, "contact.updated").await;
    assert_eq!(updated.len(), 1, "{updated:?}");
    assert_eq!(updated[0]["channel_user_id"], json!(USER));
    assert_eq!(updated[0]["previous"], json!({"channel_user_id": null}));
}

async fn a_status_with_number_and_user_id_completes_the_contact(cloud: Cloud) {
    let id = cloud.text(PERSON, "Hello").await;
    cloud.settle().await;
    let wamid = cloud.accepted(&id)[0].wamid.clone();
    let status = |state: &str| {
        on_number(&json!({
            "statuses": [
                {
                    "id": wamid,
                    "status": state,
                    "timestamp": cloud.second().to_string(),
                    "recipient_id": PERSON_THERE,
                    "recipient_user_id": USER,
                },
            ],
        }))
    };
    cloud.post_callback(&status("sent")).await;
    cloud.post_callback(&status("delivered")).await;
    assert_eq!(cloud.status(&id).await, "delivered");
    assert_eq!(texts(&history_of(&cloud, json!({"channel_user_id": USER})).await), ["Hello"]);
    assert_eq!(events_of(&cloud, "contact.updated").await.len(), 1);
}

async fn names_are_written_where_they_change(cloud: Cloud) {
    cloud.advance(MINUTE);
    for (index, username) in
        ["jessica", "jessica", "realjessica", "realjessica"].into_iter().enumerate()
    {
        let person = Person { username: Some(username), ..with_username() };
        let second = i64::try_from(index).unwrap();
        cloud.post_callback(&person.text(&format!("wamid.{index}"), second, "Hello")).await;
    }
    let updated = events_of(&cloud, "contact.updated").await;
    assert_eq!(updated.len(), 1);
    assert_eq!(updated[0]["username"], "realjessica");
    assert_eq!(updated[0]["previous"], json!({"username": "jessica"}));
}

async fn wrong_and_unknown_names_are_answered_as_such(cloud: Cloud) {
    cloud.post_callback(&with_username().text("wamid.A", 0, "Hello")).await;
    let many = "a".repeat(129);
    for id in [
        "13491208655302741918",
        "us.1",
        "US.",
        "US.1 2",
        "USA.1",
        "US.ENT.",
        &format!("US.{many}"),
        "",
    ] {
        let send = cloud
            .post(
                SEND,
                &cloud.key,
                &json!({"type": "text", "channel_user_id": id, "text": "Hello"}),
            )
            .await;
        send.is_problem(422, "validation_failed");
        assert_eq!(send.body["details"][0]["field"], "channel_user_id", "{id}");
        let history = history_of(&cloud, json!({"channel_user_id": id})).await;
        history.is_problem(422, "validation_failed");
    }
    let both =
        json!({"type": "text", "channel_user_id": USER, "phone_number": PERSON, "text": "Hello"});
    cloud.post(SEND, &cloud.key, &both).await.is_problem(422, "validation_failed");
    history_of(&cloud, json!({})).await.is_problem(422, "validation_failed");
    history_of(&cloud, json!({"contact_id": "ctc_01jd7qkz5refa9k3x7d5s2n0pg"}))
        .await
        .is_problem(404, "not_found");
    history_of(&cloud, json!({"conversation_id": "nonsense"})).await.is_problem(404, "not_found");
    assert_eq!(
        history_of(&cloud, json!({"channel_user_id": OTHER_USER})).await.body["data"],
        json!([])
    );
    // Another organization does not find them.
    let (_, other) = cloud.other("+12025550182", "106540352242924").await;
    let history = history_of(&cloud, json!({"channel_user_id": USER})).await;
    let id = &history.body["conversation"]["contact"]["id"];
    cloud.post(HISTORY, &other, &json!({"contact_id": id})).await.is_problem(404, "not_found");
    assert_eq!(
        cloud.post(HISTORY, &other, &json!({"channel_user_id": USER})).await.body["data"],
        json!([])
    );
}

async fn a_message_that_needs_a_number_fails_with_phone_number_required(cloud: Cloud) {
    cloud.faults([refusal(400, 131_062, "This message is not possible for a user id")]);
    let id = cloud.send(&json!({"type": "text", "channel_user_id": USER, "text": "Hello"})).await;
    cloud.settle().await;
    let message = cloud.message(&id).await;
    assert_eq!(message["status"], "failed");
    assert_eq!(message["error"]["code"], "phone_number_required");
}

async fn a_number_that_was_asked_for_joins_the_contact(cloud: Cloud) {
    cloud.advance(MINUTE);
    cloud.post_callback(&with_username().text("wamid.A", 0, "Hello")).await;
    let asks = json!({
        "type": "request_contact_info",
        "body": {"text": "May we call you?"},
        "action": {"name": "request_contact_info"},
    });
    let asked = cloud
        .send(&json!({"type": "interactive", "channel_user_id": USER, "interactive": asks}))
        .await;
    cloud.settle().await;
    assert_eq!(cloud.accepted(&asked)[0].body["interactive"], asks);
    cloud.all_in_shape();
    let card = json!([
        {
            "name": {"formatted_name": "Jessica"},
            "phones": [{"phone": "+1 (650) 555-1234", "wa_id": PERSON_THERE}],
        },
    ]);
    // The contact card of somebody else has no effect,
    let other = json!({"type": "contacts", "contacts": card, "origin": "other"});
    cloud.post_callback(&with_username().message("wamid.B", 1, other)).await;
    assert_eq!(history_of(&cloud, json!({"phone_number": PERSON})).await.body["data"], json!([]));
    // but the contact's own card, sent on request, brings the phone number.
    let own = json!({"type": "contacts", "contacts": card, "origin": "contact_request"});
    cloud.post_callback(&with_username().message("wamid.C", 2, own)).await;
    let history = history_of(&cloud, json!({"phone_number": PERSON})).await;
    assert_eq!(history.body["data"].as_array().unwrap().len(), 4);
    assert_eq!(history.body["conversation"]["contact"]["channel_user_id"], USER);
}

async fn a_number_that_was_asked_for_is_read_from_every_documented_place(cloud: Cloud) {
    cloud.advance(MINUTE);
    let vcard = "BEGIN:VCARD\nVERSION:3.0\nFN:Jessica\nTEL;waid=16505550003:+1 650-555-0003\n\
                 END:VCARD";
    let messages = [
        // The origin is in the card, beside the channel's form of the number,
        json!([{"origin": "contact_request", "phones": [{"wa_id": "16505550000"}]}]),
        // or the number is only written,
        json!([{"origin": "contact_request", "phones": [{"phone": "+16505550001"}]}]),
        json!([{"origin": "contact_request", "phones": [{"phone": "+1 (650) 555-0002"}]}]),
        // or it is in the vCard only.
        json!([{"origin": "contact_request", "vcard": vcard}]),
    ];
    for (index, cards) in messages.iter().enumerate() {
        // Given a person without a number,
        let user = format!("US.7{index}");
        let person = Person { user: Some(&user), ..Person::default() };
        cloud.post_callback(&person.text(&format!("wamid.A{index}"), 0, "Hello")).await;
        // when the person shares the number on request, then it joins the contact.
        let own = json!({"type": "contacts", "contacts": cards});
        cloud.post_callback(&person.message(&format!("wamid.B{index}"), 1, own)).await;
        let number = format!("+1650555000{index}");
        let history = history_of(&cloud, json!({"phone_number": number})).await;
        let contact = &history.body["conversation"]["contact"];
        assert_eq!(contact["channel_user_id"], json!(user), "{cards}");
        assert_eq!(history.body["data"].as_array().unwrap().len(), 2, "{cards}");
    }
    // Given a card without an origin, then it is somebody else's.
    let cards = json!([{"phones": [{"phone": "+16505550009", "wa_id": "16505550009"}]}]);
    let others = json!({"type": "contacts", "contacts": cards});
    cloud.post_callback(&with_username().message("wamid.C", 2, others)).await;
    let history = history_of(&cloud, json!({"phone_number": "+16505550009"})).await;
    assert_eq!(history.body["data"], json!([]));
}

async fn a_user_id_is_compared_within_one_number(cloud: Cloud) {
    // Given a sender with the same user id who writes to another account of the organization,
    let other = cloud.key_with_token(cloud.graph.token()).await;
    let callback = with_username().text("wamid.A", 0, "To the other one").to_string();
    cloud
        .post_callback(&serde_json::from_str(&callback.replace(NUMBER, "106540352242923")).unwrap())
        .await;
    // then an unbound key finds the contact of the organization's default account,
    let named = json!({"channel_user_id": USER});
    assert_eq!(history_of(&cloud, named.clone()).await.body["data"], json!([]));
    cloud.post_callback(&with_username().text("wamid.B", 0, "To the usual one")).await;
    let history = history_of(&cloud, named.clone()).await;
    assert_eq!(texts(&history), ["To the usual one"]);
    assert_eq!(history.body["conversation"]["contact"]["account_id"], cloud.account.to_string());
    // and a key bound to the other account finds the contact of that account.
    assert_eq!(texts(&cloud.post(HISTORY, &other, &named).await), ["To the other one"]);
}

on_both_databases! {
    the_sandbox_has_people_without_numbers,
}

on_both_clouds! {
    a_sender_without_a_number_becomes_a_contact,
    a_message_goes_to_the_user_id_where_no_number_is_known,
    a_send_to_an_unknown_user_id_creates_a_contact,
    a_known_number_is_preferred_to_the_user_id,
    messages_with_number_and_user_id_complete_one_contact,
    a_status_with_number_and_user_id_completes_the_contact,
    names_are_written_where_they_change,
    wrong_and_unknown_names_are_answered_as_such,
    a_message_that_needs_a_number_fails_with_phone_number_required,
    a_number_that_was_asked_for_joins_the_contact,
    a_number_that_was_asked_for_is_read_from_every_documented_place,
    a_user_id_is_compared_within_one_number,
}
