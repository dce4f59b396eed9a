//! The facts of an AI agent.

use super::edit::entry_outcome;
use super::{AgentTab, entry_id, named, tabs};
use crate::browser::{FieldErrors, Form, PageError, PagePolicy, ShownTime};
use crate::dashboard::AGENTS;
use crate::dashboard::frame::{Frame, MemberContext};
use crate::dashboard::notice::Notice;
use crate::dashboard::once::run_to_completion;
use crate::dashboard::query::Query;
use actix_web::http::StatusCode;
use actix_web::{HttpRequest, HttpResponse, web};
use askama::Template;
use domain::agent::{
    AgentEntryKind, MAX_FACT_TITLE_LENGTH, MAX_FACTS_BYTES, MAX_GIVEN_FACTS_BYTES,
};
use domain::role::Area;
use http_layer::deps::ServerDeps;
use persistence::records::AiAgent;
use service::agent_entries;
use std::sync::Arc;

#[derive(Template)]
#[template(path = "agents/facts.html")]
struct FactsPage {
    frame: Frame,
    token: String,
    agent: String,
    agent_path: String,
    path: String,
    tabs: Vec<AgentTab>,
    rows: Vec<ShownFact>,
    /// In KiB, with one decimal.
    used: String,
    used_bytes: usize,
    most_bytes: usize,
    given_kib: usize,
    max_title: usize,
    /// The id of the fact that the form changes; empty for a new one.
    edited: String,
    title: String,
    text: String,
    errors: FieldErrors,
}

struct ShownFact {
    id: String,
    title: String,
    updated: ShownTime,
}

pub async fn show(
    request: HttpRequest,
    deps: web::Data<Arc<ServerDeps>>,
) -> Result<HttpResponse, PageError> {
    let member_context = MemberContext::of(&request, &deps).await?;
    member_context.require(Area::Agents)?;
    let agent = named(&deps, &member_context, &request).await?;
    let edited = Query::of(&request).value("edit").unwrap_or_default().to_owned();
    let form = Values { edited, ..Values::default() };
    render(&deps, &member_context, &agent, form, FieldErrors::default(), StatusCode::OK).await
}

#[derive(Default)]
struct Values {
    edited: String,
    title: String,
    text: String,
}

impl Values {
    fn of_form(form: &Form) -> Self {
        Self {
            edited: form.value("entry").to_owned(),
            title: form.value("title").to_owned(),
            text: form.value("text").to_owned(),
        }
    }
}

async fn render(
    deps: &ServerDeps,
    member_context: &MemberContext,
    agent: &AiAgent,
    mut values: Values,
    errors: FieldErrors,
    status: StatusCode,
) -> Result<HttpResponse, PageError> {
    let facts = agent_entries::list_facts(deps, member_context.id(), agent.id).await;
    let facts = facts.map_err(super::edit::page_error)?;
    if errors.is_empty()
        && let Some(fact) = facts.iter().find(|it| it.id.to_string() == values.edited)
    {
        values.title.clone_from(&fact.content.title);
        values.text.clone_from(&fact.content.text);
    }
    let used_bytes: usize = facts.iter().map(|it| it.content.size()).sum();
    let now = deps.clock.now();
    let page = FactsPage {
        frame: member_context.frame(AGENTS),
        token: member_context.token(),
        agent: agent.name.clone(),
        agent_path: format!("{AGENTS}/{}", agent.id),
        path: format!("{AGENTS}/{}/facts", agent.id),
        tabs: tabs(agent, "facts"),
        rows: facts
            .iter()
            .map(|it| ShownFact {
                id: it.id.to_string(),
                title: it.content.title.clone(),
                updated: ShownTime::relative(it.updated_at, now),
            })
            .collect(),
        used: match used_bytes {
            0 => "0".to_owned(),
            bytes => format!("{}.{}", bytes / 1024, bytes % 1024 * 10 / 1024),
        },
        used_bytes,
        most_bytes: MAX_FACTS_BYTES,
        given_kib: MAX_GIVEN_FACTS_BYTES / 1024,
        max_title: MAX_FACT_TITLE_LENGTH,
        edited: values.edited,
        title: values.title,
        text: values.text,
        errors,
    };
    Ok(PagePolicy::Dashboard.page(status, &page))
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
        let location = format!("{AGENTS}/{}/facts", agent.id);
        let work = async {
            let agents = member_context.actor(&deps).agents();
            let id = entry_id(&form)?;
            match form.value("action") {
                "save" => {
                    let (title, text) = (form.value("title"), form.value("text"));
                    let written = agents.write_fact(&agent, id, title, text).await;
                    let notice = Notice::saying("Saved", "The next answer uses it.");
                    entry_outcome(written, location, notice)
                }
                "delete" => {
                    let id = id.ok_or(PageError::UnknownAction)?;
                    let deleted = agents.delete_entry(&agent, AgentEntryKind::Fact, id).await;
                    entry_outcome(deleted, location, Notice::saying("Fact deleted", ""))
                }
                _ => Err(PageError::UnknownAction),
            }
        };
        let refused = async |errors: FieldErrors| {
            let (values, status) = (Values::of_form(&form), StatusCode::UNPROCESSABLE_ENTITY);
            render(&deps, &member_context, &agent, values, errors, status).await
        };
        member_context.once_or(&deps, &request, &form, work, refused).await
    })
    .await
}
