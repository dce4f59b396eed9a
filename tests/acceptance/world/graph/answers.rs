//! Responses in Meta's format.

use bytes::Bytes;
use serde_json::{Value, json};
use std::sync::atomic::{AtomicU64, Ordering};

pub struct Answer {
    pub status: u16,
    pub content_type: String,
    pub headers: Vec<(&'static str, String)>,
    pub body: Bytes,
}

impl Answer {
    pub fn json(status: u16, body: &Value) -> Self {
        let content_type = "application/json; charset=UTF-8".to_owned();
        Self { status, content_type, headers: Vec::new(), body: Bytes::from(body.to_string()) }
    }

    fn with(mut self, name: &'static str, value: String) -> Self {
        self.headers.push((name, value));
        self
    }
}

/// Returns a number that is unique in this process.
pub fn unique_number() -> u64 {
    static LAST: AtomicU64 = AtomicU64::new(0);
    LAST.fetch_add(1, Ordering::Relaxed) + 1
}

/// Returns a new message id. The process id in it keeps ids apart if several processes share a
/// database.
pub fn wamid() -> String {
    format!("wamid.HBgLMTY1MDU1NTEyMzQVAgARGBI{:08X}{:010X}A=", std::process::id(), unique_number())
}

/// Builds an error in Meta's format; the fields of `more` are added to those that every error has.
fn error(status: u16, kind: &str, code: i64, message: &str, more: Value) -> Answer {
    let mut error = json!({ "message": message, "type": kind, "code": code });
    let fields = error.as_object_mut().expect("it was just made one");
    if let Value::Object(more) = more {
        fields.extend(more);
    }
    fields.insert("fbtrace_id".to_owned(), json!(format!("A{:022}", unique_number())));
    Answer::json(status, &json!({ "error": error }))
}

fn details(details: &str) -> Value {
    json!({ "messaging_product": "whatsapp", "details": details })
}

/// The bearer token is wrong.
pub fn unauthorized() -> Answer {
    let message = "Invalid OAuth access token - Cannot parse access token";
    let challenge = r#"OAuth "Facebook Platform" "invalid_token" "Invalid OAuth access token.""#;
    error(401, "OAuthException", 190, message, Value::Null)
        .with("www-authenticate", challenge.to_owned())
}

/// The request's fields or their values are not valid.
pub fn wrong_shape(what: &str) -> Answer {
    let more = json!({ "error_data": details(what) });
    error(400, "OAuthException", 100, "(#100) Invalid parameter", more)
}

/// The path does not exist.
pub fn no_such_path(path: &str) -> Answer {
    let message = format!("Unknown path components: {path}");
    error(400, "OAuthException", 2500, &message, Value::Null)
}

/// No object has this id.
pub fn no_such_object(id: &str) -> Answer {
    let message = format!(
        "Unsupported get request. Object with ID '{id}' does not exist, cannot be loaded due to \
         missing permissions, or does not support this operation"
    );
    error(400, "GraphMethodException", 100, &message, json!({ "error_subcode": 33 }))
}

/// The file does not exist or was deleted.
pub fn no_such_file() -> Answer {
    let content_type = "text/plain".to_owned();
    Answer { status: 404, content_type, headers: Vec::new(), body: Bytes::from("Not Found") }
}

/// A template with this name and language exists already.
pub fn template_exists(language: &str) -> Answer {
    let more = json!({
        "error_subcode": 2_388_024,
        "is_transient": false,
        "error_user_title": "Content in This Language Already Exists",
        "error_user_msg": format!(
            "There is already {language} content for this template. You can create a new template \
             and try again."
        ),
    });
    error(400, "OAuthException", 100, "Invalid parameter", more)
}

/// No template has this name.
pub fn template_not_found(name: &str) -> Answer {
    let more = json!({
        "error_subcode": 2_593_002,
        "is_transient": false,
        "error_user_title": "Message template not found",
        "error_user_msg": format!("The message template {name} wasn't found for this account."),
    });
    error(400, "OAuthException", 100, "Invalid parameter", more)
}

/// An internal error of Meta.
pub fn trouble(status: u16) -> Answer {
    if status == 503 {
        let message = "(#2) Service temporarily unavailable";
        return error(status, "OAuthException", 2, message, json!({ "is_transient": true }));
    }
    error(status, "OAuthException", 1, "An unknown error has occurred.", Value::Null)
}

/// The rate limit is reached.
pub fn rate_limited(retry_after: Option<u64>, code: i64) -> Answer {
    let more = json!({ "error_data": details("Too many messages were sent in a short time") });
    let answer = error(429, "OAuthException", code, &format!("(#{code}) Rate limit hit"), more);
    match retry_after {
        Some(seconds) => answer.with("retry-after", seconds.to_string()),
        None => answer,
    }
}

/// An error that the test describes.
pub fn refusal(status: u16, code: i64, subcode: Option<i64>, message: &str) -> Answer {
    let mut more = json!({ "error_data": details(message) });
    if let Some(subcode) = subcode {
        more["error_subcode"] = json!(subcode);
    }
    error(status, "OAuthException", code, message, more)
}
