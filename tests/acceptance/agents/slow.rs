//! Agents that need long for their answer, or never give one.

use super::{after, contact_writes, conversation, dialog, model_agent, outcomes, saying};
use crate::cloud::{BUSINESS, Cloud, NOON, NUMBER, PERSON, SEND, on_both_clouds};
use crate::webhooks::receiver::{Answers, Receiver};
use crate::world::graph::callbacks::Inbound;
use domain::agent::{AgentMode, TurnState};
use serde_json::{Value, json};
use service::admin::NewChannel;
use service::agents::{AgentInput, NewConnection};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Notify;
use workers::{agents, inbox};

const QUIET: Duration = Duration::from_secs(8);
const RETRY: Duration = Duration::from_secs(11);
const SLOW: Duration = Duration::from_secs(40);
/// The Cloud API's id of the organization's second number.
const SECOND_NUMBER: &str = "106540352242924";

/// Returns the body of a model's answer.
fn completion(text: &str) -> String {
    json!({"choices": [{"message": {"content": text}}]}).to_string()
}

/// Waits until a condition holds.
async fn until(holds: impl AsyncFn() -> bool) {
    while !holds().await {
        tokio::time::sleep(Duration::from_millis(10)).await; // real time: another task asks agents
    }
}

/// Lets the contact write to a model that answers after 40 seconds. A person answers meanwhile if
/// `person_answers`.
async fn ask_for_40_seconds(cloud: &Cloud, person_answers: bool) {
    let released = Arc::new(Notify::new());
    let receiver =
        Receiver::that(Answers::Held(released.clone(), completion("From the agent"))).await;
    model_agent(cloud, &receiver, AgentInput::default()).await;
    contact_writes(cloud, "wamid.1", "Are you open?").await;
    let meanwhile = async {
        until(async || !receiver.received().is_empty()).await;
        cloud.advance(SLOW);
        if person_answers {
            let text = json!({"type": "text", "phone_number": PERSON, "text": "From Ana"});
            assert_eq!(cloud.post(SEND, &cloud.key, &text).await.status, 201);
        }
        released.notify_one();
    };
    tokio::join!(after(cloud, QUIET), meanwhile);
}

async fn an_answer_after_40_seconds_is_sent(cloud: Cloud) {
    ask_for_40_seconds(&cloud, false).await;
    assert_eq!(outcomes(&cloud).await[0].0, "answered");
    assert_eq!(cloud.texts(), ["From the agent"]);
    assert_eq!(dialog(&cloud).await.last().unwrap().1, "From the agent");
}

async fn an_answer_after_a_persons_reply_is_not_sent(cloud: Cloud) {
    ask_for_40_seconds(&cloud, true).await;
    assert_eq!(outcomes(&cloud).await[0].0, "superseded");
    assert_eq!(outcomes(&cloud).await[0].1, "a person has answered");
    assert_eq!(cloud.texts(), ["From Ana"]);
    assert_eq!(dialog(&cloud).await.last().unwrap().1, "From Ana");
}

async fn a_model_that_never_answers_holds_up_nobody(cloud: Cloud) {
    // Given a model that never answers, and another agent on another number,
    let silent = Receiver::that(Answers::Never).await;
    let agent = model_agent(&cloud, &silent, AgentInput::default()).await;
    let ready = Receiver::that(saying("Until six.")).await;
    let channel = NewChannel::CloudApi {
        phone_number_id: SECOND_NUMBER,
        waba_id: BUSINESS,
        access_token: cloud.graph.token(),
    };
    let second = cloud.connect(cloud.organization, "+12025550182", channel).await;
    let input = AgentInput {
        name: Some("Opening hours"),
        mode: Some(AgentMode::Auto),
        url: Some(&ready.url),
        accounts: Some(vec![second]),
        ..AgentInput::default()
    };
    let organization = cloud.organization;
    service::agents::create(&cloud.server.deps, organization, NewConnection::Webhook, input)
        .await
        .unwrap();
    // when contacts write to both,
    for (number, from) in
        [(NUMBER, "16505550001"), (NUMBER, "16505550002"), (SECOND_NUMBER, "16505550003")]
    {
        let id = format!("wamid.{from}");
        cloud.report(&Inbound::new(number, from, &id, NOON).text("Are you open?")).await;
    }
    cloud.settle().await;
    inbox::run_until_idle(&cloud.server.deps).await.unwrap();
    cloud.advance(QUIET);
    let deps = cloud.server.deps.service.clone();
    let asking = tokio::spawn(async move { agents::run(&deps).await });
    // then the model is asked in both of its conversations at the same time,
    until(async || silent.received().len() == 2).await;
    // and the other agent answers meanwhile.
    until(async || cloud.history("+16505550003").await.len() == 2).await;
    let organization_db = cloud.server.deps.db.organization(cloud.organization);
    let turns = organization_db.list_turns(agent, None, 10).await.unwrap();
    assert_eq!(turns.len(), 2);
    assert!(turns.iter().all(|it| it.state == TurnState::Asking));
    asking.abort();
}

async fn a_model_that_never_answers_calls_for_a_person(cloud: Cloud) {
    // Given a model that never answers, with a second one on the same server,
    let receiver = Receiver::that(Answers::Never).await;
    let input = AgentInput {
        fallback_model: Some("spare"),
        failure_text: Some("A colleague will answer."),
        ..AgentInput::default()
    };
    model_agent(&cloud, &receiver, input).await;
    // when the time to answer is over at each attempt,
    contact_writes(&cloud, "wamid.1", "Are you open?").await;
    for wait in [QUIET, RETRY, RETRY] {
        assert!(outcomes(&cloud).await.is_empty());
        after(&cloud, wait).await;
    }
    // then the second model was asked too, and a person has to answer.
    let requests = receiver.take();
    let models: Vec<Value> = requests.iter().map(|it| it.json()["model"].clone()).collect();
    assert_eq!(models, ["small", "small", "small", "spare"]);
    let (state, reason) = outcomes(&cloud).await.remove(0);
    assert_eq!(state, "failed");
    assert!(reason.starts_with("no answer within"), "{reason}");
    let shown = conversation(&cloud).await;
    assert!(shown["needs_person_since"].is_string());
    assert_eq!(shown["agent"]["state"], "running");
    assert_eq!(cloud.texts(), ["A colleague will answer."]);
    // The contact is told once, although the next turn fails as well.
    receiver.answer(Answers::With(500));
    contact_writes(&cloud, "wamid.2", "Hello?").await;
    for wait in [QUIET, RETRY, RETRY] {
        after(&cloud, wait).await;
    }
    assert_eq!(outcomes(&cloud).await.len(), 2);
    assert_eq!(cloud.texts(), ["A colleague will answer."]);
    // The agent answers when its server does.
    receiver.answer(Answers::Body(200, completion("Until six.")));
    contact_writes(&cloud, "wamid.3", "And today?").await;
    after(&cloud, QUIET).await;
    assert_eq!(cloud.texts(), ["A colleague will answer.", "Until six."]);
}

on_both_clouds! {
    an_answer_after_40_seconds_is_sent,
    an_answer_after_a_persons_reply_is_not_sent,
    a_model_that_never_answers_holds_up_nobody,
    a_model_that_never_answers_calls_for_a_person with [("agent_timeout", "2")],
}
