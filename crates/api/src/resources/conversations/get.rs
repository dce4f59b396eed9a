//! `GET /api/v1/conversations/{id}` (`docs/contract.md#conversations`).

use super::{ConversationPath, problem, record, sample_record};
use crate::admission::{KeyHolder, Required};
use crate::operation::{Answer, Call, Example, ExampleOf, Nothing, Operation};
use actix_web::http::{Method, StatusCode};
use api_types::conversation::ConversationRecord;
use domain::scope::Scope;
use http_layer::problem::{Code, Problem};
use service::inbox;

/// Reads one conversation.
pub struct GetConversation;

impl Operation for GetConversation {
    const ID: &'static str = "get_conversation";
    const SUMMARY: &'static str = "Get a conversation.";
    const DESCRIPTION: &'static str = "\
Returns a conversation with its status, assignee and labels, and says whether the AI agent answers. A key that is bound to a
number sees the conversations of that number only.";
    const METHOD: Method = Method::GET;
    const PATH: &'static str = "/api/v1/conversations/{id}";
    const ACCESS: Required<KeyHolder> = KeyHolder::with(Scope::ConversationsRead);
    const SUCCESS: StatusCode = StatusCode::OK;
    const PROBLEMS: &'static [Code] = &[Code::NotFound];
    type Caller = KeyHolder;
    type Path = ConversationPath;
    type Input = Nothing;
    type Reply = ConversationRecord;

    fn example() -> ExampleOf<Self> {
        Example { path: ConversationPath::sample(), input: None, reply: sample_record() }
    }

    async fn handle(mut call: Call<Self>) -> Result<Answer<ConversationRecord>, Problem> {
        call.parse(|_, _| Some(()))?;
        let id = call.path.parse()?;
        let (reader, account) = (call.caller.reader(), call.bound_account());
        let found = inbox::find(&call.deps, reader, account, id).await.map_err(problem)?;
        Answer::new(Self::SUCCESS, &record(&found)?)
    }
}
