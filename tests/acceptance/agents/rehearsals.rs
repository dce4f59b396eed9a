//! An agent that is tried out before it answers customers: the connection test, the playground and
//! the questions of its business.

use super::{after, contact_writes, model_agent, webhook_agent};
use crate::cloud::{Cloud, on_both_clouds};
use crate::dashboard::{csrf_token, sign_in_member};
use crate::webhooks::receiver::{Answers, Receiver};
use domain::agent::{AgentMode, Expectation};
use domain::scope::Scope;
use serde_json::{Value, json};
use service::agent_entries;
use service::agents::{self, AgentInput, ModelOptions};
use service::asking::{AskingDeps, CheckOutcome};
use service::rehearsals::test_agent;
use std::time::Duration;

fn writing(text: &str) -> (u16, String) {
    let usage = json!({"prompt_tokens": 1000, "completion_tokens": 100});
    let message = json!({"content": text});
    (200, json!({"choices": [{"message": message}], "usage": usage}).to_string())
}

/// Returns what the connection test of an agent says.
async fn checks(
    cloud: &Cloud,
    agent: domain::id::AiAgentId,
) -> Vec<(&'static str, CheckOutcome, String)> {
    let deps = &cloud.server.deps;
    let agent = agents::find(&cloud.server.deps, cloud.organization, agent).await.unwrap().unwrap();
    let report = test_agent(AskingDeps::of(deps), &deps.sealing, &agent).await.unwrap();
    report.checks.into_iter().map(|it| (it.title, it.outcome, it.detail)).collect()
}

async fn the_connection_test_says_what_the_server_can_do(cloud: Cloud) {
    let call = json!({"id": "1", "function": {"name": "report_ready", "arguments": "{}"}});
    let tools = json!({"choices": [{"message": {"content": null, "tool_calls": [call]}}]});
    let receiver = Receiver::that(Answers::Script(vec![
        writing("ready"),
        (200, tools.to_string()),
        writing("I cannot see it."),
        (200, json!({"text": ""}).to_string()),
    ]))
    .await;
    let options =
        ModelOptions { transcription_model: Some("whisper-1"), ..ModelOptions::default() };
    let input = AgentInput { model_options: options, ..AgentInput::default() };
    let agent = model_agent(&cloud, &receiver, input).await;
    let found = checks(&cloud, agent).await;
    let outcomes: Vec<_> = found.iter().map(|(title, outcome, _)| (*title, *outcome)).collect();
    assert_eq!(
        outcomes,
        [
            ("Answers", CheckOutcome::Works),
            ("Uses tools", CheckOutcome::Works),
            ("Sees images", CheckOutcome::Missing),
            ("Transcribes voice messages", CheckOutcome::Works),
        ]
    );
    // The page says what a server cannot do.
    let (status, body) = writing("I cannot.");
    receiver.answer(Answers::Body(status, body));
    let mut browser = sign_in_member(&cloud).await;
    let token = csrf_token(&browser.get(&format!("/agents/{agent}")).await);
    let fields = [("token", token.as_str()), ("action", "test")];
    let page = browser.post(&format!("/agents/{agent}/connection"), &fields).await;
    for says in ["Connection works", "Does not use tools", "Does not see images"] {
        assert!(page.text.contains(says), "{says}: {}", page.text);
    }
    // A server that fails is described in words.
    receiver.answer(Answers::Body(401, "bad key".to_owned()));
    let found = checks(&cloud, agent).await;
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].1, CheckOutcome::Failed);
    assert!(found[0].2.starts_with("The server rejects the key."), "{found:?}");
    receiver.answer(Answers::Body(200, "<html>".to_owned()));
    assert!(checks(&cloud, agent).await[0].2.contains("web page"));

    // The page has the same words.
    let page = browser.post(&format!("/agents/{agent}/connection"), &fields).await;
    assert_eq!(page.status, 200, "{}", page.text);
    assert!(page.text.contains("Connection fails") && page.text.contains("web page"));
}

