//! The search of the inbox by the words of messages (`docs/contract.md#inbox`).

use crate::cloud::{Cloud, NOON, NUMBER, SECOND, SEND, on_both_clouds};
use crate::world::graph::callbacks::Inbound;
use crate::world::{DirectConnection, World};
use domain::id::ConversationId;
use persistence::Reader;
use reqwest::Method;
use serde_json::{Value, json};
use service::contacts;
use service::inbox::find_by_words;
use std::cell::Cell;
use std::time::Duration;

/// Receives a text from a number, and returns the id of the conversation.
async fn receive(cloud: &Cloud, from: &str, wamid: &str, text: &str) -> ConversationId {
    cloud.advance(SECOND);
    cloud.post_callback(&Inbound::new(NUMBER, from, wamid, NOON).text(text)).await;
    let history = cloud.history(&format!("+{from}")).await;
    history[0]["conversation_id"].as_str().unwrap().parse().unwrap()
}

async fn find(world: &World, sought: &str) -> Vec<ConversationId> {
    workers::search::run_until_idle(&world.server.deps).await.unwrap();
    find_by_words(&world.server.deps, world.organization, sought).await.unwrap()
}

async fn a_conversation_is_found_by_the_words_of_its_messages(cloud: Cloud) {
    // Given conversations with texts in several languages, one from before the worker ran,
    let first = receive(&cloud, "16505550001", "wamid.A", "My order ORD-1042 is late").await;
    let found = find(&cloud, "late").await;
    assert_eq!(found, [first]);
    let second = receive(&cloud, "16505550002", "wamid.B", "我要退款，谢谢").await;
    let third = receive(&cloud, "16505550003", "wamid.C", "100 % sure, \"really\"").await;
    let body = json!({"type": "text", "phone_number": "+16505550003", "text": "Lateral thinking"});
    assert_eq!(cloud.post(SEND, &cloud.key, &body).await.status, 201);

    // then each word of a search is the beginning of a word of the conversation.
    let both = {
        let mut both = [first, third];
        both.sort();
        both
    };
    for (sought, expected) in [
        ("order", &[first][..]),
        ("ORDER late", &[first]),
        ("late", &both),
        ("order thinking", &[]),
        ("1042", &[first]),
        ("l", &both),
        ("退款", &[second]),
        ("款", &[second]),
        ("really", &[third]),
        // Without a letter or a digit there is nothing to look for.
        ("%", &[]),
        ("\"", &[]),
        ("", &[]),
    ] {
        assert_eq!(find(&cloud, sought).await, expected, "{sought}");
    }
    // Another organization finds nothing.
    let (other, ..) = cloud.sandbox;
    let elsewhere = find_by_words(&cloud.server.deps, other, "order").await.unwrap();
    assert_eq!(elsewhere, []);
}

async fn a_deleted_contact_is_not_found(cloud: Cloud) {
    // Given a conversation that is found,
    let id = receive(&cloud, "16505550001", "wamid.A", "Something confidential").await;
    assert_eq!(find(&cloud, "confidential").await, [id]);

    // when its contact is deleted, then it is not found.
    let contact = cloud.history("+16505550001").await[0]["contact_id"].as_str().unwrap().to_owned();
    let path = format!("/api/v1/contacts/{contact}");
    let deleted = cloud.request(Method::DELETE, &path, &cloud.key).send().await.unwrap();
    assert_eq!(deleted.status(), 200);
    workers::contact_deletion::run_until_idle(&cloud.server.deps).await.unwrap();
    assert_eq!(find(&cloud, "confidential").await, []);
}

/// Returns the ids of the conversations whose contacts a search finds.
async fn find_contacts(world: &World, sought: &str) -> Vec<ConversationId> {
    workers::search::run_until_idle(&world.server.deps).await.unwrap();
    let reader = Reader::from_primary(world.organization);
    let found = contacts::search(&world.server.deps, reader, sought, 20).await.unwrap();
    found.into_iter().map(|it| it.conversation.id).collect()
}

