//! The parent user id, which linked businesses share.

use super::{Person, USER, events, events_of, history_of, on_number, texts};
use crate::cloud::{Cloud, PERSON, PERSON_THERE, SECOND, SEND, on_both_clouds};
use serde_json::{Value, json};

const PARENT: &str = "US.ENT.11815799212886844830";

/// Returns a message that names the parent id and the business's own id.
fn with_parent(person: Person<'_>, id: &str, second: i64, text: &str) -> Value {
    let mut callback = person.text(id, second, text);
    let value = &mut callback["entry"][0]["changes"][0]["value"];
    value["contacts"][0]["parent_user_id"] = json!(PARENT);
    value["messages"][0]["from_parent_user_id"] = json!(PARENT);
    callback
}

const fn by_user() -> Person<'static> {
    Person { user: Some(USER), number: None, username: None, name: None }
}

async fn text_to(cloud: &Cloud, id: &str, text: &str) -> Value {
    let body = json!({"type": "text", "channel_user_id": id, "text": text});
    let answer = cloud.post(SEND, &cloud.key, &body).await;
    assert_eq!(answer.status, 201, "{}", answer.text);
    answer.body
}

async fn a_parent_id_finds_a_contact_with_an_own_id(cloud: Cloud) {
    // Given a person who wrote, with both ids,
    cloud.post_callback(&with_parent(by_user(), "wamid.A", 0, "1")).await;
    let known =
        history_of(&cloud, json!({"channel_user_id": USER})).await.body["conversation"].clone();
    assert_eq!(known["contact"]["channel_parent_user_id"], PARENT);
    // when the business writes to the parent id, then it reaches the same contact under the
    // business's own id.
    let sent = text_to(&cloud, PARENT, "2").await;
    assert_eq!(sent["conversation_id"], known["id"]);
    assert_eq!(sent["channel_user_id"], json!(USER));
    assert_eq!(sent["warnings"], json!([]));
    cloud.settle().await;
    assert_eq!(cloud.graph.accepted().pop().unwrap().to, USER);
    let history = history_of(&cloud, json!({"channel_user_id": PARENT})).await;
    assert_eq!(texts(&history), vec!["1", "2"]);
    assert_eq!(history.body["conversation"]["id"], known["id"]);
    // If the number is known, the message goes to the number.
    let both = Person { number: Some(PERSON_THERE), ..by_user() };
    cloud.post_callback(&with_parent(both, "wamid.B", 1, "3")).await;
    assert_eq!(text_to(&cloud, PARENT, "4").await["phone_number"], PERSON);
    assert_eq!(events_of(&cloud, "contact.created").await.len(), 1);
    cloud.all_in_shape();
}

async fn a_contact_created_by_a_parent_id_is_found_by_its_own_id(cloud: Cloud) {
    // Given a contact that was created by a send to the parent id,
    let sent = text_to(&cloud, PARENT, "1").await;
    assert_eq!(sent["channel_user_id"], json!(PARENT));
    assert_eq!(sent["phone_number"], Value::Null);
    cloud.settle().await;
    let accepted = cloud.graph.accepted().pop().unwrap();
    assert_eq!(accepted.body["recipient"], PARENT);
    assert_eq!(accepted.body["to"], Value::Null);
    assert_eq!(text_to(&cloud, PARENT, "2").await["conversation_id"], sent["conversation_id"]);
    // when the person's message or a report arrives, then it is the same contact.
    cloud.post_callback(&with_parent(by_user(), "wamid.A", 0, "3")).await;
    for id in [PARENT, USER] {
        let history = history_of(&cloud, json!({"channel_user_id": id})).await;
        assert_eq!(texts(&history), ["1", "2", "3"], "{id}");
        let contact = &history.body["conversation"]["contact"];
        assert_eq!(contact["id"], sent["contact_id"]);
        assert_eq!(contact["channel_user_id"], json!(USER));
        assert_eq!(contact["channel_parent_user_id"], json!(PARENT));
    }
}

async fn a_status_for_a_parent_id_adds_the_own_id(cloud: Cloud) {
    let sent = text_to(&cloud, PARENT, "1").await;
    cloud.settle().await;
    let wamid = cloud.graph.accepted().pop().unwrap().wamid;
    let status = json!({
        "id": wamid,
        "status": "delivered",
        "timestamp": cloud.second().to_string(),
        "recipient_user_id": USER,
        "recipient_parent_user_id": PARENT,
    });
    cloud.post_callback(&on_number(&json!({"statuses": [status]}))).await;
    cloud.post_callback(&by_user().text("wamid.A", 0, "2")).await;
    let history = history_of(&cloud, json!({"channel_user_id": USER})).await;
    assert_eq!(texts(&history), vec!["1", "2"]);
    assert_eq!(history.body["conversation"]["id"], sent["conversation_id"]);
}

async fn two_contacts_are_merged_and_events_show_them_as_they_were(cloud: Cloud) {
    // Given one contact with the parent id and one with the business's own id,
    let by_parent = text_to(&cloud, PARENT, "1").await;
    cloud.advance(SECOND * 10);
    cloud.post_callback(&Person { name: Some("Ada"), ..by_user() }.text("wamid.A", 1, "2")).await;
    cloud.post_callback(&by_user().text("wamid.B", 2, "3")).await;
    cloud.settle().await;
    let before = events(&cloud).await;
    let of = |all: &[Value], kind: &str| -> Vec<Value> {
        all.iter().filter(|it| it["type"] == kind).cloned().collect()
    };
    assert_eq!(of(&before, "conversation.created").len(), 2);
    // when a message names both ids, then they become one contact,
    cloud
        .post_callback(&with_parent(
            Person { name: Some("Countess"), ..by_user() },
            "wamid.C",
            3,
            "4",
        ))
        .await;
    for id in [PARENT, USER] {
        assert_eq!(
            texts(&history_of(&cloud, json!({"channel_user_id": id})).await),
            ["1", "2", "3", "4"],
            "{id}"
        );
    }
    let merged = events_of(&cloud, "contact.merged").await;
    assert_eq!(merged.len(), 1);
    assert_eq!(merged[0]["merged_contact_id"], by_parent["contact_id"]);
    // and each event shows the contacts as they were.
    let after = events(&cloud).await;
    for kind in ["contact.created", "conversation.created", "conversation.agent_paused"] {
        let (before, after) = (of(&before, kind), of(&after, kind));
        assert_eq!(before[..], after[..before.len()], "{kind}");
    }
    let contacts = |all: &[Value], kind: &str| -> Vec<Value> {
        of(all, kind).iter().map(|it| it["data"]["contact"].clone()).collect()
    };
    for kind in ["message.queued", "message.received", "message.sent"] {
        let (before, after) = (contacts(&before, kind), contacts(&after, kind));
        assert_eq!(before[..], after[..before.len()], "{kind}");
    }
    assert_eq!(contacts(&after, "message.received")[0]["name"], "Ada");
    assert_eq!(contacts(&after, "message.received")[2]["name"], "Countess");
    assert_eq!(contacts(&after, "message.queued")[0]["id"], by_parent["contact_id"]);
}

on_both_clouds! {
    a_parent_id_finds_a_contact_with_an_own_id,
    a_contact_created_by_a_parent_id_is_found_by_its_own_id,
    a_status_for_a_parent_id_adds_the_own_id,
    two_contacts_are_merged_and_events_show_them_as_they_were,
}
