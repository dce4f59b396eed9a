//! Edits and deletions of messages by their authors.

use super::{deletion_fields, edit_fields, events_of, inbound_callback, with_fields};
use crate::cloud::{Cloud, MINUTE, PERSON, SECOND, TestRng, from_person, on_both_clouds};
use crate::world::graph::callbacks::{self, Media};
use crate::world::snapshot::with_numbered_ids;
use serde_json::{Value, json};

/// Returns the texts of a message: the earlier versions, then the present one.
fn texts_of_versions(message: &Value) -> Vec<&str> {
    let before = message["previous_versions"].as_array().into_iter().flatten();
    before.chain([message]).map(|it| it["text"].as_str().unwrap()).collect()
}

async fn only_message(cloud: &Cloud) -> Value {
    let mut history = cloud.history(PERSON).await;
    assert_eq!(history.len(), 1, "{history:?}");
    history.remove(0)
}

async fn a_change_is_the_message_and_what_it_said_before_is_kept(cloud: Cloud) {
    cloud.advance(MINUTE);
    // Given a message from a contact,
    cloud
        .post_callback(&inbound_callback(
            "wamid.A",
            0,
            &json!({"type": "text", "text": {"body": "Tuesday"}}),
        ))
        .await;
    let before = only_message(&cloud).await;
    assert!(
        before.get("edited_at").is_none()
            && before.get("previous_versions").is_none()
            && before.get("deleted_at").is_none()
    );
    // when the contact edits it, and the callback comes twice,
    cloud.advance(SECOND);
    let change = inbound_callback("wamid.B", 10, &edit_fields("wamid.A", "Wednesday"));
    cloud.report(&change).await;
    cloud.post_callback(&change).await;
    // then the message has the new text in its old place, and the earlier text is kept,
    let message = only_message(&cloud).await;
    assert_eq!(message["id"], before["id"]);
    assert_eq!(message["created_at"], before["created_at"]);
    insta::assert_compact_json_snapshot!(with_numbered_ids(&message), @r#"
    {
      "id": "msg_1",
      "conversation_id": "conv_1",
      "contact_id": "ctc_1",
      "contact": {
        "id": "ctc_1",
        "phone_number": "+16505551234",
        "channel_user_id": null,
        "username": null,
        "name": "Sheena Nelson"
      },
      "account_id": "acc_1",
      "direction": "inbound",
      "source": "customer",
      "type": "text",
      "text": "Wednesday",
      "media": null,
      "interactive": null,
      "template": null,
      "edited_at": "2026-11-21T12:00:10.999Z",
      "previous_versions": [
        {
          "type": "text",
          "text": "Tuesday",
          "media": null,
          "created_at": "2026-11-21T12:00:00.999Z"
        }
      ],
      "status": "received",
      "error": null,
      "client_ref": null,
      "metadata": null,
      "reply_to": null,
      "created_at": "2026-11-21T12:00:00.999Z",
      "sent_at": null,
      "delivered_at": null,
      "read_at": null
    }
    "#);
    // and there is one event; the event of the message's arrival still has the earlier text.
    let events = events_of(&cloud, "message.edited").await;
    assert_eq!(events, [message]);
    assert_eq!(events_of(&cloud, "message.received").await, [before]);
    // A second edit has its own event, and the first event stays as it was.
    cloud.advance(SECOND);
    cloud
        .post_callback(&inbound_callback("wamid.C", 20, &edit_fields("wamid.A", "Thursday")))
        .await;
    let all = events_of(&cloud, "message.edited").await;
    assert_eq!(
        all.iter().map(texts_of_versions).collect::<Vec<_>>(),
        [vec!["Tuesday", "Wednesday"], vec!["Tuesday", "Wednesday", "Thursday"]]
    );
    assert_eq!(
        cloud
            .get(&format!("/api/v1/messages/{}", events[0]["id"].as_str().unwrap()), &cloud.key)
            .await
            .body,
        all[1]
    );
}

async fn a_deleted_message_says_so_and_what_it_said(cloud: Cloud) {
    cloud.advance(MINUTE);
    cloud
        .post_callback(&inbound_callback(
            "wamid.A",
            0,
            &json!({"type": "text", "text": {"body": "Forget it"}}),
        ))
        .await;
    cloud.advance(SECOND);
    let deletion = inbound_callback("wamid.B", 30, &deletion_fields("wamid.A"));
    cloud.report(&deletion).await;
    cloud.post_callback(&deletion).await;
    let message = only_message(&cloud).await;
    assert_eq!(message["text"], "Forget it");
    assert_eq!(message["deleted_at"], "2026-11-21T12:00:30.999Z");
    assert_eq!(events_of(&cloud, "message.deleted").await, [message]);
    // An edit that comes late is kept too.
    cloud
        .post_callback(&inbound_callback("wamid.C", 20, &edit_fields("wamid.A", "Remember it")))
        .await;
    let message = only_message(&cloud).await;
    assert_eq!(texts_of_versions(&message), vec!["Forget it", "Remember it"]);
    assert!(message["deleted_at"].is_string());
}

async fn only_the_author_can_edit_or_delete_a_message(cloud: Cloud) {
    cloud.advance(MINUTE);
    // Given messages of two contacts,
    cloud
        .post_callback(&inbound_callback(
            "wamid.A",
            0,
            &json!({"type": "text", "text": {"body": "Mine"}}),
        ))
        .await;
    let other = |mut callback: Value, user: Option<&str>| {
        let value = &mut callback["entry"][0]["changes"][0]["value"];
        value["contacts"] =
            json!([{"profile": {"name": "Mallory"}, "wa_id": "12025550143", "user_id": user}]);
        value["messages"][0]["from"] = json!("12025550143");
        if let Some(user) = user {
            value["messages"][0]["from_user_id"] = json!(user);
        }
        callback
    };
    let theirs = json!({"type": "text", "text": {"body": "Theirs"}});
    cloud.post_callback(&other(inbound_callback("wamid.B", 0, &theirs), Some("US.2"))).await;
    let before = only_message(&cloud).await;
    // when each edits or deletes the other's, and a stranger does too,
    for callback in [
        other(inbound_callback("wamid.C", 10, &edit_fields("wamid.A", "Forged")), None),
        other(inbound_callback("wamid.D", 20, &deletion_fields("wamid.A")), Some("US.2")),
        other(inbound_callback("wamid.E", 10, &edit_fields("wamid.A", "Forged")), Some("US.9")),
    ] {
        cloud.post_callback(&callback).await;
    }
    // then nothing changes, and no dead letter is kept.
    assert_eq!(only_message(&cloud).await, before);
    assert_eq!(
        events_of(&cloud, "message.edited").await.len()
            + events_of(&cloud, "message.deleted").await.len(),
        0
    );
    assert_eq!(
        cloud.beside().await.number("SELECT count(*) AS number FROM dead_callbacks").await,
        0
    );
    assert!(cloud.is_idle().await);
    // Changes of one's own message count, under any identifier of the contact.
    let mut by_user =
        other(inbound_callback("wamid.F", 30, &edit_fields("wamid.B", "Ours")), Some("US.2"));
    let value = &mut by_user["entry"][0]["changes"][0]["value"];
    value["messages"][0].as_object_mut().unwrap().remove("from");
    value["contacts"][0].as_object_mut().unwrap().remove("wa_id");
    cloud.post_callback(&by_user).await;
    assert_eq!(events_of(&cloud, "message.edited").await[0]["text"], "Ours");
}

async fn edits_in_any_order_have_the_same_result(cloud: Cloud) {
    cloud.advance(MINUTE * 10);
    let mut random = TestRng::new(15);
    // Given a message, its edits and its deletion, each reported twice, in any order,
    for round in 0..6 {
        let name = |part: usize| format!("wamid.{round}.{part}");
        let mut callbacks =
            vec![inbound_callback(&name(0), 0, &json!({"type": "text", "text": {"body": "0"}}))];
        callbacks.extend((1..6_usize).map(|it| {
            inbound_callback(
                &name(it),
                i64::try_from(it).unwrap() * 60,
                &edit_fields(&name(0), &it.to_string()),
            )
        }));
        callbacks.push(inbound_callback(&name(6), 400, &deletion_fields(&name(0))));
        let mut callbacks = [callbacks.clone(), callbacks].concat();
        random.shuffle(&mut callbacks);
        // when they come one by one, or all in one callback,
        if round % 2 == 0 {
            for callback in &callbacks {
                cloud.post_callback(callback).await;
            }
        } else {
            cloud.post_callback(&callbacks::merge(callbacks)).await;
        }
        // (parts that came before their message are processed again)
        cloud.advance_by(4, SECOND * 10).await;
        // then nothing is lost or duplicated, and the last edit counts.
        let history = cloud.history(PERSON).await;
        assert_eq!(history.len(), round + 1);
        let message = &history[round];
        assert_eq!(texts_of_versions(message), ["0", "1", "2", "3", "4", "5"]);
        assert!(message["deleted_at"].is_string());
        assert!(cloud.is_idle().await);
    }
    assert_eq!(events_of(&cloud, "message.edited").await.len(), 30);
    assert_eq!(events_of(&cloud, "message.deleted").await.len(), 6);
}

async fn a_change_waits_for_its_message_for_a_day(cloud: Cloud) {
    // Given an edit and a deletion of messages that have not arrived,
    cloud.post_callback(&inbound_callback("wamid.B", 0, &edit_fields("wamid.A", "New"))).await;
    cloud.post_callback(&inbound_callback("wamid.D", 0, &deletion_fields("wamid.C"))).await;
    cloud.post_callback(&inbound_callback("wamid.F", 0, &edit_fields("wamid.E", "Lost"))).await;
    assert_eq!(cloud.history(PERSON).await, Vec::<Value>::new());
    // when the messages arrive hours later,
    cloud.advance_by(60, MINUTE * 10).await;
    cloud.post_callback(&from_person("wamid.A").text("Old")).await;
    cloud.post_callback(&from_person("wamid.C").text("Gone")).await;
    cloud.advance_by(2, MINUTE * 10).await;
    // then they are edited and deleted as if everything had come in order.
    let history = cloud.history(PERSON).await;
    assert_eq!(texts_of_versions(&history[0]), vec!["Old", "New"]);
    assert!(history[1]["deleted_at"].is_string());
    // An edit of a message that never arrives becomes a dead letter.
    cloud.advance_by(90, MINUTE * 10).await;
    let listed =
        crate::operators::admin(cloud.database_url(), &["callback", "list", "--limit", "10"]).await;
    let letters = listed["data"].as_array().unwrap();
    assert_eq!(letters.len(), 1);
    assert_eq!(letters[0]["reason"], "unknown_message");
    assert!(cloud.is_idle().await);
}

async fn a_contact_cannot_edit_messages_of_the_organization(cloud: Cloud) {
    let id = cloud.text(PERSON, "Your total is 10").await;
    cloud.settle().await;
    let wamid = cloud.accepted(&id)[0].wamid.clone();
    cloud
        .post_callback(&inbound_callback("wamid.B", 0, &edit_fields(&wamid, "Your total is 0")))
        .await;
    cloud.post_callback(&inbound_callback("wamid.C", 0, &deletion_fields(&wamid))).await;
    let message = cloud.message(&id).await;
    assert_eq!(message["text"], "Your total is 10");
    assert_eq!(message.get("edited_at"), None);
    assert_eq!(message.get("deleted_at"), None);
}

async fn an_edited_caption_keeps_the_file(cloud: Cloud) {
    let bytes = b"\xff\xd8\xff\xe0 a picture";
    cloud.graph.put_file("7", "image/jpeg", &bytes[..]);
    let file = Media {
        kind: "image",
        id: "7",
        mime_type: "image/jpeg",
        sha256: "",
        caption: Some("Look"),
        filename: None,
    };
    let now = |fields: Value| {
        json!({
            "type": "edit",
            "edit": {"original_message_id": "wamid.A", "message": {"type": "image", "image": fields}},
        })
    };
    // Given one edit that comes before the file has been downloaded, and one that comes after,
    let at_once = inbound_callback(
        "wamid.B",
        1,
        &now(json!({"caption": "See", "mime_type": "image/jpeg", "sha256": "x", "id": "7"})),
    );
    cloud
        .post_callback(&callbacks::merge(vec![from_person("wamid.A").media(&file), at_once]))
        .await;
    cloud.post_callback(&inbound_callback("wamid.C", 2, &now(json!({"caption": "Behold"})))).await;
    // then the file is the same with each caption.
    let message = only_message(&cloud).await;
    assert!(message["media"]["url"].is_string(), "{message}");
    let expected =
        |caption: &str| with_fields(message["media"].clone(), &json!({"caption": caption}));
    assert_eq!(message["media"]["caption"], "Behold");
    let before: Vec<&Value> =
        message["previous_versions"].as_array().unwrap().iter().map(|it| &it["media"]).collect();
    assert_eq!(before, [&expected("Look"), &expected("See")]);
}

async fn an_edit_without_a_message_becomes_a_dead_letter(cloud: Cloud) {
    for (index, fields) in [
        json!({"type": "edit"}),
        json!({"type": "edit", "edit": {"original_message_id": "wamid.A"}}),
        json!({"type": "revoke", "revoke": {}}),
    ]
    .iter()
    .enumerate()
    {
        cloud.post_callback(&inbound_callback(&format!("wamid.{index}"), 0, fields)).await;
    }
    let listed =
        crate::operators::admin(cloud.database_url(), &["callback", "list", "--limit", "10"]).await;
    let letters = listed["data"].as_array().unwrap();
    assert_eq!(letters.iter().map(|it| &it["reason"]).collect::<Vec<_>>(), ["unreadable"; 3]);
    assert_eq!(cloud.history(PERSON).await.len(), 0);
}

on_both_clouds! {
    a_change_is_the_message_and_what_it_said_before_is_kept,
    a_deleted_message_says_so_and_what_it_said,
    only_the_author_can_edit_or_delete_a_message,
    edits_in_any_order_have_the_same_result,
    a_change_waits_for_its_message_for_a_day,
    a_contact_cannot_edit_messages_of_the_organization,
    an_edited_caption_keeps_the_file,
    an_edit_without_a_message_becomes_a_dead_letter,
}
