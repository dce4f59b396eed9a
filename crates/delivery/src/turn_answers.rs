//! `POST /agents/{organization}/turns/{turn}/answer`: a webhook that answered 202 to a turn sends
//! its answer here later, with the turn's ticket (`docs/contract.md#ai-agents`).

use actix_web::{HttpRequest, HttpResponse, web};
use domain::conversation::AgentRefusal;
use domain::id::{OrganizationId, TurnId};
use domain::keyword::Keyword as _;
use http_layer::bearer;
use http_layer::deps::ServerDeps;
use http_layer::problem::Problem;
use http_layer::request_id::request_id;
use pages::refuse;
use serde_json::json;
use service::turns::{self, AgentAnswerBody, AnswerError};
use std::sync::Arc;

pub const PATH: &str = "/agents/{organization}/turns/{turn}/answer";
/// Maximum number of bytes in an answer.
const MAX_BODY_BYTES: usize = 1024 * 1024;

/// Mounts the address.
pub fn mount(app: &mut web::ServiceConfig) {
    let others = web::to(|request: HttpRequest| async move {
        refuse(&request, &Problem::method_not_allowed("POST"))
    });
    app.service(web::resource(PATH).route(web::post().to(answer)).default_service(others));
}

async fn answer(
    request: HttpRequest,
    path: web::Path<(String, String)>,
    payload: web::Payload,
    deps: web::Data<Arc<ServerDeps>>,
) -> HttpResponse {
    let (organization, turn) = path.into_inner();
    match take(&request, &organization, &turn, payload, &deps).await {
        Ok(response) => response,
        Err(problem) => problem.response(&request_id(&request)),
    }
}

async fn take(
    request: &HttpRequest,
    organization: &str,
    turn: &str,
    payload: web::Payload,
    deps: &ServerDeps,
) -> Result<HttpResponse, Problem> {
    let ticket = bearer::token(request.headers()).ok().flatten();
    let ticket = ticket.ok_or_else(Problem::invalid_ticket)?;
    let ids = organization.parse::<OrganizationId>().ok().zip(turn.parse::<TurnId>().ok());
    // An unknown turn gets the same response as a wrong ticket, so that ids cannot be guessed.
    let (organization, turn) = ids.ok_or_else(Problem::invalid_ticket)?;
    let body = match payload.to_bytes_limited(MAX_BODY_BYTES).await {
        Ok(Ok(body)) => body,
        Ok(Err(_)) => return Err(Problem::bad_request("The body ended early.")),
        Err(_) => return Err(Problem::payload_too_large(MAX_BODY_BYTES)),
    };
    let body: AgentAnswerBody =
        serde_json::from_slice(&body).map_err(|error| Problem::invalid_json(&error.to_string()))?;
    let state = turns::answer_with_ticket(&deps.service, organization, turn, ticket, body).await;
    let state = state.map_err(problem)?;
    Ok(HttpResponse::Ok().json(json!({"turn_id": turn.to_string(), "state": state.as_str()})))
}

fn problem(error: AnswerError) -> Problem {
    match error {
        AnswerError::NotFound => Problem::invalid_ticket(),
        AnswerError::Finished(state) => Problem::turn_answered(state),
        AnswerError::Expired => Problem::turn_expired(),
        AnswerError::Refused(AgentRefusal::Superseded { newest }) => Problem::superseded(newest),
        // The limits and the mode of an agent that is asked are judged before the refusal.
        AnswerError::Refused(
            AgentRefusal::Paused
            | AgentRefusal::UnknownMessage
            | AgentRefusal::LimitReached
            | AgentRefusal::Loop
            | AgentRefusal::Off
            | AgentRefusal::DraftMode,
        )
        | AnswerError::LimitReached => Problem::agent_paused(),
        AnswerError::Refused(AgentRefusal::ChannelAgent) => Problem::channel_agent_answers(),
        AnswerError::Invalid(faults) => faults.into(),
        AnswerError::Unsendable(error) => Problem::bad_request(&format!("{error}.")),
        AnswerError::Database(error) => error.into(),
    }
}
