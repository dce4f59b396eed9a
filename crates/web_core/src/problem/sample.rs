//! An example of each error for the reference, made by the constructors that make the real ones.

use super::{Code, Problem};
use auth::rate::WINDOW;
use domain::content::Mismatch;
use domain::keyword::Keyword as _;
use domain::plan::{Meter, Usage};
use domain::scope::Scope;
use domain::template::TemplateStatus;
use domain::time::Timestamp;
use domain::violation::{Fault, Field, Violations};
use std::time::Duration;

/// An error of this code as it may come, of an operation that asks for `scope`.
#[must_use]
pub fn sample(code: Code, upgrade_url: &str, scope: Option<Scope>) -> Problem {
    match code {
        Code::InvalidJson => {
            Problem::invalid_json("EOF while parsing an object at line 1 column 12")
        }
        Code::BadRequest => Problem::bad_request("The body ended early."),
        Code::InvalidCredentials => Problem::invalid_credentials(),
        Code::InvalidSignature => Problem::invalid_signature(),
        Code::SubscriptionRequired => Problem::subscription_required(upgrade_url),
        Code::PlanUpgradeRequired => Problem::plan_upgrade_required(upgrade_url),
        Code::PlanLimitExceeded => {
            let resets_at = Timestamp::from_seconds(1_796_083_200);
            let usage = Usage { limit: Some(1000), used: 1000, resets_at };
            Problem::plan_limit_exceeded(Meter::Messages, &usage, upgrade_url)
        }
        Code::InsufficientScope => {
            let required = scope.unwrap_or(Scope::MessagesSend);
            let other = Scope::ALL.iter().copied().find(|it| *it != required);
            Problem::insufficient_scope(required, other.into_iter().collect())
        }
        Code::NotFound => Problem::not_found("message"),
        Code::MethodNotAllowed => Problem::method_not_allowed("GET, POST"),
        Code::InvalidVerifyToken => Problem::invalid_verify_token(),
        Code::IdempotencyInProgress => Problem::idempotency_in_progress(),
        Code::TemplateExists => Problem::template_exists("order_update", "en_US"),
        Code::NotAConnection => Problem::not_a_connection(),
        Code::PayloadTooLarge => Problem::payload_too_large(1024 * 1024),
        Code::MediaTooLarge => Problem::media_too_large(5 * 1024 * 1024, "image/png"),
        Code::UnsupportedMediaType => Problem::unsupported_media_type(
            "Send the body as JSON, with Content-Type: application/json.",
        ),
        Code::RangeNotSatisfiable => Problem::range_not_satisfiable(4096),
        Code::ValidationFailed => {
            let mut faults = Violations::default();
            faults.add(&Field::root("text"), Fault::Empty, "must not be empty");
            Problem::validation_failed(faults)
        }
        Code::TemplateNotApproved => {
            Problem::template_not_approved("order_update", TemplateStatus::Pending, None)
        }
        Code::TemplateParamsMismatch => {
            let mismatch =
                Mismatch { place: "body".to_owned(), expected: 2, received: 1, wanted: None };
            Problem::template_params_mismatch(&mismatch)
        }
        Code::InvalidBase64 => Problem::invalid_base64("it has a line break"),
        Code::ContentTypeMismatch => Problem::content_type_mismatch("image/png", "image/jpeg"),
        Code::IdempotencyKeyReused => Problem::idempotency_key_reused(),
        Code::NoMessagingAccount => Problem::no_messaging_account(),
        Code::RateLimited => Problem::rate_limited(100, WINDOW, Duration::from_secs(12)),
        Code::InternalError => Problem::unexplained(),
        Code::Unavailable => Problem::unavailable(),
    }
}
