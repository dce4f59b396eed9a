//! Warnings about parts of a template that are passed to the reviewer without a check.

use crate::schema::OneOf;
use domain::keyword::Keyword as _;
use domain::template::{TemplateWarning, Unchecked};
use schemars::JsonSchema;
use serde::Serialize;

/// A part of a template that is passed to the reviewer without a check.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "TemplateWarning")]
pub struct WarningRecord {
    /// The field, such as `components[1].buttons[0].type`.
    field: String,
    /// The reason why the field was not checked.
    #[schemars(with = "OneOf<Unchecked>")]
    code: &'static str,
    /// A sentence that explains the warning.
    message: String,
}

impl From<TemplateWarning> for WarningRecord {
    fn from(warning: TemplateWarning) -> Self {
        let TemplateWarning { field, code, message } = warning;
        Self { field, code: code.as_str(), message }
    }
}
