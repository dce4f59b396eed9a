//! Two contacts that turn out to be the same person are merged.

use super::{HISTORY, Person, USER, events, events_of, history_of, texts};
use crate::cloud::{Cloud, MINUTE, PERSON, PERSON_THERE, SECOND, SEND, on_both_clouds, refusal};
use crate::world::graph::Fault;
use serde_json::{Value, json};
use std::time::Duration;

const fn both() -> Person<'static> {
    Person { number: Some(PERSON_THERE), user: Some(USER), username: None, name: None }
}

const fn by_user() -> Person<'static> {
    Person { number: None, ..both() }
}

/// Sends a message to the number.
async fn to_number(cloud: &Cloud, text: &str) -> Value {
    let body = json!({"type": "text", "phone_number": PERSON, "text": text});
    cloud.post(SEND, &cloud.key, &body).await.body
}

async fn one_history_in_the_order_of_time_and_every_id_answers(cloud: Cloud) {
    // Given a conversation by number, in which the agent is paused, and one by user id, with
    // alternating messages,
    let by_number = to_number(&cloud, "1").await;
    cloud.advance(SECOND * 10);
    cloud.post_callback(&by_user().text("wamid.A", 5, "2")).await;
    let by_user_id =
        history_of(&cloud, json!({"channel_user_id": USER})).await.body["conversation"].clone();
    assert_eq!(by_user_id["ai_agent"], "running");
    to_number(&cloud, "3").await;
    cloud.advance(SECOND * 10);
    cloud.post_callback(&by_user().text("wamid.B", 15, "4")).await;
    to_number(&cloud, "5").await;
    cloud.settle().await;
    // when a message comes with both number and user id,
    cloud.advance(SECOND * 10);
    cloud.post_callback(&both().text("wamid.C", 25, "6")).await;
    // then every address and every id leads to one history, page by page,
    let merged = events_of(&cloud, "contact.merged").await.remove(0);
    assert_eq!(
        merged,
        json!({
            "contact_id": by_number["contact_id"],
            "merged_contact_id": by_user_id["contact"]["id"],
            "conversation_id": by_number["conversation_id"],
            "merged_conversation_id": by_user_id["id"],
        })
    );
    for named in [
        json!({"phone_number": PERSON}),
        json!({"channel_user_id": USER}),
        json!({"contact_id": merged["contact_id"]}),
        json!({"contact_id": merged["merged_contact_id"]}),
        json!({"conversation_id": merged["conversation_id"]}),
        json!({"conversation_id": merged["merged_conversation_id"]}),
    ] {
        let history = history_of(&cloud, named.clone()).await;
        assert_eq!(texts(&history), ["1", "2", "3", "4", "5", "6"], "{named}");
        assert_eq!(history.body["conversation"]["id"], merged["conversation_id"]);
        assert_eq!(history.body["conversation"]["ai_agent"], "paused");
        for message in history.body["data"].as_array().unwrap() {
            assert_eq!(message["contact_id"], merged["contact_id"]);
            assert_eq!(message["conversation_id"], merged["conversation_id"]);
        }
    }
    for offset in 0..6 {
        let page = cloud
            .get(
                &format!("{HISTORY}?channel_user_id={USER}&limit=1&offset={offset}&order=asc"),
                &cloud.key,
            )
            .await;
        assert_eq!(texts(&page), [(offset + 1).to_string()]);
    }
    // sends to the merged ids go to that conversation,
    for named in [
        json!({"contact_id": merged["merged_contact_id"]}),
        json!({"conversation_id": merged["merged_conversation_id"]}),
    ] {
        let mut body = json!({"type": "text", "text": "7"});
        body.as_object_mut().unwrap().extend(named.as_object().unwrap().clone());
        let answer = cloud.post(SEND, &cloud.key, &body).await;
        assert_eq!(answer.body["conversation_id"], merged["conversation_id"]);
        assert_eq!(answer.body["phone_number"], json!(PERSON));
    }
    // and the events have no gap.
    events(&cloud).await;
}

