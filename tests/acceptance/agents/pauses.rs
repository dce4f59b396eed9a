//! Pauses of agents, and their ends (`docs/contract.md#ai-agents`).

use super::{after, contact_writes, conversation, dialog, events, saying, webhook_agent};
use crate::cloud::{Cloud, MINUTE, NUMBER, PERSON, SECOND, SEND, on_both_clouds};
use crate::dashboard::{csrf_token, sign_in_member};
use crate::webhooks::receiver::{Answers, Receiver};
use crate::world::Answer;
use crate::world::graph::callbacks::Inbound;
use domain::agent::AgentMode;
use reqwest::Method;
use serde_json::{Value, json};
use service::agents::AgentInput;
use std::time::Duration;
use workers::inbox;

const QUIET: Duration = Duration::from_secs(8);
const HOUR: Duration = Duration::from_hours(1);

async fn person_answers(cloud: &Cloud) {
    let text = json!({"type": "text", "phone_number": PERSON, "text": "From Ana"});
    assert_eq!(cloud.post(SEND, &cloud.key, &text).await.status, 201);
}

/// Moves the clock, and lets the inbox end what is over.
async fn wait(cloud: &Cloud, time: Duration) {
    cloud.advance(time);
    inbox::run_until_idle(&cloud.server.deps).await.unwrap();
}

async fn state(cloud: &Cloud) -> Value {
    conversation(cloud).await["agent"]["state"].clone()
}

async fn path(cloud: &Cloud) -> String {
    format!("/api/v1/conversations/{}", conversation(cloud).await["id"].as_str().unwrap())
}

async fn set_status(cloud: &Cloud, status: &str) {
    let request = cloud.request(Method::PATCH, &path(cloud).await, &cloud.key);
    let answer = Answer::of(request.json(&json!({"status": status}))).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
}

async fn a_pause_ends_some_hours_after_a_persons_last_word(cloud: Cloud) {
    let receiver = Receiver::that(saying("From the agent")).await;
    let input = AgentInput { resume_after_hours: Some(2), ..AgentInput::default() };
    webhook_agent(&cloud, &receiver, AgentMode::Auto, input).await;
    contact_writes(&cloud, "wamid.1", "Hello?").await;
    person_answers(&cloud).await;
    wait(&cloud, HOUR).await;
    assert!(conversation(&cloud).await["agent"]["until"].is_string());
    // A person's next word extends the pause,
    person_answers(&cloud).await;
    wait(&cloud, HOUR + MINUTE).await;
    assert_eq!(state(&cloud).await, "paused");
    // and so does one that was accepted after the pause was over, and before it was ended.
    cloud.advance(HOUR);
    person_answers(&cloud).await;
    wait(&cloud, SECOND).await;
    assert_eq!(state(&cloud).await, "paused");
    wait(&cloud, HOUR * 2).await;
    assert_eq!(state(&cloud).await, "running");
    assert_eq!(events(&cloud, "conversation.agent_resumed").await.len(), 1);
    // Then the agent answers.
    contact_writes(&cloud, "wamid.2", "And tomorrow?").await;
    after(&cloud, QUIET).await;
    assert_eq!(dialog(&cloud).await.last().unwrap().1, "From the agent");
    // A pause by a program ends, too.
    let paused = format!("{}/pause-agent", path(&cloud).await);
    assert_eq!(cloud.post(&paused, &cloud.key, &json!({})).await.status, 200);
    wait(&cloud, HOUR * 2).await;
    assert_eq!(state(&cloud).await, "running");
}

async fn without_the_setting_a_pause_lasts(cloud: Cloud) {
    let receiver = Receiver::that(saying("From the agent")).await;
    webhook_agent(&cloud, &receiver, AgentMode::Auto, AgentInput::default()).await;
    contact_writes(&cloud, "wamid.1", "Hello?").await;
    person_answers(&cloud).await;
    wait(&cloud, HOUR * 24 * 30).await;
    let shown = conversation(&cloud).await;
    assert_eq!(shown["agent"]["state"], "paused");
    assert_eq!(shown["agent"]["until"], Value::Null);
    set_status(&cloud, "closed").await;
    assert_eq!(state(&cloud).await, "paused");
}

