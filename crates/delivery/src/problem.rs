//! Errors on the wire: one table of codes (`contract.md` 1, Errors), and what each carries.

use actix_web::HttpResponse;
use actix_web::http::{StatusCode, header};
use domain::plan::{Meter, Usage};
use domain::scope::{Scope, ScopeSet};
use domain::template::{Mismatch, RejectionReason, TemplateStatus};
use domain::time::whole_seconds;
use domain::violation::Violations;
use domain::word::Word;
use serde_json::{Map, Value, json};
use std::time::Duration;

macro_rules! codes {
    ($($(#[$doc:meta])* $Case:ident = $word:literal, $status:ident, $about:literal;)+) => {
        /// Every error this service answers with.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        pub enum Code { $(#[doc = $about] $Case,)+ }

        impl Code {
            /// All of them, in the order of their status.
            pub const ALL: &'static [Self] = &[$(Self::$Case,)+];

            /// The machine's word.
            #[must_use]
            pub const fn as_str(self) -> &'static str { match self { $(Self::$Case => $word,)+ } }

            /// The HTTP status.
            #[must_use]
            pub const fn status(self) -> StatusCode { match self { $(Self::$Case => StatusCode::$status,)+ } }

            /// When it is answered, for the reference.
            #[must_use]
            pub const fn about(self) -> &'static str { match self { $(Self::$Case => $about,)+ } }
        }
    };
}

codes! {
    InvalidJson = "invalid_json", BAD_REQUEST, "The body is not JSON, or not UTF-8.";
    BadRequest = "bad_request", BAD_REQUEST, "The request could not be understood.";
    InvalidCredentials = "invalid_credentials", UNAUTHORIZED, "The credential pair is missing, wrong, disabled, deleted, revoked or superseded.";
    SubscriptionRequired = "subscription_required", FORBIDDEN, "The organization has no active subscription.";
    PlanUpgradeRequired = "plan_upgrade_required", FORBIDDEN, "The organization's plan does not include API access.";
    PlanLimitExceeded = "plan_limit_exceeded", FORBIDDEN, "A ceiling of the plan is reached.";
    InsufficientScope = "insufficient_scope", FORBIDDEN, "The key lacks the scope that the endpoint asks for.";
    NotFound = "not_found", NOT_FOUND, "There is no such thing, or it is not yours.";
    MethodNotAllowed = "method_not_allowed", METHOD_NOT_ALLOWED, "The path has no such method; `Allow` lists those it has.";
    IdempotencyInProgress = "idempotency_in_progress", CONFLICT, "A request with that `Idempotency-Key` is being worked on.";
    PayloadTooLarge = "payload_too_large", PAYLOAD_TOO_LARGE, "The body is larger than allowed.";
    UnsupportedMediaType = "unsupported_media_type", UNSUPPORTED_MEDIA_TYPE, "The body is not sent as `application/json`, or it is compressed.";
    ValidationFailed = "validation_failed", UNPROCESSABLE_ENTITY, "Fields are missing, unknown or out of bounds; `details` lists every fault.";
    TemplateNotApproved = "template_not_approved", UNPROCESSABLE_ENTITY, "The template is known and not approved, so nothing was sent.";
    TemplateParamsMismatch = "template_params_mismatch", UNPROCESSABLE_ENTITY, "The parameters are not those that the template wants.";
    IdempotencyKeyReused = "idempotency_key_reused", UNPROCESSABLE_ENTITY, "That `Idempotency-Key` was used with another body.";
    NoMessagingAccount = "no_messaging_account", UNPROCESSABLE_ENTITY, "The organization has no number to send from.";
    RateLimited = "rate_limited", TOO_MANY_REQUESTS, "The key made as many calls in the last 60 seconds as its limit allows.";
    InternalError = "internal_error", INTERNAL_SERVER_ERROR, "Something went wrong on our side.";
    Unavailable = "unavailable", SERVICE_UNAVAILABLE, "The service cannot do this right now; try again.";
}

/// An error with all that its answer says.
#[derive(Clone, Debug)]
pub struct Problem {
    /// Which one.
    pub code: Code,
    // Boxed, so that a result which may hold a problem stays small.
    told: Box<Told>,
}

#[derive(Clone, Debug)]
struct Told {
    message: String,
    extra: Map<String, Value>,
    headers: Vec<(&'static str, String)>,
}

/// How long a client should wait when we cannot serve it.
const RETRY_WHEN_UNAVAILABLE: &str = "1";

impl Problem {
    fn new(code: Code, message: impl Into<String>) -> Self {
        let (message, extra, headers) = (message.into(), Map::new(), Vec::new());
        Self { code, told: Box::new(Told { message, extra, headers }) }
    }

    fn with(mut self, field: &str, value: impl Into<Value>) -> Self {
        self.told.extra.insert(field.to_owned(), value.into());
        self
    }

    fn header(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.told.headers.push((name, value.into()));
        self
    }

    /// The body is no JSON.
    #[must_use]
    pub fn invalid_json(why: &str) -> Self {
        Self::new(Code::InvalidJson, format!("The body is not valid JSON: {why}."))
    }

    /// The request itself is broken.
    #[must_use]
    pub fn bad_request(why: &str) -> Self {
        Self::new(Code::BadRequest, why)
    }

    /// One body for every cause, so that nobody learns which part was wrong.
    #[must_use]
    pub fn invalid_credentials() -> Self {
        let message = "These credentials are not valid. Treat the connection as ended, do not try \
                       again with them, and connect anew.";
        Self::new(Code::InvalidCredentials, message).header(
            "WWW-Authenticate",
            "Switchboard realm=\"api\", headers=\"x-client-id x-client-secret\"",
        )
    }

    /// No active subscription.
    #[must_use]
    pub fn subscription_required(upgrade_url: &str) -> Self {
        Self::new(Code::SubscriptionRequired, "This organization has no active subscription.")
            .with("resource", "subscription")
            .with("upgrade_url", upgrade_url)
    }

    /// A plan without the REST API.
    #[must_use]
    pub fn plan_upgrade_required(upgrade_url: &str) -> Self {
        let message = "This organization's plan does not include API access.";
        Self::new(Code::PlanUpgradeRequired, message)
            .with("resource", "api_access")
            .with("upgrade_url", upgrade_url)
    }

    /// A ceiling is reached.
    #[must_use]
    pub fn plan_limit_exceeded(meter: Meter, usage: &Usage, upgrade_url: &str) -> Self {
        let what = match meter {
            Meter::ApiCalls => "API calls that this plan allows a day",
            Meter::Messages => "messages that this plan allows a month",
        };
        let limit = usage.limit.unwrap_or_default();
        let message =
            format!("All {limit} {what} are used. They start anew at {}.", usage.resets_at);
        Self::new(Code::PlanLimitExceeded, message)
            .with("resource", meter.as_str())
            .with("upgrade_url", upgrade_url)
            .with("limit", limit)
            .with("used", usage.used)
            .with("resets_at", usage.resets_at.to_string())
    }

    /// The key may not do this.
    #[must_use]
    pub fn insufficient_scope(required: Scope, granted: ScopeSet) -> Self {
        let names: Vec<&str> = granted.iter().map(Scope::as_str).collect();
        Self::new(Code::InsufficientScope, format!("This key lacks the scope {required}."))
            .with("required_scope", required.as_str())
            .with("granted_scopes", names)
    }

    /// No such thing: the same bytes whether it is somebody else's or nobody's.
    #[must_use]
    pub fn not_found(what: &str) -> Self {
        Self::new(Code::NotFound, format!("There is no such {what}."))
    }

    /// The path has other methods.
    #[must_use]
    pub fn method_not_allowed(allow: &str) -> Self {
        Self::new(Code::MethodNotAllowed, format!("This path takes {allow} only."))
            .header("Allow", allow)
    }

    /// A request with the same key is being worked on.
    #[must_use]
    pub fn idempotency_in_progress() -> Self {
        let message =
            "A request with this Idempotency-Key is being worked on. Try again in a moment.";
        Self::new(Code::IdempotencyInProgress, message)
    }

    /// The body is too large.
    #[must_use]
    pub fn payload_too_large(limit: usize) -> Self {
        Self::new(Code::PayloadTooLarge, format!("The body is larger than {limit} bytes."))
            .with("limit_bytes", limit)
    }

    /// The body's type is not taken.
    #[must_use]
    pub fn unsupported_media_type(why: &str) -> Self {
        Self::new(Code::UnsupportedMediaType, why)
    }

    /// Fields are wrong.
    #[must_use]
    pub fn validation_failed(violations: Violations) -> Self {
        let violations = violations.into_vec();
        let message = match violations.as_slice() {
            [only] if !only.field.is_empty() => format!("{}: {}.", only.field, only.message),
            [only] => format!("The request is not valid: {}.", only.message),
            several => format!("The request has {} faults; see details.", several.len()),
        };
        let details: Vec<Value> = violations
            .into_iter()
            .map(|v| json!({"field": v.field, "code": v.fault.as_str(), "message": v.message}))
            .collect();
        Self::new(Code::ValidationFailed, message).with("details", details)
    }

    /// The template may not be sent.
    #[must_use]
    pub fn template_not_approved(
        name: &str,
        status: TemplateStatus,
        reason: Option<RejectionReason>,
    ) -> Self {
        let message = format!("The template {name} is {status}; only an approved one can be sent.");
        Self::new(Code::TemplateNotApproved, message)
            .with("template_status", status.as_str())
            .with("rejection_reason", reason.map(Word::as_str))
    }

    /// The parameters do not fit.
    #[must_use]
    pub fn template_params_mismatch(mismatch: &Mismatch) -> Self {
        let Mismatch { place, expected, received, wanted } = mismatch;
        let message = match wanted {
            None => format!("The template's {place} wants {expected} parameters; {received} came."),
            Some(wanted) => format!("The template's {place} wants parameters of type {wanted}."),
        };
        Self::new(Code::TemplateParamsMismatch, message)
            .with("expected", *expected)
            .with("received", *received)
    }

    /// The same key with another body.
    #[must_use]
    pub fn idempotency_key_reused() -> Self {
        let message =
            "This Idempotency-Key was used with another body. Use a new one for a new request.";
        Self::new(Code::IdempotencyKeyReused, message)
    }

    /// Nothing to send from.
    #[must_use]
    pub fn no_messaging_account() -> Self {
        let message = "This organization has no number to send from. Connect one first.";
        Self::new(Code::NoMessagingAccount, message)
    }

    /// Too many calls.
    #[must_use]
    pub fn rate_limited(limit: u32, window: Duration, retry_in: Duration) -> Self {
        let seconds = whole_seconds(retry_in);
        let message = format!(
            "This key may make {limit} calls in {} seconds. Try again in {seconds} seconds.",
            window.as_secs()
        );
        Self::new(Code::RateLimited, message)
            .with("limit", limit)
            .with("window_seconds", window.as_secs())
            .with("retry_after", seconds)
            .header("Retry-After", seconds.to_string())
    }

    /// Our fault, and nothing that the client could do.
    #[must_use]
    pub fn internal() -> Self {
        Self::new(Code::InternalError, "Something went wrong on our side. It has been logged.")
    }

    /// Not now.
    #[must_use]
    pub fn unavailable() -> Self {
        let message = "The service cannot do this right now. Try again in a moment.";
        Self::new(Code::Unavailable, message).header("Retry-After", RETRY_WHEN_UNAVAILABLE)
    }

    /// The body, as it goes out.
    #[must_use]
    pub fn body(&self, request_id: &str) -> String {
        let mut body = Map::new();
        body.insert("error".to_owned(), self.told.message.clone().into());
        body.insert("code".to_owned(), self.code.as_str().into());
        body.insert("request_id".to_owned(), request_id.into());
        body.extend(self.told.extra.clone());
        Value::Object(body).to_string()
    }

    /// The answer.
    #[must_use]
    pub fn response(&self, request_id: &str) -> HttpResponse {
        let mut response = HttpResponse::build(self.code.status());
        response.insert_header((header::CONTENT_TYPE, "application/json"));
        for (name, value) in &self.told.headers {
            response.insert_header((*name, value.as_str()));
        }
        response.body(self.body(request_id))
    }
}

/// The database failed: the client may try again, and what the database said stays here.
impl From<persistence::Error> for Problem {
    fn from(error: persistence::Error) -> Self {
        tracing::error!(%error, "the database failed");
        Self::unavailable()
    }
}

impl From<Violations> for Problem {
    fn from(violations: Violations) -> Self {
        Self::validation_failed(violations)
    }
}
