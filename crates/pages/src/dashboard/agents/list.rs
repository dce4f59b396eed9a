//! `/agents`: the AI agents of the organization.

use super::{kind_name, state};
use crate::browser::{PageError, PagePolicy, ShownTime, StateLabel};
use crate::dashboard::AGENTS;
use crate::dashboard::frame::{Frame, MemberContext};
use actix_web::http::StatusCode;
use actix_web::{HttpRequest, HttpResponse, web};
use askama::Template;
use domain::role::Area;
use http_layer::deps::Deps;
use service::accounts;
use service::agents::Agents;
use std::sync::Arc;

#[derive(Template)]
#[template(path = "agents/list.html")]
struct AgentsPage {
    frame: Frame,
    rows: Vec<AgentRow>,
}

struct AgentRow {
    path: String,
    name: String,
    kind: &'static str,
    state: StateLabel,
    /// The numbers on which it answers, in words.
    numbers: String,
    updated: ShownTime,
}

pub async fn show(
    request: HttpRequest,
    deps: web::Data<Arc<Deps>>,
) -> Result<HttpResponse, PageError> {
    let member_context = MemberContext::of(&request, &deps).await?;
    member_context.require(Area::Agents)?;
    let agents = Agents::of(&deps, member_context.id()).list().await?;
    let accounts = accounts::list(&deps, member_context.reader()).await?;
    let now = deps.clock.now();
    let rows = agents.into_iter().map(|(agent, on)| {
        let names = on.iter().filter_map(|id| accounts.iter().find(|it| it.id == *id));
        let names: Vec<&str> = names.map(|it| it.display_name.as_str()).collect();
        AgentRow {
            path: format!("{AGENTS}/{}", agent.id),
            kind: kind_name(agent.kind),
            state: state(agent.mode),
            numbers: if names.is_empty() { "No number".to_owned() } else { names.join(", ") },
            updated: ShownTime::relative(agent.updated_at, now),
            name: agent.name,
        }
    });
    let page = AgentsPage { frame: member_context.frame(AGENTS), rows: rows.collect() };
    Ok(PagePolicy::Dashboard.page(StatusCode::OK, &page))
}
