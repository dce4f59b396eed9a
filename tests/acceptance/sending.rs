//! The main flow: a message is accepted, sent, delivered, read and answered.

use crate::world::{World, on_both_databases};
use serde_json::json;
use std::time::Duration;

const SEND: &str = "/api/v1/messages";

/// The text goes to the sandbox number that reads and echoes.
async fn a_text_is_accepted_read_and_answered(world: World) {
    // When a text is sent,
    let body = json!({"type": "text", "phone_number": "1 202-555-0100", "text": "Hello", "client_ref": "order-1", "metadata": {"a": "b"}});
    let sent = world.post(SEND, &world.key, &body).await;

    // then it is accepted at once,
    assert_eq!(sent.status, 201, "{}", sent.text);
    assert_eq!(sent.body["status"], "queued");
    assert_eq!(sent.body["direction"], "outbound");
    assert_eq!(sent.body["phone_number"], "+12025550100");
    assert_eq!(sent.body["account_id"], world.account.to_string());
    assert_eq!(sent.body["channel_message_id"], json!(null));
    assert_eq!(sent.body["client_ref"], "order-1");
    assert_eq!(sent.body["warnings"], json!(["window_closed"]));
    assert_eq!(sent.body["created_at"], "2026-11-21T12:00:00.000Z");

    // and a second later it has been read and answered.
    world.live_through(Duration::from_secs(1)).await;
    let history = world.history("+12025550100").await;
    assert_eq!(history.len(), 2);
    assert_eq!(history[0]["id"], sent.body["id"]);
    assert_eq!(history[0]["status"], "read");
    assert_eq!(history[0]["sent_at"], "2026-11-21T12:00:00.100Z");
    assert_eq!(history[0]["read_at"], "2026-11-21T12:00:00.450Z");
    assert_eq!(history[0]["client_ref"], "order-1");
    assert_eq!(history[0]["metadata"], json!({"a": "b"}));
    assert_eq!(history[1]["direction"], "inbound");
    assert_eq!(history[1]["source"], "customer");
    assert_eq!(history[1]["status"], "received");
    assert_eq!(history[1]["text"], "Hello");
    assert_eq!(history[1]["reply_to"], sent.body["id"]);

    // The customer service window is now open, because the contact has written.
    let again = world.post(SEND, &world.key, &body).await;
    assert_eq!(again.body["warnings"], json!([]));
    assert_eq!(again.body["conversation_id"], sent.body["conversation_id"]);
}

on_both_databases! {
    a_text_is_accepted_read_and_answered,
}
