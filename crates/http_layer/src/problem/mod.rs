//! The errors of the API (`docs/contract.md#errors`).

mod answer;
mod codes;
pub mod details;
mod from;
mod recipient;

pub use codes::{Code, SampleContext};

use details::{
    Billing, Ceiling, Detail, Faults, LockedTemplate, MissingScope, NewerMessage, NotApproved,
    NotSupported, ParameterMismatch, Throttled, TooLarge,
};
use domain::account::ChannelKind;
use domain::agent::TurnState;
use domain::content::Mismatch;
use domain::id::MessageId;
use domain::keyword::Keyword;
use domain::plan::{Meter, Usage};
use domain::scope::{Scope, ScopeSet};
use domain::template::{RejectionReason, TemplateStatus};
use domain::time::{seconds_in_words, whole_seconds};
use domain::violation::Violations;
use domain::webhook::MAX_ENDPOINTS;
use serde::Serialize;
use serde_json::{Map, Value};
use std::fmt::Display;
use std::time::Duration;

/// An error of the API, with its message, additional fields and headers.
#[derive(Clone, Debug)]
pub struct Problem {
    pub code: Code,
    // Boxed, so that a `Result` with a problem stays small.
    contents: Box<ProblemContents>,
}

#[derive(Clone, Debug)]
struct ProblemContents {
    message: String,
    extra: Map<String, Value>,
    headers: Vec<(&'static str, String)>,
}

/// The values of `resource` for a missing subscription and for missing API access.
const SUBSCRIPTION: &str = "subscription";
const API_ACCESS: &str = "api_access";

/// The value of `Retry-After`, in seconds, when the service is unavailable.
const RETRY_WHEN_UNAVAILABLE: &str = "1";
/// The value of `Retry-After`, in seconds, while other exports are under way.
const RETRY_WHEN_EXPORTING: &str = "5";

impl Problem {
    fn new(code: Code, message: impl Into<String>) -> Self {
        let (message, extra, headers) = (message.into(), Map::new(), Vec::new());
        Self { code, contents: Box::new(ProblemContents { message, extra, headers }) }
    }

    /// Adds fields to the body.
    fn with_fields(mut self, contents: &impl Serialize) -> Self {
        if let Ok(Value::Object(fields)) = serde_json::to_value(contents) {
            self.contents.extra = fields;
        } else {
            tracing::error!(
                code = self.code.as_str(),
                "the details of an error are not a JSON object"
            );
        }
        self
    }

    fn header(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.contents.headers.push((name, value.into()));
        self
    }

    #[must_use]
    pub fn invalid_json(why: &str) -> Self {
        Self::new(Code::InvalidJson, format!("The body is not valid JSON: {why}."))
    }

    #[must_use]
    pub fn bad_request(why: &str) -> Self {
        Self::new(Code::BadRequest, why)
    }

    /// Returns the same body for every cause, so that a caller does not learn which value was
    /// wrong.
    #[must_use]
    pub fn invalid_credentials() -> Self {
        let message = "This client id or secret is not valid. Check both values: an unset variable sends an empty \
                       secret. The pair of an application (`swa_`) is valid only where the reference says so; \
                       everywhere else use the pair that the exchange of a code returned. If the key came from \
                       Connect, treat the connection as ended, do not retry with this key, and connect again.";
        Self::new(Code::InvalidCredentials, message)
            .header(
                "WWW-Authenticate",
                "Switchboard realm=\"api\", headers=\"x-client-id x-client-secret\"",
            )
            .header("WWW-Authenticate", "Bearer realm=\"switchboard\", error=\"invalid_token\"")
    }

    #[must_use]
    pub fn invalid_ticket() -> Self {
        let message = "This ticket does not belong to this turn. Send the ticket from the request that asked for the answer as a \
                       bearer token.";
        Self::new(Code::InvalidCredentials, message)
            .header("WWW-Authenticate", "Bearer realm=\"switchboard\", error=\"invalid_token\"")
    }

    #[must_use]
    pub fn subscription_required(upgrade_url: &str) -> Self {
        Self::new(Code::SubscriptionRequired, "This organization has no active subscription.")
            .with_fields(&Billing { resource: SUBSCRIPTION, upgrade_url: upgrade_url.to_owned() })
    }

