//! Answers of an AI agent over the API: sends with `as` (`docs/contract.md#ai-agents`).

use crate::cloud::{Cloud, PERSON, SECOND, SEND, from_person, on_both_clouds};
use crate::world::{Answer, Pair};
use domain::scope::Scope;
use serde_json::{Value, json};

/// Number of conversations in which a person and the agent answer at the same time.
const RACES: usize = 60;

fn text(to: &str, text: &str) -> Value {
    json!({"type": "text", "phone_number": to, "text": text})
}

fn as_agent(to: &str, after: Option<&str>) -> Value {
    let mut body = text(to, "We are open until six.");
    body["as"] = json!("agent");
    if let Some(after) = after {
        body["after_message_id"] = json!(after);
    }
    body
}

/// Receives a text from the contact, and returns the id of the message.
async fn contact_writes(cloud: &Cloud, wamid: &str) -> String {
    cloud.advance(SECOND);
    cloud.post_callback(&from_person(wamid).text("Are you open?")).await;
    let history = cloud.history(PERSON).await;
    let newest = history.last().expect("the message");
    assert_eq!(newest["direction"], "inbound");
    newest["id"].as_str().unwrap().to_owned()
}

async fn send(cloud: &Cloud, body: &Value) -> Answer {
    cloud.post(SEND, &cloud.key, body).await
}

async fn state_of(cloud: &Cloud, id: &str) -> String {
    let path = format!("/api/v1/conversations/{id}");
    cloud.get(&path, &cloud.key).await.text_of("ai_agent")
}

async fn an_answer_is_the_agents_and_pauses_nothing(cloud: Cloud) {
    let question = contact_writes(&cloud, "wamid.A").await;
    let answer = send(&cloud, &as_agent(PERSON, Some(&question))).await;
    assert_eq!(answer.status, 201, "{}", answer.text);
    let history = cloud.history(PERSON).await;
    let sent = history.iter().find(|it| it["id"] == answer.body["id"]).expect("the answer");
    assert_eq!(sent["source"], "agent");
    assert_eq!(state_of(&cloud, &answer.text_of("conversation_id")).await, "running");
}

async fn nothing_is_accepted_after_a_person_answered(cloud: Cloud) {
    let question = contact_writes(&cloud, "wamid.A").await;
    let by_person = send(&cloud, &text(PERSON, "I am looking it up.")).await;
    assert_eq!(by_person.status, 201, "{}", by_person.text);
    let used = cloud.get("/api/v1/me", &cloud.key).await.body["plan"].clone();
    for body in [as_agent(PERSON, None), as_agent(PERSON, Some(&question))] {
        send(&cloud, &body).await.is_problem(409, "agent_paused");
        let mut check = body;
        check["dry_run"] = json!(true);
        send(&cloud, &check).await.is_problem(409, "agent_paused");
    }
    // Nothing is stored or counted.
    assert_eq!(cloud.history(PERSON).await.len(), 2);
    assert_eq!(
        cloud.get("/api/v1/me", &cloud.key).await.body["plan"]["messages"],
        used["messages"]
    );
    // When the agent is resumed, it answers.
    let path = by_person.text_of("conversation_id");
    let path = format!("/api/v1/conversations/{path}/resume-agent");
    assert_eq!(cloud.post(&path, &cloud.key, &json!({})).await.status, 200);
    assert_eq!(send(&cloud, &as_agent(PERSON, None)).await.status, 201);
}

async fn an_answer_to_an_older_message_is_superseded(cloud: Cloud) {
    let first = contact_writes(&cloud, "wamid.A").await;
    let second = contact_writes(&cloud, "wamid.B").await;
    let refused = send(&cloud, &as_agent(PERSON, Some(&first))).await;
    refused.is_problem(409, "superseded");
    assert_eq!(refused.body["newest_message_id"], json!(second));
    let answer = send(&cloud, &as_agent(PERSON, Some(&second))).await;
    assert_eq!(answer.status, 201, "{}", answer.text);
    // A second message of the same answer is accepted as well.
    assert_eq!(send(&cloud, &as_agent(PERSON, Some(&second))).await.status, 201);
    // A message of another conversation is not found.
    let elsewhere = send(&cloud, &text("+16505550001", "Hello")).await.text_of("id");
    for unknown in [elsewhere.as_str(), "msg_01h455vb4pex5vsknk084sn02q"] {
        send(&cloud, &as_agent(PERSON, Some(unknown))).await.is_problem(404, "not_found");
    }
}

