//! The questions with which a business checks its AI agent.

use super::edit::{entry_outcome, page_error};
use super::turn::time_in_words;
use super::{AgentTab, entry_id, named, tabs};
use crate::browser::{FieldErrors, Form, PageError, PagePolicy};
use crate::dashboard::AGENTS;
use crate::dashboard::frame::{Frame, MemberContext};
use crate::dashboard::notice::Notice;
use crate::dashboard::once::run_to_completion;
use crate::dashboard::query::Query;
use actix_web::http::StatusCode;
use actix_web::{HttpRequest, HttpResponse, web};
use askama::Template;
use domain::agent::{AgentEntryKind, Expectation, MAX_QUESTION_LENGTH, MAX_QUESTIONS};
use domain::role::Area;
use http_layer::deps::ServerDeps;
use persistence::records::AiAgent;
use service::agent_entries;
use service::rehearsals::{QuestionResult, RehearsalError, run_questions};
use std::sync::Arc;

#[derive(Template)]
#[template(path = "agents/questions.html")]
struct QuestionsPage {
    frame: Frame,
    token: String,
    agent: String,
    agent_path: String,
    path: String,
    tabs: Vec<AgentTab>,
    rows: Vec<ShownQuestion>,
    most: usize,
    max_length: usize,
    /// The number of questions that passed, in words. Empty before the questions are run.
    summary: String,
    all_passed: bool,
    values: QuestionValues,
    errors: FieldErrors,
}

struct ShownQuestion {
    id: String,
    text: String,
    expected: String,
    result: Option<ResultRow>,
}

struct ResultRow {
    is_passed: bool,
    answer: String,
    why: String,
    took: String,
}

/// The submitted fields of a question.
#[derive(Default)]
struct QuestionValues {
    edited: String,
    text: String,
    must: String,
    must_not: String,
}

impl QuestionValues {
    fn of_form(form: &Form) -> Self {
        Self {
            edited: form.value("entry").to_owned(),
            text: form.value("text").to_owned(),
            must: form.value("must").to_owned(),
            must_not: form.value("must_not").to_owned(),
        }
    }

    fn expectation(&self) -> Expectation {
        let phrases = |text: &str| -> Vec<String> {
            let lines = text.lines().map(str::trim).filter(|it| !it.is_empty());
            lines.map(str::to_owned).collect()
        };
        Expectation { must: phrases(&self.must), must_not: phrases(&self.must_not) }
    }
}

pub async fn show(
    request: HttpRequest,
    deps: web::Data<Arc<ServerDeps>>,
) -> Result<HttpResponse, PageError> {
    let member_context = MemberContext::of(&request, &deps).await?;
    member_context.require(Area::Agents)?;
    let agent = named(&deps, &member_context, &request).await?;
    let edited = Query::of(&request).value("edit").unwrap_or_default().to_owned();
    let values = QuestionValues { edited, ..QuestionValues::default() };
    let (errors, status) = (FieldErrors::default(), StatusCode::OK);
    render(&deps, &member_context, &agent, values, None, errors, status).await
}

async fn render(
    deps: &ServerDeps,
    member_context: &MemberContext,
    agent: &AiAgent,
    mut values: QuestionValues,
    results: Option<Vec<QuestionResult>>,
    errors: FieldErrors,
    status: StatusCode,
) -> Result<HttpResponse, PageError> {
    let questions = agent_entries::list_questions(deps, member_context.id(), agent.id).await;
    let questions = questions.map_err(page_error)?;
    if errors.is_empty()
        && let Some(found) = questions.iter().find(|it| it.id.to_string() == values.edited)
    {
        values.text.clone_from(&found.content.text);
        values.must = found.content.expected.must.join("\n");
        values.must_not = found.content.expected.must_not.join("\n");
    }
    let of = results.as_deref().unwrap_or_default();
    let rows = questions.iter().map(|it| ShownQuestion {
        id: it.id.to_string(),
        text: it.content.text.clone(),
        expected: in_words(&it.content.expected),
        result: of.iter().find(|result| result.id == it.id).map(result_row),
    });
    let passed = of.iter().filter(|it| it.is_passed()).count();
    let page = QuestionsPage {
        frame: member_context.frame(AGENTS),
        token: member_context.token(),
        agent: agent.name.clone(),
        agent_path: format!("{AGENTS}/{}", agent.id),
        path: format!("{AGENTS}/{}/questions", agent.id),
        tabs: tabs(agent, "questions"),
        rows: rows.collect(),
        most: MAX_QUESTIONS,
        max_length: MAX_QUESTION_LENGTH,
        summary: if results.is_some() {
            format!("{passed} of {} passed", of.len())
        } else {
            String::new()
        },
        all_passed: passed == of.len(),
        values,
        errors,
    };
    Ok(PagePolicy::Dashboard.page(status, &page))
}

