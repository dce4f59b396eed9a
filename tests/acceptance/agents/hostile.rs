//! Agents, contacts and callers that do what nobody expects.

use super::{
    after, answer_later, contact_writes, conversation, dialog, model_agent, outcomes, saying,
    webhook_agent,
};
use crate::cloud::{Cloud, NOON, NUMBER, PERSON, PERSON_THERE, SEND, from_person, on_both_clouds};
use crate::webhooks::receiver::{Answers, Receiver};
use crate::world::graph::callbacks::Inbound;
use domain::agent::AgentMode;
use serde_json::{Value, json};
use service::agents::{self, AgentInput, NewConnection};
use std::time::Duration;
use workers::inbox;

const QUIET: Duration = Duration::from_secs(8);
const RETRY: Duration = Duration::from_secs(11);
/// The Cloud API's id of another organization's number.
const OTHER_NUMBER: &str = "106540352242924";

fn completion(message: &Value) -> Answers {
    Answers::Body(200, json!({"choices": [{"message": message}]}).to_string())
}

async fn whatever_a_models_server_answers_a_person_is_called(cloud: Cloud) {
    let broken = [
        Answers::Body(200, "<html><body>Sign in to continue</body></html>".to_owned()),
        Answers::Large(2 * 1024 * 1024),
        Answers::Body(200, "{}".to_owned()),
        Answers::Body(200, r#"{"choices": []}"#.to_owned()),
        Answers::Body(200, r#"{"choices": [{"message": "Hello"}]}"#.to_owned()),
        Answers::Redirect("http://127.0.0.1:1/".to_owned()),
        Answers::With(401),
    ];
    for (number, answer) in broken.into_iter().enumerate() {
        let receiver = Receiver::that(answer).await;
        model_agent(&cloud, &receiver, AgentInput::default()).await;
        contact_writes(&cloud, &format!("wamid.{number}"), &format!("Hello {number}?")).await;
        for wait in [QUIET, RETRY, RETRY] {
            after(&cloud, wait).await;
        }
        let outcomes = outcomes(&cloud).await;
        assert_eq!(outcomes.len(), number + 1, "{outcomes:?}");
        let (state, reason) = &outcomes[number];
        assert_eq!(state, "failed", "{outcomes:?}");
        assert!(!reason.is_empty() && reason.len() < 1_000, "{reason}");
        assert!(conversation(&cloud).await["needs_person_since"].is_string());
    }
    assert!(dialog(&cloud).await.iter().all(|(source, _)| source == "customer"));
}

async fn two_hundred_messages_in_ten_seconds_get_one_answer(cloud: Cloud) {
    // Given a contact who writes 200 messages in ten seconds,
    let receiver = Receiver::that(completion(&json!({"content": "One at a time, please."}))).await;
    model_agent(&cloud, &receiver, AgentInput::default()).await;
    for second in 0..10 {
        for number in 0..20 {
            let number = second * 20 + number;
            let text = from_person(&format!("wamid.{number}")).text(&format!("Part {number}"));
            cloud.report(&text).await;
            cloud.advance(Duration::from_millis(50));
        }
        cloud.settle().await;
        inbox::run_until_idle(&cloud.server.deps).await.unwrap();
        after(&cloud, Duration::ZERO).await;
    }

    // when the contact pauses, then the agent answers. It is asked at most twice, because it waits
    // only for a limited time until the contact has finished.
    after(&cloud, QUIET).await;
    let requests = receiver.received();
    assert!((1..=2).contains(&requests.len()), "{} requests", requests.len());
    assert_eq!(outcomes(&cloud).await.last().unwrap().0, "answered");
    // The model is given the last messages, not all of them.
    let request = requests.last().unwrap();
    assert!(request.body.len() < 20_000, "{} bytes", request.body.len());
    assert!(String::from_utf8_lossy(&request.body).contains("Part 199"));
}

async fn a_text_of_100_kilobytes_is_answered(cloud: Cloud) {
    let receiver = Receiver::that(completion(&json!({"content": "That is long."}))).await;
    model_agent(&cloud, &receiver, AgentInput::default()).await;
    contact_writes(&cloud, "wamid.1", &"Lorem ipsum ".repeat(9_000)).await;
    after(&cloud, QUIET).await;
    assert_eq!(dialog(&cloud).await.last().unwrap().1, "That is long.");
    // The model gets a bounded part of it.
    let request = receiver.received().remove(0);
    assert!(request.body.len() < 64 * 1024, "{} bytes", request.body.len());
}

async fn a_ticket_answers_its_own_turn_only(cloud: Cloud) {
    // Given two turns, each with a ticket,
    let receiver = Receiver::that(Answers::With(202)).await;
    webhook_agent(&cloud, &receiver, AgentMode::Auto, AgentInput::default()).await;
    let mut turns = Vec::new();
    for number in 0..2 {
        contact_writes(&cloud, &format!("wamid.{number}"), &format!("Hello {number}?")).await;
        after(&cloud, QUIET).await;
        turns.push(receiver.take().remove(0).json());
    }
    let ticket = |turn: &Value| turn["data"]["ticket"].as_str().unwrap().to_owned();
    let answer = json!({"messages": [{"text": "Hi"}]});

    // then the ticket of one turn does not answer the other one.
    let wrong = answer_later(&cloud, &turns[1], &ticket(&turns[0]), &answer).await;
    wrong.is_problem(401, "invalid_credentials");
    assert!(wrong.text.contains("ticket"), "{}", wrong.text);
    assert!(dialog(&cloud).await.iter().all(|(source, _)| source == "customer"));
    assert_eq!(answer_later(&cloud, &turns[1], &ticket(&turns[1]), &answer).await.status, 200);
}

async fn a_ticket_of_another_organization_answers_nothing(cloud: Cloud) {
    // Given a turn with a ticket in each of two organizations, with the same contact,
    let receiver = Receiver::that(Answers::With(202)).await;
    webhook_agent(&cloud, &receiver, AgentMode::Auto, AgentInput::default()).await;
    let (other, their_key) = cloud.other("+12025550182", OTHER_NUMBER).await;
    let accounts = cloud.get("/api/v1/accounts", &their_key).await;
    let account = accounts.body["data"][0]["id"].as_str().expect("an account").parse().unwrap();
    let input = AgentInput {
        name: Some("Theirs"),
        mode: Some(AgentMode::Auto),
        url: Some(&receiver.url),
        accounts: Some(vec![account]),
        ..AgentInput::default()
    };
    let deps = &cloud.server.deps;
    agents::create(deps, other, NewConnection::Webhook, input).await.unwrap();
    let mut turns = Vec::new();
    for (number, wamid) in [(NUMBER, "wamid.A"), (OTHER_NUMBER, "wamid.B")] {
        let inbound = Inbound::new(number, PERSON_THERE, wamid, cloud.second());
        cloud.post_callback(&inbound.text("Hello?")).await;
        after(&cloud, QUIET).await;
        turns.push(receiver.take().remove(0).json());
    }
    let (ours, theirs) = (&turns[0], &turns[1]);
    let ticket = |turn: &Value| turn["data"]["ticket"].as_str().unwrap().to_owned();
    let answer = json!({"messages": [{"text": "Hi"}]});

    // then the ticket of one does not answer the turn of the other, also at an address with the one's
    // organization and the other's turn,
    let (organization, turn) = (cloud.organization, theirs["data"]["turn_id"].as_str().unwrap());
    let address = format!("https://api.example.com/agents/{organization}/turns/{turn}/answer");
    let mixed = json!({"data": {"answer_url": address}});
    for (turn, ticket) in [
        (ours, ticket(theirs)),
        (theirs, ticket(ours)),
        (&mixed, ticket(ours)),
        (&mixed, ticket(theirs)),
    ] {
        let refused = answer_later(&cloud, turn, &ticket, &answer).await;
        refused.is_problem(401, "invalid_credentials");
    }
    // a program does not answer in a conversation of the other organization, or its message,
    let conversation = conversation(&cloud).await["id"].clone();
    let message = cloud.history(PERSON).await[0]["id"].clone();
    for body in [
        json!({"type": "text", "conversation_id": conversation, "text": "Hi", "as": "agent"}),
        json!({
            "type": "text", "phone_number": PERSON, "text": "Hi", "as": "agent",
            "after_message_id": message,
        }),
    ] {
        cloud.post(SEND, &their_key, &body).await.is_problem(404, "not_found");
    }
    cloud.settle().await;
    assert_eq!(cloud.texts(), Vec::<String>::new());
    // and both turns can still be answered with their own tickets.
    for turn in [ours, theirs] {
        assert_eq!(answer_later(&cloud, turn, &ticket(turn), &answer).await.status, 200);
    }
    cloud.settle().await;
    assert_eq!(cloud.texts(), ["Hi", "Hi"]);
}

async fn the_program_of_a_deleted_key_answers_no_more(cloud: Cloud) {
    contact_writes(&cloud, "wamid.1", "Hello?").await;
    let after_message = cloud.history(PERSON).await[0]["id"].clone();
    let key = cloud.key_of(cloud.organization).await;
    let answer = json!({
        "type": "text", "phone_number": PERSON, "text": "Hi", "as": "agent",
        "after_message_id": after_message,
    });
    assert_eq!(cloud.post(SEND, &key, &answer).await.status, 201);
    cloud.admin().delete_key(&key.client_id).await.unwrap();
    cloud.post(SEND, &key, &answer).await.is_problem(401, "invalid_credentials");
}

async fn settings_that_change_while_an_agent_is_asked_count_from_the_next_turn(cloud: Cloud) {
    let late = json!({"messages": [{"text": "Hi"}]}).to_string();
    let receiver = Receiver::that(Answers::Late(Duration::from_millis(300), late)).await;
    let (agent, _) = webhook_agent(&cloud, &receiver, AgentMode::Auto, AgentInput::default()).await;
    contact_writes(&cloud, "wamid.1", "Hello?").await;
    cloud.advance(QUIET);
    let deps = &cloud.server.deps;
    let change = async {
        let organization = cloud.organization;
        let input = AgentInput { instructions: Some("New"), ..AgentInput::default() };
        agents::update(deps, organization, agent, input).await.unwrap();
    };
    let (asked, ()) = tokio::join!(workers::agents::step(deps), change);
    assert_eq!(asked.unwrap(), 1);
    cloud.settle().await;
    assert_eq!(dialog(&cloud).await.last().unwrap().1, "Hi");
}

async fn an_hour_without_the_models_server_calls_for_a_person_in_each_conversation(cloud: Cloud) {
    // Given a server that is down, and 40 conversations with a question,
    let receiver = Receiver::that(saying("Never")).await;
    let url = receiver.url.clone();
    webhook_agent(&cloud, &receiver, AgentMode::Auto, AgentInput::default()).await;
    drop(receiver);
    assert!(!url.is_empty());
    for number in 0..40 {
        let from = format!("1650555{number:04}");
        let wamid = format!("wamid.{number}");
        let inbound = Inbound::new(NUMBER, &from, &wamid, NOON);
        cloud.report(&inbound.text("Hello?")).await;
    }
    cloud.settle().await;
    inbox::run_until_idle(&cloud.server.deps).await.unwrap();

    // when an hour passes, then each of them calls for a person, and nothing is asked for ever.
    for _ in 0..6 {
        after(&cloud, Duration::from_mins(10)).await;
    }
    let waiting = cloud.get("/api/v1/conversations?needs_person=true&limit=100", &cloud.key).await;
    assert_eq!(waiting.body["data"].as_array().unwrap().len(), 40, "{}", waiting.text);
    assert!(outcomes(&cloud).await.iter().all(|(state, _)| state == "failed"));
    assert_eq!(after(&cloud, Duration::from_mins(10)).await, 0);
}

on_both_clouds! {
    whatever_a_models_server_answers_a_person_is_called,
    two_hundred_messages_in_ten_seconds_get_one_answer,
    a_text_of_100_kilobytes_is_answered,
    a_ticket_answers_its_own_turn_only,
    a_ticket_of_another_organization_answers_nothing,
    the_program_of_a_deleted_key_answers_no_more,
    settings_that_change_while_an_agent_is_asked_count_from_the_next_turn,
    an_hour_without_the_models_server_calls_for_a_person_in_each_conversation,
}