async fn waiting_messages_of_merged_conversations_are_sent_once_and_in_order(cloud: Cloud) {
    // Given a channel that is down, and waiting messages in both conversations,
    cloud.post_callback(&by_user().text("wamid.A", 0, "Hello")).await;
    cloud.graph.down(true).await;
    for text in ["1", "2", "3"] {
        to_number(&cloud, &format!("number {text}")).await;
        cloud.advance(SECOND);
        cloud
            .send(&json!({"type": "text", "channel_user_id": USER, "text": format!("user {text}")}))
            .await;
        cloud.advance(SECOND);
        cloud.settle().await;
    }
    // when both turn out to be the same person,
    cloud.post_callback(&both().text("wamid.B", 1, "It is me")).await;
    cloud.send(&json!({"type": "text", "channel_user_id": USER, "text": "after"})).await;
    cloud.graph.down(false).await;
    cloud.advance_by(10, crate::cloud::MINUTE).await;
    // then each message goes to the number once, in the order of the merged history.
    let sent = cloud.graph.accepted();
    assert!(sent.iter().all(|it| it.to == PERSON), "{sent:?}");
    let expected = ["number 1", "user 1", "number 2", "user 2", "number 3", "user 3", "after"];
    assert_eq!(cloud.texts(), expected);
    assert!(cloud.is_idle().await);
    events(&cloud).await;
}

async fn messages_in_flight_during_a_merge_are_sent_once(cloud: Cloud) {
    cloud.post_callback(&by_user().text("wamid.A", 0, "Hello")).await;
    for text in ["1", "2", "3"] {
        to_number(&cloud, &format!("number {text}")).await;
        cloud
            .send(&json!({"type": "text", "channel_user_id": USER, "text": format!("user {text}")}))
            .await;
    }
    // Given a slow channel that has messages of both conversations in flight,
    cloud.graph.answer_after(Duration::from_millis(100));
    // when both are merged in the meantime, and more is sent,
    let merged = async {
        cloud.graph.until(|graph| graph.calls().len() >= 2).await;
        cloud.report(&both().text("wamid.B", 1, "It is me")).await;
        workers::callbacks::step(&cloud.server.deps).await.unwrap();
        cloud.send(&json!({"type": "text", "channel_user_id": USER, "text": "after"})).await;
        let busy = "SELECT (SELECT count(*) FROM outbox) \
                    + (SELECT count(*) FROM organization_work WHERE claimed_by IS NOT NULL) AS number";
        let mut beside = cloud.beside().await;
        while beside.number(busy).await > 0 {
            tokio::time::sleep(Duration::from_millis(10)).await; // real time: the worker is at work
        }
    };
    tokio::select! {
        () = workers::send::run(&cloud.server.deps.service) => unreachable!("nobody stops it"),
        () = merged => {}
    }
    cloud.settle().await;
    // then each message is sent once, in order within each old conversation, and the later ones
    // after all of these.
    let sent = cloud.texts();
    assert_eq!(sent.len(), 7, "{sent:?}");
    for of in ["number", "user"] {
        let theirs: Vec<&String> = sent.iter().filter(|it| it.starts_with(of)).collect();
        assert_eq!(
            theirs,
            ["1", "2", "3"].map(|it| format!("{of} {it}")).iter().collect::<Vec<_>>()
        );
    }
    assert_eq!(sent[6], "after");
    assert!(cloud.is_idle().await);
    assert_eq!(events_of(&cloud, "contact.merged").await.len(), 1);
}

async fn a_held_number_is_tried_although_the_conversation_whose_turn_it_was_is_merged(
    cloud: Cloud,
) {
    // Given a held account, with messages to a contact by number and by user id,
    cloud.post_callback(&by_user().text("wamid.A", 0, "Hello")).await;
    cloud.graph.plan(|_| refusal(401, 190, "Session has expired"));
    for round in 0..2 {
        cloud
            .send(
                &json!({"type": "text", "channel_user_id": USER, "text": format!("user {round}")}),
            )
            .await;
        to_number(&cloud, &format!("number {round}")).await;
    }
    cloud.settle().await;
    // (once with each of the two being tried next)
    for minutes in 1..=2 {
        cloud.advance_by(minutes, MINUTE).await;
        let calls = cloud.graph.calls().len();
        // when both turn out to be the same person,
        let id = format!("wamid.B{minutes}");
        cloud.post_callback(&both().text(&id, 1, "It is me")).await;
        // then one message a minute is still tried,
        cloud.advance_by(4, MINUTE).await;
        assert_eq!(cloud.graph.calls().len(), calls + 4);
    }
    // and with a valid token all are sent in order.
    cloud.graph.plan(|_| Fault::None);
    cloud.advance_by(2, MINUTE).await;
    let sent = cloud.texts();
    assert_eq!(sent.len(), 4, "{sent:?}");
    for of in ["number", "user"] {
        let theirs: Vec<&String> = sent.iter().filter(|it| it.starts_with(of)).collect();
        assert_eq!(theirs, ["0", "1"].map(|it| format!("{of} {it}")).iter().collect::<Vec<_>>());
    }
}