async fn closing_a_conversation_ends_the_pause_and_begins_a_new_context(cloud: Cloud) {
    let receiver = Receiver::that(saying("From the agent")).await;
    let input = AgentInput { resume_on_close: Some(true), ..AgentInput::default() };
    webhook_agent(&cloud, &receiver, AgentMode::Auto, input).await;
    contact_writes(&cloud, "wamid.1", "My order is broken").await;
    person_answers(&cloud).await;
    wait(&cloud, MINUTE).await;
    assert_eq!(state(&cloud).await, "paused");
    set_status(&cloud, "closed").await;
    assert_eq!(state(&cloud).await, "running");
    assert_eq!(events(&cloud, "conversation.agent_resumed").await.len(), 1);
    // The agent is not told what was said before.
    cloud.advance(SECOND);
    contact_writes(&cloud, "wamid.2", "Are you open?").await;
    after(&cloud, QUIET).await;
    let request = receiver.take().pop().unwrap().json();
    let told = request["data"]["messages"].as_array().unwrap();
    let told: Vec<&str> = told.iter().map(|it| it["text"].as_str().unwrap()).collect();
    assert_eq!(told, ["Are you open?"]);
}

async fn start_ends_the_pause_of_a_contact_who_opted_out(cloud: Cloud) {
    let receiver = Receiver::that(saying("Until six.")).await;
    let input = AgentInput {
        resume_after_hours: Some(1),
        resume_on_close: Some(true),
        ..AgentInput::default()
    };
    webhook_agent(&cloud, &receiver, AgentMode::Auto, input).await;
    contact_writes(&cloud, "wamid.1", "Stop").await;
    after(&cloud, QUIET).await;
    assert_eq!(conversation(&cloud).await["agent"]["cause"], "opted_out");
    // Neither time nor closing ends it.
    set_status(&cloud, "closed").await;
    wait(&cloud, HOUR * 5).await;
    assert_eq!(conversation(&cloud).await["agent"]["cause"], "opted_out");
    contact_writes(&cloud, "wamid.2", "START").await;
    assert_eq!(state(&cloud).await, "running");
    contact_writes(&cloud, "wamid.3", "Are you open?").await;
    after(&cloud, QUIET).await;
    assert_eq!(dialog(&cloud).await.last().unwrap().1, "Until six.");
    // A person's pause is not ended by it.
    person_answers(&cloud).await;
    contact_writes(&cloud, "wamid.4", "START").await;
    assert_eq!(state(&cloud).await, "paused");
}

async fn an_agent_over_the_api_sends_three_messages_in_a_row(cloud: Cloud) {
    contact_writes(&cloud, "wamid.1", "Hello?").await;
    let answer = json!({
        "type": "text", "phone_number": PERSON, "text": "From the agent", "as": "agent",
    });
    for _ in 0..3 {
        assert_eq!(cloud.post(SEND, &cloud.key, &answer).await.status, 201);
    }
    // The fourth one hands the conversation to people.
    cloud.post(SEND, &cloud.key, &answer).await.is_problem(409, "agent_paused");
    cloud.settle().await;
    assert_eq!(dialog(&cloud).await.len(), 4);
    assert_eq!(cloud.texts().len(), 3);
    let shown = conversation(&cloud).await;
    assert_eq!(shown["agent"]["cause"], "limit");
    assert!(shown["needs_person_since"].is_string());
    // After the next message of the contact there is room again.
    let resumed = format!("{}/resume-agent", path(&cloud).await);
    assert_eq!(cloud.post(&resumed, &cloud.key, &json!({})).await.status, 200);
    contact_writes(&cloud, "wamid.2", "And tomorrow?").await;
    assert_eq!(cloud.post(SEND, &cloud.key, &answer).await.status, 201);
}