    #[must_use]
    pub fn plan_upgrade_required(upgrade_url: &str) -> Self {
        let message = "This organization's plan does not include API access.";
        Self::new(Code::PlanUpgradeRequired, message)
            .with_fields(&Billing { resource: API_ACCESS, upgrade_url: upgrade_url.to_owned() })
    }

    #[must_use]
    pub fn plan_limit_exceeded(meter: Meter, usage: &Usage, upgrade_url: &str) -> Self {
        let what = match meter {
            Meter::ApiCalls => "API calls that this plan allows a day",
            Meter::Messages => "messages that this plan allows a month",
            Meter::ConnectionMessages => {
                "messages that the business allows this connection a month"
            }
        };
        let limit = usage.limit.unwrap_or_default();
        let message =
            format!("All {limit} {what} are used. The limit resets at {}.", usage.resets_at);
        Self::new(Code::PlanLimitExceeded, message).with_fields(&Ceiling {
            resource: meter.as_str(),
            upgrade_url: upgrade_url.to_owned(),
            limit,
            used: usage.used,
            resets_at: usage.resets_at.to_string(),
        })
    }

    #[must_use]
    pub fn insufficient_scope(required: Scope, granted: ScopeSet) -> Self {
        Self::new(Code::InsufficientScope, format!("This key lacks the scope {required}."))
            .with_fields(&MissingScope {
                required_scope: required.as_str(),
                granted_scopes: granted.iter().map(Scope::as_str).collect(),
            })
    }

    #[must_use]
    pub fn key_is_bound() -> Self {
        let message =
            "This key is bound to one number. Use a key for all numbers of the organization.";
        Self::new(Code::KeyIsBound, message)
    }

    /// Returns the same body whether the object does not exist or belongs to another organization.
    #[must_use]
    pub fn not_found(what: &str) -> Self {
        Self::new(Code::NotFound, format!("There is no such {what}."))
    }

    #[must_use]
    pub fn method_not_allowed(allow: &str) -> Self {
        Self::new(Code::MethodNotAllowed, format!("This path only supports {allow}."))
            .header("Allow", allow)
    }

    #[must_use]
    pub fn idempotency_in_progress() -> Self {
        let message = "A request with this Idempotency-Key is in progress. Try again in a moment.";
        Self::new(Code::IdempotencyInProgress, message)
    }

    #[must_use]
    pub fn payload_too_large(limit: usize) -> Self {
        Self::new(Code::PayloadTooLarge, format!("The request body is larger than {limit} bytes."))
            .with_fields(&TooLarge { limit_bytes: limit as u64 })
    }

    #[must_use]
    pub fn media_too_large(limit: u64, what: &str) -> Self {
        let message = format!("A file of type {what} can have at most {limit} bytes.");
        Self::new(Code::MediaTooLarge, message).with_fields(&TooLarge { limit_bytes: limit })
    }

    #[must_use]
    pub fn range_not_satisfiable(size: u64) -> Self {
        let message = format!("The requested range is outside the file, which has {size} bytes.");
        Self::new(Code::RangeNotSatisfiable, message)
    }

    #[must_use]
    pub fn invalid_base64(why: &str) -> Self {
        let message = format!(
            "data is not canonical base64: {why}. Use the standard alphabet with padding, and no line breaks."
        );
        Self::new(Code::InvalidBase64, message)
    }

    #[must_use]
    pub fn content_type_mismatch(said: &str, found: &str) -> Self {
        let message = format!("content_type is {said}, but the file is {found}.");
        Self::new(Code::ContentTypeMismatch, message)
    }

    #[must_use]
    pub fn not_a_connection() -> Self {
        let message =
            "This key was created in the dashboard, not through Connect. A member can delete it.";
        Self::new(Code::NotAConnection, message)
    }

    #[must_use]
    pub fn agent_paused() -> Self {
        let message = "A person has taken this conversation over. The AI agent answers again when somebody lets it.";
        Self::new(Code::AgentPaused, message)
    }

    /// Returns the error for an AI agent's answer in a conversation that the channel's own agent
    /// answers.
    #[must_use]
    pub fn channel_agent_answers() -> Self {
        let message = "The channel's own agent answers in this conversation, so your AI agent's answer was not sent.";
        Self::new(Code::AgentPaused, message)
    }

