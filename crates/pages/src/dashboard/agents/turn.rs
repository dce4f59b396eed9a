//! `/agents/{id}/turns/{turn}`: the trace of one turn of an AI agent.

use super::{named, tabs};
use crate::browser::{ObjectState, PageError, PagePolicy, ShownTime, StateLabel, sentence};
use crate::dashboard::frame::{Frame, MemberContext};
use crate::dashboard::{AGENTS, INBOX};
use actix_web::http::StatusCode;
use actix_web::{HttpRequest, HttpResponse, web};
use askama::Template;
use domain::agent::{AgentKind, Spending, TurnState};
use domain::number::with_commas;
use domain::role::Area;
use http_layer::deps::ServerDeps;
use persistence::content::turn_trace::{TraceStep, TurnTrace};
use service::turns::{self, AgentAnswerBody};
use std::sync::Arc;

#[derive(Template)]
#[template(path = "agents/turn.html")]
struct TurnPage {
    frame: Frame,
    agent: String,
    turns_path: String,
    id: String,
    conversation: String,
    /// The path of the playground with the conversation of the turn. Empty if the agent is not a
    /// model.
    again: String,
    state: StateLabel,
    word: &'static str,
    reason: String,
    at: ShownTime,
    took: String,
    waited: String,
    tokens: String,
    tokens_detail: String,
    cost: String,
    cost_detail: &'static str,
    steps: Vec<StepRow>,
    is_cut: bool,
    tabs: Vec<super::AgentTab>,
}

/// A step of a trace, as pages show it.
pub(super) struct StepRow {
    pub class: &'static str,
    pub icon: &'static str,
    pub title: String,
    pub detail: String,
    pub sentence: String,
    /// The request to the model, in parts with a heading.
    pub parts: Vec<(String, String)>,
    /// A tool's call and its result.
    pub call: Option<(String, String)>,
}

/// Returns the steps of a trace as pages show them.
pub(super) fn step_rows(trace: &TurnTrace) -> Vec<StepRow> {
    trace.steps.iter().map(step_row).collect()
}

fn step_row(step: &TraceStep) -> StepRow {
    match step {
        TraceStep::Asked { target, messages, tools, took_ms, tokens, cost, error } => {
            let mut facts = vec![time_in_words(*took_ms)];
            facts.extend(tokens.map(|it| format!("{} tokens", with_commas(it))));
            facts.extend(cost.clone());
            let offered = if tools.is_empty() {
                String::new()
            } else {
                format!("Tools: {}.", tools.join(", "))
            };
            StepRow {
                class: if error.is_some() { "bad" } else { "" },
                icon: "arrow-right",
                title: format!("Asked {target}"),
                detail: facts.join(" · "),
                sentence: match error {
                    Some(error) => sentence(error),
                    None => offered,
                },
                parts: messages.iter().map(|it| (it.role.clone(), it.text.clone())).collect(),
                call: None,
            }
        }
        TraceStep::Used { tool, arguments, result, took_ms } => StepRow {
            class: "",
            icon: "wrench",
            title: format!("Used {tool}"),
            detail: format!("{} ms", with_commas(*took_ms)),
            sentence: String::new(),
            parts: Vec::new(),
            call: Some((format!("{tool}({arguments})"), result.clone())),
        },
        TraceStep::Answered { answer } => {
            let body: Option<AgentAnswerBody> = serde_json::from_str(answer).ok();
            let text = body.as_ref().and_then(AgentAnswerBody::texts);
            let reason = body.as_ref().and_then(AgentAnswerBody::hand_over_reason);
            let (title, sentence) = match (text, reason) {
                (Some(text), _) => ("Answered", text),
                (None, Some(reason)) => ("Handed over", reason.to_owned()),
                (None, None) if answer == "{}" => ("Said nothing", String::new()),
                (None, None) => ("Answered", answer.clone()),
            };
            StepRow {
                class: "ok",
                icon: "check",
                title: title.to_owned(),
                detail: String::new(),
                sentence,
                parts: Vec::new(),
                call: None,
            }
        }
    }
}

/// Returns a duration in milliseconds in words.
pub(super) fn time_in_words(ms: u64) -> String {
    if ms < 1000 {
        format!("{ms} ms")
    } else {
        format!("{}.{} s", with_commas(ms / 1000), ms % 1000 / 100)
    }
}