async fn the_page_says_why_a_person_is_needed(cloud: Cloud) {
    let receiver = Receiver::that(saying("Until six.")).await;
    webhook_agent(&cloud, &receiver, AgentMode::Auto, AgentInput::default()).await;
    // Given a contact who asked for a person,
    contact_writes(&cloud, "wamid.1", "Can I talk to a person, please?").await;
    after(&cloud, QUIET).await;
    // when a member opens the conversation, then the line about the agent is one sentence.
    let mut ada = sign_in_member(&cloud).await;
    let id = conversation(&cloud).await["id"].as_str().unwrap().to_owned();
    let page = ada.get(&format!("/inbox/{id}")).await;
    let line = "<b>Needs a person</b> · The customer asks for a person · AI agent paused by its \
                hand-over since ";
    assert!(page.text.contains(line), "{}", page.text);
}

/// Returns the AI agent of a conversation, as `GET /conversations/{id}` shows it.
async fn agent_of(cloud: &Cloud, conversation: &str) -> Value {
    let path = format!("/api/v1/conversations/{conversation}");
    let shown = cloud.get(&path, &cloud.key).await;
    assert_eq!(shown.status, 200, "{}", shown.text);
    shown.body["agent"].clone()
}

async fn events_show_the_agent_as_its_conversation_does(cloud: Cloud) {
    contact_writes(&cloud, "wamid.1", "Hello?").await;
    let id = conversation(&cloud).await["id"].as_str().unwrap().to_owned();
    let newest = async |kind: &str| events(&cloud, kind).await.pop().expect("an event");
    let (paused, resumed) = ("conversation.agent_paused", "conversation.agent_resumed");
    let command = async |name: &str, body: Value| {
        cloud.advance(SECOND);
        let path = format!("/api/v1/conversations/{id}/{name}");
        assert_eq!(cloud.post(&path, &cloud.key, &body).await.status, 200);
    };
    // When a program answers, pauses the agent with a reason, or resumes it, then the event has the
    // agent with its cause.
    person_answers(&cloud).await;
    assert_eq!(newest(paused).await["agent"]["cause"], "api");
    assert_eq!(newest(paused).await["agent"], agent_of(&cloud, &id).await);
    command("resume-agent", json!({})).await;
    assert_eq!(newest(resumed).await["agent"], agent_of(&cloud, &id).await);
    let until = cloud.clock.now().plus(HOUR * 5).to_string();
    command("pause-agent", json!({"reason": "On holiday", "until": until})).await;
    let told = newest(paused).await;
    assert_eq!(told["agent"]["reason"], "On holiday");
    assert_eq!(told["agent"]["until"], until);
    assert_eq!(told["agent"], agent_of(&cloud, &id).await);
    // A change of the conversation shows the agent, too.
    set_status(&cloud, "closed").await;
    let told = newest("conversation.updated").await;
    assert_eq!(told["status"], "closed");
    assert_eq!(told["agent"], agent_of(&cloud, &id).await);
    // When a member answers, then the event names the member.
    command("resume-agent", json!({})).await;
    cloud.advance(SECOND);
    let mut browser = sign_in_member(&cloud).await;
    let page = format!("/inbox/{id}");
    let token = csrf_token(&browser.get(&page).await);
    let fields = [("token", token.as_str()), ("action", "send"), ("text", "From Ada")];
    assert_eq!(browser.post(&page, &fields).await.status, 303);
    let told = newest(paused).await;
    assert_eq!(told["agent"]["cause"], "member");
    assert!(told["agent"]["by"].as_str().is_some_and(|it| it.starts_with("mem_")), "{told}");
    assert_eq!(told["agent"], agent_of(&cloud, &id).await);
    // The contact's next message opens the conversation, and its event names the member, too.
    set_status(&cloud, "waiting").await;
    cloud.advance(SECOND);
    contact_writes(&cloud, "wamid.2", "Thanks!").await;
    let told = newest("conversation.updated").await;
    assert_eq!(told["status"], "open");
    assert_eq!(told["agent"], agent_of(&cloud, &id).await);
}

