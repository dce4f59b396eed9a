//! `POST /api/v1/applications/{client_id}/revoke-connections` (`docs/contract.md#connections`).

use crate::admission::{ApplicationHolder, Required};
use crate::operation::{Answer, Call, Example, Operation};
use actix_web::http::{Method, StatusCode};
use domain::violation::{Field, Violations};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use service::connections;
use web_core::problem::{Code, Problem};

/// Ends every connection that an application holds.
pub struct RevokeConnections;

/// Which application: the one that calls, and no other.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct ApplicationPath {
    /// The application's client id.
    client_id: String,
}

/// Why, and whether to only count.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[schemars(rename = "RevokeConnections")]
pub struct RevokeInput {
    /// A sentence for the businesses.
    #[schemars(length(min = 1, max = MAX_REASON_LENGTH))]
    reason: Option<String>,
    /// Whether to change nothing, and only say how many connections there are.
    dry_run: Option<bool>,
}

/// How many connections ended.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "RevokedConnections")]
pub struct Revoked {
    /// How many.
    revoked: u64,
    /// Whether nothing was changed.
    dry_run: bool,
}

const MAX_REASON_LENGTH: usize = 200;

impl Operation for RevokeConnections {
    const ID: &'static str = "revoke_connections";
    const SUMMARY: &'static str = "Revoke all connections of an application.";
    const DESCRIPTION: &'static str = "\
Ends every connection that the application holds, in all businesses. Called with the application's own pair in the two headers, not with a connection's. Neither billing nor
scopes nor rate limits stand in its way. With `dry_run` it only counts.";
    const EXAMPLE: Example = Example {
        path: &[("client_id", "swa_9hT2kVx5PqLm7RdYw3NcJz")],
        input: r#"{ "reason": "Our credentials were exposed.", "dry_run": true }"#,
        reply: r#"{ "revoked": 12, "dry_run": true }"#,
    };
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

    async fn handle(mut call: Call<Self>) -> Result<Answer<Revoked>, Problem> {
        if call.path.client_id != call.caller.client_id {
            return Err(Problem::not_found("application"));
        }
        let (reason, dry_run) = call.parse(|input, faults| Some(input.read(faults)))?;
        let application = *call.caller.id;
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
