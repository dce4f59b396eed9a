//! Hand-overs of agents over the API: `POST /conversations/{id}/hand-over`
//! (`docs/contract.md#ai-agents`).

use super::api_agents::api_agent;
use super::{contact_writes_now, conversation, dialog, events};
use crate::cloud::{Cloud, PERSON, SECOND, SEND, on_both_clouds};
use crate::world::{Answer, Pair};
use domain::agent::AgentMode;
use domain::scope::Scope;
use serde_json::{Value, json};
use service::agents::{self, AgentInput};
use workers::inbox;

/// Hands the only conversation over with this key.
async fn hand_over(cloud: &Cloud, key: &Pair, body: &Value) -> Answer {
    let id = conversation(cloud).await["id"].as_str().unwrap().to_owned();
    cloud.post(&format!("/api/v1/conversations/{id}/hand-over"), key, body).await
}

async fn notes(cloud: &Cloud) -> Vec<Value> {
    let id = conversation(cloud).await["id"].as_str().unwrap().to_owned();
    let path = format!("/api/v1/conversations/{id}/notes");
    cloud.get(&path, &cloud.key).await.body["data"].as_array().unwrap().clone()
}

fn as_agent(text: &str) -> Value {
    json!({"type": "text", "phone_number": PERSON, "text": text, "as": "agent"})
}

async fn a_program_hands_a_conversation_over(cloud: Cloud) {
    // Given an agent over the API whose key may only answer, and its answer that has not left yet,
    let agent = api_agent(&cloud, AgentMode::Auto, AgentInput::default()).await;
    let key = cloud.key_with(cloud.organization, &[Scope::AgentReply], None, 0).await;
    contact_writes_now(&cloud, "wamid.1", "My order is broken.").await;
    let sent = cloud.post(SEND, &key, &as_agent("I ask a colleague.")).await;
    assert_eq!(sent.status, 201, "{}", sent.text);
    // when it hands the conversation over,
    let body = json!({"reason": "Refund", "summary": "Order 7 is broken."});
    let answer = hand_over(&cloud, &key, &body).await;
    // then the agent is paused, and a person has to answer.
    assert_eq!(answer.status, 200, "{}", answer.text);
    assert_eq!(answer.body["agent"]["state"], "paused");
    assert_eq!(answer.body["agent"]["cause"], "handed_over");
    assert_eq!(answer.body["agent"]["reason"], "Refund");
    assert!(answer.body["needs_person_since"].is_string());
    assert_eq!(conversation(&cloud).await["agent"], answer.body["agent"]);
    let requests = events(&cloud, "conversation.handover_requested").await;
    let expected = json!({
        "conversation_id": answer.body["id"],
        "agent_id": agent.to_string(),
        "turn_id": null,
        "reason": "Refund",
        "summary": "Order 7 is broken.",
    });
    assert_eq!(requests, [expected]);
    let paused = events(&cloud, "conversation.agent_paused").await;
    assert_eq!(paused.len(), 1);
    assert_eq!(paused[0]["agent"]["cause"], "handed_over");
    // The summary is a note of the agent.
    let notes = notes(&cloud).await;
    assert_eq!(notes.len(), 1);
    assert_eq!(notes[0]["text"], "Order 7 is broken.");
    assert_eq!(notes[0]["author"]["type"], "agent");
    assert_eq!(notes[0]["author"]["name"], "Program");
    assert_eq!(events(&cloud, "note.created").await, notes);
    // What the agent said before is sent, and nothing after it.
    cloud.settle().await;
    assert_eq!(cloud.texts(), ["I ask a colleague."]);
    cloud.post(SEND, &key, &as_agent("One more thing.")).await.is_problem(409, "agent_paused");
    // A person's reply ends the call.
    let text = json!({"type": "text", "phone_number": PERSON, "text": "From Ana"});
    assert_eq!(cloud.post(SEND, &cloud.key, &text).await.status, 201);
    inbox::run_until_idle(&cloud.server.deps).await.unwrap();
    assert!(conversation(&cloud).await["needs_person_since"].is_null());
}

