//! AI agents that are asked: turns, webhooks and models (`docs/contract.md#ai-agents`).

mod api_agents;
mod attachments;
mod drafts;
mod guide;
mod hand_overs;
mod hostile;
mod limits;
mod litellm;
mod models;
mod pauses;
mod races;
mod rehearsals;
mod resumes;
mod schedules;
mod settings;
mod slow;
mod small_model;
mod standby;
mod tools;
mod transcripts;
mod turns;

use crate::cloud::{Cloud, NUMBER, PERSON, PERSON_THERE, from_person};
use crate::webhooks::receiver::{Answers, Receiver};
use crate::world::Answer;
use crate::world::graph::callbacks::Inbound;
use auth::webhook::WebhookSecret;
use domain::agent::AgentMode;
use domain::id::AiAgentId;
use persistence::records::AiAgentChange;
use serde_json::{Value, json};
use service::agents::{AgentInput, NewConnection};
use std::time::Duration;
use workers::{agents, inbox};

/// Takes the number of the world away from the agent that answers on it.
async fn release_number(cloud: &Cloud) {
    let organization_db = cloud.server.deps.db.organization(cloud.organization);
    if let Some(agent) = organization_db.agent_of_account(cloud.account).await.unwrap() {
        let accounts = Some(Vec::new());
        let change = AiAgentChange { accounts, ..AiAgentChange::default() };
        organization_db.update_agent(agent.id, change, cloud.clock.now()).await.unwrap();
    }
}

/// Creates an agent behind the receiver, which answers on the number of the world instead of the
/// agent that did before.
pub async fn webhook_agent(
    cloud: &Cloud,
    receiver: &Receiver,
    mode: AgentMode,
    input: AgentInput<'_>,
) -> (AiAgentId, WebhookSecret) {
    let input = AgentInput {
        name: Some("Opening hours"),
        mode: Some(mode),
        url: Some(&receiver.url),
        accounts: Some(vec![cloud.account]),
        ..input
    };
    release_number(cloud).await;
    let (deps, organization) = (&cloud.server.deps, cloud.organization);
    let created =
        service::agents::create(deps, organization, NewConnection::Webhook, input).await.unwrap();
    (created.agent.id, created.secret.expect("a signing secret"))
}

/// Creates an agent with a model behind the receiver, which answers on the number of the world instead
/// of the agent that did before.
async fn model_agent(cloud: &Cloud, receiver: &Receiver, input: AgentInput<'_>) -> AiAgentId {
    let input = AgentInput {
        name: Some("Assistant"),
        mode: Some(AgentMode::Auto),
        base_url: Some(&receiver.url),
        model: Some("small"),
        api_key: Some("sk-test"),
        accounts: Some(vec![cloud.account]),
        is_operator: true,
        ..input
    };
    release_number(cloud).await;
    let (deps, organization) = (&cloud.server.deps, cloud.organization);
    service::agents::create(deps, organization, NewConnection::Model, input).await.unwrap().agent.id
}

/// An answer of one text.
fn saying(text: &str) -> Answers {
    Answers::Body(200, json!({"messages": [{"text": text}]}).to_string())
}

/// Receives a text from the contact, and lets the inbox take it up.
pub async fn contact_writes(cloud: &Cloud, wamid: &str, text: &str) {
    cloud.post_callback(&from_person(wamid).text(text)).await;
    inbox::run_until_idle(&cloud.server.deps).await.unwrap();
}

/// Receives a text that the contact writes at this moment.
async fn contact_writes_now(cloud: &Cloud, wamid: &str, text: &str) {
    contact_wrote(cloud, wamid, text, Duration::ZERO).await;
}

/// Receives a text that the contact wrote a while ago.
async fn contact_wrote(cloud: &Cloud, wamid: &str, text: &str, ago: Duration) {
    let at = cloud.clock.now().minus(ago).second();
    cloud.post_callback(&Inbound::new(NUMBER, PERSON_THERE, wamid, at).text(text)).await;
    inbox::run_until_idle(&cloud.server.deps).await.unwrap();
}

/// Moves the clock and asks the agents that are due. Returns the number of turns.
pub async fn after(cloud: &Cloud, time: Duration) -> usize {
    cloud.advance(time);
    let worked = agents::step(&cloud.server.deps).await.unwrap();
    cloud.settle().await;
    inbox::run_until_idle(&cloud.server.deps).await.unwrap();
    worked
}

/// Returns the texts of the history with their sources, oldest first.
async fn dialog(cloud: &Cloud) -> Vec<(String, String)> {
    let text = |it: &Value, name: &str| it[name].as_str().unwrap_or_default().to_owned();
    cloud.history(PERSON).await.iter().map(|it| (text(it, "source"), text(it, "text"))).collect()
}

/// Returns the only conversation.
async fn conversation(cloud: &Cloud) -> Value {
    let answer = cloud.get("/api/v1/conversations", &cloud.key).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    answer.body["data"][0].clone()
}

/// Returns the data of the events of a kind.
async fn events(cloud: &Cloud, kind: &str) -> Vec<Value> {
    let path = format!("/api/v1/events?type={kind}&limit=100");
    let answer = cloud.get(&path, &cloud.key).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    answer.body["data"].as_array().unwrap().iter().map(|it| it["data"].clone()).collect()
}

/// Returns how the turns ended, with the reason.
async fn outcomes(cloud: &Cloud) -> Vec<(String, String)> {
    let text = |it: &Value, name: &str| it[name].as_str().unwrap_or_default().to_owned();
    let turns = events(cloud, "agent.turn_finished").await;
    turns.iter().map(|it| (text(it, "state"), text(it, "reason"))).collect()
}

/// Gives an answer with a ticket. `request` is the body that the webhook received.
async fn answer_later(cloud: &Cloud, request: &Value, ticket: &str, body: &Value) -> Answer {
    let url = request["data"]["answer_url"].as_str().expect("an address");
    let path = url.strip_prefix("https://api.example.com").expect("the server's own address");
    let request = cloud.http.post(format!("{}{path}", cloud.base)).bearer_auth(ticket).json(body);
    Answer::of(request).await
}