    /// Returns the error for an answer of an AI agent that has reached its limit of answers.
    #[must_use]
    pub fn agent_limit_reached() -> Self {
        let message = "The AI agent has answered in this conversation as often as it may, so it is paused and a person has to answer.";
        Self::new(Code::AgentPaused, message)
    }

    /// Returns the error for an answer of an AI agent to a contact that seems to be a program.
    #[must_use]
    pub fn contact_is_program() -> Self {
        let message = "The contact seems to be a program, so the AI agent is paused and a person has to answer.";
        Self::new(Code::AgentPaused, message)
    }

    /// Returns the error for an answer of an AI agent whose mode does not allow sending.
    #[must_use]
    pub fn agent_does_not_send() -> Self {
        let message = "The AI agent on this number is off or in the mode draft, in which no message of an agent is sent. Set its mode to auto.";
        Self::new(Code::AgentPaused, message)
    }

    #[must_use]
    pub fn too_many_exports() -> Self {
        let message = "This organization has as many exports under way as it may. Try again when one of them has ended.";
        Self::new(Code::TooManyExports, message).header("Retry-After", RETRY_WHEN_EXPORTING)
    }

    #[must_use]
    pub fn not_cancelable() -> Self {
        let message = "This message is not scheduled: it has been sent, or was canceled before.";
        Self::new(Code::NotCancelable, message)
    }

    #[must_use]
    pub fn superseded(newest: MessageId) -> Self {
        let message = "The contact has written again. Answer the newest message instead.";
        let fields = NewerMessage { newest_message_id: newest.to_string() };
        Self::new(Code::Superseded, message).with_fields(&fields)
    }

    #[must_use]
    pub fn turn_answered(state: TurnState) -> Self {
        let message =
            format!("This turn has ended: it is {state}. A ticket is good for one answer.");
        Self::new(Code::TurnAnswered, message)
    }

    #[must_use]
    pub fn turn_expired() -> Self {
        let message = "The time to answer this turn is over. A person has to answer now.";
        Self::new(Code::TurnExpired, message)
    }

    #[must_use]
    pub fn too_many_endpoints() -> Self {
        let message = format!(
            "The maximum of {MAX_ENDPOINTS} webhook endpoints is reached. Delete one that you no longer need."
        );
        Self::new(Code::TooManyEndpoints, message)
    }

    #[must_use]
    pub fn template_exists(name: &str, language: &str) -> Self {
        let message = format!(
            "A template named {name} in {language} already exists. Choose another name, or use the existing template."
        );
        Self::new(Code::TemplateExists, message)
    }

    #[must_use]
    pub fn template_locked(name: &str, status: TemplateStatus) -> Self {
        let message = format!(
            "The template {name} is {status} and cannot be changed or deleted now. A rejected, paused or approved template can be, unless another change of it is in progress."
        );
        Self::new(Code::TemplateLocked, message).with_fields(&LockedTemplate {
            template_status: status.as_str(),
            reviewer_message: None,
        })
    }

    #[must_use]
    pub fn template_refused(name: &str, status: TemplateStatus, why: String) -> Self {
        let message = format!("The reviewer refused to change the template {name}: {why}");
        Self::new(Code::TemplateLocked, message).with_fields(&LockedTemplate {
            template_status: status.as_str(),
            reviewer_message: Some(why),
        })
    }

    #[must_use]
    pub fn invalid_signature() -> Self {
        let message = "The signature of this callback is missing or wrong.";
        Self::new(Code::InvalidSignature, message)
    }

    #[must_use]
    pub fn invalid_verify_token() -> Self {
        let message = "The verify token is missing or incorrect, or none is configured.";
        Self::new(Code::InvalidVerifyToken, message)
    }

    #[must_use]
    pub fn unsupported_media_type(why: &str) -> Self {
        Self::new(Code::UnsupportedMediaType, why)
    }

