//! `POST /api/v1/agents/{id}/test` (`docs/contract.md#ai-agents`).

use crate::admission::{KeyHolder, Required};
use crate::operation::{Answer, Call, Example, ExampleOf, Nothing, Operation};
use actix_web::http::{Method, StatusCode};
use api_types::sample;
use api_types::schema::IdOf;
use domain::agent::AgentKind;
use domain::id;
use domain::scope::Scope;
use http_layer::problem::{Code, Problem};
use persistence::records::AiAgent;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use service::agents::{self, AgentError};
use service::rehearsals::{QuestionResult, RehearsalError, run_questions};

/// Asks an AI agent the questions of its business.
pub struct TestAgent;

/// The AI agent.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub struct AgentPath {
    /// The id of the AI agent.
    #[schemars(with = "IdOf<id::AiAgent>")]
    id: String,
}

/// The results of the questions.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "AgentTest")]
pub struct AgentTestReply {
    /// Whether all questions passed.
    passed: bool,
    /// The results, in the order of the questions.
    questions: Vec<QuestionReply>,
}

/// The result of one question.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "AgentTestQuestion")]
struct QuestionReply {
    /// What the customer writes.
    question: String,
    /// Whether the answer has what it must have, and nothing that it must not have.
    passed: bool,
    /// The text of the answer. Null if the agent said nothing.
    answer: Option<String>,
    /// Whether the agent handed the conversation over.
    handed_over: bool,
    /// What is wrong, in words.
    problems: Vec<String>,
    /// How long the answer took, in milliseconds.
    took_ms: i32,
}

impl QuestionReply {
    fn of(result: QuestionResult) -> Self {
        let passed = result.is_passed();
        let flaws = result.flaws.iter().map(ToString::to_string);
        Self {
            passed,
            problems: result.failure.into_iter().chain(flaws).collect(),
            question: result.question.text,
            answer: Some(result.answer).filter(|it| !it.is_empty()),
            handed_over: result.is_handed_over,
            took_ms: result.took_ms,
        }
    }
}

impl Operation for TestAgent {
    const ID: &'static str = "test_agent";
    const SUMMARY: &'static str = "Ask an AI agent its questions.";
    const DESCRIPTION: &'static str = "\
Asks an AI agent of the kind `model` the questions that are saved on its page, each in a conversation of its own, and compares
the answers with what they must and must not have. Nothing is sent to customers, but look-ups are asked, and the cost counts.
The answer takes as long as the model: wait for up to ten minutes. An agent of another kind is a 404.";
    const METHOD: Method = Method::POST;
    const PATH: &'static str = "/api/v1/agents/{id}/test";
    const ACCESS: Required<KeyHolder> = KeyHolder::with(Scope::AgentReply);
    const SUCCESS: StatusCode = StatusCode::OK;
    const PROBLEMS: &'static [Code] = &[Code::NotFound];
    const BODY_OPTIONAL: bool = true;
    type Caller = KeyHolder;
    type Path = AgentPath;
    type Input = Nothing;
    type Reply = AgentTestReply;

    fn example() -> ExampleOf<Self> {
        let question = QuestionReply {
            question: "When do you open on Saturday?".to_owned(),
            passed: true,
            answer: Some("We open at 7 AM on Saturdays.".to_owned()),
            handed_over: false,
            problems: Vec::new(),
            took_ms: 1234,
        };
        Example {
            path: AgentPath { id: sample::AGENT.to_string() },
            input: None,
            reply: AgentTestReply { passed: true, questions: vec![question] },
        }
    }

    async fn handle(mut call: Call<Self>) -> Result<Answer<AgentTestReply>, Problem> {
        call.parse(|_, _| Some(()))?;
        let agent = find(&call).await?;
        let organization = agent.organization_id;
        // The questions run in a task of their own, so that their cost is counted even if the
        // client disconnects.
        let deps = call.deps.clone();
        let asked =
            tokio::spawn(async move { run_questions(&deps, organization, &agent).await }).await;
        let results = asked.map_err(|error| Problem::internal(&error))?.map_err(problem)?;
        let questions: Vec<_> = results.into_iter().map(QuestionReply::of).collect();
        let passed = questions.iter().all(|it| it.passed);
        Answer::new(Self::SUCCESS, &AgentTestReply { passed, questions })
    }
}

fn unknown() -> Problem {
    Problem::not_found("agent")
}

/// Returns the agent in the path. A key that is bound to a number tests the agent of that number.
async fn find(call: &Call<TestAgent>) -> Result<AiAgent, Problem> {
    let id = call.path.id.parse().map_err(|_| unknown())?;
    let (deps, organization) = (&call.deps, call.caller.reader().organization);
    let found =
        agents::list(deps, organization).await?.into_iter().find(|(agent, _)| agent.id == id);
    let (agent, accounts) = found.ok_or_else(unknown)?;
    let is_reachable = call.bound_account().is_none_or(|bound| accounts.contains(&bound));
    if agent.kind != AgentKind::Model || !is_reachable {
        return Err(unknown());
    }
    Ok(agent)
}

fn problem(error: RehearsalError) -> Problem {
    match error {
        RehearsalError::NotAModel | RehearsalError::Agent(AgentError::NotFound) => unknown(),
        RehearsalError::Agent(AgentError::Database(error)) => error.into(),
        error @ (RehearsalError::LimitReached | RehearsalError::Agent(_)) => {
            Problem::internal(&error)
        }
    }
}
