//! Turns of an agent behind a webhook.

use super::{
    after, answer_later, contact_writes, conversation, dialog, events, outcomes, saying,
    webhook_agent,
};
use crate::cloud::{Cloud, PERSON, SECOND, SEND, from_person, on_both_clouds};
use crate::connect::Browser;
use crate::dashboard::{csrf_token, sign_in_member};
use crate::webhooks::receiver::{Answers, Receiver};
use domain::agent::AgentMode;
use persistence::Reader;
use serde_json::json;
use service::agents::AgentInput;
use std::time::Duration;
use workers::agents;

const QUIET: Duration = Duration::from_secs(8);

async fn five_messages_within_six_seconds_get_one_answer(cloud: Cloud) {
    let receiver = Receiver::that(saying("We are open until six.")).await;
    let (agent, secret) =
        webhook_agent(&cloud, &receiver, AgentMode::Auto, AgentInput::default()).await;
    for number in 0..5 {
        contact_writes(&cloud, &format!("wamid.{number}"), &format!("Part {number}")).await;
        assert_eq!(after(&cloud, SECOND).await, 0);
    }
    assert_eq!(after(&cloud, QUIET).await, 1);

    // The request is signed, and has the conversation as the history shows it.
    let posts = receiver.received();
    assert_eq!(posts.len(), 1);
    assert!(posts[0].is_signed_by(&secret));
    let request = posts[0].json();
    assert_eq!(request["type"], "agent.turn");
    assert_eq!(request["id"], posts[0].id.as_str());
    assert_eq!(request["data"]["contact"]["phone_number"], PERSON);
    let texts: Vec<&str> = request["data"]["messages"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| it["text"].as_str().unwrap())
        .collect();
    assert_eq!(texts, ["Part 0", "Part 1", "Part 2", "Part 3", "Part 4"]);

    let said = dialog(&cloud).await;
    assert_eq!(said.len(), 6);
    assert_eq!(said[5], ("agent".to_owned(), "We are open until six.".to_owned()));
    assert_eq!(conversation(&cloud).await["ai_agent"], "running");
    let turns = events(&cloud, "agent.turn_finished").await;
    assert_eq!(turns.len(), 1);
    assert_eq!(turns[0]["state"], "answered");
    assert_eq!(turns[0]["agent_id"], agent.to_string());
    assert_eq!(turns[0]["message_ids"].as_array().unwrap().len(), 1);
    assert_eq!(after(&cloud, QUIET).await, 0);
}

async fn a_message_that_the_inbox_has_not_seen_postpones_the_turn(cloud: Cloud) {
    let receiver = Receiver::that(saying("Until six.")).await;
    let input =
        AgentInput { quiet_seconds: Some(2), longest_seconds: Some(5), ..AgentInput::default() };
    webhook_agent(&cloud, &receiver, AgentMode::Auto, input).await;
    let deps = &cloud.server.deps;
    // Given a turn, and messages that the inbox has not taken up when the turn is due,
    contact_writes(&cloud, "wamid.1", "Are").await;
    for (number, (text, asked)) in [("you", 0), ("open", 0), ("today?", 1)].into_iter().enumerate()
    {
        cloud.advance(Duration::from_millis(1200));
        cloud.post_callback(&from_person(&format!("wamid.A{number}")).text(text)).await;
        cloud.advance(Duration::from_millis(800));
        agents::ask_due(deps).await.unwrap();
        // then the agent is asked after the quiet time, and at the latest after the longest time.
        assert_eq!(receiver.received().len(), asked, "{text}");
    }
    cloud.settle().await;
    assert_eq!(dialog(&cloud).await.len(), 5);
    let request = receiver.take()[0].json();
    assert_eq!(request["data"]["messages"].as_array().unwrap().len(), 4);
}

async fn nothing_is_said_after_a_person_answered(cloud: Cloud) {
    let receiver = Receiver::that(saying("From the agent")).await;
    webhook_agent(&cloud, &receiver, AgentMode::Auto, AgentInput::default()).await;
    contact_writes(&cloud, "wamid.1", "Hello?").await;
    let text = json!({"type": "text", "phone_number": PERSON, "text": "From Ana"});
    assert_eq!(cloud.post(SEND, &cloud.key, &text).await.status, 201);
    after(&cloud, QUIET).await;
    assert_eq!(receiver.received().len(), 0);
    assert_eq!(outcomes(&cloud).await[0].0, "superseded");
    // While the agent is paused, no turn begins.
    contact_writes(&cloud, "wamid.2", "Thanks").await;
    assert_eq!(after(&cloud, QUIET).await, 0);
    // When it is resumed, it answers that message and the next one together.
    let id = conversation(&cloud).await["id"].as_str().unwrap().to_owned();
    let resumed = format!("/api/v1/conversations/{id}/resume-agent");
    assert_eq!(cloud.post(&resumed, &cloud.key, &json!({})).await.status, 200);
    contact_writes(&cloud, "wamid.3", "And tomorrow?").await;
    after(&cloud, QUIET).await;
    assert_eq!(dialog(&cloud).await.last().unwrap().1, "From the agent");
}

