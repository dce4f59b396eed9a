//! Telling people that their messages were read (`docs/contract.md#read-a-message`).

use crate::cloud::{PERSON, SEND, from_person, on_both_clouds, refusal};
use crate::world::graph::Fault;
use serde_json::json;

on_both_clouds! {
    async fn a_person_is_told_that_their_message_was_read(cloud: Cloud) {
        let read = |id: &str| format!("{SEND}/{id}/read");
        // Given a message of a person's, and one of ours,
        cloud.post_callback(&from_person("wamid.A").text("Are you there?")).await;
        let ours = cloud.text(PERSON, "Yes").await;
        cloud.settle().await;
        let theirs = cloud.history(PERSON).await[0]["id"].as_str().unwrap().to_owned();
        // when it is marked as read, with and without the sign that somebody writes,
        for (body, typing) in [(json!({"typing": true}), true), (json!({}), false)] {
            let answer = cloud.post(&read(&theirs), &cloud.key, &body).await;
            assert_eq!((answer.status, &answer.body), (200, &json!({"id": theirs, "status": "read", "typing": typing})));
            // then the channel is told so.
            let reported = cloud.graph.calls().pop().unwrap().body;
            let mut expected = json!({"messaging_product": "whatsapp", "status": "read", "message_id": "wamid.A"});
            if typing {
                expected["typing_indicator"] = json!({"type": "text"});
            }
            assert_eq!(reported, expected);
        }
        // A message of ours cannot be read, nor one of another organization.
        cloud.post(&read(&ours), &cloud.key, &json!({})).await.is_problem(404, "not_found");
        let (_, stranger) = cloud.other("+12025550182", "106540352242924").await;
        cloud.post(&read(&theirs), &stranger, &json!({})).await.is_problem(404, "not_found");
        // A channel that is away is tried again by the caller, and one that refuses is not.
        cloud.graph.plan(|_| Fault::Status(503));
        cloud.post(&read(&theirs), &cloud.key, &json!({})).await.is_problem(503, "unavailable");
        cloud.graph.plan(|_| refusal(400, 131_009, "Too old"));
        cloud.post(&read(&theirs), &cloud.key, &json!({})).await.is_problem(422, "not_supported_by_channel");
        cloud.all_in_shape();
    }
}
