//! What a message says, as history shows it.

use crate::components::ComponentWire;
use crate::object::Object;
use crate::schema::{Address, LanguageText, OneOf, TemplateNameText};
use domain::media::MediaKind;
use domain::violation::Field;
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

/// A tap on a button or a row.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "InteractiveChoice")]
pub struct ChoiceDocument {
    /// `button_reply` or `list_reply`.
    #[serde(rename = "type")]
    #[schemars(extend("enum" = ["button_reply", "list_reply"]))]
    pub kind: String,
    /// The button, for `button_reply`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub button_reply: Option<Chosen>,
    /// The row, for `list_reply`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub list_reply: Option<Chosen>,
}

/// What was tapped.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "InteractiveSelection")]
pub struct Chosen {
    /// The id that it was given.
    pub id: String,
    /// What it said.
    pub title: String,
    /// What stood below that.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
}

/// Something that a person sent and that this release does not understand.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "UnsupportedMessage")]
pub struct UnsupportedDocument {
    /// The channel's word for it, such as `location`.
    #[serde(rename = "type")]
    pub kind: String,
    /// The whole message as the channel told it.
    #[schemars(with = "serde_json::Value")]
    pub payload: Box<RawValue>,
}

/// The place of `interactive` in a request.
pub const INTERACTIVE: Field<'static> = Field::root("interactive");