async fn wrong_input_is_explained(cloud: Cloud) {
    let scopes = [Scope::MessagesSend, Scope::ConversationsRead];
    let other: Pair = cloud.key_with(cloud.organization, &scopes, None, 0).await;
    let refused = cloud.post(SEND, &other, &as_agent(PERSON, None)).await;
    refused.is_problem(403, "insufficient_scope");
    assert_eq!(refused.body["required_scope"], "agent.reply");
    // A key of the agent alone sends its answers, and nothing else.
    let scopes = [Scope::AgentReply, Scope::ConversationsRead];
    let agents: Pair = cloud.key_with(cloud.organization, &scopes, None, 0).await;
    let sent = cloud.post(SEND, &agents, &as_agent(PERSON, None)).await;
    assert_eq!(sent.status, 201, "{}", sent.text);
    let refused = cloud.post(SEND, &agents, &text(PERSON, "Hello")).await;
    refused.is_problem(403, "insufficient_scope");
    assert_eq!(refused.body["required_scope"], "messages.send");
    for path in ["/api/v1/messages/batch", "/api/v1/messages/template"] {
        let refused = cloud.post(path, &agents, &as_agent(PERSON, None)).await;
        refused.is_problem(403, "insufficient_scope");
    }
    for (name, value, code) in [
        ("as", json!("robot"), "not_one_of"),
        ("after_message_id", json!("msg_01h455vb4pex5vsknk084sn02q"), "not_allowed"),
        ("agent", json!("running"), "not_one_of"),
    ] {
        let mut body = text(PERSON, "Hello");
        body[name] = value;
        let refused = send(&cloud, &body).await;
        refused.is_problem(422, "validation_failed");
        refused.has_faults(&[(name, code)]);
    }
    let mut both = as_agent(PERSON, Some("msg_1"));
    both["agent"] = json!("paused");
    let refused = send(&cloud, &both).await;
    refused.has_faults(&[("after_message_id", "invalid_format"), ("agent", "not_allowed")]);
}

async fn a_template_can_pause_the_agent(cloud: Cloud) {
    let template = json!({
        "type": "template",
        "phone_number": PERSON,
        "template_name": "elsewhere",
        "language": "en",
    });
    let sent = send(&cloud, &template).await;
    assert_eq!(sent.status, 201, "{}", sent.text);
    let id = sent.text_of("conversation_id");
    assert_eq!(state_of(&cloud, &id).await, "running");
    let mut campaign = template;
    campaign["agent"] = json!("paused");
    assert_eq!(send(&cloud, &campaign).await.status, 201);
    assert_eq!(state_of(&cloud, &id).await, "paused");
}

async fn a_waiting_agent_answer_is_withdrawn_when_a_person_answers(cloud: Cloud) {
    contact_writes(&cloud, "wamid.A").await;
    // Given an answer of the agent that has not left yet,
    let waiting = send(&cloud, &as_agent(PERSON, None)).await.text_of("id");
    // when a person answers,
    let by_person = send(&cloud, &text(PERSON, "Until eight today.")).await.text_of("id");
    cloud.settle().await;
    // then only the person's answer is sent.
    let history = cloud.history(PERSON).await;
    let find = |id: &str| history.iter().find(|it| it["id"] == id).expect("a message").clone();
    assert_eq!(find(&waiting)["status"], "failed");
    assert_eq!(find(&waiting)["error"]["code"], "agent_paused");
    assert_eq!(cloud.accepted(&waiting).len(), 0);
    assert_eq!(cloud.accepted(&by_person).len(), 1);
}

async fn a_person_and_the_agent_never_cross(cloud: Cloud) {
    // When a person and the agent answer in the same conversation at the same time,
    let mut outcomes = [0, 0];
    for race in 0..RACES {
        let to = format!("+1650556{race:04}");
        let (person, agent) = (text(&to, "Hello from Ana"), as_agent(&to, None));
        let (person, agent) = tokio::join!(send(&cloud, &person), send(&cloud, &agent));
        assert_eq!(person.status, 201, "{}", person.text);
        let history = cloud.history(&to).await;
        if agent.status == 409 {
            // then the agent's is refused,
            agent.is_problem(409, "agent_paused");
            assert_eq!(history.len(), 1);
            outcomes[0] += 1;
            continue;
        }
        // or it was accepted before the person's.
        assert_eq!(agent.status, 201, "{}", agent.text);
        let sources: Vec<&str> = history.iter().map(|it| it["source"].as_str().unwrap()).collect();
        assert_eq!(sources, ["agent", "api"]);
        outcomes[1] += 1;
    }
    assert_eq!(outcomes.iter().sum::<usize>(), RACES, "{outcomes:?}");
}

on_both_clouds! {
    an_answer_is_the_agents_and_pauses_nothing,
    nothing_is_accepted_after_a_person_answered,
    an_answer_to_an_older_message_is_superseded,
    wrong_input_is_explained,
    a_template_can_pause_the_agent,
    a_waiting_agent_answer_is_withdrawn_when_a_person_answers,
    a_person_and_the_agent_never_cross,
}
