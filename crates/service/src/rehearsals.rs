//! Rehearsals: a model is asked without a customer, and nothing is sent
//! (`docs/contract.md#ai-agents`).

use crate::agent_entries::{StoredEntry, list_questions};
use crate::agents::{AgentError, AgentInput, api_key_of, draft_of, open_secret};
use crate::asking::{
    AskingDeps, ConnectionReport, DialogMessage, Knowledge, ModelQuestion, ModelReply, TestedAgent,
    ask_model, load_knowledge, test_connection,
};
use domain::agent::{AgentConnection, AgentSettings, AnswerFlaw, MAX_QUESTIONS, foreign_host};
use domain::id::{AgentEntryId, OrganizationId};
use futures_util::StreamExt as _;
use persistence::content::agent_entries::AgentQuestion;
use persistence::content::turn_trace::{TraceStep, TurnTrace};
use persistence::records::AiAgent;
use platform::Deps;
use std::time::Duration;

/// Number of questions that are asked at a time.
const AT_A_TIME: usize = 8;
/// Maximum number of messages in a rehearsal.
pub const MAX_REHEARSED_MESSAGES: usize = 60;

/// The reason why an agent is not rehearsed.
#[derive(Debug, thiserror::Error)]
pub enum RehearsalError {
    /// Only models can be asked without a customer.
    #[error("only an agent of the kind model can be tried out")]
    NotAModel,
    #[error("the agents have reached the limit of costs of this month")]
    LimitReached,
    #[error(transparent)]
    Agent(#[from] AgentError),
}

impl From<persistence::Error> for RehearsalError {
    fn from(error: persistence::Error) -> Self {
        Self::Agent(error.into())
    }
}

/// The result of a question.
#[derive(Clone, Debug)]
pub struct QuestionResult {
    pub id: AgentEntryId,
    pub question: AgentQuestion,
    /// The texts of the answer. Empty if the agent said nothing.
    pub answer: String,
    /// Whether the agent handed the conversation over.
    pub is_handed_over: bool,
    pub flaws: Vec<AnswerFlaw>,
    /// The reason why there is no answer.
    pub failure: Option<String>,
    pub took_ms: i32,
    pub trace: TurnTrace,
}

impl QuestionResult {
    #[must_use]
    pub fn is_passed(&self) -> bool {
        self.failure.is_none() && self.flaws.is_empty()
    }
}

/// A model that is rehearsed.
struct Rehearsal {
    settings: AgentSettings,
    api_key: Option<String>,
    knowledge: Knowledge,
}

impl Rehearsal {
    async fn of(
        deps: &Deps,
        organization: OrganizationId,
        agent: &AiAgent,
        draft: &AgentInput<'_>,
    ) -> Result<Self, RehearsalError> {
        let saved = agent.settings().map_err(AgentError::from)?;
        let settings = draft_of(saved.clone(), draft)?;
        let (AgentConnection::Model(saved), AgentConnection::Model(connection)) =
            (&saved.connection, &settings.connection)
        else {
            return Err(RehearsalError::NotAModel);
        };
        // The stored key is sent only to the server for which it was entered.
        let api_key = match draft.api_key.map(str::trim).filter(|it| !it.is_empty()) {
            Some(key) => Some(api_key_of(key)?),
            None if saved.base_url == connection.base_url => {
                open_secret(&deps.sealing, agent).map_err(AgentError::from)?
            }
            None => None,
        };
        check_cost(deps, organization).await?;
        let knowledge = load_knowledge(deps, organization, agent.id, &settings).await?;
        Ok(Self { settings, api_key, knowledge })
    }

