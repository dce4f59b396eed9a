//! AI agents: the list with the limit of costs, the settings of one, its turns, and deleting it.

mod edit;
mod errors;
mod facts;
mod list;
mod look_ups;
mod playground;
mod questions;
mod remove;
mod turn;
mod turns;
mod values;

use super::AGENTS;
use crate::browser::{Form, ObjectState, PageError, StateLabel};
use crate::dashboard::frame::MemberContext;
use actix_web::{HttpRequest, web};
use domain::agent::{AgentKind, AgentMode};
use domain::id::AgentEntryId;
use http_layer::deps::ServerDeps;
use persistence::records::AiAgent;
use service::agents;

pub fn mount(app: &mut web::ServiceConfig) {
    app.service(
        web::resource(AGENTS)
            .route(web::get().to(list::show))
            .route(web::post().to(list::set_limit)),
    );
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
        web::resource("/agents/{agent}/settings/{section}")
            .route(web::get().to(edit::show))
            .route(web::post().to(edit::save)),
    );
    app.service(
        web::resource("/agents/{agent}/delete")
            .route(web::get().to(remove::confirm))
            .route(web::post().to(remove::delete)),
    );
    app.service(
        web::resource("/agents/{agent}/facts")
            .route(web::get().to(facts::show))
            .route(web::post().to(facts::save)),
    );
    app.service(
        web::resource("/agents/{agent}/look-ups")
            .route(web::get().to(look_ups::show))
            .route(web::post().to(look_ups::save)),
    );
    app.service(
        web::resource("/agents/{agent}/playground")
            .route(web::get().to(playground::show))
            .route(web::post().to(playground::ask)),
    );
    app.service(
        web::resource("/agents/{agent}/questions")
            .route(web::get().to(questions::show))
            .route(web::post().to(questions::save)),
    );
    app.service(
        web::resource("/agents/{agent}/connection")
            .route(web::get().to(edit::show))
            .route(web::post().to(playground::test_connection)),
    );
    app.service(web::resource("/agents/{agent}/turns").route(web::get().to(turns::show)));
    app.service(web::resource("/agents/{agent}/turns/{turn}").route(web::get().to(turn::show)));
}

/// A page of an agent.
struct AgentTab {
    path: String,
    name: &'static str,
    current: bool,
}

/// Returns the pages of an agent. The path of the current one ends with `current`.
fn tabs(agent: &AiAgent, current: &str) -> Vec<AgentTab> {
    let of_model: &[_] = &[
        ("facts", "Facts"),
        ("look-ups", "Look-ups"),
        ("playground", "Playground"),
        ("questions", "Questions"),
    ];
    let others = if agent.kind == AgentKind::Model { of_model } else { &[] };
    let base = format!("{AGENTS}/{}", agent.id);
    let settings = AgentTab { path: base.clone(), name: "Settings", current: current.is_empty() };
    let tab = |(path, name): &(&str, &'static str)| AgentTab {
        path: format!("{base}/{path}"),
        name,
        current: *path == current,
    };
    let turns = tab(&("turns", "Turns"));
    std::iter::once(settings).chain(others.iter().map(tab)).chain([turns]).collect()
}

/// Returns the entry that a form is about, or nothing if it creates one.
fn entry_id(form: &Form) -> Result<Option<AgentEntryId>, PageError> {
    let text = form.value("entry");
    if text.is_empty() {
        return Ok(None);
    }
    text.parse().map(Some).map_err(|_| PageError::NotFound)
}

/// Returns the agent in the path.
async fn named(
    deps: &ServerDeps,
    member_context: &MemberContext,
    request: &HttpRequest,
) -> Result<AiAgent, PageError> {
    let id = request.match_info().get("agent").and_then(|id| id.parse().ok());
    let id = id.ok_or(PageError::NotFound)?;
    agents::find(deps, member_context.id(), id).await?.ok_or(PageError::NotFound)
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
