//! What an exchange is answered with, and the shape of what it is asked with, for the reference.

use domain::id;
use domain::plan::SubscriptionStatus;
use domain::scope::Scope;
use schemars::JsonSchema;
use serde::Serialize;
use wire::schema::{Address, IdOf, Instant, Number, OneOf};

/// The request of an exchange.
#[derive(JsonSchema)]
#[expect(
    dead_code,
    reason = "it stands for its schema; the request is read so that a code burns with it"
)]
pub struct TokenRequest {
    /// `authorization_code`, if it is given.
    #[schemars(extend("const" = "authorization_code"))]
    #[serde(default, skip_serializing_if = "String::is_empty")]
    grant_type: String,
    /// The code that came to the redirect address. It is good once, for 60 seconds.
    #[schemars(length(min = 1))]
    code: String,
    /// The verifier whose challenge the authorize request carried: 43 to 128 unreserved characters.
    #[schemars(length(min = 1))]
    code_verifier: String,
    /// The application's client id.
    #[schemars(length(min = 1))]
    client_id: String,
    /// The application's secret.
    #[schemars(length(min = 1))]
    client_secret: String,
    /// The redirect address, which must then be the one of the authorize request.
    #[schemars(with = "Address")]
    #[serde(default, skip_serializing_if = "String::is_empty")]
    redirect_uri: String,
}

/// A connection that was made.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Connection")]
pub struct Connected {
    /// The connection's own client id, for the header `x-client-id`.
    pub client_id: String,
    /// Its secret, for the header `x-client-secret`. It is shown here and nowhere else.
    pub client_secret: String,
    /// The connection's id.
    #[schemars(with = "IdOf<id::Connection>")]
    pub connection_id: String,
    /// The business.
    pub organization: ConnectedOrganization,
    /// The number that the business chose; null where it has none.
    pub account: Option<ConnectedAccount>,
    /// What the business granted.
    #[schemars(with = "Vec<OneOf<Scope>>")]
    pub scopes: Vec<String>,
    /// The same with spaces between, as OAuth clients read it.
    pub scope: String,
    /// What the business pays for.
    pub plan: ConnectedPlan,
    /// When it was made.
    #[schemars(with = "Instant")]
    pub connected_at: String,
}

/// The business of a connection.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ConnectedOrganization {
    /// Its id.
    #[schemars(with = "IdOf<id::Organization>")]
    pub id: String,
    /// Its name.
    pub name: String,
}

/// The number of a connection.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ConnectedAccount {
    /// Its id.
    #[schemars(with = "IdOf<id::Account>")]
    pub id: String,
    /// The number.
    #[schemars(with = "Number")]
    pub phone_number: String,
    /// What people see it called.
    pub display_name: String,
}

/// The plan of the business of a connection.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ConnectedPlan {
    /// Its name; null without a plan.
    pub name: Option<String>,
    /// How the subscription stands.
    #[schemars(with = "OneOf<SubscriptionStatus>")]
    pub status: &'static str,
    /// Whether it includes the REST API. Without, every call answers 403 until the business changes its plan.
    pub api_access: bool,
}

/// An exchange that failed.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "ExchangeError")]
pub struct ExchangeFailure {
    /// The word again, where OAuth clients look for it.
    #[schemars(extend("enum" = WORDS))]
    pub error: &'static str,
    /// The machine's word.
    #[schemars(extend("enum" = WORDS))]
    pub code: &'static str,
    /// What to do, in a sentence. It never says which check failed.
    pub error_description: String,
    /// The request, for support.
    pub request_id: String,
}

/// The request lacks something or cannot be read.
pub const INVALID_REQUEST: &str = "invalid_request";
/// A check failed, and nobody is told which.
pub const INVALID_GRANT: &str = "invalid_grant";
const WORDS: [&str; 2] = [INVALID_REQUEST, INVALID_GRANT];

/// A request, for the reference.
pub const EXAMPLE_REQUEST: &str = r#"{
  "code": "0a9Wl5rYbKq8vTn3Zp0XcD6Hs2LmWxTz6BvNc8R4QfG",
  "code_verifier": "Tn0vQkqzR5yYp1bJw3c8Lx6mUe2HsVd9fGaK7oNiBtZ",
  "client_id": "swa_4QfHs9Dk2LmWxTz6BvNc8R",
  "client_secret": "sws_…"
}"#;
/// Its answer.
pub const EXAMPLE_ANSWER: &str = r#"{
  "client_id": "swk_8JmLq2Zt5XcVbNa7RkYw3P",
  "client_secret": "sws_…",
  "connection_id": "conn_01jd7qp2y8e4kvt6m9r3w5x0hb",
  "organization": { "id": "org_01jd7pyw6hfb1s9t3x5m7c2nze", "name": "Corner Bakery" },
  "account": {
    "id": "acc_01jd7pz0c2e8ybn6w4v1t9kq3m",
    "phone_number": "+12025550142",
    "display_name": "Corner Bakery"
  },
  "scopes": ["messages.send", "conversations.read"],
  "scope": "messages.send conversations.read",
  "plan": { "name": "Unlimited", "status": "active", "api_access": true },
  "connected_at": "2026-11-21T12:00:00.000Z"
}"#;
/// The answer to one that failed.
pub const EXAMPLE_REFUSAL: &str = r#"{
  "error": "invalid_grant",
  "code": "invalid_grant",
  "error_description": "The code cannot be exchanged, and is no longer valid. Start a new handshake; your application's handshake log says which check failed.",
  "request_id": "req_01jd7qkz5v0m6h2r8e4t1w9y3b"
}"#;
