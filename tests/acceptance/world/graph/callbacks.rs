//! Meta's callbacks: the payloads of its webhooks.

use super::routes::hex;
use ring::hmac;
use serde_json::{Map, Value, json};

/// The default `WhatsApp` Business Account id.
pub const WABA: &str = "102290129340398";
/// The display phone number of an account.
pub const DISPLAY_NUMBER: &str = "15550783881";
/// The contact that a status is about.
pub const RECIPIENT: &str = "16505551234";
/// The time, in seconds, at which a template's status changed: 2026-11-21T12:00:00Z.
pub const TEMPLATE_TIME: i64 = 1_795_262_400;

/// Builds the envelope of a single change.
fn envelope(waba: &str, field: &str, value: &Value) -> Value {
    let changes = json!([{ "value": value, "field": field }]);
    json!({ "object": "whatsapp_business_account", "entry": [{ "id": waba, "changes": changes }] })
}

/// Builds a change of the field `messages`: the fields of `more` and the number's metadata.
fn on_number(phone_number_id: &str, more: Value) -> Value {
    let metadata =
        json!({ "display_phone_number": DISPLAY_NUMBER, "phone_number_id": phone_number_id });
    let mut value = json!({ "messaging_product": "whatsapp", "metadata": metadata });
    put(&mut value, more);
    envelope(WABA, "messages", &value)
}

/// Adds the fields of `more` to an object.
fn put(object: &mut Value, more: Value) {
    if let (Value::Object(fields), Value::Object(more)) = (object, more) {
        fields.extend(more);
    }
}

/// Builds an object from those fields that have a value.
fn present(fields: &[(&str, Option<&str>)]) -> Value {
    let there =
        fields.iter().filter_map(|(key, value)| Some(((*key).to_owned(), json!((*value)?))));
    Value::Object(there.collect::<Map<_, _>>())
}

fn error(code: i64, title: &str) -> Value {
    json!([{
        "code": code,
        "title": title,
        "message": title,
        "error_data": { "details": title },
        "href": "https://developers.facebook.com/docs/whatsapp/cloud-api/support/error-codes/",
    }])
}

/// Builds a status of an outbound message: `state` is `sent`, `delivered`, `read` or `failed`.
pub fn status(
    phone_number_id: &str,
    wamid: &str,
    ours: Option<&str>,
    state: &str,
    timestamp_seconds: i64,
    failure: Option<(i64, &str)>,
) -> Value {
    let mut status = json!({
        "id": wamid,
        "status": state,
        "timestamp": timestamp_seconds.to_string(),
        "recipient_id": RECIPIENT,
    });
    put(&mut status, present(&[("biz_opaque_callback_data", ours)]));
    if matches!(state, "sent" | "delivered") {
        status["pricing"] = json!({
            "billable": true,
            "pricing_model": "PMP",
            "type": "regular",
            "category": "utility",
        });
    }
    if let Some((code, title)) = failure {
        status["errors"] = error(code, title);
    }
    on_number(phone_number_id, json!({ "statuses": [status] }))
}

/// Builds a status of a template: `event` is `APPROVED`, `REJECTED`, `PAUSED`, `DISABLED`...
pub fn template_status(
    waba: &str,
    template_id: &str,
    name: &str,
    language: &str,
    event: &str,
    reason: Option<&str>,
) -> Value {
    // In this callback Meta sends the id as a number; everywhere else it is a string.
    let id = template_id.parse::<u64>().map_or_else(|_| json!(template_id), |id| json!(id));
    let value = json!({
        "event": event,
        "message_template_id": id,
        "message_template_name": name,
        "message_template_language": language,
        "reason": reason.unwrap_or("NONE"),
        "message_template_category": "UTILITY",
    });
    let mut callback = envelope(waba, "message_template_status_update", &value);
    callback["entry"][0]["time"] = json!(TEMPLATE_TIME);
    callback
}

/// The fields that every inbound message has.
#[derive(Clone, Copy, Debug)]
pub struct Inbound<'a> {
    /// Our number.
    pub phone_number_id: &'a str,
    /// The contact's number, without a `+`.
    pub from: &'a str,
    /// Meta's id of the message.
    pub id: &'a str,
    /// The time of sending, in seconds.
    pub timestamp: i64,
    /// Meta's id of the message to which this one replies.
    pub context: Option<&'a str>,
}

#[derive(Clone, Copy, Debug, Default)]
pub struct Media<'a> {
    /// `image`, `video`, `audio`, `document` or `sticker`.
    pub kind: &'a str,
    /// Meta's id of the file.
    pub id: &'a str,
    pub mime_type: &'a str,
    /// The SHA-256 of the file, in base64.
    pub sha256: &'a str,
    pub caption: Option<&'a str>,
    /// The file name, for documents only.
    pub filename: Option<&'a str>,
}

impl<'a> Inbound<'a> {
    /// Builds a message that is not a reply.
    pub const fn new(phone_number_id: &'a str, from: &'a str, id: &'a str, timestamp: i64) -> Self {
        Self { phone_number_id, from, id, timestamp, context: None }
    }

