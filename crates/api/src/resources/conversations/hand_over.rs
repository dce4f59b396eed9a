//! `POST /api/v1/conversations/{id}/hand-over` (`docs/contract.md#ai-agents`).

use super::{ConversationPath, problem, record, sample_record};
use crate::admission::{KeyHolder, Required};
use crate::operation::{Answer, Call, Example, ExampleOf, Operation};
use actix_web::http::{Method, StatusCode};
use api_types::agent_turn::HandOverBody;
use api_types::conversation::ConversationRecord;
use domain::conversation::AgentRefusal;
use domain::scope::Scope;
use domain::violation::Field;
use http_layer::problem::{Code, Problem};
use service::inbox::{self, HandOverError};

/// Hands a conversation over from an AI agent to people.
pub struct HandOverConversation;

impl Operation for HandOverConversation {
    const ID: &'static str = "hand_over_conversation";
    const SUMMARY: &'static str = "Hand a conversation over to people.";
    const DESCRIPTION: &'static str = "\
Hands a conversation over from your AI agent to people, and returns the conversation. The agent is paused with the cause
`handed_over`, `needs_person_since` is set, and the summary becomes a note of the agent. The events
`conversation.agent_paused`, `conversation.handover_requested` and, for a summary, `note.created` are recorded. What the
agent sent before is delivered.

If the agent is paused already, or may not send in this conversation, the call is a 409 `agent_paused` and changes nothing.";
    const METHOD: Method = Method::POST;
    const PATH: &'static str = "/api/v1/conversations/{id}/hand-over";
    const ACCESS: Required<KeyHolder> = KeyHolder::with(Scope::AgentReply);
    const SUCCESS: StatusCode = StatusCode::OK;
    const PROBLEMS: &'static [Code] = &[Code::NotFound, Code::AgentPaused];
    const BODY_OPTIONAL: bool = true;
    type Caller = KeyHolder;
    type Path = ConversationPath;
    type Input = HandOverBody;
    type Reply = ConversationRecord;

    fn example() -> ExampleOf<Self> {
        let reason = Some("The customer wants a refund.".to_owned());
        let summary = Some("Order 1042 arrived broken.".to_owned());
        let input = Some(HandOverBody::new(reason, summary));
        Example { path: ConversationPath::sample(), input, reply: sample_record() }
    }

    async fn handle(mut call: Call<Self>) -> Result<Answer<ConversationRecord>, Problem> {
        let hand_over = call.parse(|body, faults| {
            Some(body.parse(&Field::root("reason"), &Field::root("summary"), faults))
        })?;
        let id = call.path.parse()?;
        let (reader, account) = (call.caller.reader(), call.bound_account());
        let key = &call.caller.key;
        let (client_id, key_name) = (key.client_id.clone(), key.name.clone());
        let found =
            inbox::hand_over(&call.deps, reader, account, id, hand_over, client_id, key_name).await;
        let found = found.map_err(|error| match error {
            HandOverError::Refused(refusal) => refused(refusal),
            HandOverError::Inbox(error) => problem(error),
        })?;
        Answer::new(Self::SUCCESS, &record(&found)?)
    }
}

fn refused(refusal: AgentRefusal) -> Problem {
    match refusal {
        AgentRefusal::ChannelAgent => Problem::channel_agent_answers(),
        AgentRefusal::Off | AgentRefusal::DraftMode => Problem::agent_does_not_send(),
        // A hand-over names no message, and the limits do not apply to it.
        AgentRefusal::Paused
        | AgentRefusal::Superseded { .. }
        | AgentRefusal::UnknownMessage
        | AgentRefusal::LimitReached
        | AgentRefusal::Loop => Problem::agent_paused(),
    }
}
