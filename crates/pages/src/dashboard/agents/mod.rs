//! AI agents: the list, the settings of one with its turns, and deleting it.

mod edit;
mod list;
mod remove;

use super::AGENTS;
use crate::browser::{ObjectState, PageError, StateLabel};
use crate::dashboard::frame::MemberContext;
use actix_web::{HttpRequest, web};
use domain::agent::{AgentKind, AgentMode};
use http_layer::deps::Deps;
use persistence::records::AiAgent;
use service::agents::Agents;

pub fn mount(app: &mut web::ServiceConfig) {
    app.service(web::resource(AGENTS).route(web::get().to(list::show)));
    app.service(
        web::resource("/agents/new")
            .route(web::get().to(edit::show_new))
            .route(web::post().to(edit::create)),
    );
    app.service(
        web::resource("/agents/{agent}")
            .route(web::get().to(edit::show))
            .route(web::post().to(edit::save)),
    );
    app.service(
        web::resource("/agents/{agent}/delete")
            .route(web::get().to(remove::confirm))
            .route(web::post().to(remove::delete)),
    );
}

/// Returns the agent in the path.
async fn named(
    deps: &Deps,
    member_context: &MemberContext,
    request: &HttpRequest,
) -> Result<AiAgent, PageError> {
    let id = request.match_info().get("agent").and_then(|id| id.parse().ok());
    let id = id.ok_or(PageError::NotFound)?;
    let agents = Agents::of(deps, member_context.id());
    agents.find(id).await?.ok_or(PageError::NotFound)
}

/// Returns the name of a kind of agent.
const fn kind_name(kind: AgentKind) -> &'static str {
    match kind {
        AgentKind::Model => "Model",
        AgentKind::Webhook => "Webhook",
        AgentKind::Api => "API",
    }
}

/// Returns the state of an agent.
fn state(mode: AgentMode) -> StateLabel {
    match mode {
        AgentMode::Off => ObjectState::Disabled.saying("Off"),
        AgentMode::Draft => ObjectState::Draft.saying("Draft mode"),
        AgentMode::Auto => ObjectState::Active.saying("Automatic"),
    }
}