async fn the_connection_test_of_a_webhook_is_signed(cloud: Cloud) {
    let receiver = Receiver::that(Answers::With(204)).await;
    let (agent, secret) =
        webhook_agent(&cloud, &receiver, AgentMode::Auto, AgentInput::default()).await;
    assert_eq!(checks(&cloud, agent).await[0].1, CheckOutcome::Works);
    let posts = receiver.take();
    assert!(posts[0].is_signed_by(&secret));
    assert_eq!(posts[0].kind(), "agent.test");
    receiver.answer(Answers::With(500));
    assert_eq!(checks(&cloud, agent).await[0].1, CheckOutcome::Failed);
}

async fn a_draft_is_tried_in_the_playground(cloud: Cloud) {
    let receiver =
        Receiver::that(Answers::Script(vec![writing("Until six."), writing("On Sunday, no.")]))
            .await;
    let input = AgentInput { instructions: Some("You are a bakery."), ..AgentInput::default() };
    let agent = model_agent(&cloud, &receiver, input).await;
    let mut browser = sign_in_member(&cloud).await;
    let path = format!("/agents/{agent}/playground");
    let first = browser.get(&path).await;
    assert!(first.text.contains("You are a bakery."), "{}", first.text);
    let token = csrf_token(&first);
    let fields = |more: &[(&'static str, &'static str)]| {
        let base = [
            ("token", token.clone()),
            ("action", "ask".to_owned()),
            ("name", "Assistant".to_owned()),
            ("mode", "auto".to_owned()),
            ("base_url", receiver.url.clone()),
            ("model", "small".to_owned()),
            ("has_tools", "yes".to_owned()),
            ("instructions", "You are a pirate.".to_owned()),
        ];
        let more = more.iter().map(|(name, value)| (*name, (*value).to_owned()));
        base.into_iter().chain(more).collect::<Vec<_>>()
    };
    let post = async |browser: &mut crate::connect::Browser, fields: Vec<(&str, String)>| {
        let fields: Vec<(&str, &str)> =
            fields.iter().map(|(name, value)| (*name, value.as_str())).collect();
        browser.post(&path, &fields).await
    };
    let page = post(&mut browser, fields(&[("text", "Until when?")])).await;
    assert_eq!(page.status, 200, "{}", page.text);
    assert!(page.text.contains("Until six.") && page.text.contains("Trace of the last answer"));
    let said =
        [("said", "customer:Until when?"), ("said", "agent:Until six."), ("text", "Sunday?")];
    let page = post(&mut browser, fields(&said)).await;
    assert!(page.text.contains("On Sunday, no."), "{}", page.text);
    // The draft is used, and nothing is saved or sent.
    let requests = receiver.take();
    let system = requests[1].json()["messages"][0]["content"].as_str().unwrap().to_owned();
    assert!(system.contains("You are a pirate.") && !system.contains("You are a bakery."));
    assert_eq!(requests[1].json()["messages"].as_array().unwrap().len(), 4);
    let saved = agents::find(&cloud.server.deps, cloud.organization, agent)
        .await
        .unwrap()
        .unwrap()
        .settings()
        .unwrap();
    assert_eq!(saved.instructions, "You are a bakery.");
    assert!(cloud.texts().is_empty());
    // It costs tokens all the same.
    let spent = agents::cost_this_month(&cloud.server.deps, cloud.organization).await.unwrap();
    assert_eq!(spent.unpriced_requests, 2);

    // The stored key does not go to an address that a draft names.
    let elsewhere = Receiver::that(Answers::Body(writing("Hi").0, writing("Hi").1)).await;
    let mut moved = fields(&[("text", "Hello")]);
    moved[4].1.clone_from(&elsewhere.url);
    let page = post(&mut browser, moved).await;
    assert_eq!(page.status, 422, "{}", page.text);
    assert!(elsewhere.take().is_empty());
}