    /// Makes this message a reply to `wamid`.
    #[must_use]
    pub const fn answering(self, wamid: &'a str) -> Self {
        Self { context: Some(wamid), ..self }
    }

    /// Builds a message of any type: `content` holds the fields that only this type has.
    pub fn message(&self, kind: &str, content: Value) -> Value {
        let mut message = json!({
            "from": self.from,
            "id": self.id,
            "timestamp": self.timestamp.to_string(),
            "type": kind,
        });
        if let Some(wamid) = self.context {
            message["context"] = json!({ "from": DISPLAY_NUMBER, "id": wamid });
        }
        put(&mut message, content);
        let contact = json!({ "profile": { "name": "Sheena Nelson" }, "wa_id": self.from });
        on_number(self.phone_number_id, json!({ "contacts": [contact], "messages": [message] }))
    }

    pub fn text(&self, body: &str) -> Value {
        self.message("text", json!({ "text": { "body": body } }))
    }

    /// Builds a message with a file.
    pub fn media(&self, media: &Media<'_>) -> Value {
        let mut file =
            json!({ "mime_type": media.mime_type, "sha256": media.sha256, "id": media.id });
        put(&mut file, present(&[("caption", media.caption), ("filename", media.filename)]));
        match media.kind {
            "audio" => file["voice"] = json!(false),
            "sticker" => file["animated"] = json!(false),
            _ => {}
        }
        self.message(media.kind, json!({ (media.kind): file }))
    }

    /// Builds a tap on a reply button of an interactive message.
    pub fn button_reply(&self, id: &str, title: &str) -> Value {
        let reply = json!({ "id": id, "title": title });
        self.message(
            "interactive",
            json!({ "interactive": { "type": "button_reply", "button_reply": reply } }),
        )
    }

    /// Builds the choice of a row from a list message.
    pub fn list_reply(&self, id: &str, title: &str, description: Option<&str>) -> Value {
        let fields = [("id", Some(id)), ("title", Some(title)), ("description", description)];
        let reply = present(&fields);
        self.message(
            "interactive",
            json!({ "interactive": { "type": "list_reply", "list_reply": reply } }),
        )
    }

    /// Builds a tap on a quick reply button of a template.
    pub fn quick_reply_button(&self, payload: &str, text: &str) -> Value {
        self.message("button", json!({ "button": { "payload": payload, "text": text } }))
    }

    /// Builds a reaction to a message. Without an emoji it withdraws the reaction.
    pub fn reaction(&self, emoji: Option<&str>, to_wamid: &str) -> Value {
        let reaction = present(&[("message_id", Some(to_wamid)), ("emoji", emoji)]);
        self.message("reaction", json!({ "reaction": reaction }))
    }

    pub fn location(&self, latitude: f64, longitude: f64, name: Option<&str>) -> Value {
        let mut location = json!({ "latitude": latitude, "longitude": longitude });
        put(&mut location, present(&[("name", name)]));
        self.message("location", json!({ "location": location }))
    }

    /// Builds a message with a contact card.
    pub fn contacts(&self, formatted_name: &str, phone: &str) -> Value {
        let name = json!({ "formatted_name": formatted_name, "first_name": formatted_name });
        let phones = json!([{ "phone": phone, "type": "CELL" }]);
        self.message("contacts", json!({ "contacts": [{ "name": name, "phones": phones }] }))
    }

    /// Builds a message of a type that the Cloud API does not support.
    pub fn unknown(&self) -> Value {
        let title = "Message type unknown";
        let details = json!({ "details": "Message type is currently not supported." });
        let error =
            json!({ "code": 131_051, "title": title, "message": title, "error_data": details });
        self.message("unsupported", json!({ "errors": [error], "unsupported": { "type": "edit" } }))
    }
}

/// Changes a callback's business account id from [`WABA`] to `waba`.
pub fn at_waba(waba: &str, mut callback: Value) -> Value {
    for entry in callback["entry"].as_array_mut().into_iter().flatten() {
        entry["id"] = json!(waba);
    }
    callback
}

/// Merges several callbacks into one envelope, in order. Consecutive ones of the same business
/// account share an entry.
pub fn merge(callbacks: Vec<Value>) -> Value {
    let mut entries: Vec<Value> = Vec::new();
    for mut callback in callbacks {
        let Value::Array(parts) = callback["entry"].take() else { continue };
        for mut part in parts {
            let last = entries.last_mut();
            let last =
                last.filter(|it| it["id"] == part["id"] && it.get("time") == part.get("time"));
            match (last.and_then(|it| it["changes"].as_array_mut()), part["changes"].as_array_mut())
            {
                (Some(into), Some(changes)) => into.append(changes),
                _ => entries.push(part),
            }
        }
    }
    json!({ "object": "whatsapp_business_account", "entry": entries })
}

/// Returns the value of `X-Hub-Signature-256` for a body.
pub fn signature(app_secret: &str, raw_body: impl AsRef<[u8]>) -> String {
    let key = hmac::Key::new(hmac::HMAC_SHA256, app_secret.as_bytes());
    format!("sha256={}", hex(hmac::sign(&key, raw_body.as_ref()).as_ref()))
}
