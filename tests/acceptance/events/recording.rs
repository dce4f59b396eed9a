//! The events of messages and conversations: each step is recorded once, with the data of that
//! time.

use super::{SEND, are_gapless, event_of_kind, events, kinds, kinds_of};
use crate::cloud::{Cloud, on_both_clouds};
use crate::world::graph::callbacks;
use crate::world::snapshot::with_numbered_ids;
use crate::world::{World, on_both_databases};
use serde_json::{Value, json};
use std::time::Duration;

const SECOND: Duration = Duration::from_secs(1);

fn text_message(to: &str) -> Value {
    json!({"type": "text", "phone_number": to, "text": "Hello", "client_ref": "order-1"})
}

async fn send_text(world: &World, to: &str) -> Value {
    let answer = world.post(SEND, &world.key, &text_message(to)).await;
    assert_eq!(answer.status, 201, "{}", answer.text);
    answer.body
}

async fn each_step_of_a_message_is_recorded_with_its_data(world: World) {
    // When a message is sent to a new contact,
    let sent = send_text(&world, "+12025550100").await;
    let (id, contact, conversation) = (&sent["id"], &sent["contact_id"], &sent["conversation_id"]);

    // then the events of the contact, the conversation, the message and the agent's pause exist
    // at once;
    let begun = events(&world, &world.key).await;
    insta::assert_compact_json_snapshot!(with_numbered_ids(&json!(begun)), @r#"
    [
      {
        "id": "evt_1",
        "type": "contact.created",
        "timestamp": "2026-11-21T12:00:00.000Z",
        "organization_id": "org_1",
        "account_id": "acc_1",
        "sequence": 1,
        "data": {
          "id": "ctc_1",
          "account_id": "acc_1",
          "phone_number": "+12025550100",
          "channel_user_id": null,
          "channel_parent_user_id": null,
          "username": null,
          "name": null,
          "opted_out_at": null,
          "created_at": "2026-11-21T12:00:00.000Z"
        }
      },
      {
        "id": "evt_2",
        "type": "conversation.created",
        "timestamp": "2026-11-21T12:00:00.000Z",
        "organization_id": "org_1",
        "account_id": "acc_1",
        "sequence": 2,
        "data": {
          "id": "conv_1",
          "account_id": "acc_1",
          "contact_id": "ctc_1",
          "phone_number": "+12025550100",
          "channel_user_id": null,
          "ai_agent": "running",
          "agent": {
            "state": "running",
            "cause": null,
            "reason": null,
            "by": null,
            "since": null,
            "until": null
          },
          "created_at": "2026-11-21T12:00:00.000Z"
        }
      },
      {
        "id": "evt_3",
        "type": "message.queued",
        "timestamp": "2026-11-21T12:00:00.000Z",
        "organization_id": "org_1",
        "account_id": "acc_1",
        "sequence": 3,
        "data": {
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
          "status": "queued",
          "error": null,
          "client_ref": "order-1",
          "metadata": null,
          "reply_to": null,
          "created_at": "2026-11-21T12:00:00.000Z",
          "sent_at": null,
          "delivered_at": null,
          "read_at": null
        }
      },
      {
        "id": "evt_4",
        "type": "conversation.agent_paused",
        "timestamp": "2026-11-21T12:00:00.000Z",
        "organization_id": "org_1",
        "account_id": "acc_1",
        "sequence": 4,
        "data": {
          "id": "conv_1",
          "account_id": "acc_1",
          "contact_id": "ctc_1",
          "phone_number": "+12025550100",
          "channel_user_id": null,
          "ai_agent": "paused",
          "agent": {
            "state": "paused",
            "cause": "api",
            "reason": null,
            "by": null,
            "since": "2026-11-21T12:00:00.000Z",
            "until": null
          },
          "created_at": "2026-11-21T12:00:00.000Z"
        }
      }
    ]
    "#);
    assert_eq!(begun[0]["data"]["id"], *contact);
    assert_eq!(begun[1]["data"]["id"], *conversation);
    let queued = &begun[2];
    assert_eq!(queued["data"], world.history("+12025550100").await[0]);
    assert_eq!(queued["data"]["id"], *id);

    // when the message has been read and answered, then there is an event for each step in
    // order,
    world.live_through(SECOND).await;
    let all = events(&world, &world.key).await;
    are_gapless(&all);
    assert_eq!(
        &kinds(&all)[4..],
        ["message.sent", "message.delivered", "message.read", "message.received"]
    );
    // with the message as it was at that time,
    let stood = |place: usize| {
        ["status", "sent_at", "delivered_at", "read_at"]
            .map(|field| all[place]["data"][field].clone())
    };
    let at = |milliseconds: u32| json!(format!("2026-11-21T12:00:00.{milliseconds}Z"));
    assert_eq!(stood(2), [json!("queued"), json!(null), json!(null), json!(null)]);
    assert_eq!(stood(4), [json!("sent"), at(100), json!(null), json!(null)]);
    assert_eq!(stood(5)[..3], [json!("delivered"), at(100), all[5]["timestamp"].clone()]);
    assert_eq!(stood(5)[3], json!(null));
    assert_eq!(stood(6), [json!("read"), at(100), stood(5)[2].clone(), at(450)]);
    assert_eq!(all[..4], begun[..]);
    // and the reply as in the history.
    assert_eq!(all[7]["data"], world.history("+12025550100").await[1]);
}

async fn known_contacts_record_no_event(world: World) {
    send_text(&world, "+12025550111").await;
    let before = events(&world, &world.key).await.len();
    let again = send_text(&world, "+12025550111").await;
    let all = events(&world, &world.key).await;
    assert_eq!(kinds(&all[before..]), ["message.queued"]);
    assert_eq!(all[before]["data"]["id"], again["id"]);
}

async fn a_template_begins_a_conversation_and_leaves_the_agent_running(world: World) {
    let body = json!({"to": "+12025550112", "template_name": "of_elsewhere", "language": "en"});
    let answer = world.post("/api/v1/messages/template", &world.key, &body).await;
    assert_eq!(answer.status, 201, "{}", answer.text);
    let began = ["contact.created", "conversation.created", "message.queued"];
    assert_eq!(kinds(&events(&world, &world.key).await), began);

    // The first free-form message pauses the agent; later messages have no such event.
    for _ in 0..2 {
        send_text(&world, "+12025550112").await;
    }
    let all = events(&world, &world.key).await;
    assert_eq!(kinds(&all)[3..], ["message.queued", "conversation.agent_paused", "message.queued"]);
}

async fn repeats_dry_runs_and_invalid_sends_record_no_event(world: World) {
    // Given a message that was accepted with an `Idempotency-Key`,
    let first = world.post_once(SEND, "once", &text_message("+12025550113")).await;
    assert_eq!(first.status, 201, "{}", first.text);
    let before = events(&world, &world.key).await;

    // when the send is repeated, is a dry run, or is invalid,
    let again = world.post_once(SEND, "once", &text_message("+12025550113")).await;
    assert_eq!(again.status, 201);
    assert_eq!(again.header("idempotent-replayed"), "true");
    let mut dry = text_message("+12025550114");
    dry["dry_run"] = json!(true);
    assert_eq!(world.post(SEND, &world.key, &dry).await.status, 200);
    assert_eq!(world.post(SEND, &world.key, &json!({"type": "text"})).await.status, 422);

    // then there are no more events.
    assert_eq!(events(&world, &world.key).await, before);
}

async fn a_failure_event_has_its_reason(world: World) {
    let id = send_text(&world, "+12025550103").await["id"].as_str().unwrap().to_owned();
    world.live_through(SECOND).await;
    let all = events(&world, &world.key).await;
    let failed = event_of_kind(&all, "message.failed");
    assert_eq!(failed["data"]["status"], "failed");
    assert_eq!(failed["data"]["error"]["code"], "recipient_unreachable");
    assert_eq!(failed["data"]["error"]["channel_code"], 131_026);
    // The events before the failure do not contain the error.
    assert_eq!(kinds_of(&all, &id)[0], "message.queued");
    assert_eq!(event_of_kind(&all, "message.queued")["data"]["error"], json!(null));
}

async fn late_and_repeated_reports_record_no_event(world: World) {
    let id = send_text(&world, "+12025550107").await["id"].as_str().unwrap().to_owned();
    world.live_through(SECOND).await;
    let all = events(&world, &world.key).await;
    are_gapless(&all);
    assert_eq!(kinds_of(&all, &id), ["message.queued", "message.delivered", "message.read"]);
}

/// Sends a message and returns our id and the channel's id.
async fn submit_message(cloud: &Cloud) -> (String, String) {
    let id = cloud.text("+16505551234", "Hello").await;
    cloud.settle().await;
    let wamid = cloud.accepted(&id)[0].wamid.clone();
    (id, wamid)
}

async fn a_skipped_status_records_no_event(cloud: Cloud) {
    // A status `read` without the ones before it is a single event,
    let (id, wamid) = submit_message(&cloud).await;
    cloud.post_callback(&cloud.status_callback(&wamid, None, "read")).await;
    let all = events(&cloud, &cloud.key).await;
    assert_eq!(kinds_of(&all, &id), ["message.queued", "message.read"]);
    let read = &event_of_kind(&all, "message.read")["data"];
    assert_eq!(read["sent_at"], read["read_at"]);
    assert_eq!(read["delivered_at"], read["read_at"]);

    // and statuses for each step have an event each, even if they all come at once.
    let (id, wamid) = submit_message(&cloud).await;
    let reports = ["sent", "delivered", "read", "read", "sent"]
        .map(|state| cloud.status_callback(&wamid, None, state));
    cloud.post_callback(&callbacks::merge(reports.to_vec())).await;
    let all = events(&cloud, &cloud.key).await;
    assert_eq!(
        kinds_of(&all, &id),
        ["message.queued", "message.sent", "message.delivered", "message.read"]
    );
    are_gapless(&all);
}

async fn a_rejection_by_the_channel_is_recorded(cloud: Cloud) {
    let message = "Message undeliverable".to_owned();
    cloud.faults([crate::world::graph::Fault::Error {
        status: 400,
        code: 131_026,
        subcode: None,
        message,
    }]);
    let id = cloud.text("+16505551234", "Hello").await;
    cloud.settle().await;
    let all = events(&cloud, &cloud.key).await;
    assert_eq!(kinds_of(&all, &id), ["message.queued", "message.failed"]);
    assert_eq!(
        event_of_kind(&all, "message.failed")["data"]["error"]["code"],
        "recipient_unreachable"
    );
    // A later status for a failed message changes nothing and has no event.
    cloud.post_callback(&cloud.status_callback("wamid.other", Some(&id), "delivered")).await;
    assert_eq!(events(&cloud, &cloud.key).await, all);
}

on_both_databases! {
    each_step_of_a_message_is_recorded_with_its_data,
    known_contacts_record_no_event,
    a_template_begins_a_conversation_and_leaves_the_agent_running,
    repeats_dry_runs_and_invalid_sends_record_no_event,
    a_failure_event_has_its_reason,
    late_and_repeated_reports_record_no_event,
}

on_both_clouds! {
    a_skipped_status_records_no_event,
    a_rejection_by_the_channel_is_recorded,
}
