//! Meta's own agent on a number: what it and the customer say is kept, and control of the
//! conversation changes hands. The values of the callbacks are Meta's examples ("Standby webhooks",
//! "messaging_handovers", "Conversation context").

use super::{after, conversation, dialog, events, saying, webhook_agent};
use crate::cloud::{
    BUSINESS, Cloud, MINUTE, NUMBER, PERSON, SECOND, SEND, on_both_clouds, refusal,
};
use crate::operators::admin;
use crate::webhooks::receiver::Receiver;
use auth::digest::Digest;
use domain::account::ChannelKind;
use domain::agent::AgentMode;
use domain::callback::DeadLetterReason;
use persistence::records::DeadCallback;
use serde_json::{Value, json};
use service::agents::AgentInput;
use std::time::Duration;
use workers::inbox;

const DAY: Duration = Duration::from_hours(24);
const EXAMPLES: &str = include_str!("standby_examples.json");
const EXAMPLE_ID: &str = "wamid.HBgLMTY1MDU1NTEyMzQVAgASGBQzRUIwQTk4NkNGMUZCMDZERTREMAA=";

fn callback(field: &str, value: &Value) -> Value {
    let change = json!({"field": field, "value": value});
    json!({"object": "whatsapp_business_account", "entry": [{"id": BUSINESS, "changes": [change]}]})
}

/// Returns one of Meta's examples. All of them have one id, which is replaced, and one time, which is
/// replaced if `second` is given.
fn example(name: &str, id: &str, second: Option<i64>) -> Value {
    let examples = EXAMPLES.replace(EXAMPLE_ID, id);
    let examples = match second {
        Some(second) => examples.replace("1750101000", &second.to_string()),
        None => examples,
    };
    let mut examples: Value = serde_json::from_str(&examples).unwrap();
    let mut value = examples[name].take();
    let field = match name {
        "control_passed" | "control_taken" => "messaging_handovers",
        "context" => "messages",
        _ => "standby",
    };
    if field != "messaging_handovers" {
        let metadata = json!({"display_phone_number": "15550783881", "phone_number_id": NUMBER});
        value["metadata"] = metadata;
        value["messaging_product"] = json!("whatsapp");
    }
    callback(field, &value)
}

/// Receives an example with the present time, and lets the inbox take it up.
async fn receive(cloud: &Cloud, name: &str, id: &str) {
    cloud.post_callback(&example(name, id, Some(cloud.second()))).await;
    inbox::run_until_idle(&cloud.server.deps).await.unwrap();
}

/// Returns the texts of the notes about the only conversation.
async fn notes(cloud: &Cloud) -> Vec<Value> {
    let id = conversation(cloud).await["id"].as_str().unwrap().to_owned();
    let notes = cloud.get(&format!("/api/v1/conversations/{id}/notes"), &cloud.key).await;
    notes.body["data"].as_array().unwrap().clone()
}

async fn resume(cloud: &Cloud) -> u16 {
    let id = conversation(cloud).await["id"].as_str().unwrap().to_owned();
    let path = format!("/api/v1/conversations/{id}/resume-agent");
    cloud.post(&path, &cloud.key, &json!({})).await.status
}

/// Returns the bodies of the requests that gave control back.
fn released(cloud: &Cloud) -> Vec<Value> {
    let calls = cloud.graph.calls().into_iter();
    calls.filter(|it| it.path.ends_with("/thread_control")).map(|it| it.body).collect()
}

