//! Inbound messages, their edits and deletions, and messages from the organization's phone
//! (`docs/contract.md#messages-and-history`). The payloads follow Meta's documentation of its
//! webhooks.

mod echoes;
mod revisions;
mod types;

use crate::cloud::{BUSINESS, Cloud, NOON, NUMBER, PERSON_THERE};
use serde_json::{Value, json};

/// Adds fields to an object.
fn with_fields(mut object: Value, more: &Value) -> Value {
    let more = more.as_object().expect("fields").clone();
    object.as_object_mut().expect("an object").extend(more);
    object
}

/// Builds a callback with one message from the contact, `second` seconds after noon, with these
/// fields in addition to the usual ones.
fn inbound_callback(id: &str, second: i64, fields: &Value) -> Value {
    let usual = json!({"from": PERSON_THERE, "id": id, "timestamp": (NOON + second).to_string()});
    let metadata = json!({"display_phone_number": "15550783881", "phone_number_id": NUMBER});
    let contact = json!({"profile": {"name": "Sheena Nelson"}, "wa_id": PERSON_THERE});
    let value = json!({
        "messaging_product": "whatsapp", "metadata": metadata, "contacts": [contact],
        "messages": [with_fields(usual, fields)],
    });
    let change = json!({"value": value, "field": "messages"});
    json!({"object": "whatsapp_business_account", "entry": [{"id": BUSINESS, "changes": [change]}]})
}

/// Builds the edit of a message by its author.
fn edit_fields(message: &str, text: &str) -> Value {
    let now = json!({"context": {"id": "M0"}, "type": "text", "text": {"body": text}});
    json!({"type": "edit", "edit": {"original_message_id": message, "message": now}})
}

/// Builds the deletion of a message by its author.
fn deletion_fields(message: &str) -> Value {
    json!({"type": "revoke", "revoke": {"original_message_id": message}})
}

/// Returns the data of the events of one type, in order.
async fn events_of(cloud: &Cloud, kind: &str) -> Vec<Value> {
    let page = cloud.get(&format!("/api/v1/events?type={kind}&limit=100"), &cloud.key).await;
    let events = page.body["data"].as_array().unwrap_or_else(|| panic!("{}", page.text));
    events.iter().map(|it| it["data"].clone()).collect()
}
