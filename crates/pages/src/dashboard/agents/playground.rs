//! The playground of an AI agent: a member talks to a draft of its settings as a customer would.
//! Nothing is sent, and only the cost is stored. An API key that a member types for a draft is used
//! for this draft only. The page carries it encrypted, with a key that only the member's browser
//! has.

use super::edit::{field_errors, page_error, unreachable_model};
use super::turn::{StepRow, step_rows, time_in_words, tokens_in_words};
use super::values::AgentValues;
use super::{AgentTab, named, tabs};
use crate::browser::{FieldErrors, Form, PageError, PagePolicy, sentence};
use crate::dashboard::AGENTS;
use crate::dashboard::frame::{Frame, MemberContext};
use crate::dashboard::once::run_to_completion;
use crate::dashboard::query::Query;
use actix_web::http::StatusCode;
use actix_web::{HttpRequest, HttpResponse, web};
use askama::Template;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD_NO_PAD;
use domain::agent::AgentConnection;
use domain::role::Area;
use http_layer::deps::ServerDeps;
use persistence::content::turn_trace::TraceStep;
use persistence::records::AiAgent;
use service::asking::DialogMessage;
use service::rehearsals::{MAX_REHEARSED_MESSAGES, RehearsalError, rehearse};
use service::turns;
use std::sync::Arc;

/// Maximum number of characters of one message of the member.
const MAX_SAID: usize = 4096;
/// The field with the encrypted API key of a draft.
const SEALED_KEY: &str = "sealed_key";
/// The prefixes of the hidden fields with the conversation so far: messages of the customer, and of
/// the agent.
const CUSTOMER: &str = "customer:";
const AGENT: &str = "agent:";

