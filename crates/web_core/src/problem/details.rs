//! The fields of an error's body besides its message and code: built by the constructors, and described by the same
//! types in the reference.

use super::Code;
use domain::account::ChannelKind;
use domain::plan::Meter;
use domain::scope::Scope;
use domain::template::{RejectionReason, TemplateStatus};
use domain::violation::Fault;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Serialize;
use wire::schema::{Address, Instant, OneOf};

/// Billing lets nobody in.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Billing {
    /// What is missing: `subscription` or `api_access`.
    pub resource: &'static str,
    /// Where the organization changes its plan.
    #[schemars(with = "Address")]
    pub upgrade_url: String,
}

/// A ceiling is reached.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Ceiling {
    /// The limit that was reached: API requests per day, or messages per month.
    #[schemars(with = "OneOf<Meter>")]
    pub resource: &'static str,
    /// Where the organization changes its plan.
    #[schemars(with = "Address")]
    pub upgrade_url: String,
    /// The limit.
    pub limit: u32,
    /// How much of it has been used.
    pub used: u32,
    /// When it resets.
    #[schemars(with = "Instant")]
    pub resets_at: String,
}

/// A scope is missing.
#[derive(Debug, Serialize, JsonSchema)]
pub struct MissingScope {
    /// The scope that the endpoint requires.
    #[schemars(with = "OneOf<Scope>")]
    pub required_scope: &'static str,
    /// The scopes that the key has.
    #[schemars(with = "Vec<OneOf<Scope>>")]
    pub granted_scopes: Vec<&'static str>,
}

/// Too many bytes.
#[derive(Debug, Serialize, JsonSchema)]
pub struct TooLarge {
    /// Maximum number of bytes.
    pub limit_bytes: u64,
}

/// Fields are wrong.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Faults {
    /// Every error.
    #[schemars(length(min = 1))]
    pub details: Vec<Detail>,
}

/// An error in a field.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "FieldError")]
pub struct Detail {
    /// Where: `interactive.action.buttons[0].reply.title`; empty for the request as a whole.
    pub field: String,
    /// A machine-readable error code.
    #[schemars(with = "OneOf<Fault>")]
    pub code: &'static str,
    /// What is expected.
    pub message: String,
}

/// A template may not be sent.
#[derive(Debug, Serialize, JsonSchema)]
pub struct NotApproved {
    /// The template's status.
    #[schemars(with = "OneOf<TemplateStatus>")]
    pub template_status: &'static str,
    /// Why it was rejected, if it was.
    #[schemars(with = "Option<OneOf<RejectionReason>>")]
    pub rejection_reason: Option<&'static str>,
}

/// Parameters do not fit.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ParameterMismatch {
    /// Number of parameters that the template has.
    pub expected: usize,
    /// Number of parameters in the request.
    pub received: usize,
}

/// The channel cannot do it.
#[derive(Debug, Serialize, JsonSchema)]
pub struct NotSupported {
    /// The channel behind the number.
    #[schemars(with = "OneOf<ChannelKind>")]
    pub channel: &'static str,
    /// What it cannot do.
    pub unsupported: String,
    /// What it supports instead; may be empty.
    pub supported: Vec<&'static str>,
}

/// Too many calls.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Throttled {
    /// Number of requests that are admitted in the window.
    pub limit: u32,
    /// The length of the window in seconds.
    pub window_seconds: u64,
    /// Number of seconds until the next request is admitted.
    #[schemars(range(min = 1))]
    pub retry_after: u64,
}

/// The fields in the body of an error of this code besides those that all errors have.
pub fn schema(code: Code, schemas: &mut SchemaGenerator) -> Option<Schema> {
    let mut schema = match code {
        Code::SubscriptionRequired | Code::PlanUpgradeRequired => Billing::json_schema(schemas),
        Code::PlanLimitExceeded => Ceiling::json_schema(schemas),
        Code::InsufficientScope => MissingScope::json_schema(schemas),
        Code::PayloadTooLarge | Code::MediaTooLarge => TooLarge::json_schema(schemas),
        Code::ValidationFailed => Faults::json_schema(schemas),
        Code::TemplateNotApproved => NotApproved::json_schema(schemas),
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