fn in_words(expected: &Expectation) -> String {
    let quoted = |phrases: &[String]| {
        phrases.iter().map(|it| format!("“{it}”")).collect::<Vec<_>>().join(", ")
    };
    match (expected.must.as_slice(), expected.must_not.as_slice()) {
        ([], []) => "Any answer passes.".to_owned(),
        (must, []) => format!("Must contain {}.", quoted(must)),
        ([], must_not) => format!("Must not contain {}.", quoted(must_not)),
        (must, must_not) => {
            format!("Must contain {}, and must not contain {}.", quoted(must), quoted(must_not))
        }
    }
}

fn result_row(result: &QuestionResult) -> ResultRow {
    let flaws = result.flaws.iter().map(ToString::to_string);
    let why: Vec<String> = result.failure.clone().into_iter().chain(flaws).collect();
    let answer = match (result.answer.as_str(), result.is_handed_over) {
        ("", true) => "(handed over)",
        ("", false) => "(nothing)",
        (answer, _) => answer,
    };
    ResultRow {
        is_passed: result.is_passed(),
        answer: answer.to_owned(),
        why: why.join("; "),
        took: u64::try_from(result.took_ms).ok().map(time_in_words).unwrap_or_default(),
    }
}

pub async fn save(
    request: HttpRequest,
    payload: web::Payload,
    deps: web::Data<Arc<ServerDeps>>,
) -> Result<HttpResponse, PageError> {
    run_to_completion(async move {
        let (member_context, form) = MemberContext::with_form(&request, payload, &deps).await?;
        member_context.require(Area::Agents)?;
        let agent = named(&deps, &member_context, &request).await?;
        let unprocessable = StatusCode::UNPROCESSABLE_ENTITY;
        if form.value("action") == "run" {
            let (values, errors) = (QuestionValues::default(), FieldErrors::default());
            return match run_questions(&deps, member_context.id(), &agent).await {
                Ok(results) => {
                    let (results, status) = (Some(results), StatusCode::OK);
                    render(&deps, &member_context, &agent, values, results, errors, status).await
                }
                Err(RehearsalError::Agent(error)) => Err(page_error(error)),
                Err(error) => {
                    let errors = FieldErrors::one("", error.to_string());
                    render(&deps, &member_context, &agent, values, None, errors, unprocessable)
                        .await
                }
            };
        }
        let location = format!("{AGENTS}/{}/questions", agent.id);
        let work = async {
            let agents = member_context.actor(&deps).agents();
            let id = entry_id(&form)?;
            let values = QuestionValues::of_form(&form);
            match form.value("action") {
                "save" => {
                    let expected = values.expectation();
                    let written = agents.write_question(&agent, id, &values.text, expected).await;
                    entry_outcome(written, location, Notice::saying("Saved", ""))
                }
                "delete" => {
                    let id = id.ok_or(PageError::UnknownAction)?;
                    let deleted = agents.delete_entry(&agent, AgentEntryKind::Question, id).await;
                    entry_outcome(deleted, location, Notice::saying("Question deleted", ""))
                }
                _ => Err(PageError::UnknownAction),
            }
        };
        let refused = async |errors: FieldErrors| {
            let values = QuestionValues::of_form(&form);
            render(&deps, &member_context, &agent, values, None, errors, unprocessable).await
        };
        member_context.once_or(&deps, &request, &form, work, refused).await
    })
    .await
}
