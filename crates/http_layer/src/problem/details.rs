//! Additional fields in the body of an error, besides its message and code. The constructors of
//! problems fill these types, and the reference generates its schemas from the same types.

use super::Code;
use api_types::schema::{IdOf, Instant, OneOf, UrlText};
use domain::account::ChannelKind;
use domain::id;
use domain::plan::Meter;
use domain::scope::Scope;
use domain::template::{RejectionReason, TemplateStatus};
use domain::violation::Fault;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Serialize;

/// Additional fields if the subscription is missing or the plan has no API access.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Billing {
    /// The missing part: `subscription` or `api_access`.
    pub resource: &'static str,
    /// The page on which the organization changes its plan.
    #[schemars(with = "UrlText")]
    pub upgrade_url: String,
}

/// Additional fields if a limit of the plan is reached.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Ceiling {
    /// The limit that was reached: API requests per day, or messages per month.
    #[schemars(with = "OneOf<Meter>")]
    pub resource: &'static str,
    /// The page on which the organization changes its plan.
    #[schemars(with = "UrlText")]
    pub upgrade_url: String,
    /// The limit.
    pub limit: u32,
    /// The number of requests or messages used.
    pub used: u32,
    /// The time at which the limit resets.
    #[schemars(with = "Instant")]
    pub resets_at: String,
}

/// Additional fields if the key lacks a scope.
#[derive(Debug, Serialize, JsonSchema)]
pub struct MissingScope {
    /// The scope that the endpoint requires.
    #[schemars(with = "OneOf<Scope>")]
    pub required_scope: &'static str,
    /// The scopes that the key has.
    #[schemars(with = "Vec<OneOf<Scope>>")]
    pub granted_scopes: Vec<&'static str>,
}

/// Additional fields if the contact wrote again before an AI agent's answer arrived.
#[derive(Debug, Serialize, JsonSchema)]
pub struct NewerMessage {
    /// The id of the contact's newest message.
    #[schemars(with = "IdOf<id::Message>")]
    pub newest_message_id: String,
}

/// Additional fields if a body or file is too large.
#[derive(Debug, Serialize, JsonSchema)]
pub struct TooLarge {
    /// The maximum number of bytes.
    pub limit_bytes: u64,
}

/// Additional fields if the request is invalid.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Faults {
    /// All errors.
    #[schemars(length(min = 1))]
    pub details: Vec<Detail>,
}

/// An error in a field.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "FieldError")]
pub struct Detail {
    /// The path of the field, such as `interactive.action.buttons[0].reply.title`; empty for the
    /// request as a whole.
    pub field: String,
    /// A machine-readable error code.
    #[schemars(with = "OneOf<Fault>")]
    pub code: &'static str,
    /// The text of the error, such as `must not be empty`.
    pub message: String,
}

/// Additional fields if a template is not approved.
#[derive(Debug, Serialize, JsonSchema)]
pub struct NotApproved {
    /// The template's status.
    #[schemars(with = "OneOf<TemplateStatus>")]
    pub template_status: &'static str,
    /// The reason for the rejection, if the template was rejected.
    #[schemars(with = "Option<OneOf<RejectionReason>>")]
    pub rejection_reason: Option<&'static str>,
}

/// Additional fields if a template cannot be changed.
#[derive(Debug, Serialize, JsonSchema)]
pub struct LockedTemplate {
    /// The template's status.
    #[schemars(with = "OneOf<TemplateStatus>")]
    pub template_status: &'static str,
    /// What the reviewer said, if the reviewer refused.
    pub reviewer_message: Option<String>,
}

/// Additional fields if the parameters do not match the template.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ParameterMismatch {
    /// The number of parameters that the template has.
    pub expected: usize,
    /// The number of parameters in the request.
    pub received: usize,
}

/// Additional fields if the channel does not support a feature.
#[derive(Debug, Serialize, JsonSchema)]
pub struct NotSupported {
    /// The channel behind the number.
    #[schemars(with = "OneOf<ChannelKind>")]
    pub channel: &'static str,
    /// The feature that the channel does not support.
    pub unsupported: String,
    /// The supported alternatives; may be empty.
    pub supported: Vec<&'static str>,
}

/// Additional fields if a rate limit is reached.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Throttled {
    /// The number of requests that are admitted in the window.
    pub limit: u32,
    /// The length of the window in seconds.
    pub window_seconds: u64,
    /// The number of seconds until the next request is admitted.
    #[schemars(range(min = 1))]
    pub retry_after: u64,
}

/// Returns the schema of the additional fields in the body of an error with this code.
pub fn schema(code: Code, schemas: &mut SchemaGenerator) -> Option<Schema> {
    let mut schema = match code {
        Code::SubscriptionRequired | Code::PlanUpgradeRequired => Billing::json_schema(schemas),
        Code::PlanLimitExceeded => Ceiling::json_schema(schemas),
        Code::InsufficientScope => MissingScope::json_schema(schemas),
        Code::Superseded => NewerMessage::json_schema(schemas),
        Code::PayloadTooLarge | Code::MediaTooLarge => TooLarge::json_schema(schemas),
        Code::ValidationFailed => Faults::json_schema(schemas),
        Code::TemplateNotApproved => NotApproved::json_schema(schemas),
        Code::TemplateLocked => LockedTemplate::json_schema(schemas),
        Code::TemplateParamsMismatch => ParameterMismatch::json_schema(schemas),
        Code::NotSupportedByChannel => NotSupported::json_schema(schemas),
        Code::RateLimited => Throttled::json_schema(schemas),
        _ => return None,
    };
    let resource = match code {
        Code::SubscriptionRequired => super::SUBSCRIPTION,
        Code::PlanUpgradeRequired => super::API_ACCESS,
        _ => return Some(schema),
    };
    if let Some(field) =
        schema.pointer_mut("/properties/resource").and_then(|it| it.as_object_mut())
    {
        field.insert("const".to_owned(), resource.into());
    }
    Some(schema)
}
