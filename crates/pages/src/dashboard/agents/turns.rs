//! The last turns of an AI agent.

use super::turn::{label, time_in_words, tokens_in_words};
use super::{AgentTab, named, tabs};
use crate::browser::{PageError, PagePolicy, ShownTime, StateLabel, sentence};
use crate::dashboard::AGENTS;
use crate::dashboard::frame::{Frame, MemberContext};
use actix_web::http::StatusCode;
use actix_web::{HttpRequest, HttpResponse, web};
use askama::Template;
use domain::role::Area;
use domain::time::Timestamp;
use http_layer::deps::ServerDeps;
use persistence::records::Turn;
use service::turns;
use std::sync::Arc;

/// Number of turns that the page shows.
const SHOWN_TURNS: i64 = 25;

#[derive(Template)]
#[template(path = "agents/turns.html")]
struct TurnsPage {
    frame: Frame,
    agent: String,
    agent_path: String,
    tabs: Vec<AgentTab>,
    turns: Vec<TurnRow>,
}

struct TurnRow {
    path: String,
    state: StateLabel,
    detail: String,
    took: String,
    at: ShownTime,
}

impl TurnRow {
    fn of(turn: Turn, now: Timestamp) -> Self {
        let (tokens, _) = tokens_in_words(turn.spending());
        let tokens = (!tokens.is_empty()).then(|| format!("{tokens} tokens"));
        let facts: Vec<String> =
            tokens.into_iter().chain(turn.spending().cost_in_words()).collect();
        let took = turn.took_ms.and_then(|ms| u64::try_from(ms).ok());
        Self {
            path: format!("{AGENTS}/{}/turns/{}", turn.agent_id, turn.id),
            state: label(turn.state),
            detail: match turn.reason {
                Some(reason) => sentence(&reason),
                None => facts.join(" · "),
            },
            took: took.map(time_in_words).unwrap_or_default(),
            at: ShownTime::relative(turn.finished_at.unwrap_or(turn.created_at), now),
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
    let turns = turns::list(&deps, member_context.id(), agent.id, SHOWN_TURNS).await?;
    let now = deps.clock.now();
    let page = TurnsPage {
        frame: member_context.frame(AGENTS),
        agent: agent.name.clone(),
        agent_path: format!("{AGENTS}/{}", agent.id),
        tabs: tabs(&agent, "turns"),
        turns: turns.into_iter().map(|turn| TurnRow::of(turn, now)).collect(),
    };
    Ok(PagePolicy::Dashboard.page(StatusCode::OK, &page))
}
