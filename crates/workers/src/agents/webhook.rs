//! Asks an agent behind a webhook: the turn is posted as a signed request (Standard Webhooks).

use super::{Reply, opening_hours};
use api_types::agent_turn::{AgentAnswerBody, TurnRequestBody};
use auth::webhook::{WebhookSecret, sign};
use domain::number::saturating;
use domain::time::seconds_in_words;
use persistence::Result;
use persistence::content::turn_trace::{TraceMessage, TraceStep, TurnTrace};
use platform::Deps;
use platform::clock::Stopwatch;
use reqwest::header::CONTENT_TYPE;
use reqwest::{Method, RequestBuilder, StatusCode};
use service::agents::open_secret;
use service::asking::{AskFailure, HttpAnswer, MAX_ANSWER_BYTES, send};
use service::turns::{AskedTurn, Attempt, GivenAnswer, issue_ticket};

pub async fn ask(deps: &Deps, asked: &AskedTurn, url: &str) -> Result<Reply> {
    let secret = match open_secret(&deps.sealing, &asked.agent) {
        Ok(secret) => secret.and_then(|text| WebhookSecret::parse(&text).ok()),
        Err(error) => return Ok(Reply::failure(asked, error.to_string())),
    };
    let Some(secret) = secret else {
        return Ok(Reply::failure(asked, "the signing secret of the agent cannot be read"));
    };
    let ticket = issue_ticket(deps, asked).await?;
    let secret_ticket = ticket.ticket.clone();
    let body = TurnRequestBody::new(
        &asked.turn,
        &asked.conversation,
        &asked.messages,
        ticket,
        asked.asked_at,
    );
    let body = match serde_json::to_string(&body) {
        Ok(body) => body,
        Err(error) => return Ok(Reply::failure(asked, error.to_string())),
    };
    // The trace contains the request without the ticket, which is a secret.
    let shown = body.replace(&secret_ticket, "swt_…");
    let watch = Stopwatch::start();
    let reply = if url == opening_hours::URL {
        let (status, body) = (StatusCode::OK, opening_hours::answer(&body).into_bytes());
        read(&HttpAnswer { status, body, is_cut: false, retry_after: None })
    } else {
        match deps.outbound.guarded.request(Method::POST, url) {
            Ok(request) => post(deps, asked, request, &secret, body).await,
            Err(refused) => return Ok(Reply::failure(asked, refused.to_string())),
        }
    };
    let took = watch.elapsed().as_millis();
    let mut trace: TurnTrace = asked.trace.clone();
    trace.add(&TraceStep::Asked {
        target: url.to_owned(),
        messages: vec![TraceMessage { role: "request".to_owned(), text: shown }],
        tools: Vec::new(),
        took_ms: saturating(took, u64::MAX),
        tokens: None,
        cost: None,
        error: reply.as_ref().err().map(|it| it.reason.clone()),
    });
    let took_ms = Some(saturating(took, i32::MAX));
    let attempt = Attempt { trace, took_ms, ..Attempt::default() };
    Ok(match reply {
        Ok(Some(body)) => Reply::Answer(Box::new(GivenAnswer { body, attempt })),
        Ok(None) => Reply::Later(attempt),
        Err(AskFailure { reason, wait, .. }) => Reply::Failure { reason, wait, attempt },
    })
}

/// Signs the request, sends it and reads the answer.
async fn post(
    deps: &Deps,
    asked: &AskedTurn,
    request: RequestBuilder,
    secret: &WebhookSecret,
    body: String,
) -> std::result::Result<Option<AgentAnswerBody>, AskFailure> {
    let id = asked.turn.id.to_string();
    // The signature contains the wall clock's time, because the recipient compares it with its own
    // clock.
    let proof = sign(std::slice::from_ref(secret), &id, deps.clock.wall(), body.as_bytes());
    let request = request
        .header(CONTENT_TYPE, "application/json")
        .header("webhook-id", &id)
        .header("webhook-timestamp", &proof.timestamp)
        .header("webhook-signature", &proof.signature)
        .body(body);
    let time_limit = deps.settings.channel.agent_timeout;
    match tokio::time::timeout(time_limit, send(request, MAX_ANSWER_BYTES)).await {
        Ok(Ok(answer)) => read(&answer),
        Ok(Err(reason)) => Err(AskFailure::new(reason)),
        Err(_) => {
            let reason = format!("no answer within {}", seconds_in_words(time_limit.as_secs()));
            Err(AskFailure::new(reason))
        }
    }
}

/// Reads the answer to the request. A 2xx status with a valid body is an answer. A 2xx status
/// without a body means that the agent has nothing to say. Returns `None` for status 202, because
/// the answer comes later.
fn read(answer: &HttpAnswer) -> std::result::Result<Option<AgentAnswerBody>, AskFailure> {
    let is_empty = answer.body.iter().all(u8::is_ascii_whitespace);
    match answer.status {
        StatusCode::ACCEPTED => Ok(None),
        status if !status.is_success() => Err(AskFailure::refused(answer)),
        _ if is_empty => Ok(Some(AgentAnswerBody::default())),
        _ => {
            let body = answer.whole_body().map_err(AskFailure::new)?;
            let invalid = |error: serde_json::Error| {
                AskFailure::new(format!("the answer is not valid: {error}; {}", answer.describe()))
            };
            serde_json::from_slice(body).map(Some).map_err(invalid)
        }
    }
}
