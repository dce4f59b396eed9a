//! What of a template is passed to the reviewer without having been checked here.

use crate::schema::OneOf;
use domain::keyword::Keyword as _;
use domain::template::{TemplateWarning, Unchecked};
use schemars::JsonSchema;
use serde::Serialize;

/// Something that the reviewer gets as it came.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "TemplateWarning")]
pub struct WarningRecord {
    /// Where: `components[1].buttons[0].type`.
    field: String,
    /// Why it was not checked.
    #[schemars(with = "OneOf<Unchecked>")]
    code: &'static str,
    /// A sentence about it.
    message: String,
}

impl From<TemplateWarning> for WarningRecord {
    fn from(warning: TemplateWarning) -> Self {
        let TemplateWarning { field, code, message } = warning;
        Self { field, code: code.as_str(), message }
    }
}
