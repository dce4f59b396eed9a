//! Agents that fail, and their limits.

use super::{
    after, contact_writes, conversation, dialog, model_agent, outcomes, saying, webhook_agent,
};
use crate::cloud::{Cloud, on_both_clouds};
use crate::webhooks::receiver::{Answers, Receiver};
use domain::agent::{AgentConnection, AgentMode};
use service::agents::{self, AgentInput};
use std::time::Duration;

const QUIET: Duration = Duration::from_secs(8);
const RETRY: Duration = Duration::from_secs(11);

async fn a_failing_agent_is_asked_three_times_and_calls_for_a_person(cloud: Cloud) {
    for (number, fault) in [
        Answers::With(500),
        Answers::Body(200, "<html>".to_owned()),
        Answers::Body(200, r#"{"messages": [{"text": ""}]}"#.to_owned()),
        Answers::Large(2 * 1024 * 1024),
    ]
    .into_iter()
    .enumerate()
    {
        let receiver = Receiver::that(fault).await;
        let input =
            AgentInput { failure_text: Some("A colleague will answer."), ..AgentInput::default() };
        webhook_agent(&cloud, &receiver, AgentMode::Auto, input).await;
        contact_writes(&cloud, &format!("wamid.{number}"), &format!("Hello {number}?")).await;
        after(&cloud, QUIET).await;
        after(&cloud, RETRY).await;
        assert_eq!(outcomes(&cloud).await.len(), number);
        after(&cloud, RETRY).await;
        assert_eq!(receiver.received().len(), 3);
        let (state, reason) = outcomes(&cloud).await.pop().unwrap();
        assert_eq!(state, "failed");
        assert!(!reason.is_empty());
        let shown = conversation(&cloud).await;
        assert!(shown["needs_person_since"].is_string());
        // The agent stays running for the next message.
        assert_eq!(shown["agent"]["state"], "running");
    }
    // The contact is told once a day, also if more messages lie between than an agent is given.
    let receiver = Receiver::that(Answers::With(500)).await;
    let input =
        AgentInput { failure_text: Some("A colleague will answer."), ..AgentInput::default() };
    webhook_agent(&cloud, &receiver, AgentMode::Auto, input).await;
    for number in 0..35 {
        contact_writes(&cloud, &format!("wamid.many.{number}"), &format!("More {number}")).await;
    }
    after(&cloud, QUIET).await;
    after(&cloud, RETRY).await;
    after(&cloud, RETRY).await;
    assert_eq!(outcomes(&cloud).await.len(), 5);
    let said = dialog(&cloud).await;
    let told = said.iter().filter(|(_, text)| text == "A colleague will answer.").count();
    assert_eq!(told, 1, "{said:?}");
}

async fn an_agent_stops_at_its_limit(cloud: Cloud) {
    let receiver = Receiver::that(saying("Yes")).await;
    let input = AgentInput { answers_per_hour: Some(2), ..AgentInput::default() };
    webhook_agent(&cloud, &receiver, AgentMode::Auto, input).await;
    for number in 0..3 {
        contact_writes(&cloud, &format!("wamid.{number}"), &format!("Question {number}")).await;
        after(&cloud, QUIET).await;
    }
    let answers = dialog(&cloud).await.iter().filter(|(source, _)| source == "agent").count();
    assert_eq!(answers, 2);
    let shown = conversation(&cloud).await;
    assert_eq!(shown["agent"]["cause"], "limit");
    assert!(shown["needs_person_since"].is_string());
}

async fn two_programs_do_not_talk_for_ever(cloud: Cloud) {
    let receiver = Receiver::that(saying("How can I help?")).await;
    webhook_agent(&cloud, &receiver, AgentMode::Auto, AgentInput::default()).await;
    for number in 0..10 {
        contact_writes(&cloud, &format!("wamid.{number}"), "I am a bot.").await;
        after(&cloud, QUIET).await;
    }
    let said = dialog(&cloud).await;
    assert!(said.len() < 20, "{said:?}");
    assert_eq!(conversation(&cloud).await["agent"]["cause"], "loop");
}

async fn two_slow_programs_with_varied_texts_do_not_talk_for_ever(cloud: Cloud) {
    let receiver = Receiver::that(saying("Is there anything else?")).await;
    webhook_agent(&cloud, &receiver, AgentMode::Auto, AgentInput::default()).await;
    for number in 0..20 {
        contact_writes(&cloud, &format!("wamid.{number}"), &format!("Order {number}")).await;
        after(&cloud, QUIET).await;
    }
    let answers = dialog(&cloud).await.iter().filter(|(source, _)| source == "agent").count();
    assert!(answers <= 10, "{answers} answers");
    assert_eq!(conversation(&cloud).await["agent"]["cause"], "loop");
}

async fn an_address_inside_is_not_reached(cloud: Cloud) {
    let receiver = Receiver::that(saying("Inside")).await;
    let (deps, organization) = (&cloud.server.deps, cloud.organization);
    let input = AgentInput {
        name: Some("Member's model"),
        mode: Some(AgentMode::Auto),
        base_url: Some(&receiver.url),
        model: Some("small"),
        accounts: Some(vec![cloud.account]),
        ..AgentInput::default()
    };
    agents::create(deps, organization, service::agents::NewConnection::Model, input).await.unwrap();
    contact_writes(&cloud, "wamid.1", "Hello?").await;
    for wait in [QUIET, RETRY, RETRY] {
        after(&cloud, wait).await;
    }
    assert!(receiver.received().is_empty());
    assert_eq!(outcomes(&cloud).await[0].0, "failed");
}

async fn the_key_of_a_model_does_not_go_to_another_server(cloud: Cloud) {
    let receiver = Receiver::that(saying("Hi")).await;
    let id = model_agent(&cloud, &receiver, AgentInput::default()).await;
    let (deps, organization) = (&cloud.server.deps, cloud.organization);
    let has_key =
        async || agents::find(deps, organization, id).await.unwrap().unwrap().secret.is_some();
    let update = async |base_url, api_key| {
        let input = AgentInput { base_url: Some(base_url), api_key, ..AgentInput::default() };
        agents::update(deps, organization, id, input).await.unwrap();
    };
    // The key stays while the address does,
    update(&receiver.url, None).await;
    assert!(has_key().await);
    // and leaves with it, unless a new one is entered.
    update("https://elsewhere.example/v1", None).await;
    assert!(!has_key().await);
    update("https://third.example/v1", Some("sk-new")).await;
    assert!(has_key().await);
}

async fn an_operator_trusts_only_the_address_that_they_enter(cloud: Cloud) {
    let receiver = Receiver::that(saying("Hi")).await;
    let id = model_agent(&cloud, &receiver, AgentInput::default()).await;
    let (deps, organization) = (&cloud.server.deps, cloud.organization);
    let trusted = async || {
        let settings =
            agents::find(deps, organization, id).await.unwrap().unwrap().settings().unwrap();
        matches!(settings.connection, AgentConnection::Model(it) if it.is_trusted)
    };
    let update = async |base_url, is_operator| {
        let input =
            AgentInput { base_url, is_operator, quiet_seconds: Some(5), ..AgentInput::default() };
        agents::update(deps, organization, id, input).await.unwrap();
    };
    assert!(trusted().await);
    // An address that a member enters is not trusted,
    update(Some("https://elsewhere.example/v1"), false).await;
    assert!(!trusted().await);
    // also after an operator changes something else,
    update(None, true).await;
    assert!(!trusted().await);
    // but only if the operator enters it.
    update(Some("https://elsewhere.example/v1"), true).await;
    assert!(trusted().await);
}

on_both_clouds! {
    an_operator_trusts_only_the_address_that_they_enter,
    the_key_of_a_model_does_not_go_to_another_server,
    a_failing_agent_is_asked_three_times_and_calls_for_a_person,
    an_agent_stops_at_its_limit,
    two_programs_do_not_talk_for_ever,
    two_slow_programs_with_varied_texts_do_not_talk_for_ever,
    an_address_inside_is_not_reached,
}