async fn a_webhook_answers_later_with_its_ticket_once(cloud: Cloud) {
    let receiver = Receiver::that(Answers::With(202)).await;
    webhook_agent(&cloud, &receiver, AgentMode::Auto, AgentInput::default()).await;
    contact_writes(&cloud, "wamid.1", "Hello?").await;
    after(&cloud, QUIET).await;
    let request = receiver.received()[0].json();
    let ticket = request["data"]["ticket"].as_str().unwrap().to_owned();
    let answer = json!({"messages": [{"text": "One"}, {"text": "Two"}], "note": "VIP"});

    let wrong = answer_later(&cloud, &request, "swt_wrong", &answer).await;
    wrong.is_problem(401, "invalid_credentials");
    let elsewhere = json!({"messages": [{"text": "One", "phone_number": PERSON}]});
    let refused = answer_later(&cloud, &request, &ticket, &elsewhere).await;
    refused.is_problem(422, "validation_failed");
    refused.has_faults(&[("messages[0].phone_number", "not_allowed")]);

    let (one, other) = tokio::join!(
        answer_later(&cloud, &request, &ticket, &answer),
        answer_later(&cloud, &request, &ticket, &answer),
    );
    let mut statuses = [one.status, other.status];
    statuses.sort_unstable();
    assert_eq!(statuses, [200, 409], "{} {}", one.text, other.text);
    answer_later(&cloud, &request, &ticket, &answer).await.is_problem(409, "turn_answered");
    let said: Vec<String> = dialog(&cloud).await.into_iter().map(|(_, text)| text).collect();
    assert_eq!(said, ["Hello?", "One", "Two"]);
    let id = conversation(&cloud).await["id"].as_str().unwrap().to_owned();
    let notes = cloud.get(&format!("/api/v1/conversations/{id}/notes"), &cloud.key).await;
    assert_eq!(notes.body["data"][0]["text"], "VIP");
    assert_eq!(notes.body["data"][0]["author"]["type"], "agent");
}

async fn a_ticket_ends_with_its_time_a_person_or_a_newer_message(cloud: Cloud) {
    let receiver = Receiver::that(Answers::With(202)).await;
    webhook_agent(&cloud, &receiver, AgentMode::Auto, AgentInput::default()).await;
    let answer = json!({"messages": [{"text": "Late"}]});
    let ticket_of =
        |request: &serde_json::Value| request["data"]["ticket"].as_str().unwrap().to_owned();

    contact_writes(&cloud, "wamid.1", "Hello?").await;
    after(&cloud, QUIET).await;
    let first = receiver.take()[0].json();
    contact_writes(&cloud, "wamid.2", "Are you there?").await;
    let superseded = answer_later(&cloud, &first, &ticket_of(&first), &answer).await;
    superseded.is_problem(409, "superseded");

    after(&cloud, QUIET).await;
    let second = receiver.take()[0].json();
    after(&cloud, Duration::from_secs(121)).await;
    answer_later(&cloud, &second, &ticket_of(&second), &answer)
        .await
        .is_problem(410, "turn_expired");
    // The first reason counts: by now the superseded turn is also past its time.
    let late = answer_later(&cloud, &first, &ticket_of(&first), &answer).await;
    late.is_problem(410, "turn_expired");
    // A turn that was accepted and not answered calls for a person.
    assert_eq!(outcomes(&cloud).await.last().unwrap().0, "failed");
    assert!(conversation(&cloud).await["needs_person_since"].is_string());

    contact_writes(&cloud, "wamid.3", "Hello again?").await;
    after(&cloud, QUIET).await;
    let third = receiver.take()[0].json();
    let text = json!({"type": "text", "phone_number": PERSON, "text": "From Ana"});
    assert_eq!(cloud.post(SEND, &cloud.key, &text).await.status, 201);
    answer_later(&cloud, &third, &ticket_of(&third), &answer).await.is_problem(409, "agent_paused");
    assert!(dialog(&cloud).await.iter().all(|(source, _)| source != "agent"));
}

