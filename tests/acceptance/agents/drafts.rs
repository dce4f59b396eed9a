//! Drafts of agents, which members send from the inbox (`docs/contract.md#ai-agents`).

use super::{after, contact_writes, conversation, dialog, outcomes, saying, webhook_agent};
use crate::cloud::{Cloud, NUMBER, PERSON_THERE, SECOND, on_both_clouds};
use crate::connect::Browser;
use crate::dashboard::{csrf_token, sign_in_member};
use crate::webhooks::receiver::Receiver;
use crate::world::graph::callbacks::Inbound;
use domain::agent::AgentMode;
use serde_json::json;
use service::agents::{AgentInput, Agents};
use std::time::Duration;
use workers::inbox;

const QUIET: Duration = Duration::from_secs(8);

/// Receives a text that the contact wrote at this moment. The turns of a conversation are in the order
/// in which its messages were written.
async fn contact_writes_now(cloud: &Cloud, wamid: &str, text: &str) {
    let at = cloud.clock.now().micros() / 1_000_000;
    cloud.post_callback(&Inbound::new(NUMBER, PERSON_THERE, wamid, at).text(text)).await;
    inbox::run_until_idle(&cloud.server.deps).await.unwrap();
}

/// Receives a text from the contact, and lets the agent write a draft. Returns the page of the
/// conversation and the turn of the draft.
async fn drafted(cloud: &Cloud, browser: &mut Browser, wamid: &str) -> (String, String) {
    contact_writes_now(cloud, wamid, &format!("Question {wamid}?")).await;
    after(cloud, QUIET).await;
    let ended = outcomes(cloud).await;
    assert_eq!(ended.last().unwrap().0, "drafted", "{ended:?}");
    let path = format!("/inbox/{}", conversation(cloud).await["id"].as_str().unwrap());
    let page = browser.get(&path).await;
    assert!(page.text.contains("Draft by the AI agent"), "{ended:?} {}", page.text);
    (path, page.field("draft_of"))
}

/// Sends a text from the composer. An empty `draft_of` says that it does not come from a draft.
async fn send(cloud: &Cloud, browser: &mut Browser, path: &str, text: &str, draft_of: &str) {
    // The reply is newer than the draft.
    cloud.advance(SECOND);
    let token = csrf_token(&browser.get(path).await);
    let fields =
        [("token", token.as_str()), ("action", "send"), ("text", text), ("draft_of", draft_of)];
    let sent = browser.post(path, &fields).await;
    assert_eq!(sent.status, 303, "{}", sent.text);
    cloud.settle().await;
    assert_eq!(dialog(cloud).await.pop().unwrap(), ("inbox".to_owned(), text.to_owned()));
}

async fn a_member_who_sends_a_draft_does_not_pause_the_agent(cloud: Cloud) {
    let receiver = Receiver::that(saying("Until six.")).await;
    webhook_agent(&cloud, &receiver, AgentMode::Draft, AgentInput::default()).await;
    let mut ada = sign_in_member(&cloud).await;
    // A draft is sent as it is, and the next one is edited first.
    for (wamid, text) in [("wamid.1", "Until six."), ("wamid.2", "Until six today.")] {
        let (path, turn) = drafted(&cloud, &mut ada, wamid).await;
        send(&cloud, &mut ada, &path, text, &turn).await;
        assert_eq!(conversation(&cloud).await["agent"]["state"], "running");
        let page = ada.get(&path).await;
        assert!(!page.text.contains("Draft by the AI agent"), "{}", page.text);
    }
    // The contact who writes while the member edits a draft changes nothing.
    let (path, turn) = drafted(&cloud, &mut ada, "wamid.3").await;
    contact_writes_now(&cloud, "wamid.4", "And on Sunday?").await;
    send(&cloud, &mut ada, &path, "Until six, as always.", &turn).await;
    assert_eq!(conversation(&cloud).await["agent"]["state"], "running");
    // A reply of the member's own pauses the agent.
    let (path, _) = drafted(&cloud, &mut ada, "wamid.5").await;
    send(&cloud, &mut ada, &path, "My own words.", "").await;
    let paused = conversation(&cloud).await["agent"].clone();
    assert_eq!(paused["state"], "paused");
    assert_eq!(paused["cause"], "member");
}

async fn a_text_that_is_not_from_a_draft_of_the_conversation_pauses_the_agent(cloud: Cloud) {
    let receiver = Receiver::that(saying("Until six.")).await;
    let (agent, _) =
        webhook_agent(&cloud, &receiver, AgentMode::Draft, AgentInput::default()).await;
    let mut ada = sign_in_member(&cloud).await;
    // A turn that does not exist has no draft.
    let (path, turn) = drafted(&cloud, &mut ada, "wamid.1").await;
    let nobodys = "turn_01kb1yf3n8w2c6t4s9x7z5q0ha";
    send(&cloud, &mut ada, &path, "Until seven.", nobodys).await;
    assert_eq!(conversation(&cloud).await["agent"]["state"], "paused");
    let id = conversation(&cloud).await["id"].as_str().unwrap().to_owned();
    let resume = format!("/api/v1/conversations/{id}/resume-agent");
    let resumed = cloud.post(&resume, &cloud.key, &json!({})).await;
    assert_eq!(resumed.status, 200, "{}", resumed.text);
    // Given an agent that answers by itself since it wrote the draft,
    let auto = AgentInput { mode: Some(AgentMode::Auto), ..AgentInput::default() };
    Agents::of(&cloud.server.deps, cloud.organization).update(agent, auto).await.unwrap();
    // when the member sends the draft,
    send(&cloud, &mut ada, &path, "Until six.", &turn).await;
    // then the agent never speaks after the person has.
    assert_eq!(conversation(&cloud).await["agent"]["state"], "paused");
    contact_writes(&cloud, "wamid.2", "Thanks!").await;
    after(&cloud, QUIET).await;
    assert_eq!(dialog(&cloud).await.pop().unwrap().1, "Thanks!");
}

on_both_clouds! {
    a_member_who_sends_a_draft_does_not_pause_the_agent,
    a_text_that_is_not_from_a_draft_of_the_conversation_pauses_the_agent,
}
