//! The one table of error codes.

use actix_web::http::StatusCode;

macro_rules! codes {
    ($($(#[$doc:meta])* $Case:ident = $word:literal, $status:ident, $about:literal;)+) => {
        /// Every error this service answers with.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        pub enum Code { $(#[doc = $about] $Case,)+ }

        impl Code {
            /// All of them, in the order of the table below.
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
    InvalidSignature = "invalid_signature", UNAUTHORIZED, "A callback of the channel is not signed, or not by the channel.";
    SubscriptionRequired = "subscription_required", FORBIDDEN, "The organization has no active subscription.";
    PlanUpgradeRequired = "plan_upgrade_required", FORBIDDEN, "The organization's plan does not include API access.";
    PlanLimitExceeded = "plan_limit_exceeded", FORBIDDEN, "A limit of the plan is reached.";
    InsufficientScope = "insufficient_scope", FORBIDDEN, "The key does not have the scope that the endpoint requires.";
    NotFound = "not_found", NOT_FOUND, "The object does not exist, or belongs to another organization.";
    MethodNotAllowed = "method_not_allowed", METHOD_NOT_ALLOWED, "The path does not support this method; `Allow` lists the methods it supports.";
    InvalidVerifyToken = "invalid_verify_token", FORBIDDEN, "The verify token of the channel's callback setup is missing or incorrect.";
    IdempotencyInProgress = "idempotency_in_progress", CONFLICT, "A request with the same `Idempotency-Key` is in progress.";
    TemplateExists = "template_exists", CONFLICT, "The organization already has a template with this name and language.";
    NotAConnection = "not_a_connection", CONFLICT, "The key was created in the dashboard, so there is no connection to disconnect.";
    PayloadTooLarge = "payload_too_large", PAYLOAD_TOO_LARGE, "The body is larger than allowed.";
    MediaTooLarge = "media_too_large", PAYLOAD_TOO_LARGE, "The file is larger than the limit for its type.";
    UnsupportedMediaType = "unsupported_media_type", UNSUPPORTED_MEDIA_TYPE, "The body is not sent as `application/json`, or it is compressed.";
    RangeNotSatisfiable = "range_not_satisfiable", RANGE_NOT_SATISFIABLE, "The file has no bytes in the range that is asked for.";
    ValidationFailed = "validation_failed", UNPROCESSABLE_ENTITY, "Fields are missing, unknown or out of bounds; `details` lists every error.";
    TemplateNotApproved = "template_not_approved", UNPROCESSABLE_ENTITY, "The template is not approved, so nothing was sent.";
    TemplateParamsMismatch = "template_params_mismatch", UNPROCESSABLE_ENTITY, "The parameters do not match the template.";
    InvalidBase64 = "invalid_base64", UNPROCESSABLE_ENTITY, "`data` is not canonical base64.";
    ContentTypeMismatch = "content_type_mismatch", UNPROCESSABLE_ENTITY, "The file is not what `content_type` says.";
    IdempotencyKeyReused = "idempotency_key_reused", UNPROCESSABLE_ENTITY, "The `Idempotency-Key` was used with a different request body.";
    NoMessagingAccount = "no_messaging_account", UNPROCESSABLE_ENTITY, "The organization has no number to send from.";
    RateLimited = "rate_limited", TOO_MANY_REQUESTS, "The key has reached its limit of requests in the last 60 seconds.";
    InternalError = "internal_error", INTERNAL_SERVER_ERROR, "Something went wrong on our side.";
    Unavailable = "unavailable", SERVICE_UNAVAILABLE, "The service is temporarily unavailable; try again.";
}