async fn a_program_without_an_agent_on_the_number_hands_over(cloud: Cloud) {
    contact_writes_now(&cloud, "wamid.1", "My order is broken.").await;
    let answer = hand_over(&cloud, &cloud.key, &json!({"summary": "Order 7"})).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    assert_eq!(answer.body["agent"]["cause"], "handed_over");
    let requests = events(&cloud, "conversation.handover_requested").await;
    assert_eq!(requests.len(), 1);
    assert_eq!(requests[0]["agent_id"], Value::Null);
    assert_eq!(requests[0]["reason"], "The AI agent asked for a person.");
    // The key is the author of the note.
    let notes = notes(&cloud).await;
    assert_eq!(notes.len(), 1);
    assert_eq!(notes[0]["author"]["type"], "key");
    assert_eq!(notes[0]["author"]["id"], json!(cloud.key.client_id));
}

async fn a_program_writes_a_note_without_handing_over(cloud: Cloud) {
    // Given an agent over the API whose key may only answer,
    let agent = api_agent(&cloud, AgentMode::Auto, AgentInput::default()).await;
    let key = cloud.key_with(cloud.organization, &[Scope::AgentReply], None, 0).await;
    contact_writes_now(&cloud, "wamid.1", "My order is broken.").await;
    let id = conversation(&cloud).await["id"].as_str().unwrap().to_owned();
    let path = format!("/api/v1/conversations/{id}/notes");
    // when it writes a note,
    let note = json!({"text": "The third complaint.", "as": "agent"});
    let written = cloud.post(&path, &key, &note).await;
    // then the agent is the author, and answers on.
    assert_eq!(written.status, 201, "{}", written.text);
    let author = json!({"type": "agent", "id": agent.to_string(), "name": "Program"});
    assert_eq!(written.body["author"], author);
    assert_eq!(notes(&cloud).await, std::slice::from_ref(&written.body));
    assert_eq!(events(&cloud, "note.created").await, [written.body]);
    assert_eq!(conversation(&cloud).await["agent"]["state"], "running");
    // It also writes one while a person answers.
    let text = json!({"type": "text", "phone_number": PERSON, "text": "From Ana"});
    assert_eq!(cloud.post(SEND, &cloud.key, &text).await.status, 201);
    assert_eq!(cloud.post(&path, &key, &note).await.status, 201);
    // As a program it writes none, and a program without the agent's scope writes none as the agent.
    let refused = cloud.post(&path, &key, &json!({"text": "Hi"})).await;
    refused.is_problem(403, "insufficient_scope");
    assert_eq!(refused.body["required_scope"], "conversations.write");
    let other = cloud.key_with(cloud.organization, &[Scope::ConversationsWrite], None, 0).await;
    let refused = cloud.post(&path, &other, &note).await;
    refused.is_problem(403, "insufficient_scope");
    assert_eq!(refused.body["required_scope"], "agent.reply");
    let own = cloud.post(&path, &other, &json!({"text": "Hi"})).await;
    assert_eq!(own.body["author"]["type"], "key", "{}", own.text);
    let wrong = cloud.post(&path, &key, &json!({"text": "", "as": "robot"})).await;
    wrong.is_problem(422, "validation_failed");
    wrong.has_faults(&[("as", "not_one_of"), ("text", "empty")]);
    assert_eq!(notes(&cloud).await.len(), 3);
}

async fn without_an_agent_on_the_number_the_key_writes_the_note(cloud: Cloud) {
    contact_writes_now(&cloud, "wamid.1", "My order is broken.").await;
    let id = conversation(&cloud).await["id"].as_str().unwrap().to_owned();
    let path = format!("/api/v1/conversations/{id}/notes");
    let key = cloud.key_with(cloud.organization, &[Scope::AgentReply], None, 0).await;
    let note = json!({"text": "The third complaint.", "as": "agent"});
    let written = cloud.post(&path, &key, &note).await;
    assert_eq!(written.status, 201, "{}", written.text);
    assert_eq!(written.body["author"]["type"], "key");
    assert_eq!(written.body["author"]["id"], json!(key.client_id));
}

