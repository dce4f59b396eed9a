//! The POST requests: messages, callbacks, and calls of an application.

use anyhow::{Context, Result, bail};
use serde_json::{Value, json};

use super::server::APP_SECRET;
use crate::client::{Answer, Client};
use crate::fill::{BUSINESS_ID, Filled, PHONE_NUMBER_ID, World};
use crate::meta;
use servers::clock;

/// The number of a sandbox conversation of average length.
const SHORT: i64 = 7;
/// The number of a conversation with the account on the Cloud API.
const AT_META: i64 = 9;

/// The contact that a message is for.
#[derive(Clone, Copy)]
pub enum To {
    /// A contact with a conversation of average length.
    Short,
    /// The contact of the long conversation.
    Long,
}

pub fn text(client: &mut Client, to: To) -> Result<Answer> {
    let conversation = match to {
        To::Short => SHORT,
        To::Long => 0,
    };
    let number = World::phone_number(conversation);
    let body = json!({"type": "text", "phone_number": number, "text": "Good morning"});
    client.ask("POST", "/api/v1/messages", &[], &body.to_string())
}

/// Returns the id in an answer.
pub fn id(answer: &Answer) -> Result<String> {
    let body: Value = serde_json::from_str(&answer.body)
        .with_context(|| format!("answered with {}: {}", answer.status, answer.body))?;
    let id = body.get("id").and_then(Value::as_str).map(str::to_owned);
    id.with_context(|| format!("answered with {}: {}", answer.status, answer.body))
}

pub fn template(client: &mut Client) -> Result<Answer> {
    let parameters = json!([{"type": "text", "text": "Ada"}, {"type": "text", "text": "1042"}]);
    let body = json!({
        "to": World::phone_number(SHORT), "template_name": "order_update_200", "language": "en",
        "components": [{"type": "body", "parameters": parameters}],
    });
    client.ask("POST", "/api/v1/messages/template", &[], &body.to_string())
}

/// Creates a template with a new name.
pub fn new_template(client: &mut Client) -> Result<Answer> {
    let name = format!("growth_{}", clock::now().unix_timestamp_nanos());
    let components = json!([{"type": "BODY", "text": "Your order is on its way."}]);
    let body = json!({
        "name": name, "language": "en", "category": "utility", "components": components,
    });
    client.ask("POST", "/api/v1/templates", &[], &body.to_string())
}

/// Delivers a callback with an inbound message. Returns a text that is part of its event.
pub fn inbound(client: &mut Client) -> Result<(Answer, String)> {
    let (now, nanos) = (clock::now().unix_timestamp(), clock::now().unix_timestamp_nanos());
    let from = World::phone_number(AT_META).replace('+', "");
    let said = format!("Is it on its way? {nanos}");
    let message = json!({
        "from": from, "id": format!("wamid.growth.{nanos}"), "timestamp": now.to_string(),
        "type": "text", "text": {"body": said},
    });
    let contacts = json!([{"profile": {"name": "Ada"}, "wa_id": from}]);
    let value = at_number(&json!({"contacts": contacts, "messages": [message]}));
    let answer = callback(client, "messages", &value)?;
    Ok((answer, said))
}

/// Delivers a callback that reports a message as read which is already read.
pub fn report(client: &mut Client, filled: &Filled) -> Result<Answer> {
    let now = clock::now().unix_timestamp();
    let to = World::phone_number(AT_META).replace('+', "");
    let name = filled.channel_name(filled.sent_in(AT_META).context("nothing was sent")?);
    let status = json!({
        "id": name, "status": "read", "timestamp": now.to_string(), "recipient_id": to,
    });
    callback(client, "messages", &at_number(&json!({"statuses": [status]})))
}

/// Delivers a callback with a template's new quality rating. Returns the template's id, which is
/// part of the event.
pub fn rate(client: &mut Client, filled: &Filled, is_good: bool) -> Result<String> {
    // Templates with odd numbers belong to the account on the Cloud API.
    let template = filled.counts().templates / 4 * 2 + 1;
    let (name, number) = (World::template_name(template), World::template_number(template));
    let value = json!({
        "message_template_id": number, "message_template_name": name,
        "message_template_language": "de", "previous_quality_score": "UNKNOWN",
        "new_quality_score": if is_good { "GREEN" } else { "YELLOW" },
    });
    callback(client, "message_template_quality_update", &value)?;
    Ok(filled.world.template(template).to_string())
}

/// Adds the data about the number that Meta sends in each callback about messages.
fn at_number(value: &Value) -> Value {
    let number = json!({"display_phone_number": "12025550198", "phone_number_id": PHONE_NUMBER_ID});
    let mut value = value.clone();
    if let Some(object) = value.as_object_mut() {
        object.insert("messaging_product".to_owned(), "whatsapp".into());
        object.insert("metadata".to_owned(), number);
    }
    value
}

fn callback(client: &mut Client, field: &str, value: &Value) -> Result<Answer> {
    let change = json!({"field": field, "value": value});
    let entry = json!({"id": BUSINESS_ID, "changes": [change]});
    let body = json!({"object": "whatsapp_business_account", "entry": [entry]}).to_string();
    let signature = format!("sha256={}", meta::signature(APP_SECRET, &body));
    let headers =
        [("X-Hub-Signature-256", signature.as_str()), ("Content-Type", "application/json")];
    client.ask("POST", "/channel/cloud/webhook", &headers, &body)
}

/// Counts the application's connections, or revokes all of them.
pub fn revoke(client: &mut Client, filled: &Filled, dry_run: bool) -> Result<Answer> {
    let (id, secret) = &filled.world.site.application;
    let headers = [
        ("x-client-id", id.as_str()),
        ("x-client-secret", secret.as_str()),
        ("Content-Type", "application/json"),
    ];
    let path = format!("/api/v1/applications/{id}/revoke-connections");
    let body = json!({"dry_run": dry_run}).to_string();
    let answer = client.ask("POST", &path, &headers, &body)?;
    if answer.status != 200 {
        bail!("revoking was answered with {}: {}", answer.status, answer.body);
    }
    Ok(answer)
}

/// Marks a contact's newest message as read.
pub fn mark_read(client: &mut Client, filled: &Filled) -> Result<Answer> {
    let message = filled.received_in(SHORT).context("nothing was received")?;
    let path = format!("/api/v1/messages/{}/read", filled.world.message(message));
    client.ask("POST", &path, &[], "{}")
}
