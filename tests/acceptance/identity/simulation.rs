//! Sends, callbacks and merges in random order, from fixed seeds.

use super::{Person, events, history_of, on_number};
use crate::cloud::{Cloud, MINUTE, NOON, SECOND, SEND, TestRng};
use crate::world::Database;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

const PEOPLE: usize = 4;
const STEPS: usize = 60;

/// The messages to and from one person, and the ids in the API's responses.
#[derive(Debug, Default)]
struct Said {
    /// The text and the conversation of each sent message, in order.
    sent: Vec<(String, String)>,
    written: Vec<String>,
}

fn number(person: usize) -> String {
    format!("1650555{person:04}")
}

fn user(person: usize) -> String {
    format!("US.{person}")
}

/// Returns one way to address a person. An id is used only if a response contained it.
fn named(random: &mut TestRng, person: usize, known: &[Value]) -> Value {
    match (random.roll(3), known) {
        (0, _) | (2, []) => json!({"phone_number": format!("+{}", number(person))}),
        (1, _) => json!({"channel_user_id": user(person)}),
        (_, known) => {
            let answer = &known[random.roll(known.len())];
            let field = ["contact_id", "conversation_id"][random.roll(2)];
            json!({(field): answer[field]})
        }
    }
}

async fn step(cloud: &Cloud, random: &mut TestRng, index: usize, story: &mut Story) {
    let person = random.roll(PEOPLE);
    let text = format!("{person}:{index}");
    match random.roll(12) {
        0..=3 => {
            let mut body = json!({"type": "text", "text": text});
            let named = named(random, person, &story.answers[person]);
            body.as_object_mut().unwrap().extend(named.as_object().unwrap().clone());
            let answer = cloud.post(SEND, &cloud.key, &body).await;
            assert_eq!(answer.status, 201, "{body}: {}", answer.text);
            story.said[person].sent.push((text, answer.text_of("conversation_id")));
            story.answers[person].push(answer.body);
        }
        4..=7 => {
            let (number, user, shows) = (number(person), user(person), random.roll(5));
            let person_there = Person {
                number: (shows != 0).then_some(&number),
                user: (shows < 2).then_some(&user),
                ..Person::default()
            };
            let second = cloud.second() - NOON;
            let callback = person_there.text(&format!("wamid.{text}"), second, &text);
            cloud.report(&callback).await;
            if random.roll(4) == 0 {
                cloud.report(&callback).await;
            }
            story.said[person].written.push(text);
        }
        8 => cloud.settle().await,
        9 | 10 => report_delivery(cloud, random, story).await,
        _ => {
            story.down = !story.down;
            cloud.graph.down(story.down).await;
        }
    }
    cloud.advance(SECOND);
}

/// Reports a status of a random accepted message, which names its recipient by number and user id.
async fn report_delivery(cloud: &Cloud, random: &mut TestRng, story: &mut Story) {
    let accepted = cloud.graph.accepted();
    if accepted.is_empty() {
        return;
    }
    let message = &accepted[random.roll(accepted.len())];
    let text = message.body["text"]["body"].as_str().unwrap().to_owned();
    let person: usize = text.split(':').next().unwrap().parse().unwrap();
    let status = json!({
        "id": message.wamid, "status": "delivered", "timestamp": cloud.second().to_string(),
        "recipient_id": number(person), "recipient_user_id": user(person),
    });
    cloud.report(&on_number(&json!({ "statuses": [status] }))).await;
    story.delivered.insert(text);
}

#[derive(Default)]
struct Story {
    said: [Said; PEOPLE],
    answers: [Vec<Value>; PEOPLE],
    delivered: BTreeSet<String>,
    down: bool,
}

async fn simulate(database: Database, seed: u64) {
    let cloud = Cloud::on(database, &[]).await;
    let (mut random, mut story) = (TestRng::new(seed), Story::default());
    for index in 0..STEPS {
        step(&cloud, &mut random, index, &mut story).await;
    }
    // At the end each person has shown both number and user id, and the channel is up.
    cloud.graph.down(false).await;
    for person in 0..PEOPLE {
        let (number, user) = (number(person), user(person));
        let whole = Person { number: Some(&number), user: Some(&user), ..Person::default() };
        let text = format!("{person}:last");
        cloud.report(&whole.text(&format!("wamid.{text}"), cloud.second() - NOON, &text)).await;
        story.said[person].written.push(text);
    }
    cloud.settle().await;
    cloud.advance_by(12, MINUTE * 5).await;
    assert!(cloud.is_idle().await, "seed {seed}");
    let handed_over = cloud.texts();
    for (person, said) in story.said.iter().enumerate() {
        let shown = one_person(&cloud, person, said, &handed_over, seed).await;
        for message in shown.iter().filter(|it| it["direction"] == "outbound") {
            let delivered = story.delivered.contains(message["text"].as_str().unwrap());
            let expected = if delivered { "delivered" } else { "queued" };
            assert_eq!(message["status"], expected, "seed {seed}: {message}");
        }
    }
    let sent: usize = story.said.iter().map(|it| it.sent.len()).sum();
    assert_eq!(handed_over.len(), sent, "seed {seed}: {handed_over:?}");
    events(&cloud).await;
}

/// Asserts that a person has one conversation with each message once, and that sent messages went
/// out once and in order.
async fn one_person(
    cloud: &Cloud,
    person: usize,
    said: &Said,
    handed_over: &[String],
    seed: u64,
) -> Vec<Value> {
    let by_number =
        history_of(cloud, json!({"phone_number": format!("+{}", number(person))})).await;
    let by_user = history_of(cloud, json!({"channel_user_id": user(person)})).await;
    assert_eq!(by_number.body, by_user.body, "seed {seed}");
    let data = by_number.body["data"].as_array().unwrap();
    let mut shown: Vec<&str> = data.iter().map(|it| it["text"].as_str().unwrap()).collect();
    assert_eq!(by_number.body["pagination"]["total"], shown.len(), "seed {seed}");
    let mut all: Vec<&str> = said.sent.iter().map(|(text, _)| text.as_str()).collect();
    all.extend(said.written.iter().map(String::as_str));
    shown.sort_unstable();
    all.sort_unstable();
    assert_eq!(shown, all, "seed {seed}");
    let mut conversations: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for (text, conversation) in &said.sent {
        conversations.entry(conversation).or_default().push(text);
    }
    for texts in conversations.values() {
        let theirs = handed_over.iter().map(String::as_str).filter(|it| texts.contains(it));
        assert_eq!(theirs.collect::<Vec<_>>(), *texts, "seed {seed}");
    }
    data.clone()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_person_has_one_conversation_on_sqlite() {
    for seed in 1..=8 {
        simulate(Database::migrated_sqlite(), seed).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_person_has_one_conversation_on_postgres() {
    for seed in 11..=14 {
        simulate(Database::migrated_postgres().await, seed).await;
    }
}