/// Receives texts from a person. Returns the ids of the contact and the conversation.
async fn person_writes(cloud: &Cloud, number: &str, texts: u32) -> (String, String) {
    for text in 0..texts {
        let wamid = format!("wamid.{number}.{text}");
        let inbound = Inbound::new(NUMBER, number, &wamid, cloud.second()).text("Hello?");
        cloud.post_callback(&inbound).await;
    }
    let newest = cloud.history(&format!("+{number}")).await.pop().expect("a message");
    let id = |name: &str| newest[name].as_str().unwrap().to_owned();
    (id("contact_id"), id("conversation_id"))
}

async fn a_merge_keeps_what_is_known_of_the_later_pause(cloud: Cloud) {
    let deps = &cloud.server.deps;
    let pause = async |conversation: &str| {
        cloud.advance(SECOND);
        let path = format!("/api/v1/conversations/{conversation}/pause-agent");
        let until = cloud.clock.now().plus(HOUR * 5).to_string();
        let body = json!({"reason": "On holiday", "until": until});
        assert_eq!(cloud.post(&path, &cloud.key, &body).await.status, 200);
    };
    let reply = async |conversation: &str| {
        cloud.advance(SECOND);
        let text = json!({"type": "text", "conversation_id": conversation, "text": "From Ana"});
        assert_eq!(cloud.post(SEND, &cloud.key, &text).await.status, 201);
    };
    // Given two conversations with a person, of which one is paused, or both are,
    for (index, pauses) in [
        &[("second", "pause")][..],
        &[("second", "reply")],
        &[("first", "reply"), ("second", "pause")],
        &[("second", "pause"), ("first", "reply")],
        &[("first", "pause"), ("second", "reply")],
    ]
    .into_iter()
    .enumerate()
    {
        let (kept, first) = person_writes(&cloud, &format!("1650555100{index}"), 3).await;
        let (merged, second) = person_writes(&cloud, &format!("1650555200{index}"), 1).await;
        let mut later = String::new();
        for (which, how) in pauses {
            later.clone_from(if *which == "first" { &first } else { &second });
            if *how == "pause" { pause(&later).await } else { reply(&later).await }
        }
        let expected = agent_of(&cloud, &later).await;
        assert_eq!(expected["state"], "paused");
        // when they are merged by hand,
        let (kept, merged) = (kept.parse().unwrap(), merged.parse().unwrap());
        service::contacts::merge(deps, cloud.organization, kept, merged).await.unwrap();
        // then the later pause keeps its cause, its reason, its time and its end.
        for id in [&first, &second] {
            assert_eq!(agent_of(&cloud, id).await, expected, "{pauses:?}");
        }
        if pauses.len() == 1 {
            let told = events(&cloud, "conversation.agent_paused").await.pop().unwrap();
            assert_eq!(told["agent"], expected, "{pauses:?}");
        }
    }
}

async fn closing_or_resuming_ends_the_call_for_a_person(cloud: Cloud) {
    let receiver = Receiver::that(saying("Until six.")).await;
    let input = AgentInput { resume_after_hours: Some(2), ..AgentInput::default() };
    webhook_agent(&cloud, &receiver, AgentMode::Auto, input).await;
    let needs_person = async || conversation(&cloud).await["needs_person_since"].is_string();
    let asks_for_a_person = async |wamid: &str| {
        contact_writes(&cloud, wamid, "Can I talk to a person, please?").await;
        after(&cloud, QUIET).await;
        assert!(needs_person().await);
    };
    // Given a contact who asked for a person, when the conversation is closed, then nobody has to
    // answer, and an event says so.
    asks_for_a_person("wamid.1").await;
    set_status(&cloud, "closed").await;
    assert!(!needs_person().await);
    let updates = events(&cloud, "conversation.updated").await;
    let change = updates.last().unwrap()["changes"]["needs_person_since"].clone();
    assert!(change["previous"].is_string(), "{updates:?}");
    assert_eq!(change["current"], Value::Null);
    // When the agent is resumed, then nobody has to answer either.
    let resumed = format!("{}/resume-agent", path(&cloud).await);
    assert_eq!(cloud.post(&resumed, &cloud.key, &json!({})).await.status, 200);
    asks_for_a_person("wamid.2").await;
    assert_eq!(cloud.post(&resumed, &cloud.key, &json!({})).await.status, 200);
    assert!(!needs_person().await);
    assert_eq!(state(&cloud).await, "running");
    // A pause that ends by itself leaves the call: nobody has said that it is over.
    asks_for_a_person("wamid.3").await;
    wait(&cloud, HOUR * 2).await;
    assert_eq!(state(&cloud).await, "running");
    assert!(needs_person().await);
}

