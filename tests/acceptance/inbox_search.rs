//! The search of the inbox by the words of messages (`docs/contract.md#inbox`).

use crate::cloud::{Cloud, NOON, NUMBER, SECOND, SEND, on_both_clouds};
use crate::world::World;
use crate::world::graph::callbacks::Inbound;
use domain::id::ConversationId;
use reqwest::Method;
use serde_json::json;
use service::inbox::find_by_words;

/// Receives a text from a number, and returns the id of the conversation.
async fn receive(cloud: &Cloud, from: &str, wamid: &str, text: &str) -> ConversationId {
    cloud.advance(SECOND);
    cloud.post_callback(&Inbound::new(NUMBER, from, wamid, NOON).text(text)).await;
    let history = cloud.history(&format!("+{from}")).await;
    history[0]["conversation_id"].as_str().unwrap().parse().unwrap()
}

async fn find(world: &World, sought: &str) -> Vec<ConversationId> {
    workers::search::run_until_idle(&world.server.deps).await.unwrap();
    find_by_words(&world.server.deps, world.organization, sought).await.unwrap()
}

async fn a_conversation_is_found_by_the_words_of_its_messages(cloud: Cloud) {
    // Given conversations with texts in several languages, one from before the worker ran,
    let first = receive(&cloud, "16505550001", "wamid.A", "My order ORD-1042 is late").await;
    let found = find(&cloud, "late").await;
    assert_eq!(found, [first]);
    let second = receive(&cloud, "16505550002", "wamid.B", "我要退款，谢谢").await;
    let third = receive(&cloud, "16505550003", "wamid.C", "100 % sure, \"really\"").await;
    let body = json!({"type": "text", "phone_number": "+16505550003", "text": "Lateral thinking"});
    assert_eq!(cloud.post(SEND, &cloud.key, &body).await.status, 201);

    // then each word of a search is the beginning of a word of the conversation.
    let both = {
        let mut both = [first, third];
        both.sort();
        both
    };
    for (sought, expected) in [
        ("order", &[first][..]),
        ("ORDER late", &[first]),
        ("late", &both),
        ("order thinking", &[]),
        ("1042", &[first]),
        ("l", &both),
        ("退款", &[second]),
        ("款", &[second]),
        ("really", &[third]),
        // Without a letter or a digit there is nothing to look for.
        ("%", &[]),
        ("\"", &[]),
        ("", &[]),
    ] {
        assert_eq!(find(&cloud, sought).await, expected, "{sought}");
    }
    // Another organization finds nothing.
    let (other, ..) = cloud.sandbox;
    let elsewhere = find_by_words(&cloud.server.deps, other, "order").await.unwrap();
    assert_eq!(elsewhere, []);
}

async fn a_deleted_contact_is_not_found(cloud: Cloud) {
    // Given a conversation that is found,
    let id = receive(&cloud, "16505550001", "wamid.A", "Something confidential").await;
    assert_eq!(find(&cloud, "confidential").await, [id]);

    // when its contact is deleted, then it is not found.
    let contact = cloud.history("+16505550001").await[0]["contact_id"].as_str().unwrap().to_owned();
    let path = format!("/api/v1/contacts/{contact}");
    let deleted = cloud.request(Method::DELETE, &path, &cloud.key).send().await.unwrap();
    assert_eq!(deleted.status(), 200);
    workers::contact_deletion::run_until_idle(&cloud.server.deps).await.unwrap();
    assert_eq!(find(&cloud, "confidential").await, []);
}

on_both_clouds! {
    a_conversation_is_found_by_the_words_of_its_messages,
    a_deleted_contact_is_not_found,
}
