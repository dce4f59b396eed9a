//! `DELETE /api/v1/me`: an application ends its connection (`docs/contract.md#current-key`).

use super::get::GetMe;
use crate::admission::{KeyHolder, Required};
use crate::operation::{Answer, Call, Example, ExampleOf, Nothing, Operation};
use actix_web::http::{Method, StatusCode};
use api_types::sample;
use api_types::schema::{DisconnectedWord, Instant};
use domain::connection::EndReason;
use domain::keyword::Keyword as _;
use http_layer::problem::{Code, Problem};
use schemars::JsonSchema;
use serde::Serialize;
use service::connections;

/// Ends the connection that the key belongs to.
pub struct DeleteMe;

/// A connection that has ended.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Disconnected {
    /// Always `disconnected`.
    #[schemars(with = "DisconnectedWord")]
    status: &'static str,
    /// The client id, which is no longer valid.
    client_id: String,
    /// When the connection ended.
    #[serde(rename = "disconnected_at")]
    #[schemars(with = "Instant")]
    at: String,
}

impl Operation for DeleteMe {
    const ID: &'static str = "delete_me";
    const SUMMARY: &'static str = "Disconnect.";
    const DESCRIPTION: &'static str = "\
Ends the connection that the key belongs to. The business sees it as disconnected, and requests with the key
return 401 from then on. A key that was created in the dashboard can be deleted only there: this call returns 409 for
it, and nothing changes.";
    const METHOD: Method = Method::DELETE;
    const PATH: &'static str = GetMe::PATH;
    const ACCESS: Required<KeyHolder> = KeyHolder::any();
    const SUCCESS: StatusCode = StatusCode::OK;
    const PROBLEMS: &'static [Code] = &[Code::NotAConnection];
    const BODY_OPTIONAL: bool = true;
    type Caller = KeyHolder;
    type Path = Nothing;
    type Input = Nothing;
    type Reply = Disconnected;

    fn example() -> ExampleOf<Self> {
        let reply = Disconnected {
            status: EndReason::Application.state().as_str(),
            client_id: sample::CLIENT_ID.to_owned(),
            at: sample::noon().to_string(),
        };
        Example { path: Nothing {}, input: None, reply }
    }

    async fn handle(mut call: Call<Self>) -> Result<Answer<Disconnected>, Problem> {
        call.parse(|_, _| Some(()))?;
        let (organization, reason) = (call.organization(), EndReason::Application);
        let ended = connections::disconnect(&call.deps, organization, call.key(), reason).await?;
        let at = ended.ok_or_else(Problem::not_a_connection)?;
        let reply = Disconnected {
            status: reason.state().as_str(),
            client_id: call.caller.key.client_id.clone(),
            at: at.to_string(),
        };
        Answer::new(Self::SUCCESS, &reply)
    }
}
