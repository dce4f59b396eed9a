//! What is decided before an agent is asked, and what the contact sees while it is
//! (`docs/contract.md#ai-agents`).

use super::{after, contact_writes, conversation, dialog, outcomes, saying, webhook_agent};
use crate::cloud::{Cloud, PERSON, from_person, on_both_clouds};
use crate::webhooks::receiver::{Answers, Receiver};
use crate::world::graph::callbacks::Media;
use domain::agent::{AgentMode, AnswerTime};
use serde_json::json;
use service::agents::{self, AgentError, AgentInput, NewConnection};
use std::time::Duration;
use workers::agents::opening_hours;
use workers::inbox;

const QUIET: Duration = Duration::from_secs(8);

/// The tests begin on a Saturday at noon in Greenwich.
async fn an_agent_keeps_hours_in_its_time_zone(cloud: Cloud) {
    let receiver = Receiver::that(saying("Yes")).await;
    let (agent, _) = webhook_agent(&cloud, &receiver, AgentMode::Auto, AgentInput::default()).await;
    let (deps, organization) = (&cloud.server.deps, cloud.organization);
    for (number, (time, zone, hours, answers)) in [
        (AnswerTime::Inside, "Europe/Berlin", "sat 13:00-14:00", true),
        (AnswerTime::Inside, "UTC", "sat 13:00-14:00", false),
        (AnswerTime::Outside, "UTC", "sat 13:00-14:00", true),
        (AnswerTime::Outside, "Europe/Berlin", "mon-sun 09:00-18:00", false),
        // It is Sunday already, in the second hour after midnight.
        (AnswerTime::Inside, "Pacific/Kiritimati", "sat 22:00-03:00", true),
        (AnswerTime::Inside, "Pacific/Kiritimati", "sat 09:00-24:00", false),
    ]
    .into_iter()
    .enumerate()
    {
        let input = AgentInput {
            answer_time: Some(time),
            zone: Some(zone),
            hours: Some(hours),
            ..AgentInput::default()
        };
        agents::update(deps, organization, agent, input).await.unwrap();
        contact_writes(&cloud, &format!("wamid.{number}"), &format!("Open? {number}")).await;
        after(&cloud, QUIET).await;
        let (state, reason) = outcomes(&cloud).await.pop().unwrap();
        let expected = if answers { "answered" } else { "skipped" };
        assert_eq!(state, expected, "{zone} {hours}: {reason}");
        // Silence is no pause.
        assert_eq!(conversation(&cloud).await["agent"]["state"], "running");
        assert_eq!(receiver.take().len(), usize::from(answers));
    }
    let wrong = [
        (AgentInput { zone: Some("Mars/Olympus"), ..AgentInput::default() }, "zone"),
        (AgentInput { hours: Some("all day"), ..AgentInput::default() }, "hours"),
        (AgentInput { hours: Some(""), ..AgentInput::default() }, "hours"),
    ];
    for (input, field) in wrong {
        match agents::update(deps, organization, agent, input).await {
            Err(AgentError::Invalid { field: at, .. } | AgentError::Missing { field: at }) => {
                assert_eq!(at, field);
            }
            other => panic!("{other:?}"),
        }
    }
}

async fn an_agent_that_is_tried_out_answers_only_some_contacts(cloud: Cloud) {
    let receiver = Receiver::that(saying("Yes")).await;
    let only = |contact: &str| AgentInput {
        allowed_contacts: Some(vec![contact.to_owned()]),
        ..AgentInput::default()
    };
    let (agent, _) = webhook_agent(&cloud, &receiver, AgentMode::Auto, only("+16505550000")).await;
    let (deps, organization) = (&cloud.server.deps, cloud.organization);
    contact_writes(&cloud, "wamid.1", "Hello 1").await;
    after(&cloud, QUIET).await;
    assert_eq!(outcomes(&cloud).await[0].0, "skipped");
    assert!(receiver.received().is_empty());
    let contact = conversation(&cloud).await["contact_id"].as_str().unwrap().to_owned();
    for (number, allowed) in [PERSON, &contact].into_iter().enumerate() {
        agents::update(deps, organization, agent, only(allowed)).await.unwrap();
        contact_writes(&cloud, &format!("wamid.A{number}"), &format!("Hi {number}")).await;
        after(&cloud, QUIET).await;
        assert_eq!(outcomes(&cloud).await.pop().unwrap().0, "answered", "{allowed}");
    }
    let wrong = agents::update(deps, organization, agent, only("Ada")).await;
    assert!(matches!(wrong, Err(AgentError::Invalid { field: "allowed_contacts", .. })));
    // An empty list is everybody.
    let all = AgentInput { allowed_contacts: Some(Vec::new()), ..AgentInput::default() };
    agents::update(deps, organization, agent, all).await.unwrap();
    contact_writes(&cloud, "wamid.9", "Hello 9").await;
    after(&cloud, QUIET).await;
    assert_eq!(outcomes(&cloud).await.pop().unwrap().0, "answered");
}