async fn a_draft_with_another_server_uses_the_key_that_was_typed(cloud: Cloud) {
    // Given an agent with a stored key, and a draft with another server and a key for it,
    let receiver = Receiver::that(Answers::Body(writing("Hi").0, writing("Hi").1)).await;
    let agent = model_agent(&cloud, &receiver, AgentInput::default()).await;
    let elsewhere = Receiver::that(Answers::Body(writing("Hi").0, writing("Hi").1)).await;
    let mut browser = sign_in_member(&cloud).await;
    let path = format!("/agents/{agent}/playground");
    let token = csrf_token(&browser.get(&format!("/agents/{agent}/settings/model")).await);
    let draft = [
        ("token", token.as_str()),
        ("base_url", elsewhere.url.as_str()),
        ("model", "small"),
        ("has_tools", "yes"),
    ];
    let typed = [("action", "try"), ("api_key", "sk-typed-quokka")];
    let page = browser.post(&path, &[&draft[..], &typed].concat()).await;
    // when the member asks, twice, then the server gets the typed key, and no page shows it;
    let mut sealed = page.field("sealed_key");
    for _ in 0..2 {
        let ask = [("action", "ask"), ("text", "Hello?"), ("sealed_key", sealed.as_str())];
        let page = browser.post(&path, &[&draft[..], &ask].concat()).await;
        assert_eq!(page.status, 200, "{}", page.text);
        assert!(!page.text.contains("quokka"), "{}", page.text);
        let asked = elsewhere.take();
        assert_eq!(asked[0].headers["authorization"], "Bearer sk-typed-quokka");
        sealed = page.field("sealed_key");
    }
    // a key that was typed for one server is not sent to another, and no stored key is;
    let mut moved = draft;
    moved[1].1 = receiver.url.as_str();
    let ask = [("action", "ask"), ("text", "Hello?"), ("sealed_key", sealed.as_str())];
    let page = browser.post(&path, &[&moved[..], &ask].concat()).await;
    assert_eq!(page.status, 422, "{}", page.text);
    assert!(receiver.take().is_empty());
    let ask = [("action", "ask"), ("text", "Hello?")];
    let page = browser.post(&path, &[&draft[..], &ask].concat()).await;
    assert_eq!(page.status, 200, "{}", page.text);
    assert!(!elsewhere.take()[0].headers.contains_key("authorization"));
    // and nothing is saved.
    let saved = agents::find(&cloud.server.deps, cloud.organization, agent).await.unwrap().unwrap();
    let secret = service::agents::open_secret(&cloud.server.deps.sealing, &saved).unwrap();
    assert_eq!(secret.as_deref(), Some("sk-test"));
}

async fn questions_are_asked_over_the_api(cloud: Cloud) {
    let receiver = Receiver::that(Answers::Script(vec![writing("We open at 7 AM.")])).await;
    let agent = model_agent(&cloud, &receiver, AgentInput::default()).await;
    let expected = |must: &str, must_not: &str| Expectation {
        must: vec![must.to_owned()],
        must_not: vec![must_not.to_owned()],
    };
    let (deps, organization) = (&cloud.server.deps, cloud.organization);
    let hours = expected("7 am", "8 AM");
    agent_entries::write_question(deps, organization, agent, None, "When do you open?", hours)
        .await
        .unwrap();
    cloud.advance(Duration::from_secs(1));
    let nuts = expected("nuts", "7 AM");
    agent_entries::write_question(deps, organization, agent, None, "Is it free of nuts?", nuts)
        .await
        .unwrap();
    let path = format!("/api/v1/agents/{agent}/test");
    let answer = cloud.post(&path, &cloud.key, &json!({})).await;
    assert_eq!(answer.status, 200, "{}", answer.text);
    assert_eq!(answer.body["passed"], false);
    let questions = answer.body["questions"].as_array().unwrap();
    let passed: Vec<&Value> = questions.iter().map(|it| &it["passed"]).collect();
    assert_eq!(passed, [&json!(true), &json!(false)]);
    assert_eq!(questions[0]["answer"], "We open at 7 AM.");
    assert_eq!(questions[1]["problems"].as_array().unwrap().len(), 2);
    // Nothing is sent.
    assert!(cloud.texts().is_empty());

    let scopes = [Scope::MessagesSend].as_slice();
    let other = cloud.key_with(cloud.organization, scopes, None, 0).await;
    cloud.post(&path, &other, &json!({})).await.is_problem(403, "insufficient_scope");
    let (webhook, _) =
        webhook_agent(&cloud, &receiver, AgentMode::Draft, AgentInput::default()).await;
    let path = format!("/api/v1/agents/{webhook}/test");
    cloud.post(&path, &cloud.key, &json!({})).await.is_problem(404, "not_found");
}