async fn a_hand_over_calls_for_a_person(cloud: Cloud) {
    let body = json!({
        "messages": [{"text": "I ask a colleague."}],
        "hand_over": {"reason": "Refund", "summary": "Order 7 is broken."},
    });
    let receiver = Receiver::that(Answers::Body(200, body.to_string())).await;
    webhook_agent(&cloud, &receiver, AgentMode::Auto, AgentInput::default()).await;
    contact_writes(&cloud, "wamid.1", "My order is broken").await;
    after(&cloud, QUIET).await;
    // What the agent said before it handed over is sent.
    assert_eq!(dialog(&cloud).await.last().unwrap().1, "I ask a colleague.");
    assert_eq!(cloud.texts(), ["I ask a colleague."]);
    let shown = conversation(&cloud).await;
    assert_eq!(shown["agent"]["state"], "paused");
    assert_eq!(shown["agent"]["cause"], "handed_over");
    assert!(shown["needs_person_since"].is_string());
    let requests = events(&cloud, "conversation.handover_requested").await;
    assert_eq!(requests[0]["reason"], "Refund");
    assert_eq!(requests[0]["summary"], "Order 7 is broken.");
    assert_eq!(outcomes(&cloud).await[0].0, "handed_over");
    // The summary is a note of the agent, which people read in the inbox.
    let id = shown["id"].as_str().unwrap();
    let notes = cloud.get(&format!("/api/v1/conversations/{id}/notes"), &cloud.key).await;
    assert_eq!(notes.body["data"].as_array().unwrap().len(), 1, "{}", notes.text);
    assert_eq!(notes.body["data"][0]["text"], "Order 7 is broken.");
    assert_eq!(notes.body["data"][0]["author"]["name"], "Opening hours");
    assert_eq!(events(&cloud, "note.created").await.len(), 1);
    let mut browser = sign_in_member(&cloud).await;
    let page = browser.get(&format!("/inbox/{id}")).await;
    assert!(page.text.contains("Order 7 is broken."), "{}", page.text);
    // A person's reply ends the call.
    let text = json!({"type": "text", "phone_number": PERSON, "text": "From Ana"});
    assert_eq!(cloud.post(SEND, &cloud.key, &text).await.status, 201);
    cloud.settle().await;
    assert!(conversation(&cloud).await["needs_person_since"].is_null());
}

async fn a_conversation_that_was_handed_over_is_unread_for_people(cloud: Cloud) {
    let receiver = Receiver::that(saying("Until six.")).await;
    webhook_agent(&cloud, &receiver, AgentMode::Auto, AgentInput::default()).await;
    let mut ada = sign_in_member(&cloud).await;
    let is_unread = async |browser: &mut Browser| {
        let unread = browser.get("/inbox?view=unread").await.text;
        let is_found = !unread.contains("You have read everything");
        let list = browser.get("/inbox").await.text;
        assert_eq!(list.contains("class=\"conv new\""), is_found, "{list}");
        assert_eq!(browser.get("/").await.text.contains("1 unread conversation<"), is_found);
        is_found
    };
    // What the agent answered is read.
    contact_writes(&cloud, "wamid.1", "Are you open?").await;
    after(&cloud, QUIET).await;
    assert!(!is_unread(&mut ada).await);
    // When it answers and hands over, then the conversation is unread, until the member marks it.
    let body = json!({
        "messages": [{"text": "I ask a colleague."}],
        "hand_over": {"reason": "Refund", "summary": "Order 7 is broken."},
    });
    receiver.answer(Answers::Body(200, body.to_string()));
    contact_writes(&cloud, "wamid.2", "My order is broken").await;
    after(&cloud, QUIET).await;
    assert_eq!(dialog(&cloud).await.last().unwrap().1, "I ask a colleague.");
    assert!(is_unread(&mut ada).await);
    let path = format!("/inbox/{}", conversation(&cloud).await["id"].as_str().unwrap());
    let token = csrf_token(&ada.get(&path).await);
    let marked = ada.post(&path, &[("token", token.as_str()), ("action", "read")]).await;
    assert_eq!(marked.status, 303, "{}", marked.text);
    assert!(!is_unread(&mut ada).await);
}

async fn a_contact_who_asks_for_a_person_gets_one(cloud: Cloud) {
    let receiver = Receiver::that(saying("No")).await;
    webhook_agent(&cloud, &receiver, AgentMode::Auto, AgentInput::default()).await;
    contact_writes(&cloud, "wamid.1", "Can I talk to a person, please?").await;
    after(&cloud, QUIET).await;
    assert!(receiver.received().is_empty());
    let shown = conversation(&cloud).await;
    assert_eq!(shown["agent"]["cause"], "handed_over");
    assert!(shown["needs_person_since"].is_string());
}