#[derive(Template)]
#[template(path = "agents/playground.html")]
struct PlaygroundPage {
    frame: Frame,
    token: String,
    agent: String,
    agent_path: String,
    path: String,
    questions_path: String,
    tabs: Vec<AgentTab>,
    said: Vec<SaidRow>,
    /// The settings of the draft except the instructions: name and value of each field.
    draft: Vec<(&'static str, String)>,
    instructions: String,
    /// The address of the draft's server, if it is not the saved one. The stored API key is not
    /// sent there.
    other_server: String,
    /// The API key that was typed for this draft, encrypted. Empty if there is none.
    sealed_key: String,
    steps: Vec<StepRow>,
    /// Time, tokens and cost of the last answer.
    summary: String,
    failure: String,
    errors: FieldErrors,
}

struct SaidRow {
    is_from_customer: bool,
    text: String,
    /// The value of the hidden field.
    value: String,
}

impl SaidRow {
    fn of(message: &DialogMessage) -> Self {
        let prefix = if message.is_from_customer { CUSTOMER } else { AGENT };
        Self {
            is_from_customer: message.is_from_customer,
            value: format!("{prefix}{}", message.text),
            text: message.text.clone(),
        }
    }
}

/// The content of the page except the settings.
#[derive(Default)]
struct Shown {
    sealed_key: String,
    dialog: Vec<DialogMessage>,
    steps: Vec<StepRow>,
    summary: String,
    failure: String,
    errors: FieldErrors,
}

pub async fn show(
    request: HttpRequest,
    deps: web::Data<Arc<ServerDeps>>,
) -> Result<HttpResponse, PageError> {
    let member_context = MemberContext::of(&request, &deps).await?;
    member_context.require(Area::Agents)?;
    let agent = named(&deps, &member_context, &request).await?;
    let values = AgentValues::of_agent(&agent, &[])?;
    let turn = Query::of(&request).value("turn").and_then(|id| id.parse().ok());
    let dialog = match turn {
        Some(id) => {
            let found = turns::find_with_trace(&deps, member_context.id(), id).await?;
            let (turn, trace) = found.ok_or(PageError::NotFound)?;
            if turn.agent_id != agent.id {
                return Err(PageError::NotFound);
            }
            dialog_of_trace(&trace.steps)
        }
        None => Vec::new(),
    };
    let shown = Shown { dialog, ..Shown::default() };
    Ok(render(&member_context, &agent, &values, shown, StatusCode::OK))
}

/// Returns the conversation that the model was given in a turn.
fn dialog_of_trace(steps: &[TraceStep]) -> Vec<DialogMessage> {
    let asked = steps.iter().find_map(|it| match it {
        TraceStep::Asked { messages, .. } => Some(messages),
        _ => None,
    });
    let Some(messages) = asked else { return Vec::new() };
    let message = |it: &persistence::content::turn_trace::TraceMessage| match it.role.as_str() {
        "user" => Some(DialogMessage::text(true, it.text.clone())),
        "assistant" => Some(DialogMessage::text(false, it.text.clone())),
        _ => None,
    };
    messages.iter().filter_map(message).collect()
}

fn render(
    member_context: &MemberContext,
    agent: &AiAgent,
    values: &AgentValues,
    shown: Shown,
    status: StatusCode,
) -> HttpResponse {
    let path = format!("{AGENTS}/{}", agent.id);
    let asks_saved_server = saved_address(agent).is_some_and(|it| it == address_of(values));
    let page = PlaygroundPage {
        frame: member_context.frame(AGENTS),
        token: member_context.token(),
        agent: agent.name.clone(),
        path: format!("{path}/playground"),
        questions_path: format!("{path}/questions"),
        agent_path: path,
        tabs: tabs(agent, "playground"),
        said: shown.dialog.iter().map(SaidRow::of).collect(),
        draft: values.carried(),
        instructions: values.general.instructions.clone(),
        other_server: if asks_saved_server { String::new() } else { address_of(values).to_owned() },
        sealed_key: shown.sealed_key,
        steps: shown.steps,
        summary: shown.summary,
        failure: shown.failure,
        errors: shown.errors,
    };
    PagePolicy::Dashboard.page(status, &page)
}

/// Returns the address of the saved model.
fn saved_address(agent: &AiAgent) -> Option<String> {
    match agent.settings().ok()?.connection {
        AgentConnection::Model(it) => Some(it.base_url),
        AgentConnection::Webhook { .. } | AgentConnection::Api => None,
    }
}

fn address_of(values: &AgentValues) -> &str {
    values.model.base_url.trim_end_matches('/')
}

/// Returns the purpose that the API key of a draft is encrypted for. With another agent or address
/// it cannot be decrypted.
fn purpose_of_key(agent: &AiAgent, values: &AgentValues) -> String {
    format!("key of a draft of {} for {}", agent.id, address_of(values))
}

/// Returns the API key that was typed for the draft, in this form or in an earlier one. Returns an
/// empty text if no key was typed.
///
/// # Errors
///
/// The error beside its field if the key was typed for another address, or before the member signed
/// in again.
fn key_of_draft(
    member_context: &MemberContext,
    agent: &AiAgent,
    values: &AgentValues,
    form: &Form,
) -> Result<String, FieldErrors> {
    let (typed, carried) = (form.value("api_key").trim(), form.value(SEALED_KEY));
    if !typed.is_empty() || carried.is_empty() {
        return Ok(typed.to_owned());
    }
    let sealed = STANDARD_NO_PAD.decode(carried).ok();
    let purpose = purpose_of_key(agent, values);
    let opened = sealed.and_then(|it| member_context.visitor.open(&purpose, &it));
    opened.ok_or_else(|| FieldErrors::one("api_key", "Enter the key of this server again."))
}

/// Encrypts the API key of a draft for the next form, with a key that only this browser has.
fn seal_key(
    deps: &ServerDeps,
    member_context: &MemberContext,
    agent: &AiAgent,
    values: &AgentValues,
    key: &str,
) -> Result<String, PageError> {
    if key.is_empty() {
        return Ok(String::new());
    }
    let purpose = purpose_of_key(agent, values);
    Ok(STANDARD_NO_PAD.encode(member_context.visitor.seal(deps, &purpose, &key)?))
}

/// Returns the conversation so far, from the hidden fields.
fn dialog_of_form(form: &Form) -> Vec<DialogMessage> {
    let message = |value: &str| {
        let customer = value.strip_prefix(CUSTOMER).map(|text| (true, text));
        let (is_from_customer, text) =
            customer.or_else(|| Some((false, value.strip_prefix(AGENT)?)))?;
        Some(DialogMessage::text(is_from_customer, text.chars().take(MAX_SAID).collect()))
    };
    let mut said: Vec<_> = form.values("said").filter_map(message).collect();
    said.split_off(said.len().saturating_sub(MAX_REHEARSED_MESSAGES))
}

pub async fn ask(
    request: HttpRequest,
    payload: web::Payload,
    deps: web::Data<Arc<ServerDeps>>,
) -> Result<HttpResponse, PageError> {
    run_to_completion(async move {
        let (member_context, form) = MemberContext::with_form(&request, payload, &deps).await?;
        member_context.require(Area::Agents)?;
        let agent = named(&deps, &member_context, &request).await?;
        let values = AgentValues::of_draft(&agent, &form)?;
        let mut shown = Shown { dialog: dialog_of_form(&form), ..Shown::default() };
        let api_key = match key_of_draft(&member_context, &agent, &values, &form) {
            Ok(key) => key,
            Err(errors) => {
                let status = StatusCode::UNPROCESSABLE_ENTITY;
                let shown = Shown { errors, ..shown };
                return Ok(render(&member_context, &agent, &values, shown, status));
            }
        };
        shown.sealed_key = seal_key(&deps, &member_context, &agent, &values, &api_key)?;
        match form.value("action") {
            // A page of the settings submits its draft with this action.
            "try" => return Ok(render(&member_context, &agent, &values, shown, StatusCode::OK)),
            "ask" => {}
            _ => return Err(PageError::UnknownAction),
        }
        let text: String = form.value("text").trim().chars().take(MAX_SAID).collect();
        let refused = |shown: Shown| {
            let status = StatusCode::UNPROCESSABLE_ENTITY;
            Ok(render(&member_context, &agent, &values, shown, status))
        };
        if text.is_empty() {
            shown.errors = FieldErrors::one("text", "Write something as a customer.");
            return refused(shown);
        }
        let draft = match values.draft_input(&api_key) {
            Ok(draft) => draft,
            Err(errors) => return refused(Shown { errors, ..shown }),
        };
        if let Some((field, sentence)) = unreachable_model(&deps, &agent, &values) {
            let errors = FieldErrors::one(field, sentence);
            return refused(Shown { errors, ..shown });
        }
        let mut dialog = shown.dialog.clone();
        dialog.push(DialogMessage::text(true, text));
        match rehearse(&deps, member_context.id(), &agent, &draft, dialog.clone()).await {
            Ok(reply) => {
                shown.steps = step_rows(&reply.trace);
                shown.summary = summary(&reply);
                match reply.answer {
                    Ok(body) => {
                        let texts = body.texts().unwrap_or_default();
                        if !texts.is_empty() {
                            dialog.push(DialogMessage::text(false, texts));
                        }
                    }
                    Err(failure) => shown.failure = sentence(&failure.reason),
                }
                shown.dialog = dialog;
                Ok(render(&member_context, &agent, &values, shown, StatusCode::OK))
            }
            Err(error @ RehearsalError::LimitReached) => {
                shown.failure = error.to_string();
                refused(shown)
            }
            Err(RehearsalError::NotAModel) => Err(PageError::NotFound),
            Err(RehearsalError::Agent(error)) => {
                shown.errors = field_errors(error)?;
                refused(shown)
            }
        }
    })
    .await
}

fn summary(reply: &service::asking::ModelReply) -> String {
    let took = u64::try_from(reply.took_ms).ok().map(time_in_words);
    let (tokens, _) = tokens_in_words(reply.spending);
    let tokens = (!tokens.is_empty()).then(|| format!("{tokens} tokens"));
    let facts = [took, tokens, reply.spending.cost_in_words()];
    facts.into_iter().flatten().collect::<Vec<_>>().join(" · ")
}

/// Tests the connection of an agent, and shows what its server can do.
pub async fn test_connection(
    request: HttpRequest,
    payload: web::Payload,
    deps: web::Data<Arc<ServerDeps>>,
) -> Result<HttpResponse, PageError> {
    run_to_completion(async move {
        let (member_context, form) = MemberContext::with_form(&request, payload, &deps).await?;
        member_context.require(Area::Agents)?;
        if form.value("action") != "test" {
            return Err(PageError::UnknownAction);
        }
        let agent = named(&deps, &member_context, &request).await?;
        let access = service::asking::AskingDeps::of(&deps);
        let report = service::rehearsals::test_agent(access, &deps.sealing, &agent).await;
        let report = report.map_err(page_error)?;
        let page = ConnectionPage {
            frame: member_context.frame(AGENTS),
            token: member_context.token(),
            agent: agent.name.clone(),
            path: format!("{AGENTS}/{}/connection", agent.id),
            agent_path: format!("{AGENTS}/{}", agent.id),
            tabs: tabs(&agent, ""),
            works: report.works(),
            checks: report.checks.iter().map(AnswerCheckRow::of).collect(),
        };
        Ok(PagePolicy::Dashboard.page(StatusCode::OK, &page))
    })
    .await
}

#[derive(Template)]
#[template(path = "agents/connection.html")]
struct ConnectionPage {
    frame: Frame,
    token: String,
    agent: String,
    agent_path: String,
    path: String,
    tabs: Vec<AgentTab>,
    works: bool,
    checks: Vec<AnswerCheckRow>,
}

struct AnswerCheckRow {
    class: &'static str,
    icon: &'static str,
    title: String,
    detail: String,
}

impl AnswerCheckRow {
    fn of(check: &service::asking::ConnectionCheck) -> Self {
        use service::asking::CheckOutcome::{Failed, Missing, Works};
        let (class, icon) = match check.outcome {
            Works => ("ok", "check"),
            Missing => ("warn", "minus"),
            Failed => ("bad", "x"),
        };
        Self { class, icon, title: check.finding(), detail: sentence(&check.detail) }
    }
}