async fn after_a_persons_reply_nothing_is_handed_over(cloud: Cloud) {
    // Given a conversation that a person has taken over,
    contact_writes_now(&cloud, "wamid.1", "My order is broken.").await;
    let text = json!({"type": "text", "phone_number": PERSON, "text": "From Ana"});
    assert_eq!(cloud.post(SEND, &cloud.key, &text).await.status, 201);
    // when the agent hands it over, then nothing changes.
    let body = json!({"reason": "Refund", "summary": "Order 7"});
    hand_over(&cloud, &cloud.key, &body).await.is_problem(409, "agent_paused");
    let shown = conversation(&cloud).await;
    assert_eq!(shown["agent"]["cause"], "api");
    assert!(shown["needs_person_since"].is_null());
    assert!(notes(&cloud).await.is_empty());
    assert!(events(&cloud, "conversation.handover_requested").await.is_empty());
    // After the agent is resumed, it hands over once.
    let resume = format!("/api/v1/conversations/{}/resume-agent", shown["id"].as_str().unwrap());
    assert_eq!(cloud.post(&resume, &cloud.key, &json!({})).await.status, 200);
    assert_eq!(hand_over(&cloud, &cloud.key, &body).await.status, 200);
    hand_over(&cloud, &cloud.key, &body).await.is_problem(409, "agent_paused");
    assert_eq!(notes(&cloud).await.len(), 1);
    assert_eq!(events(&cloud, "conversation.handover_requested").await.len(), 1);
}

async fn several_hand_overs_at_the_same_time_are_one(cloud: Cloud) {
    contact_writes_now(&cloud, "wamid.1", "My order is broken.").await;
    let body = json!({"summary": "Order 7"});
    let (one, other) =
        tokio::join!(hand_over(&cloud, &cloud.key, &body), hand_over(&cloud, &cloud.key, &body),);
    let mut statuses = [one.status, other.status];
    statuses.sort_unstable();
    assert_eq!(statuses, [200, 409], "{} {}", one.text, other.text);
    assert_eq!(notes(&cloud).await.len(), 1);
    assert_eq!(events(&cloud, "conversation.handover_requested").await.len(), 1);
}

async fn the_mode_and_the_input_are_checked(cloud: Cloud) {
    let agent = api_agent(&cloud, AgentMode::Auto, AgentInput::default()).await;
    contact_writes_now(&cloud, "wamid.1", "My order is broken.").await;
    let other = cloud.key_with(cloud.organization, &[Scope::ConversationsWrite], None, 0).await;
    let refused = hand_over(&cloud, &other, &json!({})).await;
    refused.is_problem(403, "insufficient_scope");
    assert_eq!(refused.body["required_scope"], "agent.reply");
    for name in ["reason", "summary"] {
        let refused = hand_over(&cloud, &cloud.key, &json!({name: "x".repeat(1001)})).await;
        refused.is_problem(422, "validation_failed");
        refused.has_faults(&[(name, "too_long")]);
    }
    let (deps, organization) = (&cloud.server.deps, cloud.organization);
    for mode in [AgentMode::Off, AgentMode::Draft] {
        let input = AgentInput { mode: Some(mode), ..AgentInput::default() };
        agents::update(deps, organization, agent, input).await.unwrap();
        let refused = hand_over(&cloud, &cloud.key, &json!({})).await;
        refused.is_problem(409, "agent_paused");
        assert!(refused.text.contains("in the mode draft"), "{}", refused.text);
    }
    cloud.advance(SECOND);
    assert_eq!(conversation(&cloud).await["agent"]["state"], "running");
    assert_eq!(dialog(&cloud).await.len(), 1);
}

on_both_clouds! {
    a_program_writes_a_note_without_handing_over,
    without_an_agent_on_the_number_the_key_writes_the_note,
    a_program_hands_a_conversation_over,
    a_program_without_an_agent_on_the_number_hands_over,
    after_a_persons_reply_nothing_is_handed_over,
    several_hand_overs_at_the_same_time_are_one,
    the_mode_and_the_input_are_checked,
}
