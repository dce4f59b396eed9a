//! Agents that answer over the API: their modes, their limits, and what their contacts ask for
//! (`docs/contract.md#ai-agents`).

use super::{
    after, contact_writes_now, conversation, dialog, events, outcomes, release_number,
    webhook_agent,
};
use crate::cloud::{Cloud, MINUTE, NUMBER, PERSON, PERSON_THERE, SECOND, SEND, on_both_clouds};
use crate::webhooks::receiver::{Answers, Receiver};
use crate::world::Answer;
use crate::world::graph::callbacks::Inbound;
use domain::agent::AgentMode;
use domain::id::AiAgentId;
use serde_json::json;
use service::agents::{self, AgentInput, NewConnection};
use std::time::Duration;

const HOUR: Duration = Duration::from_hours(1);

/// Creates an agent over the API that answers on the number of the world.
pub(super) async fn api_agent(cloud: &Cloud, mode: AgentMode, input: AgentInput<'_>) -> AiAgentId {
    let input = AgentInput {
        name: Some("Program"),
        mode: Some(mode),
        accounts: Some(vec![cloud.account]),
        ..input
    };
    release_number(cloud).await;
    let (deps, organization) = (&cloud.server.deps, cloud.organization);
    agents::create(deps, organization, NewConnection::Api, input).await.unwrap().agent.id
}

/// Sends an answer as the agent.
async fn answer(cloud: &Cloud) -> Answer {
    let body = json!({
        "type": "text", "phone_number": PERSON, "text": "From the program", "as": "agent",
    });
    cloud.post(SEND, &cloud.key, &body).await
}

async fn resume(cloud: &Cloud) {
    let id = conversation(cloud).await["id"].as_str().unwrap().to_owned();
    let path = format!("/api/v1/conversations/{id}/resume-agent");
    assert_eq!(cloud.post(&path, &cloud.key, &json!({})).await.status, 200);
}

/// Asserts that the agent is paused for this cause, and that a person has to answer.
async fn is_stopped(cloud: &Cloud, cause: &str) {
    let shown = conversation(cloud).await;
    assert_eq!(shown["agent"]["state"], "paused");
    assert_eq!(shown["agent"]["cause"], cause);
    assert!(shown["needs_person_since"].is_string());
    let paused = events(cloud, "conversation.agent_paused").await.pop().expect("an event");
    assert_eq!(paused["agent"]["cause"], cause);
}

/// Lets the contact write and the agent answer, with some time between the messages.
async fn talks(cloud: &Cloud, number: usize) -> Answer {
    cloud.advance(2 * MINUTE);
    let (wamid, text) = (format!("wamid.{number}"), format!("Question {number}"));
    contact_writes_now(cloud, &wamid, &text).await;
    answer(cloud).await
}

async fn it_answers_as_often_as_its_limit_allows(cloud: Cloud) {
    let input = AgentInput { answers_per_hour: Some(2), ..AgentInput::default() };
    api_agent(&cloud, AgentMode::Auto, input).await;
    for number in 0..2 {
        assert_eq!(talks(&cloud, number).await.status, 201);
    }
    let refused = talks(&cloud, 2).await;
    refused.is_problem(409, "agent_paused");
    assert!(refused.text.contains("as often as it may"), "{}", refused.text);
    is_stopped(&cloud, "limit").await;
    // After an hour there is room again.
    cloud.advance(HOUR);
    resume(&cloud).await;
    assert_eq!(answer(&cloud).await.status, 201);
}

async fn without_an_agent_on_the_number_the_usual_limit_holds(cloud: Cloud) {
    for number in 0..20 {
        assert_eq!(talks(&cloud, number).await.status, 201);
    }
    talks(&cloud, 20).await.is_problem(409, "agent_paused");
    is_stopped(&cloud, "limit").await;
}

/// Lets two programs answer each other at once. Returns how many messages they wrote.
async fn chat(cloud: &Cloud) -> usize {
    for number in 0..20 {
        let (wamid, text) = (format!("wamid.{number}"), format!("Line {number}"));
        contact_writes_now(cloud, &wamid, &text).await;
        let sent = answer(cloud).await;
        if sent.status != 201 {
            sent.is_problem(409, "agent_paused");
            assert!(sent.text.contains("seems to be a program"), "{}", sent.text);
            break;
        }
    }
    dialog(cloud).await.len()
}

async fn two_programs_stop(cloud: Cloud) {
    api_agent(&cloud, AgentMode::Auto, AgentInput::default()).await;
    assert!(chat(&cloud).await < 20);
    is_stopped(&cloud, "loop").await;
}

async fn two_programs_stop_without_an_agent_on_the_number(cloud: Cloud) {
    assert!(chat(&cloud).await < 20);
    is_stopped(&cloud, "loop").await;
}

async fn a_contact_who_repeats_a_text_is_a_program(cloud: Cloud) {
    api_agent(&cloud, AgentMode::Auto, AgentInput::default()).await;
    for number in 0..3 {
        cloud.advance(MINUTE);
        contact_writes_now(&cloud, &format!("wamid.{number}"), "I am a bot.").await;
        assert_eq!(answer(&cloud).await.status, 201);
        after(&cloud, SECOND).await;
    }
    is_stopped(&cloud, "loop").await;
    assert_eq!(outcomes(&cloud).await.len(), 1);
}

