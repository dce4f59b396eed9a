//! Contacts are recognized by a phone number, by a user id of the channel, or by both.

mod changes;
mod cost;
mod forms;
mod long;
mod merging;
mod parents;
mod people;
mod simulation;
mod unreadable;
mod waits;

use crate::cloud::{BUSINESS, Cloud, NOON, NUMBER};
use crate::world::Answer;
use serde_json::{Value, json};

const HISTORY: &str = "/api/v1/conversations/history";
const USER: &str = "US.13491208655302741918";
const OTHER_USER: &str = "US.2";

/// A contact as callbacks name it.
#[derive(Clone, Copy, Debug, Default)]
struct Person<'a> {
    /// The number without a `+`.
    number: Option<&'a str>,
    user: Option<&'a str>,
    username: Option<&'a str>,
    name: Option<&'a str>,
}

impl Person<'_> {
    /// Builds a message of this contact, `second` seconds after noon.
    fn message(&self, id: &str, second: i64, mut content: Value) -> Value {
        content["id"] = json!(id);
        content["timestamp"] = json!((NOON + second).to_string());
        content["from"] = json!(self.number);
        let profile = json!({"username": self.username, "name": self.name});
        let contact = json!({"wa_id": self.number, "user_id": self.user, "profile": profile});
        content["from_user_id"] = json!(self.user);
        on_number(
            &json!({"contacts": [without_nulls(contact)], "messages": [without_nulls(content)]}),
        )
    }

    fn text(&self, id: &str, second: i64, text: &str) -> Value {
        self.message(id, second, json!({"type": "text", "text": {"body": text}}))
    }
}

/// Removes null fields, because the channel leaves them out.
fn without_nulls(value: Value) -> Value {
    match value {
        Value::Object(fields) => {
            let fields = fields.into_iter().filter(|(_, value)| !value.is_null());
            Value::Object(fields.map(|(name, value)| (name, without_nulls(value))).collect())
        }
        other => other,
    }
}

/// Builds a callback with a change on our number.
fn on_number(value: &Value) -> Value {
    let mut value = value.clone();
    value["messaging_product"] = json!("whatsapp");
    value["metadata"] = json!({"display_phone_number": "15550783881", "phone_number_id": NUMBER});
    change("messages", &value)
}

fn change(field: &str, value: &Value) -> Value {
    json!({
        "object": "whatsapp_business_account",
        "entry": [{"id": BUSINESS, "changes": [{"field": field, "value": value}]}],
    })
}

/// Returns the history of the contact that these fields name, oldest message first.
async fn history_of(cloud: &Cloud, mut named: Value) -> Answer {
    named["order"] = json!("asc");
    named["limit"] = json!(100);
    cloud.post(HISTORY, &cloud.key, &named).await
}

fn texts(history: &Answer) -> Vec<&str> {
    let data = history.body["data"].as_array().expect("data").iter();
    data.map(|it| it["text"].as_str().unwrap_or_default()).collect()
}

/// Returns all events of the organization, and asserts that they have no gap.
async fn events(cloud: &Cloud) -> Vec<Value> {
    let (mut all, mut after) = (Vec::new(), 0);
    loop {
        let page = cloud.get(&format!("/api/v1/events?after={after}&limit=100"), &cloud.key).await;
        let page = page.body["data"].as_array().expect("data").clone();
        let Some(last) = page.last() else { break };
        after = last["sequence"].as_i64().unwrap();
        all.extend(page);
    }
    let sequences: Vec<i64> = all.iter().map(|it| it["sequence"].as_i64().unwrap()).collect();
    assert_eq!(sequences, (1..).take(all.len()).collect::<Vec<i64>>());
    all
}

/// Returns the data of the events of one type.
async fn events_of(cloud: &Cloud, kind: &str) -> Vec<Value> {
    let all = events(cloud).await.into_iter().filter(|it| it["type"] == kind);
    all.map(|it| it["data"].clone()).collect()
}