/// Receives a text from each of `count` other people.
async fn others_write(cloud: &Cloud, count: usize) {
    for number in 0..count {
        let from = format!("1415555{:04}", 1_000 + number);
        let wamid = format!("wamid.O{number}");
        cloud.post_callback(&Inbound::new(NUMBER, &from, &wamid, NOON).text("Hi")).await;
    }
}

async fn a_contact_is_found_by_its_names_and_its_number(cloud: Cloud) {
    // Given a contact with a name, older than those that a search reads itself,
    let id = receive(&cloud, "16505550001", "wamid.A", "Hello").await;
    let contact = cloud.history("+16505550001").await[0]["contact_id"].as_str().unwrap().to_owned();
    let contact = format!("/api/v1/contacts/{contact}");
    let rename = async |name: &str| {
        let renaming = cloud.request(Method::PATCH, &contact, &cloud.key);
        let renamed = renaming.json(&json!({"name": name})).send().await.unwrap();
        assert_eq!(renamed.status(), 200);
    };
    rename("Ana María O'Neill").await;
    others_write(&cloud, 60).await;

    // then it is found by the beginnings of its names, and by the beginning and
    // the end of its number,
    for sought in
        ["ana", "MARÍA", "maría ana", "o'ne", "a\0na", "neill", "0001", "0650 555", "+1650"]
    {
        assert_eq!(find_contacts(&cloud, sought).await, [id], "{sought}");
    }
    for sought in ["nna", "ana x", "6506", "11", "0016", "ana 0001", "\0", "", "%", "_"] {
        assert_eq!(find_contacts(&cloud, sought).await, [], "{sought}");
    }
    // but not by the words of its messages, and a search of messages does not find names.
    assert_eq!(find_contacts(&cloud, "hello").await, []);
    assert_eq!(find(&cloud, "ana").await, []);

    // When it is renamed, it is found by the new name only.
    rename("Eva").await;
    assert_eq!(find_contacts(&cloud, "eva").await, [id]);
    assert_eq!(find_contacts(&cloud, "neill").await, []);
    assert_eq!(find_contacts(&cloud, "0001").await, [id]);

    // When it is deleted, it is not found.
    let deleted = cloud.request(Method::DELETE, &contact, &cloud.key).send().await.unwrap();
    assert_eq!(deleted.status(), 200);
    workers::contact_deletion::run_until_idle(&cloud.server.deps).await.unwrap();
    assert_eq!(find_contacts(&cloud, "eva").await, []);
    assert_eq!(find_contacts(&cloud, "0001").await, []);
}

async fn contacts_from_before_an_update_are_found_by_their_names(cloud: Cloud) {
    // Given contacts whose names are not among the words, as after an update of the program,
    let id = receive(&cloud, "16505550001", "wamid.A", "Hello").await;
    others_write(&cloud, 60).await;
    workers::search::run_until_idle(&cloud.server.deps).await.unwrap();
    cloud
        .beside()
        .await
        .execute("DELETE FROM conversation_words WHERE word >= '@' AND word < 'A'")
        .await;
    assert_eq!(find_contacts(&cloud, "0001").await, []);
    cloud.beside().await.execute("UPDATE word_positions SET has_contacts = false").await;

    // when the worker runs, then they are found.
    assert_eq!(find_contacts(&cloud, "0001").await, [id]);

    // Given events that a server of an earlier version followed without adding names, when the
    // worker runs, then their contacts are found.
    cloud
        .beside()
        .await
        .execute("DELETE FROM conversation_words WHERE word >= '@' AND word < 'A'")
        .await;
    cloud.beside().await.execute("UPDATE word_positions SET named_sequence = 0").await;
    assert_eq!(find_contacts(&cloud, "0001").await, [id]);
}

/// The number of people who write at once, and of messages of each of them.
const WRITERS: usize = 20;
const MESSAGES_OF_EACH: usize = 100;