async fn a_contact_who_asks_for_a_person_gets_one(cloud: Cloud) {
    let person_phrases = Some(vec!["the boss".to_owned()]);
    let input = AgentInput { person_phrases, ..AgentInput::default() };
    let agent = api_agent(&cloud, AgentMode::Auto, input).await;
    // An ordinary message leaves no turn.
    contact_writes_now(&cloud, "wamid.1", "Are you open?").await;
    assert_eq!(after(&cloud, SECOND).await, 1);
    let organization_db = cloud.server.deps.db.organization(cloud.organization);
    assert_eq!(organization_db.list_turns(agent, None, 10).await.unwrap().len(), 0);
    assert!(outcomes(&cloud).await.is_empty());
    for (number, text) in ["Can I talk to a person, please?", "The boss!"].into_iter().enumerate() {
        // When the contact asks for a person, then they get one, also if the program was faster.
        cloud.advance(MINUTE);
        contact_writes_now(&cloud, &format!("wamid.A{number}"), text).await;
        assert_eq!(answer(&cloud).await.status, 201);
        after(&cloud, SECOND).await;
        is_stopped(&cloud, "handed_over").await;
        let requests = events(&cloud, "conversation.handover_requested").await;
        assert_eq!(requests.len(), number + 1);
        assert_eq!(requests[number]["agent_id"], agent.to_string());
        assert_eq!(outcomes(&cloud).await[number].0, "handed_over");
        answer(&cloud).await.is_problem(409, "agent_paused");
        // A program whose agent is resumed is not stopped by the same words again.
        resume(&cloud).await;
        assert_eq!(after(&cloud, SECOND).await, 0);
        assert_eq!(answer(&cloud).await.status, 201);
    }
}

async fn a_contact_who_opts_out_is_not_answered(cloud: Cloud) {
    api_agent(&cloud, AgentMode::Auto, AgentInput::default()).await;
    contact_writes_now(&cloud, "wamid.1", "Stop").await;
    after(&cloud, SECOND).await;
    assert_eq!(conversation(&cloud).await["agent"]["cause"], "opted_out");
    assert_eq!(outcomes(&cloud).await[0].0, "skipped");
    answer(&cloud).await.is_problem(409, "agent_paused");
    cloud.advance(MINUTE);
    contact_writes_now(&cloud, "wamid.2", "START").await;
    assert_eq!(answer(&cloud).await.status, 201);
}

async fn its_mode_decides_whether_it_sends(cloud: Cloud) {
    let agent = api_agent(&cloud, AgentMode::Auto, AgentInput::default()).await;
    contact_writes_now(&cloud, "wamid.1", "Are you open?").await;
    let (deps, organization) = (&cloud.server.deps, cloud.organization);
    for mode in [AgentMode::Off, AgentMode::Draft] {
        let input = AgentInput { mode: Some(mode), ..AgentInput::default() };
        agents::update(deps, organization, agent, input).await.unwrap();
        let refused = answer(&cloud).await;
        refused.is_problem(409, "agent_paused");
        assert!(refused.text.contains("in the mode draft"), "{}", refused.text);
    }
    // Nothing is stored, and the agent is not paused.
    assert_eq!(dialog(&cloud).await.len(), 1);
    assert_eq!(conversation(&cloud).await["agent"]["state"], "running");
    let input = AgentInput { mode: Some(AgentMode::Auto), ..AgentInput::default() };
    agents::update(deps, organization, agent, input).await.unwrap();
    assert_eq!(answer(&cloud).await.status, 201);
}

async fn words_for_a_person_count_although_the_contact_has_written_again(cloud: Cloud) {
    let receiver = Receiver::that(Answers::With(500)).await;
    webhook_agent(&cloud, &receiver, AgentMode::Auto, AgentInput::default()).await;
    // Given a turn with words for a person, and a newer message that the inbox has not taken up,
    contact_writes_now(&cloud, "wamid.1", "Can I talk to a person, please?").await;
    cloud.advance(MINUTE);
    let deps = &cloud.server.deps;
    let due = deps.db.operator().due_turns(cloud.clock.now(), Vec::new(), 10).await.unwrap();
    let newer = Inbound::new(NUMBER, PERSON_THERE, "wamid.2", cloud.second());
    cloud.post_callback(&newer.text("Now!")).await;
    // when the turn is judged, then a person has to answer.
    assert_eq!(due.len(), 1);
    assert!(service::turns::begin(deps, due[0]).await.unwrap().is_none());
    is_stopped(&cloud, "handed_over").await;
    assert_eq!(receiver.received().len(), 0);
}

on_both_clouds! {
    it_answers_as_often_as_its_limit_allows,
    without_an_agent_on_the_number_the_usual_limit_holds,
    two_programs_stop,
    two_programs_stop_without_an_agent_on_the_number,
    a_contact_who_repeats_a_text_is_a_program,
    a_contact_who_asks_for_a_person_gets_one,
    a_contact_who_opts_out_is_not_answered,
    its_mode_decides_whether_it_sends,
    words_for_a_person_count_although_the_contact_has_written_again,
}
