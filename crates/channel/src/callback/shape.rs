//! The parts of Meta's payloads that mean something here.

use serde::Deserialize;
use serde_json::{Map, Value};

#[derive(Deserialize)]
pub struct Envelope {
    #[serde(default)]
    pub entry: Vec<Value>,
}

#[derive(Deserialize)]
pub struct Entry {
    pub id: Option<Value>,
    pub time: Option<i64>,
    #[serde(default)]
    pub changes: Vec<Value>,
}

#[derive(Deserialize)]
pub struct Change {
    #[serde(default)]
    pub field: String,
    #[serde(default)]
    pub value: Value,
}

#[derive(Deserialize)]
pub struct Told {
    pub metadata: Number,
    #[serde(default)]
    pub statuses: Vec<Value>,
    #[serde(default)]
    pub messages: Vec<Value>,
}

#[derive(Deserialize)]
pub struct Number {
    pub phone_number_id: String,
}

#[derive(Deserialize)]
pub struct StatusChange {
    pub id: String,
    pub status: String,
    pub timestamp: Option<Value>,
    pub biz_opaque_callback_data: Option<String>,
    #[serde(default)]
    pub errors: Vec<ErrorPart>,
}

#[derive(Deserialize)]
pub struct ErrorPart {
    #[serde(default)]
    pub code: i64,
    #[serde(default)]
    pub title: String,
    pub message: Option<String>,
    pub error_data: Option<ErrorData>,
}

#[derive(Deserialize)]
pub struct ErrorData {
    pub details: Option<String>,
}

#[derive(Deserialize)]
pub struct InboundMessage {
    pub id: String,
    pub from: String,
    pub timestamp: Option<Value>,
    #[serde(rename = "type", default)]
    pub kind: String,
    pub context: Option<Context>,
    /// The object that is named as the type is.
    #[serde(flatten)]
    pub rest: Map<String, Value>,
}

#[derive(Deserialize)]
pub struct Context {
    pub id: Option<String>,
}

#[derive(Deserialize)]
pub struct TextPart {
    pub body: String,
}

#[derive(Deserialize)]
pub struct FilePart {
    pub id: String,
    #[serde(default)]
    pub mime_type: String,
    pub caption: Option<String>,
    pub filename: Option<String>,
}

#[derive(Deserialize)]
pub struct ChoicePart {
    pub id: String,
    pub title: String,
    pub description: Option<String>,
}

#[derive(Deserialize)]
pub struct QuickReplyPart {
    #[serde(default)]
    pub payload: String,
    #[serde(default)]
    pub text: String,
}

#[derive(Deserialize)]
pub struct ReactionPart {
    pub message_id: String,
    /// Left out when a reaction is taken back.
    #[serde(default)]
    pub emoji: String,
}

#[derive(Deserialize)]
pub struct TemplateNews {
    pub event: String,
    pub message_template_id: Value,
    #[serde(default)]
    pub message_template_name: String,
    #[serde(default)]
    pub message_template_language: String,
    pub reason: Option<String>,
    rejection_info: Option<RejectionInfo>,
    other_info: Option<OtherInfo>,
}

#[derive(Deserialize)]
struct RejectionInfo {
    reason: Option<String>,
    recommendation: Option<String>,
}

#[derive(Deserialize)]
struct OtherInfo {
    description: Option<String>,
}

impl TemplateNews {
    /// The reviewer's sentences, if it gave any.
    pub fn detail(&self) -> Option<String> {
        let rejection = self.rejection_info.iter();
        let sentences = rejection.flat_map(|it| [&it.reason, &it.recommendation]).flatten();
        let other = self.other_info.iter().filter_map(|it| it.description.as_ref());
        let all: Vec<&str> = sentences.chain(other).map(String::as_str).collect();
        (!all.is_empty()).then(|| all.join(" "))
    }
}

/// An id that is written as a number or as a text.
pub fn text_of(id: &Value) -> String {
    id.as_str().map_or_else(|| id.to_string(), str::to_owned)
}

/// A second that is written as a text or as a number.
pub fn second_of(timestamp: &Value) -> Option<i64> {
    timestamp.as_i64().or_else(|| timestamp.as_str()?.parse().ok())
}