/// Returns a word that only one message has.
fn word_of(writer: usize, message: usize) -> String {
    format!("parcel{writer:02}x{message:03}")
}

/// Builds a callback with all messages of a person.
fn all_messages(writer: usize, from: &str) -> Value {
    let message = |number: usize| {
        let wamid = format!("wamid.W{writer}.{number}");
        let text = format!("Where is {}?", word_of(writer, number));
        Inbound::new(NUMBER, from, &wamid, NOON).text(&text)
    };
    let messages =
        |callback: &Value| callback["entry"][0]["changes"][0]["value"]["messages"].clone();
    let mut callback = message(0);
    let all = (0..MESSAGES_OF_EACH).map(|number| messages(&message(number))[0].clone());
    callback["entry"][0]["changes"][0]["value"]["messages"] = all.collect();
    callback
}

async fn two_thousand_messages_are_found_once_the_worker_is_idle(cloud: Cloud) {
    let deps = &cloud.server.deps;
    // Given many messages that arrive while the worker follows,
    let (conversations, has_arrived) = (Cell::new(Vec::new()), Cell::new(false));
    let arrive = async {
        let mut all = Vec::new();
        for writer in 0..WRITERS {
            let from = format!("1650555{:04}", 2_000 + writer);
            cloud.post_callback(&all_messages(writer, &from)).await;
            let history = cloud.history(&format!("+{from}")).await;
            assert_eq!(history.len(), MESSAGES_OF_EACH);
            let id = history[0]["conversation_id"].as_str().unwrap();
            all.push(id.parse::<ConversationId>().unwrap());
        }
        conversations.set(all);
        has_arrived.set(true);
    };
    let follow = async {
        while !has_arrived.get() {
            workers::search::run_until_idle(deps).await.unwrap();
            tokio::time::sleep(Duration::from_millis(5)).await; // real time: messages arrive
        }
    };
    tokio::join!(Box::pin(arrive), Box::pin(follow));

    // when the worker is idle, then each message is found.
    workers::search::run_until_idle(deps).await.unwrap();
    for (writer, conversation) in conversations.take().into_iter().enumerate() {
        for message in 0..MESSAGES_OF_EACH {
            let word = word_of(writer, message);
            let found = find_by_words(deps, cloud.organization, &word).await.unwrap();
            assert_eq!(found, [conversation], "{word}");
        }
    }
}

async fn a_send_does_not_wait_for_the_index(cloud: Cloud) {
    // Given an index that is behind, and on PostgreSQL one that nobody can read or write,
    let first = receive(&cloud, "16505550001", "wamid.A", "Is it early?").await;
    let mut beside = cloud.beside().await;
    let is_locked = matches!(beside, DirectConnection::Postgres(_));
    if is_locked {
        beside.execute("BEGIN; LOCK TABLE conversation_words, word_positions").await;
    }

    // when a message is sent, then it is accepted,
    let body = json!({"type": "text", "phone_number": "+16505550001", "text": "It is later"});
    let sent = cloud.post(SEND, &cloud.key, &body).await;
    assert_eq!(sent.status, 201, "{}", sent.text);
    if is_locked {
        beside.execute("COMMIT").await;
    }
    // and found only after the worker has run.
    for sought in ["early", "later"] {
        let deps = &cloud.server.deps;
        let found = find_by_words(deps, cloud.organization, sought).await.unwrap();
        assert_eq!(found, [], "{sought}");
    }
    for sought in ["early", "later"] {
        assert_eq!(find(&cloud, sought).await, [first], "{sought}");
    }
}

on_both_clouds! {
    a_contact_is_found_by_its_names_and_its_number,
    two_thousand_messages_are_found_once_the_worker_is_idle,
    a_send_does_not_wait_for_the_index,
    contacts_from_before_an_update_are_found_by_their_names,
    a_conversation_is_found_by_the_words_of_its_messages,
    a_deleted_contact_is_not_found,
}
