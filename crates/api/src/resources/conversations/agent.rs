//! `POST /api/v1/conversations/{id}/pause-agent` and `…/resume-agent`
//! (`docs/contract.md#conversations`).

use super::{ConversationPath, problem, record, sample_record};
use crate::admission::{KeyHolder, Required};
use crate::operation::{Answer, Call, Example, ExampleOf, Nothing, Operation};
use actix_web::http::{Method, StatusCode};
use api_types::conversation::ConversationRecord;
use api_types::schema::Instant;
use domain::inbox::{AgentPause, MAX_PAUSE_REASON_LENGTH, PauseCause, check_end};
use domain::scope::Scope;
use domain::time::Timestamp;
use domain::violation::{Fault, Field, Violations};
use http_layer::problem::{Code, Problem};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use service::inbox;

/// Pauses the AI agent in a conversation.
pub struct PauseAgent;

/// Why, and until when, the agent is paused.
#[derive(Debug, Default, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "PauseAgent")]
pub struct PauseAgentBody {
    /// The reason, for your colleagues.
    #[schemars(length(min = 1, max = MAX_PAUSE_REASON_LENGTH))]
    reason: Option<String>,
    /// When the pause ends by itself, at most 365 days ahead. Without it the pause lasts until somebody
    /// resumes the agent.
    #[schemars(with = "Option<Instant>")]
    until: Option<String>,
}

impl PauseAgentBody {
    fn parse(&self, now: Timestamp, faults: &mut Violations) -> Option<AgentPause> {
        let reason = faults.optional_text(
            &Field::root("reason"),
            self.reason.as_deref(),
            MAX_PAUSE_REASON_LENGTH,
        );
        let at = Field::root("until");
        let until = match self.until.as_deref() {
            Some(text) => {
                let until = faults.time(&at, text)?;
                if let Err(wrong) = check_end(until, now) {
                    faults.add(&at, Fault::OutOfRange, wrong.to_string());
                }
                Some(until)
            }
            None => None,
        };
        Some(AgentPause { cause: PauseCause::Api, reason, by: None, until })
    }
}

impl Operation for PauseAgent {
    const ID: &'static str = "pause_agent";
    const SUMMARY: &'static str = "Pause the AI agent.";
    const DESCRIPTION: &'static str = "\
Pauses the AI agent in a conversation, so that a person can answer, and returns the conversation. The event
`conversation.agent_paused` is recorded if the agent was running. If the agent is paused already, the reason and the end of
the pause are replaced.";
    const METHOD: Method = Method::POST;
    const PATH: &'static str = "/api/v1/conversations/{id}/pause-agent";
    const ACCESS: Required<KeyHolder> = KeyHolder::with(Scope::ConversationsWrite);
    const SUCCESS: StatusCode = StatusCode::OK;
    const PROBLEMS: &'static [Code] = &[Code::NotFound];
    const BODY_OPTIONAL: bool = true;
    type Caller = KeyHolder;
    type Path = ConversationPath;
    type Input = PauseAgentBody;
    type Reply = ConversationRecord;

    fn example() -> ExampleOf<Self> {
        let reason = Some("A colleague takes over.".to_owned());
        let input = Some(PauseAgentBody { reason, until: None });
        Example { path: ConversationPath::sample(), input, reply: sample_record() }
    }

    async fn handle(mut call: Call<Self>) -> Result<Answer<ConversationRecord>, Problem> {
        let now = call.now;
        let pause = call.parse(|body, faults| body.parse(now, faults))?;
        let id = call.path.parse()?;
        let (reader, account) = (call.caller.reader(), call.bound_account());
        let found = inbox::pause_agent(&call.deps, reader, account, id, pause).await;
        Answer::new(Self::SUCCESS, &record(&found.map_err(problem)?)?)
    }
}

/// Lets the AI agent answer again in a conversation.
pub struct ResumeAgent;

impl Operation for ResumeAgent {
    const ID: &'static str = "resume_agent";
    const SUMMARY: &'static str = "Resume the AI agent.";
    const DESCRIPTION: &'static str = "\
Lets the AI agent answer again in a conversation, and returns the conversation. If the agent was paused, the event
`conversation.agent_resumed` is recorded. An agent of the kind `model` or `webhook` then also answers the contact's last message if
nobody has answered it and it is at most 24 hours old. Otherwise, or if that message would pause the agent again at once (`STOP`,
a request for a person), the agent answers from the next message on.";
    const METHOD: Method = Method::POST;
    const PATH: &'static str = "/api/v1/conversations/{id}/resume-agent";
    const ACCESS: Required<KeyHolder> = KeyHolder::with(Scope::ConversationsWrite);
    const SUCCESS: StatusCode = StatusCode::OK;
    const PROBLEMS: &'static [Code] = &[Code::NotFound];
    const BODY_OPTIONAL: bool = true;
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
        let found = inbox::resume_agent(&call.deps, reader, account, id).await;
        Answer::new(Self::SUCCESS, &record(&found.map_err(problem)?)?)
    }
}
