//! The table of error codes: code, status, description, and an example for the reference. The
//! example is made by the constructor that also makes the real errors.

use super::Problem;
use actix_web::http::StatusCode;
use api_types::sample;
use auth::rate::WINDOW;
use domain::account::ChannelKind;
use domain::agent::TurnState;
use domain::content::Mismatch;
use domain::keyword::Keyword as _;
use domain::plan::{Meter, Usage};
use domain::scope::Scope;
use domain::template::TemplateStatus;
use domain::time::Timestamp;
use domain::violation::{Fault, Field, Violations};
use std::time::Duration;

/// Values that the examples of errors contain.
#[derive(Clone, Copy, Debug)]
pub struct SampleContext<'a> {
    /// The URL of the page on which an organization changes its plan.
    pub upgrade_url: &'a str,
    /// The scope that the operation requires, if any.
    pub scope: Option<Scope>,
}

macro_rules! codes {
    ($($(#[$doc:meta])* $Case:ident = $word:literal, $status:ident, $about:literal, $sample:expr;)+) => {
        /// The code of an error response.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        pub enum Code { $(#[doc = $about] $Case,)+ }

        impl Code {
            /// All codes, in the order of the table.
            pub const ALL: &'static [Self] = &[$(Self::$Case,)+];

            /// Returns the code as text.
            #[must_use]
            pub const fn as_str(self) -> &'static str { match self { $(Self::$Case => $word,)+ } }

            #[must_use]
            pub const fn status(self) -> StatusCode { match self { $(Self::$Case => StatusCode::$status,)+ } }

            /// Describes the cases in which the API returns this error, for the reference.
            #[must_use]
            pub const fn about(self) -> &'static str { match self { $(Self::$Case => $about,)+ } }

            /// Returns an example of the error.
            #[must_use]
            pub fn sample(self, of: &SampleContext<'_>) -> Problem {
                let make: fn(&SampleContext<'_>) -> Problem = match self { $(Self::$Case => $sample,)+ };
                make(of)
            }
        }
    };
}

codes! {
    InvalidJson = "invalid_json", BAD_REQUEST, "The body is not JSON, or not UTF-8.",
        |_| Problem::invalid_json("EOF while parsing an object at line 1 column 12");
    BadRequest = "bad_request", BAD_REQUEST, "The request could not be understood.",
        |_| Problem::bad_request("The body ended early.");
    InvalidCredentials = "invalid_credentials", UNAUTHORIZED, "The key is missing, wrong, disabled, deleted, revoked or superseded.",
        |_| Problem::invalid_credentials();
    InvalidSignature = "invalid_signature", UNAUTHORIZED, "A callback of the channel is not signed, or not by the channel.",
        |_| Problem::invalid_signature();
    SubscriptionRequired = "subscription_required", FORBIDDEN, "The organization has no active subscription.",
        |it| Problem::subscription_required(it.upgrade_url);
    PlanUpgradeRequired = "plan_upgrade_required", FORBIDDEN, "The organization's plan does not include API access.",
        |it| Problem::plan_upgrade_required(it.upgrade_url);
    PlanLimitExceeded = "plan_limit_exceeded", FORBIDDEN, "A limit of the plan is reached.",
        plan_limit_exceeded;
    InsufficientScope = "insufficient_scope", FORBIDDEN, "The key does not have the scope that the endpoint requires.",
        insufficient_scope;
    KeyIsBound = "key_is_bound", FORBIDDEN, "The key is bound to one number, and the endpoint is about the whole organization.",
        |_| Problem::key_is_bound();
    NotFound = "not_found", NOT_FOUND, "The object does not exist, or belongs to another organization.",
        |_| Problem::not_found("message");
    MethodNotAllowed = "method_not_allowed", METHOD_NOT_ALLOWED, "The path does not support this method; `Allow` lists the methods it supports.",
        |_| Problem::method_not_allowed("GET, POST");
    InvalidVerifyToken = "invalid_verify_token", FORBIDDEN, "The verify token of the channel's callback setup is missing or incorrect.",
        |_| Problem::invalid_verify_token();
    IdempotencyInProgress = "idempotency_in_progress", CONFLICT, "A request with the same `Idempotency-Key` is in progress.",
        |_| Problem::idempotency_in_progress();
    TemplateExists = "template_exists", CONFLICT, "The organization already has a template with this name and language.",
        |_| Problem::template_exists("order_update", "en_US");
    TemplateLocked = "template_locked", CONFLICT, "The template cannot be changed or deleted now, or the reviewer refused it.",
        |_| Problem::template_locked("order_update", TemplateStatus::Pending);
    AgentPaused = "agent_paused", CONFLICT, "The AI agent's answer was not sent: a person has taken the conversation over, the channel's own agent answers, the agent has reached a limit, or its mode is not `auto`.",
        |_| Problem::agent_paused();
    Superseded = "superseded", CONFLICT, "The contact has written again, so the AI agent's answer was not sent.",
        superseded;
    TurnAnswered = "turn_answered", CONFLICT, "The turn of the AI agent has ended, so its ticket is no longer good.",
        |_| Problem::turn_answered(TurnState::Answered);
    NotCancelable = "not_cancelable", CONFLICT, "The message has been sent already, or was canceled before.",
        |_| Problem::not_cancelable();
    TooManyEndpoints = "too_many_endpoints", CONFLICT, "The maximum number of webhook endpoints is reached.",
        |_| Problem::too_many_endpoints();
    NotAConnection = "not_a_connection", CONFLICT, "The key was created in the dashboard, so there is no connection to disconnect.",
        |_| Problem::not_a_connection();
    TurnExpired = "turn_expired", GONE, "The time to answer the turn is over.",
        |_| Problem::turn_expired();
    PayloadTooLarge = "payload_too_large", PAYLOAD_TOO_LARGE, "The body is larger than allowed.",
        |_| Problem::payload_too_large(1024 * 1024);
    MediaTooLarge = "media_too_large", PAYLOAD_TOO_LARGE, "The file is larger than the limit for its type.",
        |_| Problem::media_too_large(5 * 1024 * 1024, "image/png");
    UnsupportedMediaType = "unsupported_media_type", UNSUPPORTED_MEDIA_TYPE, "The body is not sent as `application/json`, or it is compressed.",
        |_| Problem::unsupported_media_type("Send the body as JSON, with Content-Type: application/json.");
    RangeNotSatisfiable = "range_not_satisfiable", RANGE_NOT_SATISFIABLE, "The file has no bytes in the range that is asked for.",
        |_| Problem::range_not_satisfiable(4096);
    ValidationFailed = "validation_failed", UNPROCESSABLE_ENTITY, "Fields are missing, unknown or out of bounds; `details` lists every error.",
        validation_failed;
    TemplateNotApproved = "template_not_approved", UNPROCESSABLE_ENTITY, "The template is not approved, so nothing was sent.",
        |_| Problem::template_not_approved("order_update", TemplateStatus::Pending, None);
    TemplateParamsMismatch = "template_params_mismatch", UNPROCESSABLE_ENTITY, "The parameters do not match the template.",
        template_params_mismatch;
    NotSupportedByChannel = "not_supported_by_channel", UNPROCESSABLE_ENTITY, "The channel behind the number cannot do this; nothing was sent or stored.",
        not_supported_by_channel;
    PhoneNumberRequired = "phone_number_required", UNPROCESSABLE_ENTITY, "The message needs the person's phone number, which is not known.",
        |_| Problem::phone_number_required();
    RecipientOptedOut = "recipient_opted_out", UNPROCESSABLE_ENTITY, "The template is marketing, and the person wants none.",
        |_| Problem::recipient_opted_out();
    InvalidBase64 = "invalid_base64", UNPROCESSABLE_ENTITY, "`data` is not canonical base64.",
        |_| Problem::invalid_base64("it has a line break");
    ContentTypeMismatch = "content_type_mismatch", UNPROCESSABLE_ENTITY, "The file is not what `content_type` says.",
        |_| Problem::content_type_mismatch("image/png", "image/jpeg");
    IdempotencyKeyReused = "idempotency_key_reused", UNPROCESSABLE_ENTITY, "The `Idempotency-Key` was used with a different request body.",
        |_| Problem::idempotency_key_reused();
    NoMessagingAccount = "no_messaging_account", UNPROCESSABLE_ENTITY, "The organization has no number to send from.",
        |_| Problem::no_messaging_account();
    RateLimited = "rate_limited", TOO_MANY_REQUESTS, "The key has reached its limit of requests in the last 60 seconds.",
        |_| Problem::rate_limited(100, WINDOW, Duration::from_secs(12));
    TooManyExports = "too_many_exports", TOO_MANY_REQUESTS, "The organization has two exports under way already.",
        |_| Problem::too_many_exports();
    InternalError = "internal_error", INTERNAL_SERVER_ERROR, "Something went wrong on our side.",
        |_| Problem::unexplained();
    Unavailable = "unavailable", SERVICE_UNAVAILABLE, "The service is temporarily unavailable; try again.",
        |_| Problem::unavailable();
}

fn plan_limit_exceeded(of: &SampleContext<'_>) -> Problem {
    let resets_at = Timestamp::from_seconds(1_796_083_200);
    let usage = Usage { limit: Some(1000), used: 1000, resets_at };
    Problem::plan_limit_exceeded(Meter::Messages, &usage, of.upgrade_url)
}

fn insufficient_scope(of: &SampleContext<'_>) -> Problem {
    let required = of.scope.unwrap_or(Scope::MessagesSend);
    let other = Scope::ALL.iter().copied().find(|it| *it != required);
    Problem::insufficient_scope(required, other.into_iter().collect())
}

fn superseded(_: &SampleContext<'_>) -> Problem {
    Problem::superseded(sample::MESSAGE)
}

fn validation_failed(_: &SampleContext<'_>) -> Problem {
    let mut faults = Violations::default();
    faults.add(&Field::root("text"), Fault::Empty, "must not be empty");
    Problem::validation_failed(faults)
}

fn template_params_mismatch(_: &SampleContext<'_>) -> Problem {
    let (place, wanted) = ("body".to_owned(), None);
    Problem::template_params_mismatch(&Mismatch { place, expected: 2, received: 1, wanted })
}

fn not_supported_by_channel(_: &SampleContext<'_>) -> Problem {
    let supported = vec!["text", "media", "template"];
    let what = "messages of type interactive".to_owned();
    Problem::not_supported_by_channel(ChannelKind::Twilio, what, supported)
}