async fn metas_examples_are_kept_and_move_the_state(cloud: Cloud) {
    // What the customer writes is inbound, and opens the window as of its time.
    cloud.post_callback(&example("inbound", "wamid.1", None)).await;
    inbox::run_until_idle(&cloud.server.deps).await.unwrap();
    let shown = conversation(&cloud).await;
    assert_eq!(shown["name"], "Test User");
    assert_eq!(shown["window_closes_at"], "2025-06-17T19:10:00.999Z");
    assert_eq!(shown["agent"]["state"], "running");
    // What the agent says is a message of the agent, whatever its type.
    for (name, id) in
        [("text_echo", "wamid.2"), ("template_echo", "wamid.3"), ("flow_echo", "wamid.4")]
    {
        cloud.post_callback(&example(name, id, None)).await;
    }
    let history = cloud.history(PERSON).await;
    assert_eq!(history.len(), 4, "{history:?}");
    assert_eq!(history[0]["source"], "customer");
    for sent in &history[1..] {
        assert_eq!(sent["direction"], "outbound");
        assert_eq!(sent["source"], "agent");
        assert_eq!(sent["status"], "sent");
    }
    assert_eq!(history[1]["text"], "Hello! Your order #12345 has shipped.");
    assert_eq!(history[2]["type"], "channel");
    assert_eq!(history[2]["channel"]["template"]["name"], "summer_sale_2026");
    let definition = &history[2]["channel"]["template_definition"];
    assert_eq!(definition["components"][1]["text"], "Hi {{1}}, enjoy {{2}} off!");
    assert_eq!(history[3]["channel"]["flow"]["name"], "Appointment Booking");
    assert_eq!(
        history[3]["channel"]["interactive"]["body"]["text"],
        "Schedule your visit with us."
    );
    // A receipt is a receipt.
    cloud.post_callback(&example("status", "wamid.2", None)).await;
    assert_eq!(cloud.history(PERSON).await[1]["status"], "delivered");
    // Each is kept once.
    cloud.post_callback(&example("text_echo", "wamid.2", None)).await;
    assert_eq!(cloud.history(PERSON).await.len(), 4);
    // A change of hands is the state of the agent, with the summary as a note.
    cloud.post_callback(&example("control_passed", "", None)).await;
    let shown = conversation(&cloud).await;
    assert_eq!(shown["agent"]["state"], "paused");
    assert_eq!(shown["agent"]["cause"], "channel");
    assert_eq!(shown["agent"]["reason"], "WhatsApp user requested human agent");
    assert!(shown["needs_person_since"].is_string());
    let written = notes(&cloud).await;
    assert_eq!(written.len(), 1);
    assert_eq!(written[0]["text"], "AI-generated summary string");
    assert_eq!(
        written[0]["author"],
        json!({"type": "channel", "id": null, "name": "Meta Business Agent"})
    );
    // The same summary beside a message is not written again.
    cloud.post_callback(&example("context", "wamid.5", None)).await;
    cloud.post_callback(&example("control_taken", "", None)).await;
    assert_eq!(notes(&cloud).await.len(), 1);
    assert_eq!(cloud.history(PERSON).await.len(), 5);
    assert_eq!(conversation(&cloud).await["agent"]["cause"], "channel");
    assert_eq!(events(&cloud, "conversation.agent_paused").await.len(), 1);
    assert!(cloud.is_idle().await);
    let letters = admin(cloud.database_url(), &["callback", "list"]).await;
    assert_eq!(letters["data"], json!([]));
}

async fn control_of_an_unknown_customer_becomes_a_conversation(cloud: Cloud) {
    cloud.post_callback(&example("control_passed", "", None)).await;
    let shown = conversation(&cloud).await;
    assert_eq!(shown["phone_number"], PERSON);
    assert_eq!(shown["message_count"], 0);
    assert_eq!(shown["agent"]["cause"], "channel");
    assert!(shown["needs_person_since"].is_string());
    assert_eq!(events(&cloud, "conversation.created").await.len(), 1);
    // The first message takes the first place.
    receive(&cloud, "context", "wamid.1").await;
    assert_eq!(dialog(&cloud).await.len(), 1);
    assert_eq!(conversation(&cloud).await["message_count"], 1);
}

async fn a_service_message_takes_control_and_resuming_gives_it_back(cloud: Cloud) {
    receive(&cloud, "inbound", "wamid.1").await;
    cloud.advance(SECOND);
    let text = json!({"type": "text", "phone_number": PERSON, "text": "From Ana"});
    assert_eq!(cloud.post(SEND, &cloud.key, &text).await.status, 201);
    cloud.settle().await;
    assert_eq!(conversation(&cloud).await["agent"]["cause"], "api");
    // While the channel cannot be reached, people keep control.
    cloud.graph.down(true).await;
    assert_eq!(resume(&cloud).await, 503);
    assert_eq!(conversation(&cloud).await["agent"]["state"], "paused");
    cloud.graph.down(false).await;
    assert_eq!(resume(&cloud).await, 200);
    assert_eq!(conversation(&cloud).await["agent"]["state"], "running");
    let release = json!({"messaging_product": "whatsapp", "to": PERSON, "action": "release"});
    assert_eq!(released(&cloud), [release]);
    // An agent that runs already needs no release.
    assert_eq!(resume(&cloud).await, 200);
    assert_eq!(released(&cloud).len(), 1);
    // A report of the change before is late, and changes nothing.
    let late = example("control_passed", "", Some(cloud.second() - 1));
    cloud.advance(MINUTE);
    cloud.post_callback(&late).await;
    assert_eq!(conversation(&cloud).await["agent"]["state"], "running");
    // Whoever has no control cannot give it back, and need not.
    receive(&cloud, "control_passed", "").await;
    assert_eq!(conversation(&cloud).await["agent"]["state"], "paused");
    cloud.faults([refusal(400, 100, "Invalid parameter")]);
    assert_eq!(resume(&cloud).await, 200);
    assert_eq!(conversation(&cloud).await["agent"]["state"], "running");
    cloud.all_in_shape();
}

