//! The look-ups of an AI agent.

use super::edit::{entry_outcome, page_error};
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
use domain::agent::{AgentEntryKind, MAX_LOOK_UPS};
use domain::role::Area;
use http_layer::deps::ServerDeps;
use persistence::records::AiAgent;
use service::agent_entries::{self, LookUpInput};
use std::sync::Arc;

#[derive(Template)]
#[template(path = "agents/look_ups.html")]
struct LookUpsPage {
    frame: Frame,
    token: String,
    agent: String,
    agent_path: String,
    path: String,
    tabs: Vec<AgentTab>,
    rows: Vec<LookUpRow>,
    most: usize,
    values: LookUpValues,
    errors: FieldErrors,
}

struct LookUpRow {
    id: String,
    name: String,
    url: String,
    updated: ShownTime,
}

/// The submitted fields of a look-up, without the secret.
#[derive(Default)]
struct LookUpValues {
    /// The id of the look-up that the form changes; empty for a new one.
    edited: String,
    name: String,
    description: String,
    url: String,
    parameters: String,
    header: String,
}

impl LookUpValues {
    fn of_form(form: &Form) -> Self {
        Self {
            edited: form.value("entry").to_owned(),
            name: form.value("name").to_owned(),
            description: form.value("description").to_owned(),
            url: form.value("url").to_owned(),
            parameters: form.value("parameters").to_owned(),
            header: form.value("header").to_owned(),
        }
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
    let values = LookUpValues { edited, ..LookUpValues::default() };
    render(&deps, &member_context, &agent, values, FieldErrors::default(), StatusCode::OK).await
}

async fn render(
    deps: &ServerDeps,
    member_context: &MemberContext,
    agent: &AiAgent,
    mut values: LookUpValues,
    errors: FieldErrors,
    status: StatusCode,
) -> Result<HttpResponse, PageError> {
    let look_ups = agent_entries::list_look_ups(deps, member_context.id(), agent.id).await;
    let look_ups = look_ups.map_err(page_error)?;
    if errors.is_empty()
        && let Some(found) = look_ups.iter().find(|it| it.id.to_string() == values.edited)
    {
        let it = found.content.clone();
        values = LookUpValues {
            edited: values.edited,
            name: it.name,
            description: it.description,
            url: it.url,
            parameters: it.parameters,
            header: it.header.unwrap_or_default(),
        };
    }
    let now = deps.clock.now();
    let row = |it: &service::agent_entries::StoredEntry<_>| {
        let content: &persistence::content::agent_entries::LookUp = &it.content;
        LookUpRow {
            id: it.id.to_string(),
            name: content.name.clone(),
            url: content.url.clone(),
            updated: ShownTime::relative(it.updated_at, now),
        }
    };
    let page = LookUpsPage {
        frame: member_context.frame(AGENTS),
        token: member_context.token(),
        agent: agent.name.clone(),
        agent_path: format!("{AGENTS}/{}", agent.id),
        path: format!("{AGENTS}/{}/look-ups", agent.id),
        tabs: tabs(agent, "look-ups"),
        rows: look_ups.iter().map(row).collect(),
        most: MAX_LOOK_UPS,
        values,
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
        let location = format!("{AGENTS}/{}/look-ups", agent.id);
        let work = async {
            let agents = member_context.actor(&deps).agents();
            let id = entry_id(&form)?;
            match form.value("action") {
                "save" => {
                    if let Err(why) = deps.outbound.guarded.check(form.value("url").trim()) {
                        let sentence = format!("This address cannot be called: {why}.");
                        return Ok(Err(FieldErrors::one("url", sentence)));
                    }
                    let input = LookUpInput {
                        name: form.value("name"),
                        description: form.value("description"),
                        url: form.value("url"),
                        parameters: form.value("parameters"),
                        header: form.value("header"),
                        secret: form.value("secret"),
                    };
                    let written = agents.write_look_up(&agent, id, &input).await;
                    let notice = Notice::saying("Saved", "The next answer may use it.");
                    entry_outcome(written, location, notice)
                }
                "delete" => {
                    let id = id.ok_or(PageError::UnknownAction)?;
                    let deleted = agents.delete_entry(&agent, AgentEntryKind::LookUp, id).await;
                    entry_outcome(deleted, location, Notice::saying("Look-up deleted", ""))
                }
                _ => Err(PageError::UnknownAction),
            }
        };
        let refused = async |errors: FieldErrors| {
            let (values, status) = (LookUpValues::of_form(&form), StatusCode::UNPROCESSABLE_ENTITY);
            render(&deps, &member_context, &agent, values, errors, status).await
        };
        member_context.once_or(&deps, &request, &form, work, refused).await
    })
    .await
}
