//! `DELETE /api/v1/me`: an application hands its connection back (`service.md` 4.7).

use super::get::GetMe;
use crate::operation::{Access, Answer, Call, KeyHolder, Nothing, Operation};
use crate::problem::{Code, Problem};
use crate::wire::event::tell_connection;
use actix_web::http::{Method, StatusCode};
use domain::connection::Ending;
use domain::word::Word as _;
use schemars::JsonSchema;
use serde::Serialize;

/// Ends the connection whose key calls.
pub struct DeleteMe;

/// A connection that has ended.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Disconnected {
    /// `disconnected`.
    status: &'static str,
    /// The client id that is of no use any more.
    client_id: String,
    /// When it ended.
    #[serde(rename = "disconnected_at")]
    at: String,
}

impl Operation for DeleteMe {
    const ID: &'static str = "delete_me";
    const SUMMARY: &'static str =
        "Hand the credential back: the connection ends, and the next call answers 401.";
    const METHOD: Method = Method::DELETE;
    const PATH: &'static str = GetMe::PATH;
    const ACCESS: Access = Access::AnyKey;
    const SUCCESS: StatusCode = StatusCode::OK;
    const PROBLEMS: &'static [Code] = &[Code::NotAConnection];
    const BODY_OPTIONAL: bool = true;
    type Caller = KeyHolder;
    type Path = Nothing;
    type Input = Nothing;
    type Reply = Disconnected;

    async fn handle(mut call: Call<Self>) -> Result<Answer<Disconnected>, Problem> {
        call.parse(|_, _| Some(()))?;
        let now = call.deps.clock.now();
        let (db, ending) = (&call.deps.db, Ending::Application);
        let ended = db.disconnect(call.key(), ending, now, tell_connection).await?;
        ended.ok_or_else(Problem::not_a_connection)?;
        let reply = Disconnected {
            status: Ending::Application.state().as_str(),
            client_id: call.caller.key.client_id.clone(),
            at: now.to_string(),
        };
        Answer::new(Self::SUCCESS, &reply)
    }
}
