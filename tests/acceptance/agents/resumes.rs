//! The messages that an agent answers when a member or a program resumes it
//! (`docs/contract.md#ai-agents`).

use super::{after, contact_writes_now, conversation, dialog, outcomes, saying, webhook_agent};
use crate::cloud::{Cloud, MINUTE, NUMBER, PERSON, PERSON_THERE, SEND, on_both_clouds};
use crate::connect::{Browser, Page};
use crate::dashboard::{csrf_token, sign_in_member};
use crate::webhooks::receiver::{Answers, Receiver};
use crate::world::graph::callbacks::Inbound;
use domain::agent::AgentMode;
use reqwest::Method;
use serde_json::json;
use service::agents::AgentInput;
use std::time::Duration;
use workers::inbox;

const QUIET: Duration = Duration::from_secs(8);
const HOUR: Duration = Duration::from_hours(1);
/// The button of the page if a resumed agent answers the message that waits, and if it does not.
const ANSWERS: &str = "title=\"The agent answers the last message\"";
const ANSWERS_LATER: &str = "title=\"The agent answers from the next message on\"";
/// The number of messages for each of which the agent is resumed twice at the same time.
const RACES: usize = 10;

/// Creates an agent that answers, and lets the contact begin the conversation.
async fn greeted(cloud: &Cloud) -> Receiver {
    let receiver = Receiver::that(saying("From the agent")).await;
    webhook_agent(cloud, &receiver, AgentMode::Auto, AgentInput::default()).await;
    contact_writes_now(cloud, "wamid.0", "Hello?").await;
    after(cloud, QUIET).await;
    assert_eq!(dialog(cloud).await.len(), 2);
    cloud.advance(MINUTE);
    receiver
}

/// Pauses or resumes the agent as a program does.
async fn command(cloud: &Cloud, command: &str) {
    let id = conversation(cloud).await["id"].as_str().unwrap().to_owned();
    let path = format!("/api/v1/conversations/{id}/{command}");
    let answer = cloud.post(&path, &cloud.key, &json!({})).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
}

/// Submits a form on the page of the conversation, and returns the page.
async fn act(browser: &mut Browser, path: &str, action: &str) -> Page {
    let token = csrf_token(&browser.get(path).await);
    let sent = browser.post(path, &[("token", token.as_str()), ("action", action)]).await;
    assert_eq!(sent.status, 303, "{}", sent.text);
    browser.get(path).await
}

async fn an_agent_that_a_member_resumes_answers_the_waiting_message(cloud: Cloud) {
    let _receiver = greeted(&cloud).await;
    let mut ada = sign_in_member(&cloud).await;
    let path = format!("/inbox/{}", conversation(&cloud).await["id"].as_str().unwrap());
    // Given a customer who wrote while a member had paused the agent,
    let page = act(&mut ada, &path, "take_over").await;
    assert!(page.text.contains(ANSWERS_LATER), "{}", page.text);
    contact_writes_now(&cloud, "wamid.1", "Are you there?").await;
    assert_eq!(after(&cloud, HOUR).await, 0);
    let page = ada.get(&path).await;
    assert!(page.text.contains(ANSWERS), "{}", page.text);
    // when the member resumes it, then it answers,
    let page = act(&mut ada, &path, "resume").await;
    assert!(page.text.contains("AI agent is answering"), "{}", page.text);
    assert_eq!(after(&cloud, Duration::ZERO).await, 1);
    let said = dialog(&cloud).await;
    assert_eq!(said.len(), 4, "{said:?}");
    assert_eq!(said[3], ("agent".to_owned(), "From the agent".to_owned()));
    // and once only.
    let page = act(&mut ada, &path, "take_over").await;
    assert!(page.text.contains(ANSWERS_LATER), "{}", page.text);
    act(&mut ada, &path, "resume").await;
    assert_eq!(after(&cloud, HOUR).await, 0);
}

async fn a_message_whose_turn_was_superseded_by_the_pause_is_answered(cloud: Cloud) {
    let _receiver = greeted(&cloud).await;
    // A turn that still waits is kept, so that there is one answer.
    contact_writes_now(&cloud, "wamid.1", "Are you there?").await;
    command(&cloud, "pause-agent").await;
    command(&cloud, "resume-agent").await;
    assert_eq!(after(&cloud, QUIET).await, 1);
    assert_eq!(after(&cloud, QUIET).await, 0);
    assert_eq!(dialog(&cloud).await.len(), 4);
    // A turn that ended with the pause is followed by another one.
    cloud.advance(MINUTE);
    contact_writes_now(&cloud, "wamid.2", "And tomorrow?").await;
    command(&cloud, "pause-agent").await;
    after(&cloud, QUIET).await;
    assert_eq!(outcomes(&cloud).await.last().unwrap().0, "superseded");
    assert_eq!(dialog(&cloud).await.len(), 5);
    command(&cloud, "resume-agent").await;
    assert_eq!(after(&cloud, Duration::ZERO).await, 1);
    assert_eq!(dialog(&cloud).await.last().unwrap().0, "agent");
}

