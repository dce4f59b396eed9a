//! Asks an agent behind a webhook: the turn is posted as a signed request (Standard Webhooks).

use super::http::{HttpAnswer, send};
use super::{Reply, opening_hours};
use api_types::agent_turn::{AgentAnswerBody, TurnRequestBody};
use auth::webhook::{WebhookSecret, sign};
use domain::number::saturating;
use persistence::Result;
use platform::Deps;
use platform::clock::Stopwatch;
use reqwest::header::CONTENT_TYPE;
use reqwest::{Method, StatusCode};
use service::agents::open_secret;
use service::turns::{AskedTurn, GivenAnswer, issue_ticket};

pub async fn ask(deps: &Deps, asked: &AskedTurn, url: &str) -> Result<Reply> {
    let secret = match open_secret(&deps.sealing, &asked.agent) {
        Ok(secret) => secret.and_then(|text| WebhookSecret::parse(&text).ok()),
        Err(error) => return Ok(Reply::failure(error.to_string())),
    };
    let Some(secret) = secret else {
        return Ok(Reply::failure("the signing secret of the agent cannot be read"));
    };
    let ticket = issue_ticket(deps, asked).await?;
    let body = TurnRequestBody::new(
        &asked.turn,
        &asked.conversation,
        &asked.messages,
        ticket,
        asked.asked_at,
    );
    let body = match serde_json::to_string(&body) {
        Ok(body) => body,
        Err(error) => return Ok(Reply::failure(error.to_string())),
    };
    if url == opening_hours::URL {
        let (status, body) = (StatusCode::OK, opening_hours::answer(&body).into_bytes());
        return Ok(read(&HttpAnswer { status, body, retry_after: None }, 0));
    }
    let request = match deps.outbound.guarded.request(Method::POST, url) {
        Ok(request) => request,
        Err(refused) => return Ok(Reply::failure(refused.to_string())),
    };
    let id = asked.turn.id.to_string();
    // The recipient compares this time with its own clock.
    let proof = sign(&[secret], &id, deps.clock.wall(), body.as_bytes());
    let request = request
        .header(CONTENT_TYPE, "application/json")
        .header("webhook-id", &id)
        .header("webhook-timestamp", &proof.timestamp)
        .header("webhook-signature", &proof.signature)
        .body(body);
    let watch = Stopwatch::start();
    Ok(match send(request).await {
        Ok(answer) => read(&answer, saturating(watch.elapsed().as_millis(), i32::MAX)),
        Err(reason) => Reply::failure(reason),
    })
}

/// Reads the answer to the request. Every 2xx with a body that is an answer is one, 202 and a 2xx
/// without a body say that the answer comes later or that there is none.
fn read(answer: &HttpAnswer, took_ms: i32) -> Reply {
    let given = |body| {
        let given = GivenAnswer { body, tokens: None, took_ms: Some(took_ms) };
        Reply::Answer(Box::new(given))
    };
    let is_empty = answer.body.iter().all(u8::is_ascii_whitespace);
    match answer.status {
        StatusCode::ACCEPTED => Reply::Later,
        status if !status.is_success() => {
            Reply::Failure { reason: answer.describe(), wait: answer.retry_after }
        }
        _ if is_empty => given(AgentAnswerBody::default()),
        _ => match serde_json::from_slice(&answer.body) {
            Ok(body) => given(body),
            Err(error) => {
                Reply::failure(format!("the answer is not valid: {error}; {}", answer.describe()))
            }
        },
    }
}
