//! What a message says, as history shows it.

use crate::components::ComponentWire;
use crate::object::Object;
use crate::received::{CallPermissionDocument, FlowReplyDocument};
use crate::schema::{Address, LanguageText, OneOf, TemplateNameText};
use domain::content::MessageKind;
use domain::media::MediaKind;
use domain::violation::Field;
use persistence::Document;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

/// Plain text.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct TextDocument {
    /// What it says.
    pub text: Option<String>,
    /// Whether the channel shows a preview of the first link.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub preview_url: Option<bool>,
}

/// A file.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "MessageMedia")]
pub struct MediaDocument {
    /// Where it is; null while it has not been fetched.
    #[schemars(with = "Option<Address>")]
    pub url: Option<String>,
    /// What the file is.
    #[schemars(with = "Option<OneOf<MediaKind>>")]
    pub media_type: Option<String>,
    /// Its content type, of a file that a person sent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub content_type: Option<String>,
    /// The text below it.
    pub caption: Option<String>,
    /// Its name.
    pub filename: Option<String>,
    /// Whether sound is a voice message; left out where it is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub voice: Option<bool>,
    /// Whether a sticker moves; left out where it does not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub animated: Option<bool>,
}

/// A template with its parameters.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "MessageTemplate")]
pub struct TemplateDocument {
    /// Which template.
    #[schemars(required, with = "TemplateNameText")]
    pub name: Option<String>,
    /// In which language.
    #[schemars(required, with = "LanguageText")]
    pub language: Option<String>,
    /// What fills it in.
    #[serde(default)]
    pub components: Vec<Object<ComponentWire>>,
}

/// The answer to something interactive: a tap on a button or a row, a form, a permission.
#[derive(JsonSchema)]
#[schemars(rename = "InteractiveChoice")]
#[expect(dead_code, reason = "it stands for its schema")]
pub struct ChoiceDocument {
    /// What it is: the field of that name holds it.
    #[serde(rename = "type")]
    #[schemars(extend("enum" = ["button_reply", "list_reply", "flow_reply", "call_permission_reply"]))]
    kind: String,
    /// The button, for `button_reply`.
    #[serde(skip_serializing_if = "Option::is_none")]
    button_reply: Option<Chosen>,
    /// The row, for `list_reply`.
    #[serde(skip_serializing_if = "Option::is_none")]
    list_reply: Option<Chosen>,
    /// The form, for `flow_reply`.
    #[serde(skip_serializing_if = "Option::is_none")]
    flow_reply: Option<FlowReplyDocument>,
    /// The permission, for `call_permission_reply`.
    #[serde(skip_serializing_if = "Option::is_none")]
    call_permission_reply: Option<CallPermissionDocument>,
}

/// What was tapped.
#[derive(JsonSchema)]
#[schemars(rename = "InteractiveSelection")]
#[expect(dead_code, reason = "it stands for its schema")]
struct Chosen {
    /// The id that it was given.
    id: String,
    /// What it said.
    title: String,
    /// What stood below that.
    #[serde(skip_serializing_if = "Option::is_none")]
    description: Option<String>,
}

/// Something that a person sent and that this release does not understand.
#[derive(JsonSchema)]
#[schemars(rename = "UnsupportedMessage")]
#[expect(dead_code, reason = "it stands for its schema")]
pub struct UnsupportedDocument {
    /// The channel's word for it, such as `poll`.
    #[serde(rename = "type")]
    kind: String,
    /// The whole message as the channel told it.
    payload: serde_json::Value,
}

/// A kept document is JSON, for we wrote it; should it not be, it is shown as null.
pub(crate) fn raw(document: &Document) -> Option<Box<RawValue>> {
    let parsed = RawValue::from_string(document.0.clone());
    parsed.inspect_err(|error| tracing::error!(%error, "a kept document is no JSON")).ok()
}

/// The text of a content that is one.
pub(crate) fn text_of(kind: MessageKind, content: &Document) -> Option<String> {
    if !matches!(kind, MessageKind::Text | MessageKind::Reaction) {
        return None;
    }
    let read: Result<TextDocument, _> = serde_json::from_str(&content.0);
    let read = read.inspect_err(|error| tracing::error!(%error, "a stored text cannot be read"));
    read.ok().and_then(|text| text.text)
}

/// The place of `interactive` in a request.
pub const INTERACTIVE: Field<'static> = Field::root("interactive");