async fn a_conversation_that_is_idle_for_a_day_is_the_channels_again(cloud: Cloud) {
    receive(&cloud, "inbound", "wamid.1").await;
    receive(&cloud, "control_passed", "").await;
    // The customer's next message keeps the conversation with people.
    cloud.advance(Duration::from_hours(23));
    receive(&cloud, "context", "wamid.2").await;
    cloud.advance(Duration::from_hours(2));
    inbox::run_until_idle(&cloud.server.deps).await.unwrap();
    assert_eq!(conversation(&cloud).await["agent"]["state"], "paused");
    let until = conversation(&cloud).await["agent"]["until"].clone();
    assert!(until.is_string());
    // So does a reply, but not for longer.
    let text = json!({"type": "text", "phone_number": PERSON, "text": "From Ana"});
    assert_eq!(cloud.post(SEND, &cloud.key, &text).await.status, 201);
    cloud.settle().await;
    assert_eq!(conversation(&cloud).await["agent"]["until"], until);
    cloud.advance(DAY);
    inbox::run_until_idle(&cloud.server.deps).await.unwrap();
    assert_eq!(conversation(&cloud).await["agent"]["state"], "running");
    assert_eq!(events(&cloud, "conversation.agent_resumed").await.len(), 1);
    assert!(released(&cloud).is_empty());
}

async fn an_agent_of_the_organization_does_not_answer_beside_metas(cloud: Cloud) {
    let receiver = Receiver::that(saying("From us")).await;
    webhook_agent(&cloud, &receiver, AgentMode::Auto, AgentInput::default()).await;
    receive(&cloud, "inbound", "wamid.1").await;
    assert_eq!(after(&cloud, Duration::from_secs(8)).await, 0);
    receive(&cloud, "text_echo", "wamid.2").await;
    // What the agent answered is not unread.
    receive(&cloud, "inbound", "wamid.3").await;
    assert_eq!(after(&cloud, Duration::from_secs(8)).await, 0);
    assert!(receiver.received().is_empty());
    // After a day without Meta's agent, the organization's agent answers.
    cloud.advance(DAY);
    super::contact_writes(&cloud, "wamid.4", "Hello?").await;
    after(&cloud, Duration::from_secs(8)).await;
    assert_eq!(dialog(&cloud).await.last().unwrap().1, "From us");
}

async fn a_program_does_not_answer_as_the_agent_beside_metas(cloud: Cloud) {
    // Given a customer to whom Meta's agent answers,
    receive(&cloud, "inbound", "wamid.1").await;
    let answer = json!({"type": "text", "phone_number": PERSON, "text": "From us", "as": "agent"});
    // when a program answers as the agent, then nothing is sent,
    let refused = cloud.post(SEND, &cloud.key, &answer).await;
    refused.is_problem(409, "agent_paused");
    assert!(refused.text.contains("channel's own agent"), "{}", refused.text);
    assert_eq!(dialog(&cloud).await.len(), 1);
    // until Meta's agent was silent for a day.
    cloud.advance(DAY);
    super::contact_writes(&cloud, "wamid.2", "Hello?").await;
    let sent = cloud.post(SEND, &cloud.key, &answer).await;
    assert_eq!(sent.status, 201, "{}", sent.text);
}

async fn callbacks_that_were_kept_before_are_replayed(cloud: Cloud) {
    // Given callbacks that an earlier version kept because it did not know their fields,
    for (kind, name, id) in [
        ("standby", "inbound", "wamid.1"),
        ("standby", "text_echo", "wamid.2"),
        ("messaging_handovers", "control_passed", ""),
    ] {
        let payload = example(name, id, None).to_string();
        let now = cloud.clock.now();
        let letter = DeadCallback {
            id: cloud.server.deps.id(now),
            digest: Digest::new(payload.as_bytes()).as_bytes().to_vec(),
            channel: ChannelKind::CloudApi,
            kind: kind.to_owned(),
            reason: DeadLetterReason::NotUnderstood,
            detail: format!("this version does not know the field {kind:?}"),
            payload,
            attempts: 1.into(),
            received_at: now,
            kept_at: now,
        };
        cloud.server.deps.db.operator().insert_dead_callbacks(vec![letter]).await.unwrap();
    }
    // when they are replayed by their kind,
    for (kind, count) in [("standby", 2), ("messaging_handovers", 1)] {
        let replayed = admin(cloud.database_url(), &["callback", "replay", "--kind", kind]).await;
        assert_eq!(replayed["replayed"], count);
        cloud.settle().await;
    }
    // then they are applied.
    assert_eq!(dialog(&cloud).await.len(), 2);
    assert_eq!(conversation(&cloud).await["agent"]["cause"], "channel");
}

on_both_clouds! {
    metas_examples_are_kept_and_move_the_state,
    control_of_an_unknown_customer_becomes_a_conversation,
    a_service_message_takes_control_and_resuming_gives_it_back,
    a_conversation_that_is_idle_for_a_day_is_the_channels_again,
    an_agent_of_the_organization_does_not_answer_beside_metas,
    a_program_does_not_answer_as_the_agent_beside_metas,
    callbacks_that_were_kept_before_are_replayed,
}