async fn questions_are_asked_on_the_page(cloud: Cloud) {
    let receiver = Receiver::that(Answers::Script(vec![writing("We open at 7 AM.")])).await;
    let agent = model_agent(&cloud, &receiver, AgentInput::default()).await;
    let mut browser = sign_in_member(&cloud).await;
    let path = format!("/agents/{agent}/questions");
    let token = csrf_token(&browser.get(&path).await);
    let fields = [
        ("token", token.as_str()),
        ("action", "save"),
        ("text", "When do you open?"),
        ("must", "7 AM\n\n"),
        ("must_not", ""),
    ];
    assert_eq!(browser.post(&path, &fields).await.status, 303);
    let token = csrf_token(&browser.get(&path).await);
    let page = browser.post(&path, &[("token", token.as_str()), ("action", "run")]).await;
    assert_eq!(page.status, 200, "{}", page.text);
    assert!(page.text.contains("1 of 1 passed") && page.text.contains("We open at 7 AM."));
    // A real conversation is not touched.
    contact_writes(&cloud, "wamid.1", "Hello?").await;
    assert!(cloud.texts().is_empty());
}

async fn a_server_that_fails_is_described_in_words(cloud: Cloud) {
    // Given an agent whose server refuses the model,
    let refusal = json!({"error": {"message": "Invalid model name", "type": "invalid_request"}});
    let receiver = Receiver::that(Answers::Body(400, refusal.to_string())).await;
    let agent = model_agent(&cloud, &receiver, AgentInput::default()).await;
    let mut browser = sign_in_member(&cloud).await;
    let token = csrf_token(&browser.get(&format!("/agents/{agent}")).await);
    let fields = [("token", token.as_str()), ("action", "test")];
    let connection = format!("/agents/{agent}/connection");
    // then the page shows the message of the answer, without its JSON.
    let page = browser.post(&connection, &fields).await;
    assert!(page.text.contains("The server answered 400: Invalid model name."), "{}", page.text);
    assert!(!page.text.contains("invalid_request"), "{}", page.text);

    // When nothing listens at its address, then the connection test and the turns say so.
    let nowhere = format!("http://127.0.0.1:{}/v1", crate::world::free_port());
    let input = AgentInput { base_url: Some(&nowhere), is_operator: true, ..AgentInput::default() };
    agents::update(&cloud.server.deps, cloud.organization, agent, input).await.unwrap();
    let page = browser.post(&connection, &fields).await;
    let says = "Nothing listens on that host and port (connection refused).";
    assert!(page.text.contains(says), "{}", page.text);
    assert!(page.text.contains(&format!("The server URL is {nowhere}.")), "{}", page.text);
    assert!(!page.text.contains("os error"), "{}", page.text);
    contact_writes(&cloud, "wamid.1", "Hello?").await;
    for wait in [8, 11, 11].map(Duration::from_secs) {
        after(&cloud, wait).await;
    }
    let page = browser.get(&format!("/agents/{agent}/turns")).await;
    assert!(page.text.contains(says), "{}", page.text);
    assert!(!page.text.contains("os error"), "{}", page.text);
}

on_both_clouds! {
    a_draft_is_tried_in_the_playground,
    a_draft_with_another_server_uses_the_key_that_was_typed with [("agent_allow", "127.0.0.0/8")],
    a_server_that_fails_is_described_in_words,
    questions_are_asked_on_the_page,
    questions_are_asked_over_the_api,
    the_connection_test_of_a_webhook_is_signed,
    the_connection_test_says_what_the_server_can_do,
}