async fn a_resumed_agent_skips_answered_old_and_closed_messages(cloud: Cloud) {
    let receiver = greeted(&cloud).await;
    let resumes_in_silence = async || {
        command(&cloud, "resume-agent").await;
        assert_eq!(after(&cloud, HOUR).await, 0, "{:?}", outcomes(&cloud).await);
    };
    // A person has answered.
    command(&cloud, "pause-agent").await;
    contact_writes_now(&cloud, "wamid.1", "Are you there?").await;
    let text = json!({"type": "text", "phone_number": PERSON, "text": "From Ana"});
    assert_eq!(cloud.post(SEND, &cloud.key, &text).await.status, 201);
    resumes_in_silence().await;
    // The conversation was closed.
    command(&cloud, "pause-agent").await;
    contact_writes_now(&cloud, "wamid.2", "Thanks, bye!").await;
    let id = conversation(&cloud).await["id"].as_str().unwrap().to_owned();
    let close = cloud.request(Method::PATCH, &format!("/api/v1/conversations/{id}"), &cloud.key);
    let closed = close.json(&json!({"status": "closed"})).send().await.unwrap();
    assert_eq!(closed.status(), 200);
    resumes_in_silence().await;
    // The message is older than 24 hours.
    command(&cloud, "pause-agent").await;
    contact_writes_now(&cloud, "wamid.3", "Are you open?").await;
    cloud.advance(Duration::from_hours(24));
    resumes_in_silence().await;
    // The agent has handed the conversation over, and would do so again.
    let hand_over = json!({"hand_over": {"reason": "A refund", "summary": "Order 12"}});
    receiver.answer(Answers::Body(200, hand_over.to_string()));
    contact_writes_now(&cloud, "wamid.4", "My money, please").await;
    assert_eq!(after(&cloud, QUIET).await, 1);
    assert_eq!(conversation(&cloud).await["agent"]["cause"], "handed_over");
    resumes_in_silence().await;
}

async fn a_message_that_would_pause_a_resumed_agent_again_is_left(cloud: Cloud) {
    let _receiver = greeted(&cloud).await;
    let mut ada = sign_in_member(&cloud).await;
    let path = format!("/inbox/{}", conversation(&cloud).await["id"].as_str().unwrap());
    let pausing = [vec!["Stop"], vec!["A person, please", "a human"], vec!["Hm?", "Hm?", "Hm?"]];
    for (round, texts) in pausing.iter().enumerate() {
        // Given a customer who wrote something that pauses an agent, while a member had paused it,
        act(&mut ada, &path, "take_over").await;
        for (index, text) in texts.iter().enumerate() {
            contact_writes_now(&cloud, &format!("wamid.{round}.{index}"), text).await;
            cloud.advance(MINUTE);
        }
        let page = ada.get(&path).await;
        assert!(page.text.contains(ANSWERS_LATER), "{texts:?}: {}", page.text);
        // when the member resumes the agent, then it keeps running,
        act(&mut ada, &path, "resume").await;
        assert_eq!(after(&cloud, MINUTE).await, 0, "{texts:?}");
        let shown = conversation(&cloud).await;
        assert_eq!(shown["agent"]["state"], "running", "{texts:?}: {shown}");
        // and answers the next message.
        let next = format!("Are you open on day {round}?");
        contact_writes_now(&cloud, &format!("wamid.{round}.next"), &next).await;
        assert_eq!(after(&cloud, QUIET).await, 1, "{texts:?}");
        assert_eq!(dialog(&cloud).await.last().unwrap().0, "agent", "{texts:?}");
        cloud.advance(MINUTE);
    }
    // The same words pause an agent that is running.
    contact_writes_now(&cloud, "wamid.last", "Stop").await;
    after(&cloud, QUIET).await;
    assert_eq!(conversation(&cloud).await["agent"]["cause"], "opted_out");
}

async fn two_concurrent_resumes_give_one_answer(cloud: Cloud) {
    let _receiver = greeted(&cloud).await;
    let id = conversation(&cloud).await["id"].as_str().unwrap().to_owned();
    let resume = format!("/api/v1/conversations/{id}/resume-agent");
    let (deps, body) = (&cloud.server.deps, json!({}));
    for race in 1..=RACES {
        // Given a message that the inbox has not taken up yet,
        command(&cloud, "pause-agent").await;
        let (wamid, text) = (format!("wamid.{race}"), format!("Question {race}?"));
        let message = Inbound::new(NUMBER, PERSON_THERE, &wamid, cloud.second()).text(&text);
        cloud.post_callback(&message).await;
        let before = dialog(&cloud).await.len();
        // when two programs resume the agent while the inbox takes it up,
        let (one, other, taken_up) = tokio::join!(
            cloud.post(&resume, &cloud.key, &body),
            cloud.post(&resume, &cloud.key, &body),
            inbox::run_until_idle(deps),
        );
        taken_up.unwrap();
        assert_eq!([one.status, other.status], [200, 200], "{} {}", one.text, other.text);
        // then it is answered once.
        inbox::run_until_idle(deps).await.unwrap();
        after(&cloud, QUIET).await;
        after(&cloud, MINUTE).await;
        let said = dialog(&cloud).await;
        assert_eq!(said.len(), before + 1, "{said:?}");
        assert_eq!(said.last().unwrap().0, "agent");
    }
}

on_both_clouds! {
    an_agent_that_a_member_resumes_answers_the_waiting_message,
    a_message_that_would_pause_a_resumed_agent_again_is_left,
    a_message_whose_turn_was_superseded_by_the_pause_is_answered,
    a_resumed_agent_skips_answered_old_and_closed_messages,
    two_concurrent_resumes_give_one_answer,
}