async fn a_draft_waits_and_silence_is_recorded(cloud: Cloud) {
    let receiver = Receiver::that(saying("A draft")).await;
    let (agent, _) =
        webhook_agent(&cloud, &receiver, AgentMode::Draft, AgentInput::default()).await;
    contact_writes(&cloud, "wamid.1", "Hello?").await;
    after(&cloud, QUIET).await;
    assert_eq!(dialog(&cloud).await.len(), 1);
    assert_eq!(outcomes(&cloud).await[0].0, "drafted");
    assert_eq!(draft(&cloud).await.as_deref(), Some("A draft"));
    receiver.answer(Answers::Body(200, "{}".to_owned()));
    contact_writes(&cloud, "wamid.2", "Ok").await;
    // The draft is out of date when the contact has written again.
    assert_eq!(draft(&cloud).await, None);
    after(&cloud, QUIET).await;
    assert_eq!(outcomes(&cloud).await[1].0, "silent");
    // An agent that is deleted is not asked.
    contact_writes(&cloud, "wamid.3", "Bye").await;
    let (deps, organization) = (&cloud.server.deps, cloud.organization);
    assert!(service::agents::delete(deps, organization, agent).await.unwrap());
    receiver.take();
    after(&cloud, QUIET).await;
    assert!(receiver.received().is_empty());
    assert_eq!(outcomes(&cloud).await[2].0, "skipped");
}

async fn an_answer_in_a_mode_that_became_stricter_is_not_sent(cloud: Cloud) {
    let receiver = Receiver::that(saying("A draft")).await;
    let (agent, _) = webhook_agent(&cloud, &receiver, AgentMode::Auto, AgentInput::default()).await;
    let (deps, organization) = (&cloud.server.deps, cloud.organization);
    let set = async |mode| {
        let input = AgentInput { mode: Some(mode), ..AgentInput::default() };
        service::agents::update(deps, organization, agent, input).await.unwrap();
    };
    for (number, (asked_in, answered_in, state)) in [
        (AgentMode::Auto, AgentMode::Draft, "drafted"),
        (AgentMode::Auto, AgentMode::Off, "skipped"),
        (AgentMode::Draft, AgentMode::Off, "skipped"),
        (AgentMode::Draft, AgentMode::Auto, "drafted"),
    ]
    .into_iter()
    .enumerate()
    {
        // Given an agent that needs a while to answer,
        set(asked_in).await;
        receiver.take();
        let body = json!({"messages": [{"text": "A draft"}]}).to_string();
        receiver.answer(Answers::Late(Duration::from_millis(800), body));
        contact_writes(&cloud, &format!("wamid.{number}"), &format!("Hello {number}?")).await;
        // when its mode changes meanwhile,
        let changed = async {
            while receiver.received().is_empty() {
                tokio::time::sleep(Duration::from_millis(10)).await; // real time: a request
            }
            set(answered_in).await;
        };
        tokio::join!(after(&cloud, QUIET), changed);
        // then the stricter mode counts, and nothing is sent.
        let (ended, reason) = outcomes(&cloud).await.pop().unwrap();
        assert_eq!(ended, state, "{asked_in} {answered_in}: {reason}");
        let expected = (state == "drafted").then_some("A draft");
        assert_eq!(draft(&cloud).await.as_deref(), expected, "{asked_in} {answered_in}");
        assert!(dialog(&cloud).await.iter().all(|(source, _)| source == "customer"));
    }
}

async fn a_contact_who_opts_out_is_not_answered(cloud: Cloud) {
    let receiver = Receiver::that(saying("No")).await;
    webhook_agent(&cloud, &receiver, AgentMode::Auto, AgentInput::default()).await;
    contact_writes(&cloud, "wamid.1", "Stop").await;
    after(&cloud, QUIET).await;
    assert!(receiver.received().is_empty());
    assert_eq!(conversation(&cloud).await["agent"]["cause"], "opted_out");
}

/// Returns the agent's draft for the only conversation, as the inbox shows it.
async fn draft(cloud: &Cloud) -> Option<String> {
    let id = conversation(cloud).await["id"].as_str().unwrap().parse().unwrap();
    let reader = Reader::from_primary(cloud.organization);
    let deps = &cloud.server.deps;
    let found = deps.db.reads(reader).find_inbox_conversation(id).await.unwrap().unwrap();
    let newest = service::turns::newest(deps, &found.conversation).await.unwrap()?;
    service::turns::draft_in(&newest, &found.conversation).map(|it| it.text)
}

on_both_clouds! {
    an_answer_in_a_mode_that_became_stricter_is_not_sent,
    a_contact_who_opts_out_is_not_answered,
    five_messages_within_six_seconds_get_one_answer,
    a_message_that_the_inbox_has_not_seen_postpones_the_turn,
    nothing_is_said_after_a_person_answered,
    a_webhook_answers_later_with_its_ticket_once,
    a_ticket_ends_with_its_time_a_person_or_a_newer_message,
    a_hand_over_calls_for_a_person,
    a_conversation_that_was_handed_over_is_unread_for_people,
    a_contact_who_asks_for_a_person_gets_one,
    a_draft_waits_and_silence_is_recorded,
}
