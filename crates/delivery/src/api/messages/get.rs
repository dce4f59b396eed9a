//! `GET /api/v1/messages/{id}`.

use crate::operation::{Access, Answer, Call, KeyHolder, Nothing, Operation};
use crate::problem::{Code, Problem};
use crate::wire::message::MessageRecord;
use actix_web::http::{Method, StatusCode};
use domain::id::MessageId;
use domain::scope::Scope;
use schemars::JsonSchema;
use serde::Deserialize;

/// Reads one message.
pub struct GetMessage;

/// Which message.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct MessagePath {
    /// The message's id.
    id: String,
}

impl Operation for GetMessage {
    const ID: &'static str = "get_message";
    const SUMMARY: &'static str = "Read one message.";
    const METHOD: Method = Method::GET;
    const PATH: &'static str = "/api/v1/messages/{id}";
    const ACCESS: Access = Access::Key(Scope::ConversationsRead);
    const SUCCESS: StatusCode = StatusCode::OK;
    const PROBLEMS: &'static [Code] = &[Code::NotFound];
    type Caller = KeyHolder;
    type Path = MessagePath;
    type Input = Nothing;
    type Reply = MessageRecord;

    async fn handle(mut call: Call<Self>) -> Result<Answer<MessageRecord>, Problem> {
        call.parse(|_, _| Some(()))?;
        let unknown = || Problem::not_found("message");
        let id: MessageId = call.path.id.parse().map_err(|_| unknown())?;
        let found = call.deps.db.message(call.organization(), call.bound_account(), id).await?;
        Answer::new(Self::SUCCESS, &MessageRecord::from(&found.ok_or_else(unknown)?))
    }
}