    #[must_use]
    pub fn validation_failed(violations: Violations) -> Self {
        let violations = violations.into_vec();
        let message = match violations.as_slice() {
            // Some messages are sentences that already end with a period.
            [only] if !only.field.is_empty() => {
                format!("{}: {}.", only.field, only.message.trim_end_matches('.'))
            }
            [only] => {
                format!("The request is not valid: {}.", only.message.trim_end_matches('.'))
            }
            several => format!("The request has {} errors; see details.", several.len()),
        };
        let details = violations
            .into_iter()
            .map(|it| Detail { field: it.field, code: it.fault.as_str(), message: it.message })
            .collect();
        Self::new(Code::ValidationFailed, message).with_fields(&Faults { details })
    }

    #[must_use]
    pub fn template_not_approved(
        name: &str,
        status: TemplateStatus,
        reason: Option<RejectionReason>,
    ) -> Self {
        let message =
            format!("The template {name} is {status}; only approved templates can be sent.");
        Self::new(Code::TemplateNotApproved, message).with_fields(&NotApproved {
            template_status: status.as_str(),
            rejection_reason: reason.map(Keyword::as_str),
        })
    }

    #[must_use]
    pub fn template_params_mismatch(mismatch: &Mismatch) -> Self {
        let Mismatch { place, expected, received, wanted } = mismatch;
        let message = match wanted {
            None => {
                let noun = if *expected == 1 { "parameter" } else { "parameters" };
                format!("The template's {place} takes {expected} {noun}; {received} given.")
            }
            Some(wanted) => format!("The template's {place} takes parameters of type {wanted}."),
        };
        Self::new(Code::TemplateParamsMismatch, message)
            .with_fields(&ParameterMismatch { expected: *expected, received: *received })
    }

    #[must_use]
    pub fn not_supported_by_channel(
        channel: ChannelKind,
        unsupported: String,
        supported: Vec<&'static str>,
    ) -> Self {
        let instead = match supported.as_slice() {
            [] => String::new(),
            all => format!(" It supports {}.", all.join(", ")),
        };
        let message = format!(
            "The channel of this number, {channel}, does not support {unsupported}.{instead}"
        );
        let channel = channel.as_str();
        Self::new(Code::NotSupportedByChannel, message).with_fields(&NotSupported {
            channel,
            unsupported,
            supported,
        })
    }

    #[must_use]
    pub fn idempotency_key_reused() -> Self {
        let message = "This Idempotency-Key was used with a different request body. Use a new key for a new request.";
        Self::new(Code::IdempotencyKeyReused, message)
    }

    #[must_use]
    pub fn no_messaging_account() -> Self {
        let message = "This organization has no number to send from. Connect a number first.";
        Self::new(Code::NoMessagingAccount, message)
    }

    #[must_use]
    pub fn rate_limited(limit: u32, window: Duration, retry_in: Duration) -> Self {
        let seconds = whole_seconds(retry_in);
        let message = format!(
            "This key may make {limit} {} in {}. Try again in {}.",
            if limit == 1 { "call" } else { "calls" },
            seconds_in_words(window.as_secs()),
            seconds_in_words(seconds)
        );
        Self::new(Code::RateLimited, message)
            .with_fields(&Throttled {
                limit,
                window_seconds: window.as_secs(),
                retry_after: seconds,
            })
            .header("Retry-After", seconds.to_string())
    }

    /// Returns an internal error, which the client cannot correct. The cause is logged here with
    /// the id of the current request, so that no caller forgets to log it. The client does not see
    /// the cause.
    #[must_use]
    pub fn internal(cause: &(impl Display + ?Sized)) -> Self {
        tracing::error!(error = %cause, "a request failed with an internal error");
        Self::unexplained()
    }

    fn unexplained() -> Self {
        Self::new(Code::InternalError, "Something went wrong on our side. It has been logged.")
    }

    /// Returns a temporary error. The client may try again.
    #[must_use]
    pub fn unavailable() -> Self {
        let message = "The service is temporarily unavailable. Try again in a moment.";
        Self::new(Code::Unavailable, message).header("Retry-After", RETRY_WHEN_UNAVAILABLE)
    }

    /// Returns an error that lasts until an operator corrects the configuration. There is no
    /// `Retry-After`, because trying again does not help.
    #[must_use]
    pub fn out_of_order() -> Self {
        let message =
            "The service cannot do this until its operator fixes a configuration problem.";
        Self::new(Code::Unavailable, message)
    }
}