async fn a_merge_leaves_earlier_events_as_they_were(cloud: Cloud) {
    // Given a conversation by number in which the agent is paused, and one by user id with more
    // messages,
    to_number(&cloud, "1").await;
    cloud.advance(SECOND * 10);
    for (second, id) in (1..).zip(["wamid.A", "wamid.B", "wamid.C"]) {
        cloud.post_callback(&by_user().text(id, second, "Hello")).await;
    }
    let made = events_of(&cloud, "contact.created").await;
    let known = |it: &Value| (it["phone_number"].clone(), it["channel_user_id"].clone());
    assert_eq!(
        made.iter().map(known).collect::<Vec<_>>(),
        [(json!(PERSON), Value::Null), (Value::Null, json!(USER))]
    );
    // when both turn out to be the same person,
    cloud.post_callback(&both().text("wamid.D", 9, "It is me")).await;
    // then the earlier events still show the contacts as they were,
    assert_eq!(events_of(&cloud, "contact.created").await, made);
    // and an event reports that the agent is paused in the remaining conversation.
    let merged = events_of(&cloud, "contact.merged").await.remove(0);
    let paused = events_of(&cloud, "conversation.agent_paused").await;
    assert_eq!(paused.len(), 2);
    assert_eq!(paused[1]["id"], merged["conversation_id"]);
    assert_eq!(paused[1]["ai_agent"], "paused");
    assert_eq!(merged["contact_id"], made[1]["id"]);
}

async fn a_merge_does_not_retry_a_message_early(cloud: Cloud) {
    // Given a long conversation by number, and a message to a user id that the channel will
    // refuse temporarily,
    for text in ["1", "2", "3"] {
        to_number(&cloud, text).await;
    }
    cloud.advance(SECOND * 10);
    cloud.post_callback(&by_user().text("wamid.A", 0, "Hello")).await;
    cloud.settle().await;
    let before = cloud.graph.calls().len();
    cloud.graph.answer_after(Duration::from_millis(100));
    cloud.faults([Fault::Status(503)]);
    cloud.send(&json!({"type": "text", "channel_user_id": USER, "text": "4"})).await;
    // when both are merged before the refusal,
    let merged = async {
        cloud.graph.until(|graph| graph.calls().len() > before).await;
        cloud.report(&both().text("wamid.B", 1, "It is me")).await;
        workers::callbacks::step(&cloud.server.deps).await.unwrap();
    };
    tokio::join!(workers::send::step(&cloud.server.deps), merged).0.unwrap();
    assert_eq!(events_of(&cloud, "contact.merged").await.len(), 1);
    // then the message is not retried at once,
    cloud.settle().await;
    assert_eq!(cloud.graph.calls().len(), before + 1);
    // but when it is due, and then to the number.
    cloud.advance_by(10, MINUTE).await;
    assert_eq!(cloud.texts(), ["1", "2", "3", "4"]);
    assert_eq!(cloud.graph.accepted().last().unwrap().to, PERSON);
    assert!(cloud.is_idle().await);
}

on_both_clouds! {
    one_history_in_the_order_of_time_and_every_id_answers,
    waiting_messages_of_merged_conversations_are_sent_once_and_in_order,
    messages_in_flight_during_a_merge_are_sent_once,
    a_held_number_is_tried_although_the_conversation_whose_turn_it_was_is_merged,
    a_merge_leaves_earlier_events_as_they_were,
    a_merge_does_not_retry_a_message_early,
}