    async fn ask(&self, deps: &Deps, dialog: Vec<DialogMessage>) -> Option<ModelReply> {
        let AgentConnection::Model(connection) = &self.settings.connection else { return None };
        let question = ModelQuestion {
            settings: &self.settings,
            connection,
            api_key: self.api_key.clone(),
            knowledge: &self.knowledge,
            conversation: None,
            contact: None,
            dialog,
            is_last_attempt: true,
            trace: TurnTrace::default(),
            time_limit: deps.settings.channel.agent_timeout,
            used: Duration::ZERO,
            is_sent: true,
        };
        let mut reply = ask_model(AskingDeps::of(deps), &question).await;
        if let Ok(body) = &reply.answer {
            reply.trace.add(&TraceStep::Answered { answer: body.written() });
        }
        Some(reply)
    }
}

/// Rejects a rehearsal if the month's limit of costs is reached.
async fn check_cost(deps: &Deps, organization: OrganizationId) -> Result<(), RehearsalError> {
    let organization_db = deps.db.organization(organization);
    let has_room = organization_db.has_room_for_agent_cost(deps.clock.now()).await?;
    if has_room { Ok(()) } else { Err(RehearsalError::LimitReached) }
}

/// Asks a model with a draft of its settings, and counts the cost.
pub async fn rehearse(
    deps: &Deps,
    organization: OrganizationId,
    agent: &AiAgent,
    draft: &AgentInput<'_>,
    dialog: Vec<DialogMessage>,
) -> Result<ModelReply, RehearsalError> {
    let rehearsal = Rehearsal::of(deps, organization, agent, draft).await?;
    let reply = rehearsal.ask(deps, dialog).await.ok_or(RehearsalError::NotAModel)?;
    let (organization_db, now) = (deps.db.organization(organization), deps.clock.now());
    organization_db.add_agent_spending(agent.id, reply.spending, now).await?;
    Ok(reply)
}

/// Asks a model the questions of its business, each in a conversation of its own, and compares the
/// answers with the expected ones. The cost of each question is counted when it was answered. Run
/// this function to completion: if the future is dropped, the cost of unfinished requests is not
/// counted.
pub async fn run_questions(
    deps: &Deps,
    organization: OrganizationId,
    agent: &AiAgent,
) -> Result<Vec<QuestionResult>, RehearsalError> {
    let questions = list_questions(deps, organization, agent.id).await?;
    let rehearsal = match Rehearsal::of(deps, organization, agent, &AgentInput::default()).await {
        Ok(rehearsal) => rehearsal,
        Err(error @ RehearsalError::LimitReached) => {
            let reason = error.to_string();
            return Ok(questions.into_iter().map(|it| unasked(it, &reason)).collect());
        }
        Err(error) => return Err(error),
    };
    let asked = questions.into_iter().take(MAX_QUESTIONS).map(|entry| {
        let rehearsal = &rehearsal;
        async move {
            match check_cost(deps, organization).await {
                Ok(()) => {}
                Err(error @ RehearsalError::LimitReached) => {
                    return Ok(Some(unasked(entry, &error.to_string())));
                }
                Err(error) => return Err(error),
            }
            let dialog = vec![DialogMessage::text(true, entry.content.text.clone())];
            let Some(reply) = rehearsal.ask(deps, dialog).await else { return Ok(None) };
            let (organization_db, now) = (deps.db.organization(organization), deps.clock.now());
            organization_db.add_agent_spending(agent.id, reply.spending, now).await?;
            Ok(Some(compared(entry, reply, &rehearsal.settings)))
        }
    });
    let results: Vec<Result<Option<QuestionResult>, RehearsalError>> =
        futures_util::stream::iter(asked).buffered(AT_A_TIME).collect().await;
    let results: Result<Vec<_>, _> = results.into_iter().collect();
    Ok(results?.into_iter().flatten().collect())
}

/// Returns the result of a question that was not asked.
fn unasked(entry: StoredEntry<AgentQuestion>, reason: &str) -> QuestionResult {
    QuestionResult {
        id: entry.id,
        question: entry.content,
        answer: String::new(),
        is_handed_over: false,
        flaws: Vec::new(),
        failure: Some(reason.to_owned()),
        took_ms: 0,
        trace: TurnTrace::default(),
    }
}

fn compared(
    entry: StoredEntry<AgentQuestion>,
    reply: ModelReply,
    settings: &AgentSettings,
) -> QuestionResult {
    let StoredEntry { id, content: question, .. } = entry;
    let (took_ms, trace) = (reply.took_ms, reply.trace);
    let of = |answer: String, is_handed_over, failure| {
        let flaws = question.expected.flaws(&answer);
        let question = question.clone();
        QuestionResult { id, question, answer, is_handed_over, flaws, failure, took_ms, trace }
    };
    match reply.answer {
        Ok(body) => {
            let answer = body.texts().unwrap_or_default();
            let host = body.linking_texts().iter().find_map(|it| {
                let host = foreign_host(it, &settings.link_hosts)?;
                Some(format!("links to {host}, which is not among the hosts for links"))
            });
            of(answer, body.hand_over_reason().is_some(), host)
        }
        Err(failure) => of(String::new(), false, Some(failure.reason)),
    }
}

/// Tests the server of an agent.
pub async fn test_agent(
    deps: AskingDeps<'_>,
    sealing: &platform::sealing::Sealing,
    agent: &AiAgent,
) -> Result<ConnectionReport, AgentError> {
    let settings = agent.settings()?;
    let secret = open_secret(sealing, agent)?;
    let tested = TestedAgent {
        organization: agent.organization_id,
        id: agent.id,
        settings: &settings,
        secret,
    };
    Ok(test_connection(deps, &tested).await)
}
