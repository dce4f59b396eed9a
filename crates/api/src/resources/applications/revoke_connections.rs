//! `POST /api/v1/applications/{client_id}/revoke-connections` (`docs/contract.md#connections`).

use crate::admission::{ApplicationHolder, Required};
use crate::operation::{Answer, Call, Example, ExampleOf, Operation};
use actix_web::http::{Method, StatusCode};
use api_types::sample;
use domain::violation::{Field, Violations};
use http_layer::problem::{Code, Problem};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use service::connections;

/// Revokes all connections of an application.
pub struct RevokeConnections;

/// The application, which must be the caller.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub struct ApplicationPath {
    /// The client id of the application.
    client_id: String,
}

/// The reason, and whether to only count the connections.
#[derive(Debug, Default, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "RevokeConnections")]
pub struct RevokeInput {
    /// The reason, which is shown to the businesses.
    #[schemars(length(min = 1, max = MAX_REASON_LENGTH))]
    reason: Option<String>,
    /// Whether to only count the connections, without revoking them.
    dry_run: Option<bool>,
}

/// The connections that were revoked.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "RevokedConnections")]
pub struct Revoked {
    /// The number of connections.
    revoked: u64,
    /// Whether this was a dry run, which changes nothing.
    dry_run: bool,
}

const MAX_REASON_LENGTH: usize = 200;

impl Operation for RevokeConnections {
    const ID: &'static str = "revoke_connections";
    const SUMMARY: &'static str = "Revoke all connections of an application.";
    const DESCRIPTION: &'static str = "\
Revokes all connections of the application, in all businesses. Authenticate with the application's own client id and secret, not
with those of a connection: in the two headers, or by HTTP Basic (RFC 6749, 2.3.1). The call is not subject to billing, scopes or rate limits. With `dry_run` it
only counts the connections.";
    const METHOD: Method = Method::POST;
    const PATH: &'static str = "/api/v1/applications/{client_id}/revoke-connections";
    const ACCESS: Required<ApplicationHolder> = ApplicationHolder::own_pair();
    const SUCCESS: StatusCode = StatusCode::OK;
    const PROBLEMS: &'static [Code] = &[Code::NotFound];
    const BODY_OPTIONAL: bool = true;
    type Caller = ApplicationHolder;
    type Path = ApplicationPath;
    type Input = RevokeInput;
    type Reply = Revoked;

    fn example() -> ExampleOf<Self> {
        let path = ApplicationPath { client_id: sample::APPLICATION_CLIENT_ID.to_owned() };
        let input = RevokeInput {
            reason: Some("Our client secret was exposed.".to_owned()),
            dry_run: Some(true),
        };
        Example { path, input: Some(input), reply: Revoked { revoked: 12, dry_run: true } }
    }

    async fn handle(mut call: Call<Self>) -> Result<Answer<Revoked>, Problem> {
        if call.path.client_id != call.caller.client_id {
            return Err(Problem::not_found("application"));
        }
        let (reason, dry_run) = call.parse(|input, faults| Some(input.read(faults)))?;
        let application = call.caller.id;
        let revoked = if dry_run {
            connections::count(&call.deps, application).await?
        } else {
            connections::revoke_all(&call.deps.service, application, reason).await?
        };
        Answer::new(Self::SUCCESS, &Revoked { revoked, dry_run })
    }
}

impl RevokeInput {
    fn read(&self, faults: &mut Violations) -> (Option<String>, bool) {
        let at = Field::root("reason");
        let reason = faults.optional_text(&at, self.reason.as_deref(), MAX_REASON_LENGTH);
        (reason, self.dry_run.unwrap_or_default())
    }
}
