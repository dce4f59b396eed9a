//! `/agents`: the AI agents of the organization, and the limit of their costs.

use super::edit::field_errors;
use super::{kind_name, state};
use crate::browser::{FieldErrors, PageError, PagePolicy, ShownTime, StateLabel, permitted};
use crate::dashboard::AGENTS;
use crate::dashboard::frame::{Frame, MemberContext};
use crate::dashboard::notice::Notice;
use crate::dashboard::once::{ActionResult, run_to_completion};
use actix_web::http::StatusCode;
use actix_web::{HttpRequest, HttpResponse, web};
use askama::Template;
use domain::agent::Spending;
use domain::role::Area;
use http_layer::deps::ServerDeps;
use service::accounts;
use service::agents::{self, COST_PER_MONTH, has_unpriced_model};
use std::sync::Arc;

#[derive(Template)]
#[template(path = "agents/list.html")]
struct AgentsPage {
    frame: Frame,
    token: String,
    rows: Vec<AgentRow>,
    /// A sentence about the cost of all agents in this month.
    cost: String,
    /// The limit of the agents' costs per month, as it was typed or is saved.
    cost_per_month: String,
    /// The names of the agents whose cost is unknown.
    unpriced: String,
    errors: FieldErrors,
}

struct AgentRow {
    path: String,
    name: String,
    kind: &'static str,
    state: StateLabel,
    /// The numbers on which the agent answers, in words.
    numbers: String,
    updated: ShownTime,
}

pub async fn show(
    request: HttpRequest,
    deps: web::Data<Arc<ServerDeps>>,
) -> Result<HttpResponse, PageError> {
    let member_context = MemberContext::of(&request, &deps).await?;
    member_context.require(Area::Agents)?;
    let typed = member_context.form_values_for(AGENTS);
    let typed = typed.map(|form| form.value(COST_PER_MONTH).to_owned());
    render(&deps, &member_context, typed, FieldErrors::default(), StatusCode::OK).await
}

async fn render(
    deps: &ServerDeps,
    member_context: &MemberContext,
    typed: Option<String>,
    errors: FieldErrors,
    status: StatusCode,
) -> Result<HttpResponse, PageError> {
    let organization = member_context.id();
    let cost = cost_sentence(agents::cost_this_month(deps, organization).await?);
    let cost_per_month = match typed {
        Some(typed) => typed,
        None => agents::cost_limit(deps, organization)
            .await?
            .map(|it| it.to_string())
            .unwrap_or_default(),
    };
    let found = agents::list(deps, organization).await?;
    let accounts = accounts::list(deps, member_context.reader()).await?;
    let now = deps.clock.now();
    let mut unpriced = Vec::new();
    let mut rows = Vec::with_capacity(found.len());
    for (agent, on) in found {
        if has_unpriced_model(&agent.settings().map_err(persistence::Error::from)?) {
            unpriced.push(agent.name.clone());
        }
        let names = on.iter().filter_map(|id| accounts.iter().find(|it| it.id == *id));
        let names: Vec<&str> = names.map(|it| it.display_name.as_str()).collect();
        rows.push(AgentRow {
            path: format!("{AGENTS}/{}", agent.id),
            kind: kind_name(agent.kind),
            state: state(agent.mode),
            numbers: match names.as_slice() {
                [] => "No number".to_owned(),
                [name] => (*name).to_owned(),
                several => format!("{} numbers", several.len()),
            },
            updated: ShownTime::relative(agent.updated_at, now),
            name: agent.name,
        });
    }
    let page = AgentsPage {
        frame: member_context.frame(AGENTS),
        token: member_context.token(),
        rows,
        cost,
        cost_per_month,
        unpriced: unpriced.join(", "),
        errors,
    };
    Ok(PagePolicy::Dashboard.page(status, &page))
}

/// Returns a sentence about the cost of all agents in this month.
fn cost_sentence(spending: Spending) -> String {
    match (spending.cost, spending.unpriced_requests) {
        (None, 0) => "All agents together have cost nothing so far this month (UTC).".to_owned(),
        (None, _) => {
            let sentence = "The cost of this month (UTC) is not known, because no request to a \
                            model had a price.";
            sentence.to_owned()
        }
        (Some(cost), 0) => {
            format!("All agents together have cost ${cost} so far this month (UTC).")
        }
        (Some(cost), _) => format!(
            "All agents together have cost ${cost} so far this month (UTC). Some requests to \
             models had no price and are not included."
        ),
    }
}

/// Sets the limit of what all agents together may cost in a month.
pub async fn set_limit(
    request: HttpRequest,
    payload: web::Payload,
    deps: web::Data<Arc<ServerDeps>>,
) -> Result<HttpResponse, PageError> {
    run_to_completion(async move {
        let (member_context, form) = MemberContext::with_form(&request, payload, &deps).await?;
        member_context.require(Area::Agents)?;
        if form.value("action") != "limit" {
            return Err(PageError::UnknownAction);
        }
        let work = async {
            let agents = member_context.actor(&deps).agents();
            match permitted(agents.set_cost_limit(form.value(COST_PER_MONTH)).await)? {
                Ok(limit) => {
                    let sentence = match limit {
                        Some(most) => format!("The agents together may cost ${most} a month."),
                        None => "The agents have no limit of costs.".to_owned(),
                    };
                    let notice = Notice::saying("Changes saved", sentence);
                    Ok(Ok(ActionResult { location: AGENTS.to_owned(), notice }))
                }
                Err(error) => Ok(Err(field_errors(error)?)),
            }
        };
        let refused = async |errors: FieldErrors| {
            let typed = Some(form.value(COST_PER_MONTH).to_owned());
            let status = StatusCode::UNPROCESSABLE_ENTITY;
            render(&deps, &member_context, typed, errors, status).await
        };
        member_context.once_or(&deps, &request, &form, work, refused).await
    })
    .await
}