async fn a_member_says_that_a_call_for_a_person_is_handled(cloud: Cloud) {
    let receiver = Receiver::that(saying("Until six.")).await;
    webhook_agent(&cloud, &receiver, AgentMode::Auto, AgentInput::default()).await;
    let mut ada = sign_in_member(&cloud).await;
    let button = "Mark as handled";
    // Given a contact who asked for a person,
    contact_writes(&cloud, "wamid.1", "Can I talk to a person, please?").await;
    after(&cloud, QUIET).await;
    let page_path = format!("/inbox/{}", conversation(&cloud).await["id"].as_str().unwrap());
    let page = ada.get(&page_path).await;
    assert!(page.text.contains(button), "{}", page.text);
    // when a member marks it as handled, then nobody has to answer, and nothing else changes.
    let token = csrf_token(&page);
    let handled = [("token", token.as_str()), ("action", "handled")];
    assert_eq!(ada.post(&page_path, &handled).await.status, 303);
    let shown = conversation(&cloud).await;
    assert_eq!(shown["needs_person_since"], Value::Null);
    assert_eq!(shown["status"], "open");
    assert_eq!(shown["agent"]["state"], "paused");
    let updates = events(&cloud, "conversation.updated").await;
    let changes = updates.last().unwrap()["changes"].as_object().unwrap();
    assert_eq!(changes.keys().collect::<Vec<_>>(), ["needs_person_since"]);
    assert!(!ada.get(&page_path).await.text.contains(button));
}

async fn a_person_can_be_needed_while_the_agent_runs(cloud: Cloud) {
    // Given an agent that failed to answer, and that goes on with the next message,
    let receiver = Receiver::that(Answers::With(202)).await;
    webhook_agent(&cloud, &receiver, AgentMode::Auto, AgentInput::default()).await;
    contact_writes(&cloud, "wamid.1", "Hello?").await;
    after(&cloud, QUIET).await;
    after(&cloud, Duration::from_secs(121)).await;
    assert_eq!(state(&cloud).await, "running");
    // then the page says that a person is needed and why, until a member marks it as handled.
    let mut ada = sign_in_member(&cloud).await;
    let page_path = format!("/inbox/{}", conversation(&cloud).await["id"].as_str().unwrap());
    let page = ada.get(&page_path).await;
    let line = "<b>Needs a person</b> · The AI agent could not answer: its server took too long<";
    assert!(page.text.contains(line), "{}", page.text);
    assert!(!page.text.contains("AI agent is answering"), "{}", page.text);
    assert!(page.text.contains("Handled</button>"), "{}", page.text);
    let token = csrf_token(&page);
    let handled = [("token", token.as_str()), ("action", "handled")];
    assert_eq!(ada.post(&page_path, &handled).await.status, 303);
    assert_eq!(conversation(&cloud).await["needs_person_since"], Value::Null);
    let page = ada.get(&page_path).await;
    assert!(!page.text.contains("<b>Needs a person</b>"), "{}", page.text);
    assert!(page.text.contains("AI agent is answering"), "{}", page.text);
}

on_both_clouds! {
    a_member_says_that_a_call_for_a_person_is_handled,
    a_person_can_be_needed_while_the_agent_runs,
    events_show_the_agent_as_its_conversation_does,
    a_merge_keeps_what_is_known_of_the_later_pause,
    the_page_says_why_a_person_is_needed,
    closing_or_resuming_ends_the_call_for_a_person,
    a_pause_ends_some_hours_after_a_persons_last_word,
    without_the_setting_a_pause_lasts,
    closing_a_conversation_ends_the_pause_and_begins_a_new_context,
    start_ends_the_pause_of_a_contact_who_opted_out,
    an_agent_over_the_api_sends_three_messages_in_a_row,
}
