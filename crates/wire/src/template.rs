//! A template as it is asked for, kept and shown: its parts are Meta's.

use crate::object::Object;
use crate::schema::{IdOf, Instant, LanguageText, LooseNumber, OneOf, TemplateNameText, or_null};
use domain::id;
use domain::keyword::Keyword as _;
use domain::media::MediaKind;
use domain::template::parts::{
    BUTTONS, FORMATS, KINDS, MAX_BODY_LENGTH, MAX_BUTTON_TEXT_LENGTH, MAX_BUTTON_URL_LENGTH,
    MAX_BUTTONS,
};
use domain::template::{
    ButtonInput, Category, Definition, Example, HeaderPart, ParameterFormat, PartInput,
    RejectionReason, TemplateButton, TemplateStatus,
};
use persistence::rows::Template;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

/// A part of a template.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "TemplatePart")]
pub struct PartWire {
    /// Which part it is.
    #[serde(rename = "type")]
    #[schemars(required, extend("enum" = KINDS))]
    kind: Option<String>,
    /// Of a header: what it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("enum" = or_null(&FORMATS)))]
    format: Option<String>,
    /// The text, with its variables: at most 1024 characters in a body, 60 in a header or a footer.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = MAX_BODY_LENGTH))]
    text: Option<String>,
    /// What the variables may be, for the reviewer.
    #[serde(skip_serializing_if = "Option::is_none")]
    example: Option<Object<ExampleWire>>,
    /// 1 to 10 buttons.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = MAX_BUTTONS))]
    buttons: Option<Vec<Object<ButtonWire>>>,
}

/// Examples of what variables may be.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "TemplateExample")]
struct ExampleWire {
    /// For the variable of a header.
    #[serde(skip_serializing_if = "Option::is_none")]
    header_text: Option<Vec<String>>,
    /// For the variables of a body, in order: a list of one list.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<Vec<Vec<String>>>")]
    body_text: Option<Rows>,
    /// For a header with a file: the channel's handle of a sample.
    #[serde(skip_serializing_if = "Option::is_none")]
    header_handle: Option<Vec<String>>,
    /// For the named variable of a header.
    #[serde(skip_serializing_if = "Option::is_none")]
    header_text_named_params: Option<Vec<Object<NamedExample>>>,
    /// For the named variables of a body.
    #[serde(skip_serializing_if = "Option::is_none")]
    body_text_named_params: Option<Vec<Object<NamedExample>>>,
}

/// Meta writes a list of lists, of which there is one. A flat list is read as its one row.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(from = "RowsInput")]
struct Rows(Vec<Vec<String>>);

#[derive(Deserialize)]
#[serde(untagged)]
enum RowsInput {
    Many(Vec<Vec<String>>),
    One(Vec<String>),
}

impl From<RowsInput> for Rows {
    fn from(given: RowsInput) -> Self {
        match given {
            RowsInput::Many(rows) => Self(rows),
            RowsInput::One(row) => Self(vec![row]),
        }
    }
}

/// An example for a named variable.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "NamedExample")]
struct NamedExample {
    /// The variable.
    param_name: Option<String>,
    /// What it may be.
    example: Option<String>,
}

/// A button of a template.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "TemplateButton")]
struct ButtonWire {
    /// What it does.
    #[serde(rename = "type")]
    #[schemars(required, extend("enum" = BUTTONS))]
    kind: Option<String>,
    /// What it says.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = MAX_BUTTON_TEXT_LENGTH))]
    text: Option<String>,
    /// Of `URL`: the address that it opens, which may end with `{{1}}`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = MAX_BUTTON_URL_LENGTH))]
    url: Option<String>,
    /// Of `PHONE_NUMBER`: the number that it calls.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<LooseNumber>")]
    phone_number: Option<String>,
    /// Of `URL` with a variable: a list of one whole address; of `COPY_CODE`: a list of one code.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<Vec<String>>")]
    example: Option<Texts>,
}

/// A list of texts. A single text is read as a list of one.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(from = "TextsInput")]
struct Texts(Vec<String>);

#[derive(Deserialize)]
#[serde(untagged)]
enum TextsInput {
    Many(Vec<String>),
    One(String),
}

impl From<TextsInput> for Texts {
    fn from(given: TextsInput) -> Self {
        match given {
            TextsInput::Many(texts) => Self(texts),
            TextsInput::One(text) => Self(vec![text]),
        }
    }
}

impl ButtonWire {
    fn proposal(&self) -> ButtonInput<'_> {
        ButtonInput {
            kind: self.kind.as_deref(),
            text: self.text.as_deref(),
            url: self.url.as_deref(),
            phone_number: self.phone_number.as_deref(),
            example: self.example.as_ref().map(|texts| texts.0.as_slice()),
        }
    }
}

