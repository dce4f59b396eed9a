//! Warnings about parts of a template that are passed to the reviewer without a check.

use crate::schema::OneOf;
use domain::keyword::Keyword as _;
use domain::template::{LintFinding, LintRule, LintSeverity, TemplateWarning, Unchecked};
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

/// Something that the reviewer is known to reject, or the channel to show wrongly.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "LintFinding")]
pub struct LintRecord {
    /// The rule that the text breaks.
    #[schemars(with = "OneOf<LintRule>")]
    rule: &'static str,
    /// `error` if the reviewer is known to reject this, `warning` if it often does.
    #[schemars(with = "OneOf<LintSeverity>")]
    severity: &'static str,
    /// A sentence that says what to change.
    message: String,
    /// The field, such as `components[0].text`.
    field: String,
}

impl From<LintFinding> for LintRecord {
    fn from(finding: LintFinding) -> Self {
        let LintFinding { rule, severity, message, field } = finding;
        Self { rule: rule.as_str(), severity: severity.as_str(), message, field }
    }
}
