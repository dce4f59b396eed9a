//! Marking messages as read (`docs/contract.md#read-a-message`).

use crate::cloud::{Cloud, PERSON, SEND, from_person, on_both_clouds, refusal};
use crate::world::graph::Fault;
use serde_json::json;

async fn a_person_is_told_that_their_message_was_read(cloud: Cloud) {
    let read = |id: &str| format!("{SEND}/{id}/read");
    // Given a message from a contact, and one from us,
    cloud.post_callback(&from_person("wamid.A").text("Are you there?")).await;
    let ours = cloud.text(PERSON, "Yes").await;
    cloud.settle().await;
    let theirs = cloud.history(PERSON).await[0]["id"].as_str().unwrap().to_owned();
    // when the contact's message is marked as read, with and without a typing indicator,
    for (body, typing) in [(json!({"typing": true}), true), (json!({}), false)] {
        let answer = cloud.post(&read(&theirs), &cloud.key, &body).await;
        assert_eq!(answer.status, 200);
        assert_eq!(answer.body, json!({"id": theirs, "status": "read", "typing": typing}));
        // then the channel gets this request.
        let reported = cloud.graph.calls().pop().unwrap().body;
        let mut expected =
            json!({"messaging_product": "whatsapp", "status": "read", "message_id": "wamid.A"});
        if typing {
            expected["typing_indicator"] = json!({"type": "text"});
        }
        assert_eq!(reported, expected);
    }
    // An outbound message, or one of another organization, cannot be marked as read.
    cloud.post(&read(&ours), &cloud.key, &json!({})).await.is_problem(404, "not_found");
    let (_, stranger) = cloud.other("+12025550182", "106540352242924").await;
    cloud.post(&read(&theirs), &stranger, &json!({})).await.is_problem(404, "not_found");
    // If the channel is down, the caller is asked to try again; if it refuses, the caller is
    // not.
    cloud.graph.plan(|_| Fault::Status(503));
    cloud.post(&read(&theirs), &cloud.key, &json!({})).await.is_problem(503, "unavailable");
    cloud.graph.plan(|_| refusal(400, 131_009, "Too old"));
    cloud
        .post(&read(&theirs), &cloud.key, &json!({}))
        .await
        .is_problem(422, "not_supported_by_channel");
    cloud.all_in_shape();
}

on_both_clouds! {
    a_person_is_told_that_their_message_was_read,
}