/// Returns the number of tokens of a turn in words, and the numbers of input and output tokens.
pub(super) fn tokens_in_words(spending: Spending) -> (String, String) {
    let tokens = spending.tokens.map(with_commas).unwrap_or_default();
    let detail = match (spending.input_tokens, spending.output_tokens) {
        (Some(input), Some(output)) => {
            format!("{} in, {} out", with_commas(input), with_commas(output))
        }
        _ => String::new(),
    };
    (tokens, detail)
}

pub async fn show(
    request: HttpRequest,
    deps: web::Data<Arc<ServerDeps>>,
) -> Result<HttpResponse, PageError> {
    let member_context = MemberContext::of(&request, &deps).await?;
    member_context.require(Area::Agents)?;
    let agent = named(&deps, &member_context, &request).await?;
    let id = request.match_info().get("turn").and_then(|id| id.parse().ok());
    let id = id.ok_or(PageError::NotFound)?;
    let found = turns::find_with_trace(&deps, member_context.id(), id).await?;
    let (turn, trace) =
        found.filter(|(it, _)| it.agent_id == agent.id).ok_or(PageError::NotFound)?;
    let spending = turn.spending();
    let (tokens, tokens_detail) = tokens_in_words(spending);
    let took = turn.took_ms.and_then(|ms| u64::try_from(ms).ok()).map(time_in_words);
    let waited = turn.finished_at.unwrap_or(turn.first_at).since(turn.first_at);
    let cost = spending.cost_in_words();
    let page = TurnPage {
        frame: member_context.frame(AGENTS),
        agent: agent.name.clone(),
        turns_path: format!("{AGENTS}/{}/turns", agent.id),
        id: turn.id.to_string(),
        again: if agent.kind == AgentKind::Model && !trace.steps.is_empty() {
            format!("{AGENTS}/{}/playground?turn={}", agent.id, turn.id)
        } else {
            String::new()
        },
        conversation: format!("{INBOX}/{}", turn.conversation_id),
        state: label(turn.state),
        word: in_words(turn.state),
        reason: turn.reason.as_deref().map(sentence).unwrap_or_default(),
        at: ShownTime::exact(turn.finished_at.unwrap_or(turn.created_at)),
        took: took.unwrap_or_default(),
        waited: format!("{} s after the first message", waited.as_secs()),
        tokens,
        tokens_detail,
        cost_detail: if spending.unpriced_requests > 0 {
            "no price, or no count of tokens"
        } else {
            ""
        },
        cost: cost.unwrap_or_default(),
        steps: step_rows(&trace),
        is_cut: trace.is_cut,
        tabs: tabs(&agent, "turns"),
    };
    Ok(PagePolicy::Dashboard.page(StatusCode::OK, &page))
}

/// Returns the state of a turn in words.
const fn in_words(state: TurnState) -> &'static str {
    match state {
        TurnState::Waiting => "Waiting",
        TurnState::Asking => "Being asked",
        TurnState::Answered => "Answered",
        TurnState::Drafted => "Drafted",
        TurnState::Superseded => "Superseded",
        TurnState::HandedOver => "Handed over",
        TurnState::Silent => "Silent",
        TurnState::Failed => "Failed",
        TurnState::Skipped => "Skipped",
    }
}

/// Returns the state of a turn with its icon.
pub(super) fn label(state: TurnState) -> StateLabel {
    let of = match state {
        TurnState::Waiting | TurnState::Asking => ObjectState::Queued,
        TurnState::Answered => ObjectState::Ok,
        TurnState::Drafted => ObjectState::Draft,
        TurnState::HandedOver => ObjectState::NeedsPerson,
        TurnState::Failed => ObjectState::Failed,
        TurnState::Superseded | TurnState::Silent | TurnState::Skipped => ObjectState::Disabled,
    };
    of.saying(in_words(state))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_short_time_is_told_in_milliseconds() {
        let told = [0, 38, 999, 1_000, 1_490, 61_000].map(time_in_words);
        assert_eq!(told, ["0 ms", "38 ms", "999 ms", "1.0 s", "1.4 s", "61.0 s"]);
    }
}
