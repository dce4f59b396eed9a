//! Response bodies of an exchange, and the schema of its request body for the reference.

use api_types::sample;
use api_types::schema::{IdOf, Instant, OneOf, PhoneNumberText, UrlText};
use domain::id;
use domain::keyword::Keyword as _;
use domain::plan::SubscriptionStatus;
use domain::scope::Scope;
use schemars::JsonSchema;
use serde::Serialize;

// Only the reference uses this type. `token_request` parses a request field by field, so that a
// code is consumed even if another field is invalid.
/// The request body of an exchange.
#[derive(Debug, Serialize, JsonSchema)]
pub struct TokenRequest {
    /// `authorization_code`, if present.
    #[schemars(extend("const" = "authorization_code"))]
    #[serde(default, skip_serializing_if = "String::is_empty")]
    grant_type: String,
    /// The code from the redirect. Valid once, for 60 seconds.
    #[schemars(length(min = 1))]
    code: String,
    /// The verifier of the challenge in the authorize request: 43 to 128 unreserved characters.
    #[schemars(length(min = 1))]
    code_verifier: String,
    /// The application's client id. Required without HTTP Basic.
    #[schemars(length(min = 1))]
    #[serde(default, skip_serializing_if = "String::is_empty")]
    client_id: String,
    /// The application's secret. Required without HTTP Basic, refused with it.
    #[schemars(length(min = 1))]
    #[serde(default, skip_serializing_if = "String::is_empty")]
    client_secret: String,
    /// The redirect URI, which must be the one of the authorize request.
    #[schemars(with = "UrlText")]
    #[serde(default, skip_serializing_if = "String::is_empty")]
    redirect_uri: String,
}

/// The connection that was created.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Connection")]
pub struct Connected {
    /// The connection's own client id, for the header `x-client-id`.
    pub client_id: String,
    /// The connection's secret, for the header `x-client-secret`. Shown only here.
    pub client_secret: String,
    /// The connection's id.
    #[schemars(with = "IdOf<id::Connection>")]
    pub connection_id: String,
    /// The business.
    pub organization: ConnectedOrganization,
    /// The number that the business chose; null if it has none.
    pub account: Option<ConnectedAccount>,
    /// The scopes that the business granted.
    #[schemars(with = "Vec<OneOf<Scope>>")]
    pub scopes: Vec<String>,
    /// The granted scopes separated by spaces, for OAuth clients.
    pub scope: String,
    /// The plan of the business.
    pub plan: ConnectedPlan,
    /// When the connection was created.
    #[schemars(with = "Instant")]
    pub connected_at: String,
    /// The client id and the secret with a dot between, for `Authorization: Bearer`. It does not expire.
    pub access_token: String,
    /// The type of the access token (RFC 6749 section 7.1).
    #[schemars(extend("const" = TOKEN_TYPE))]
    pub token_type: &'static str,
}

/// The only type of access tokens.
pub const TOKEN_TYPE: &str = "Bearer";

/// Returns the pair of a key as one token, as `Authorization: Bearer` carries it.
#[must_use]
pub fn access_token(client_id: &str, secret: &str) -> String {
    format!("{client_id}.{secret}")
}

/// The business of a connection.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ConnectedOrganization {
    /// The organization's id.
    #[schemars(with = "IdOf<id::Organization>")]
    pub id: String,
    /// The organization's name.
    pub name: String,
}

/// The number of a connection.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ConnectedAccount {
    /// The account's id.
    #[schemars(with = "IdOf<id::Account>")]
    pub id: String,
    /// The account's phone number.
    #[schemars(with = "PhoneNumberText")]
    pub phone_number: String,
    /// The display name that contacts see.
    pub display_name: String,
}

/// The plan of the business of a connection.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ConnectedPlan {
    /// The name of the plan; null without a plan.
    pub name: Option<String>,
    /// The status of the subscription.
    #[schemars(with = "OneOf<SubscriptionStatus>")]
    pub status: &'static str,
    /// Whether the plan includes API access. If not, every request returns 403 until the business
    /// changes its plan.
    pub api_access: bool,
}

/// A failed exchange.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "ExchangeError")]
pub struct ExchangeFailure {
    /// The value of `code`, under the name that OAuth clients read.
    #[schemars(extend("enum" = WORDS))]
    pub error: &'static str,
    /// A machine-readable error code.
    #[schemars(extend("enum" = WORDS))]
    pub code: &'static str,
    /// A human-readable message. It does not say which check failed.
    pub error_description: String,
    /// The request id; quote it when you contact support.
    pub request_id: String,
}

/// Error code: a field is missing or the request cannot be parsed.
const INVALID_REQUEST: &str = "invalid_request";
/// Error code: a check failed. The response does not say which.
const INVALID_GRANT: &str = "invalid_grant";
const WORDS: [&str; 2] = [INVALID_REQUEST, INVALID_GRANT];

/// The `error_description` of every failed check.
const GRANT_FAILED: &str = "The code cannot be exchanged, and is no longer valid. Start a new handshake; your application's \
     handshake log says which check failed.";

impl TokenRequest {
    /// Returns the example request of the reference.
    #[must_use]
    pub fn sample() -> Self {
        Self {
            grant_type: String::new(),
            code: "0a9Wl5rYbKq8vTn3Zp0XcD6Hs2LmWxTz6BvNc8R4QfG".to_owned(),
            code_verifier: "Tn0vQkqzR5yYp1bJw3c8Lx6mUe2HsVd9fGaK7oNiBtZ".to_owned(),
            client_id: "swa_4QfHs9Dk2LmWxTz6BvNc8R".to_owned(),
            client_secret: "sws_…".to_owned(),
            redirect_uri: String::new(),
        }
    }
}

impl Connected {
    /// Returns the example response of the reference.
    #[must_use]
    pub fn sample() -> Self {
        let scopes = [Scope::MessagesSend, Scope::ConversationsRead].map(Scope::as_str);
        Self {
            client_id: "swk_8JmLq2Zt5XcVbNa7RkYw3P".to_owned(),
            client_secret: "sws_…".to_owned(),
            connection_id: sample::CONNECTION.to_string(),
            organization: ConnectedOrganization {
                id: sample::ORGANIZATION.to_string(),
                name: "Corner Bakery".to_owned(),
            },
            account: Some(ConnectedAccount {
                id: sample::ACCOUNT.to_string(),
                phone_number: "+12025550142".to_owned(),
                display_name: "Corner Bakery".to_owned(),
            }),
            scopes: scopes.map(str::to_owned).to_vec(),
            scope: scopes.join(" "),
            plan: ConnectedPlan {
                name: Some("Unlimited".to_owned()),
                status: SubscriptionStatus::Active.as_str(),
                api_access: true,
            },
            connected_at: sample::noon().to_string(),
            access_token: access_token("swk_8JmLq2Zt5XcVbNa7RkYw3P", "sws_…"),
            token_type: TOKEN_TYPE,
        }
    }
}

impl ExchangeFailure {
    /// Returns the response to a request with a missing field or that cannot be parsed.
    #[must_use]
    pub fn request(why: &str, request_id: String) -> Self {
        Self::of(INVALID_REQUEST, why, request_id)
    }

    /// Returns the response to a failed check, the same for every check.
    #[must_use]
    pub fn grant(request_id: String) -> Self {
        Self::of(INVALID_GRANT, GRANT_FAILED, request_id)
    }

    fn of(word: &'static str, why: &str, request_id: String) -> Self {
        Self { error: word, code: word, error_description: why.to_owned(), request_id }
    }
}