impl PartWire {
    /// The part as domain judges it.
    #[must_use]
    pub fn proposal(&self) -> PartInput<'_> {
        let is = |kind: &str| self.kind.as_deref().is_some_and(|it| it.eq_ignore_ascii_case(kind));
        let example = self.example.as_ref().map(|given| {
            let (positional, named) = if is("HEADER") {
                (given.header_text.as_deref(), &given.header_text_named_params)
            } else {
                let first = given.body_text.as_ref().and_then(|rows| rows.0.first());
                (first.map(Vec::as_slice), &given.body_text_named_params)
            };
            let named = named.iter().flatten();
            let named = named.map(|it| (it.param_name.as_deref(), it.example.as_deref()));
            Example { positional, named: named.collect() }
        });
        PartInput {
            kind: self.kind.as_deref(),
            format: self.format.as_deref(),
            text: self.text.as_deref(),
            example,
            buttons: self.buttons.as_ref().map(|all| all.iter().map(|it| it.proposal()).collect()),
        }
    }

    /// The part as it is kept: its words in capitals, as Meta writes them.
    #[must_use]
    pub fn kept(&self) -> Self {
        let capitals = |word: &Option<String>| word.as_ref().map(|it| it.to_ascii_uppercase());
        let mut kept = self.clone();
        kept.kind = capitals(&self.kind);
        kept.format = capitals(&self.format);
        for button in kept.buttons.iter_mut().flatten() {
            button.0.kind = capitals(&button.0.kind);
        }
        kept
    }
}

/// What filling a template in needs to know of its kept parts.
pub fn definition(components: &str) -> Result<Definition, serde_json::Error> {
    let parts: Vec<PartWire> = serde_json::from_str(components)?;
    let mut definition = Definition::default();
    for part in parts {
        let text = part.text.unwrap_or_default();
        match part.kind.unwrap_or_default().to_ascii_uppercase().as_str() {
            "HEADER" => {
                let format = part.format.unwrap_or_default().to_ascii_uppercase();
                definition.header = Some(match format.as_str() {
                    "IMAGE" => HeaderPart::Media(MediaKind::Image),
                    "VIDEO" => HeaderPart::Media(MediaKind::Video),
                    "DOCUMENT" => HeaderPart::Media(MediaKind::Document),
                    _ => HeaderPart::Text(text),
                });
            }
            "BODY" => definition.body = text,
            "FOOTER" => definition.footer = Some(text),
            "BUTTONS" => {
                let buttons = part.buttons.into_iter().flatten().map(|it| it.0);
                let button = |it: ButtonWire| TemplateButton {
                    text: it.text.unwrap_or_default(),
                    url: it.url,
                };
                definition.buttons = buttons.map(button).collect();
            }
            _ => {}
        }
    }
    Ok(definition)
}

/// A template.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Template")]
pub struct TemplateRecord {
    /// Its id.
    #[schemars(with = "IdOf<id::Template>")]
    id: String,
    /// Its name, by which a send names it.
    #[schemars(with = "TemplateNameText")]
    name: String,
    /// Its language.
    #[schemars(with = "LanguageText")]
    language: String,
    /// What it is for.
    #[schemars(with = "OneOf<Category>")]
    category: &'static str,
    /// How it stands with the reviewer.
    #[schemars(with = "OneOf<TemplateStatus>")]
    status: &'static str,
    /// Why the reviewer rejected it, in a word.
    #[schemars(with = "Option<OneOf<RejectionReason>>")]
    rejection_reason: Option<&'static str>,
    /// The same in the reviewer's sentence.
    rejection_detail: Option<String>,
    /// How its variables are written.
    #[schemars(with = "OneOf<ParameterFormat>")]
    parameter_format: &'static str,
    /// Its parts.
    #[schemars(with = "Vec<PartWire>")]
    components: Option<Box<RawValue>>,
    /// The number that it was made for.
    #[schemars(with = "IdOf<id::Account>")]
    account_id: String,
    /// The reviewer's id of it.
    external_id: Option<String>,
    /// When it was submitted for review.
    #[schemars(with = "Option<Instant>")]
    submitted_at: Option<String>,
    /// When the reviewer last said something that changed its status.
    #[schemars(with = "Option<Instant>")]
    reviewed_at: Option<String>,
    /// When it was made.
    #[schemars(with = "Instant")]
    created_at: String,
    /// When it last changed.
    #[schemars(with = "Instant")]
    updated_at: String,
}

impl From<&Template> for TemplateRecord {
    fn from(row: &Template) -> Self {
        Self {
            id: row.id.to_string(),
            name: row.name.clone(),
            language: row.language.clone(),
            category: row.category.as_str(),
            status: row.status.as_str(),
            rejection_reason: row.rejection_reason.map(|reason| reason.as_str()),
            rejection_detail: row.rejection_detail.clone(),
            parameter_format: row.parameter_format.as_str(),
            components: RawValue::from_string(row.components.0.clone()).ok(),
            account_id: row.account_id.to_string(),
            external_id: row.external_id.clone(),
            submitted_at: row.submitted_at.map(|at| at.to_string()),
            reviewed_at: row.reviewed_at.map(|at| at.to_string()),
            created_at: row.created_at.to_string(),
            updated_at: row.updated_at.to_string(),
        }
    }
}
