//! `/channel/cloud/webhook`: where Meta's Cloud API reports (`docs/contract.md#channel`).
//!
//! A report is kept before it is answered, and processed afterwards: so it is never lost, and a slow
//! database does not make the channel think that we are gone.

use actix_web::{HttpRequest, HttpResponse, web};
use auth::digest::Digest;
use auth::signature::SignatureCheck;
use domain::account::ChannelKind;
use futures_util::StreamExt as _;
use persistence::rows::Callback;
use serde::de::IgnoredAny;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Semaphore;
use web_core::deps::Deps;
use web_core::problem::Problem;
use web_core::request_id::request_id;

/// Where it is.
pub const PATH: &str = "/channel/cloud/webhook";
/// Maximum number of bytes in a report: Meta's own bound.
const MAX_CALLBACK_BYTES: usize = 3 * 1024 * 1024;
/// Maximum number of bytes in the query with which the address is set up.
const MAX_QUERY_BYTES: usize = 4 * 1024;
const CALLBACK_TIMEOUT: Duration = Duration::from_secs(30);
/// A report that is larger than this waits for one of a few turns: nobody has proved anything yet, and
/// three mebibytes each would be much for those who only say that they are the channel.
const SMALL: usize = 64 * 1024;
static TURNS: Semaphore = Semaphore::const_new(16);

/// The handshake with which the address is set up.
pub async fn verify(request: HttpRequest, deps: web::Data<Arc<Deps>>) -> HttpResponse {
    let query = request.query_string();
    if query.len() > MAX_QUERY_BYTES {
        return Problem::invalid_verify_token().response(&request_id(&request));
    }
    let query = web::Query::<Vec<(String, String)>>::from_query(query);
    let value = |name: &str| {
        let query = query.as_ref().ok()?;
        let mut found = query.iter().filter(|(it, _)| it == name).map(|(_, value)| value.as_str());
        // A parameter that is repeated is as good as none.
        found.next().filter(|_| found.next().is_none())
    };
    let expected = deps.settings.channel.verify_token.as_deref();
    let given_token = value("hub.verify_token").zip(expected);
    let same = given_token.is_some_and(|(given_token, expected)| {
        Digest::of(given_token.as_bytes()).matches(Digest::of(expected.as_bytes()).as_bytes())
    });
    match value("hub.challenge") {
        Some(challenge) if same && value("hub.mode") == Some("subscribe") => {
            HttpResponse::Ok().content_type("text/plain").body(challenge.to_owned())
        }
        _ => Problem::invalid_verify_token().response(&request_id(&request)),
    }
}

/// A report.
pub async fn receive(
    request: HttpRequest,
    payload: web::Payload,
    deps: web::Data<Arc<Deps>>,
) -> HttpResponse {
    match keep(&request, payload, &deps).await {
        Ok(()) => HttpResponse::Ok().finish(),
        Err(problem) => problem.response(&request_id(&request)),
    }
}

async fn keep(request: &HttpRequest, payload: web::Payload, deps: &Deps) -> Result<(), Problem> {
    // Nobody whose report could not be taken gets to send one.
    let secret = deps.settings.channel.app_secret.as_deref();
    let secret = secret.ok_or_else(Problem::invalid_signature)?;
    let mut headers = request.headers().get_all("x-hub-signature-256");
    let (Some(signature), None) = (headers.next(), headers.next()) else {
        return Err(Problem::invalid_signature());
    };
    let slow = |_| Problem::bad_request("The callback took longer than 30 seconds to arrive.");
    // Who does not even write a signature is not listened to.
    let check = SignatureCheck::begin(secret, signature.to_str().unwrap_or_default());
    let mut check = check.ok_or_else(Problem::invalid_signature)?;
    let collected = collect(payload, &mut check);
    let body = tokio::time::timeout(CALLBACK_TIMEOUT, collected).await.map_err(slow)??;
    if !check.is_right() {
        return Err(Problem::invalid_signature());
    }
    let text = String::from_utf8(body).map_err(|_| Problem::invalid_json("it is not UTF-8"))?;
    let read: Result<IgnoredAny, _> = serde_json::from_str(&text);
    read.map_err(|error| Problem::invalid_json(&error.to_string()))?;
    let now = deps.clock.now();
    let report = Callback {
        id: deps.id::<domain::id::Callback>(now).into(),
        channel: ChannelKind::CloudApi.into(),
        payload: text,
        attempts: 0,
        due_at: now.into(),
        received_at: now.into(),
        lookups: 0,
    };
    deps.db.operator().insert_callbacks(vec![report]).await?;
    metrics::counter!("callbacks_received_total").increment(1);
    deps.wakeups.reported.notify_one();
    Ok(())
}

/// A report, whose signature is checked as it comes: three mebibytes at once would hold up everybody else.
async fn collect(
    mut payload: web::Payload,
    check: &mut SignatureCheck,
) -> Result<Vec<u8>, Problem> {
    let mut body = Vec::new();
    let mut turn = None;
    while let Some(chunk) = payload.next().await {
        let chunk = chunk.map_err(|_| Problem::bad_request("The callback ended early."))?;
        if body.len() + chunk.len() > MAX_CALLBACK_BYTES {
            return Err(Problem::payload_too_large(MAX_CALLBACK_BYTES));
        }
        if body.len() + chunk.len() > SMALL && turn.is_none() {
            turn = Some(TURNS.acquire().await.map_err(|_| Problem::unavailable())?);
        }
        check.update(&chunk);
        body.extend_from_slice(&chunk);
    }
    Ok(body)
}