async fn a_contact_outside_the_list_or_the_hours_who_asks_for_a_person_gets_one(cloud: Cloud) {
    let receiver = Receiver::that(saying("Yes")).await;
    let (agent, _) = webhook_agent(&cloud, &receiver, AgentMode::Auto, AgentInput::default()).await;
    let (deps, organization) = (&cloud.server.deps, cloud.organization);
    let path = async || {
        let id = conversation(&cloud).await["id"].as_str().unwrap().to_owned();
        format!("/api/v1/conversations/{id}/resume-agent")
    };
    // Given an agent that is tried out with somebody else, or one that is closed,
    let others = vec!["+16505550000".to_owned()];
    let tried_out = AgentInput { allowed_contacts: Some(others), ..AgentInput::default() };
    let closed = AgentInput {
        allowed_contacts: Some(Vec::new()),
        answer_time: Some(AnswerTime::Inside),
        zone: Some("UTC"),
        hours: Some("mon 09:00-10:00"),
        ..AgentInput::default()
    };
    for (number, input) in [tried_out, closed].into_iter().enumerate() {
        agents::update(deps, organization, agent, input).await.unwrap();
        // when the contact asks for a person,
        let text = format!("Can I talk to a person, please? {number}");
        contact_writes(&cloud, &format!("wamid.{number}"), &text).await;
        after(&cloud, QUIET).await;
        // then a person is called, and the agent is not asked.
        assert_eq!(outcomes(&cloud).await.pop().unwrap().0, "handed_over", "{number}");
        let shown = conversation(&cloud).await;
        assert_eq!(shown["agent"]["cause"], "handed_over");
        assert!(shown["needs_person_since"].is_string());
        assert!(receiver.received().is_empty());
        assert_eq!(cloud.post(&path().await, &cloud.key, &json!({})).await.status, 200);
    }
}

async fn nobody_answers_stickers_and_reactions(cloud: Cloud) {
    let receiver = Receiver::that(saying("Yes")).await;
    webhook_agent(&cloud, &receiver, AgentMode::Auto, AgentInput::default()).await;
    let sticker = Media {
        kind: "sticker",
        id: "1",
        mime_type: "image/webp",
        sha256: "x",
        ..Media::default()
    };
    let callbacks = [
        from_person("wamid.1").media(&sticker),
        from_person("wamid.2").reaction(Some("👍"), "wamid.1"),
    ];
    for callback in callbacks {
        cloud.post_callback(&callback).await;
        inbox::run_until_idle(&cloud.server.deps).await.unwrap();
        after(&cloud, QUIET).await;
    }
    assert!(receiver.received().is_empty());
    // A sticker beside words does not stop the answer.
    cloud.post_callback(&from_person("wamid.3").media(&sticker)).await;
    contact_writes(&cloud, "wamid.4", "Are you open?").await;
    after(&cloud, QUIET).await;
    assert_eq!(receiver.received().len(), 1);
}

/// Returns how often the contact was shown that an answer is being written.
fn shown_typing(cloud: &Cloud) -> usize {
    let is_shown = |body: &serde_json::Value| body["typing_indicator"]["type"] == "text";
    cloud.graph.calls().iter().filter(|it| is_shown(&it.body)).count()
}

async fn a_contact_sees_that_an_agent_is_writing(cloud: Cloud) {
    // Given an agent that needs longer than a second,
    let receiver =
        Receiver::that(Answers::Late(Duration::from_millis(1500), "{}".to_owned())).await;
    let (agent, _) = webhook_agent(&cloud, &receiver, AgentMode::Auto, AgentInput::default()).await;
    contact_writes(&cloud, "wamid.1", "Hello?").await;
    after(&cloud, QUIET).await;
    // then the contact sees it,
    assert_eq!(shown_typing(&cloud), 1);
    let body = cloud.graph.calls().into_iter().map(|it| it.body);
    let body = body.into_iter().find(|it| it["status"] == "read").unwrap();
    assert_eq!(body["message_id"], "wamid.1");
    // but not what may never be sent,
    let (deps, organization) = (&cloud.server.deps, cloud.organization);
    let draft = AgentInput { mode: Some(AgentMode::Draft), ..AgentInput::default() };
    agents::update(deps, organization, agent, draft).await.unwrap();
    contact_writes(&cloud, "wamid.2", "Are you there?").await;
    after(&cloud, QUIET).await;
    assert_eq!(shown_typing(&cloud), 1);
    cloud.all_in_shape();
}

async fn the_agent_of_the_demo_answers_without_a_network(cloud: Cloud) {
    let (deps, organization) = (&cloud.server.deps, cloud.organization);
    let input = AgentInput {
        name: Some("Opening hours"),
        mode: Some(AgentMode::Auto),
        url: Some(opening_hours::URL),
        accounts: Some(vec![cloud.account]),
        ..AgentInput::default()
    };
    agents::create(deps, organization, NewConnection::Webhook, input).await.unwrap();
    contact_writes(&cloud, "wamid.1", "When are you open?").await;
    after(&cloud, QUIET).await;
    assert!(dialog(&cloud).await[1].1.contains("Monday to Friday"));
    contact_writes(&cloud, "wamid.2", "I want a refund").await;
    after(&cloud, QUIET).await;
    assert_eq!(conversation(&cloud).await["agent"]["cause"], "handed_over");
    assert_eq!(conversation(&cloud).await["agent"]["reason"], json!("Not about opening hours"));
}

on_both_clouds! {
    an_agent_keeps_hours_in_its_time_zone,
    an_agent_that_is_tried_out_answers_only_some_contacts,
    a_contact_outside_the_list_or_the_hours_who_asks_for_a_person_gets_one,
    nobody_answers_stickers_and_reactions,
    a_contact_sees_that_an_agent_is_writing,
    the_agent_of_the_demo_answers_without_a_network,
}
