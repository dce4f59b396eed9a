//! Templates in requests, in the database and in answers. Their components are in Meta's format.

mod part;
mod warning;

pub use part::{PartWire, definition, sample, updated};
pub use warning::{LintRecord, WarningRecord};

use crate::schema::{IdOf, Instant, LanguageText, OneOf, TemplateNameText};
use domain::id;
use domain::keyword::Keyword as _;
use domain::template::{
    Category, ParameterFormat, RejectionReason, TemplateQuality, TemplateStatus,
};
use persistence::records::Template;
use schemars::{JsonSchema, Schema};
use serde::Serialize;
use serde_json::Value;
use serde_json::value::RawValue;

/// A template.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Template", transform = without_later_fields)]
pub struct TemplateRecord {
    /// The id of the template.
    id: IdOf<id::Template>,
    /// The name of the template.
    #[schemars(with = "TemplateNameText")]
    name: String,
    /// The language of the template.
    #[schemars(with = "LanguageText")]
    language: String,
    /// The category of the template.
    #[schemars(with = "OneOf<Category>")]
    category: &'static str,
    /// The review status.
    #[schemars(with = "OneOf<TemplateStatus>")]
    status: &'static str,
    /// The reason for a rejection, as a code.
    #[schemars(with = "Option<OneOf<RejectionReason>>")]
    rejection_reason: Option<&'static str>,
    /// The reason for a rejection, in the reviewer's words.
    rejection_detail: Option<String>,
    /// The format of the variables.
    #[schemars(with = "OneOf<ParameterFormat>")]
    parameter_format: &'static str,
    /// The components of the template.
    #[schemars(with = "Vec<PartWire>")]
    components: Option<Box<RawValue>>,
    /// The time to live of a message with this template, in seconds; null for the channel's
    /// default.
    message_send_ttl_seconds: Option<i32>,
    /// The quality rating by the channel; null until the template is rated.
    #[schemars(with = "Option<OneOf<TemplateQuality>>")]
    quality: Option<&'static str>,
    /// The id of the account that the template was created for.
    account_id: IdOf<id::Account>,
    /// The reviewer's id of the template.
    external_id: Option<String>,
    /// When the template was submitted for review.
    submitted_at: Option<Instant>,
    /// When the reviewer last changed the status.
    reviewed_at: Option<Instant>,
    /// When the template was created.
    created_at: Instant,
    /// When the template was last changed.
    updated_at: Instant,
}

/// Makes fields optional in the schema that were added in later versions. Events that were recorded
/// before do not have these fields.
fn without_later_fields(schema: &mut Schema) {
    const LATER: [&str; 2] = ["message_send_ttl_seconds", "quality"];
    if let Some(Value::Array(required)) = schema.get_mut("required") {
        required.retain(|name| name.as_str().is_none_or(|name| !LATER.contains(&name)));
    }
}

impl From<&Template> for TemplateRecord {
    fn from(row: &Template) -> Self {
        Self {
            id: IdOf(row.id),
            name: row.name.clone(),
            language: row.language.clone(),
            category: row.category.as_str(),
            status: row.status.as_str(),
            rejection_reason: row.rejection_reason.map(domain::keyword::Keyword::as_str),
            rejection_detail: row.rejection_detail.clone(),
            parameter_format: row.parameter_format.as_str(),
            components: RawValue::from_string(row.components.0.clone()).ok(),
            message_send_ttl_seconds: row.message_send_ttl_seconds,
            quality: row.quality.map(domain::keyword::Keyword::as_str),
            account_id: IdOf(row.account_id),
            external_id: row.external_id.clone(),
            submitted_at: row.submitted_at.map(Instant),
            reviewed_at: row.reviewed_at.map(Instant),
            created_at: Instant(row.created_at),
            updated_at: Instant(row.updated_at),
        }
    }
}
