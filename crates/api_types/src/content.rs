//! Content of messages, as history shows it.

use crate::components::ComponentWire;
use crate::object::Object;
use crate::schema::{LanguageText, OneOf, TemplateNameText, UrlText};
use domain::content::MessageKind;
use domain::keyword::Keyword as _;
use domain::media::MediaKind;
use domain::violation::Field;
use persistence::Document;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use serde_json::{Map, Value};

/// The content of a text message or a reaction.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct TextDocument {
    /// The text.
    pub text: Option<String>,
    /// Whether the channel shows a preview of the first link.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub preview_url: Option<bool>,
}

/// The file of a media message.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "MessageMedia")]
pub struct MediaDocument {
    /// The URL of the file; null until the file has been fetched.
    #[schemars(with = "Option<UrlText>")]
    pub url: Option<String>,
    /// The kind of file.
    #[schemars(with = "Option<OneOf<MediaKind>>")]
    pub media_type: Option<String>,
    /// The content type, for a file that a contact sent; null if the channel does not report it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub content_type: Option<String>,
    /// The caption.
    pub caption: Option<String>,
    /// The file name.
    pub filename: Option<String>,
    /// Whether audio is a voice message; omitted if it is not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub voice: Option<bool>,
    /// Whether a sticker is animated; omitted if it is not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub animated: Option<bool>,
    /// The words of a voice message. They are stored here and shown as a field of the message.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(skip)]
    pub transcript: Option<String>,
}

/// A template and its parameters.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "MessageTemplate")]
pub struct TemplateDocument {
    /// The name of the template.
    #[schemars(required, with = "TemplateNameText")]
    pub name: Option<String>,
    /// The language of the template.
    #[schemars(required, with = "LanguageText")]
    pub language: Option<String>,
    /// The parameters of the template.
    #[serde(default)]
    pub components: Vec<Object<ComponentWire>>,
}

/// Returns a stored document as raw JSON. Only this program writes such documents, so one that is
/// not JSON is logged as an error and shown as null.
pub(crate) fn raw(document: &Document) -> Option<Box<RawValue>> {
    let parsed = RawValue::from_string(document.0.clone());
    parsed.inspect_err(|error| tracing::error!(%error, "a stored document is not valid JSON")).ok()
}

/// Returns a stored file and its transcript, which are two fields of a message.
pub(crate) fn media_and_transcript(
    stored: Box<RawValue>,
) -> (Option<Box<RawValue>>, Option<String>) {
    // Few files have a transcript. All others are shown as they are stored.
    if !stored.get().contains(TRANSCRIPT) {
        return (Some(stored), None);
    }
    let fields: Option<Map<String, Value>> = serde_json::from_str(stored.get()).ok();
    let Some(mut fields) = fields else { return (Some(stored), None) };
    let transcript = fields.remove(TRANSCRIPT);
    let media = RawValue::from_string(Value::Object(fields).to_string()).ok();
    (media, transcript.and_then(|it| it.as_str().map(str::to_owned)))
}

/// The field of a stored file with the words of a voice message.
const TRANSCRIPT: &str = "transcript";

/// Returns the transcript of a stored message, if it has one.
#[must_use]
pub fn transcript(kind: MessageKind, content: &Document) -> Option<String> {
    if kind != MessageKind::Media || !content.0.contains(TRANSCRIPT) {
        return None;
    }
    media_and_transcript(raw(content)?).1
}

/// Returns the text of a text message or the emoji of a reaction.
#[must_use]
pub fn plain_text(kind: MessageKind, content: &Document) -> Option<String> {
    if !matches!(kind, MessageKind::Text | MessageKind::Reaction) {
        return None;
    }
    let read: Result<TextDocument, _> = serde_json::from_str(&content.0);
    let read = read.inspect_err(|error| tracing::error!(%error, "a stored text cannot be parsed"));
    read.ok().and_then(|text| text.text)
}

/// Returns the type of the file of a message that a contact sent.
#[must_use]
pub fn received_media(content: &Document) -> Option<MediaKind> {
    let read: Result<MediaDocument, _> = serde_json::from_str(&content.0);
    let read = read.inspect_err(|error| tracing::error!(%error, "a stored file cannot be parsed"));
    MediaKind::from_keyword(&read.ok()?.media_type?)
}

/// The field `interactive` of a request.
pub const INTERACTIVE: Field<'static> = Field::root("interactive");
