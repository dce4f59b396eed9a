//! The main flow: a message is accepted, sent, delivered, read and answered.

use crate::world::snapshot::with_numbered_ids;
use crate::world::{World, on_both_databases};
use serde_json::json;
use std::time::Duration;

const SEND: &str = "/api/v1/messages";

/// The text goes to the sandbox number that reads and echoes.
async fn a_text_is_accepted_read_and_answered(world: World) {
    // When a text is sent,
    let body = json!({
        "type": "text",
        "phone_number": "1 202-555-0100",
        "text": "Hello",
        "client_ref": "order-1",
        "metadata": {"a": "b"},
    });
    let sent = world.post(SEND, &world.key, &body).await;

    // then it is accepted at once,
    assert_eq!(sent.status, 201, "{}", sent.text);
    insta::assert_compact_json_snapshot!(with_numbered_ids(&sent.body), @r#"
    {
      "id": "msg_1",
      "status": "queued",
      "direction": "outbound",
      "type": "text",
      "conversation_id": "conv_1",
      "contact_id": "ctc_1",
      "contact": {
        "id": "ctc_1",
        "phone_number": "+12025550100",
        "channel_user_id": null,
        "username": null,
        "name": null
      },
      "account_id": "acc_1",
      "phone_number": "+12025550100",
      "channel_message_id": null,
      "client_ref": "order-1",
      "warnings": [
        "window_closed"
      ],
      "created_at": "2026-11-21T12:00:00.000Z"
    }
    "#);
    assert_eq!(sent.body["account_id"], world.account.to_string());

    // and a second later it has been read and answered.
    world.live_through(Duration::from_secs(1)).await;
    let history = world.history("+12025550100").await;
    insta::assert_compact_json_snapshot!(with_numbered_ids(&json!(history)), @r#"
    [
      {
        "id": "msg_1",
        "conversation_id": "conv_1",
        "contact_id": "ctc_1",
        "contact": {
          "id": "ctc_1",
          "phone_number": "+12025550100",
          "channel_user_id": null,
          "username": null,
          "name": null
        },
        "account_id": "acc_1",
        "direction": "outbound",
        "source": "api",
        "type": "text",
        "text": "Hello",
        "media": null,
        "interactive": null,
        "template": null,
        "status": "read",
        "error": null,
        "client_ref": "order-1",
        "metadata": {
          "a": "b"
        },
        "reply_to": null,
        "created_at": "2026-11-21T12:00:00.000Z",
        "sent_at": "2026-11-21T12:00:00.100Z",
        "delivered_at": "2026-11-21T12:00:00.250Z",
        "read_at": "2026-11-21T12:00:00.450Z"
      },
      {
        "id": "msg_2",
        "conversation_id": "conv_1",
        "contact_id": "ctc_1",
        "contact": {
          "id": "ctc_1",
          "phone_number": "+12025550100",
          "channel_user_id": null,
          "username": null,
          "name": null
        },
        "account_id": "acc_1",
        "direction": "inbound",
        "source": "customer",
        "type": "text",
        "text": "Hello",
        "media": null,
        "interactive": null,
        "template": null,
        "status": "received",
        "error": null,
        "client_ref": null,
        "metadata": null,
        "reply_to": "msg_1",
        "created_at": "2026-11-21T12:00:00.700Z",
        "sent_at": null,
        "delivered_at": null,
        "read_at": null
      }
    ]
    "#);
    assert_eq!(history[0]["id"], sent.body["id"]);

    // The customer service window is now open, because the contact has written.
    let again = world.post(SEND, &world.key, &body).await;
    assert_eq!(again.body["warnings"], json!([]));
    assert_eq!(again.body["conversation_id"], sent.body["conversation_id"]);
}

on_both_databases! {
    a_text_is_accepted_read_and_answered,
}
