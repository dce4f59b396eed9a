//! `/channel/…/webhook`: where networks report (`docs/contract.md#channel`). What a network's calls look like is its
//! adapter's to know.
//!
//! A report is kept before it is answered, and processed afterwards: so it is never lost, and a slow
//! database does not make the channel think that we are gone.

use actix_web::{HttpRequest, HttpResponse, web};
use channel::receiver::{Check, IncomingCall, Receiver, Refusal};
use channel::registry::WEBHOOKS;
use domain::account::ChannelKind;
use futures_util::StreamExt as _;
use pages::refuse;
use service::callbacks;
use std::future;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Semaphore;
use web_core::deps::Deps;
use web_core::problem::Problem;
use web_core::request_id::request_id;

const CALLBACK_TIMEOUT: Duration = Duration::from_secs(30);
/// A report that is larger than this waits for one of a few turns: nobody has proved anything yet, and
/// three mebibytes each would be much for those who only say that they are the channel.
const SMALL: usize = 64 * 1024;
static TURNS: Semaphore = Semaphore::const_new(16);

/// Mounts the addresses of all networks.
pub fn mount(app: &mut web::ServiceConfig) {
    for (channel, path) in WEBHOOKS {
        let verified = move |request: HttpRequest, deps: web::Data<Arc<Deps>>| {
            future::ready(verify(channel, &request, &deps))
        };
        let received = move |request, payload, deps| receive(channel, request, payload, deps);
        let others = web::to(|request: HttpRequest| async move {
            refuse(&request, &Problem::method_not_allowed("GET, HEAD, POST"))
        });
        app.service(
            web::resource(path)
                .route(web::get().to(verified))
                .route(web::post().to(received))
                .default_service(others),
        );
    }
}

/// The handshake with which the address is set up.
fn verify(channel: ChannelKind, request: &HttpRequest, deps: &Deps) -> HttpResponse {
    let receiver = deps.settings.channel.networks.receiver(channel);
    match receiver.and_then(|receiver| receiver.handshake(request.query_string())) {
        Some(challenge) => HttpResponse::Ok().content_type("text/plain").body(challenge),
        None => Problem::invalid_verify_token().response(&request_id(request)),
    }
}

/// A report.
async fn receive(
    channel: ChannelKind,
    request: HttpRequest,
    payload: web::Payload,
    deps: web::Data<Arc<Deps>>,
) -> HttpResponse {
    let Some(receiver) = deps.settings.channel.networks.receiver(channel) else {
        return Problem::invalid_signature().response(&request_id(&request));
    };
    match keep(channel, &*receiver, &request, payload, &deps).await {
        Ok(()) => match receiver.reply() {
            Some((content_type, body)) => HttpResponse::Ok().content_type(content_type).body(body),
            None => HttpResponse::Ok().finish(),
        },
        Err(problem) => problem.response(&request_id(&request)),
    }
}

async fn keep(
    channel: ChannelKind,
    receiver: &dyn Receiver,
    request: &HttpRequest,
    payload: web::Payload,
    deps: &Deps,
) -> Result<(), Problem> {
    let headers = |name: &str| {
        let values = request.headers().get_all(name);
        #[expect(clippy::disallowed_methods, reason = "what is no text is no signature either")]
        values.map(|value| value.to_str().unwrap_or_default()).collect()
    };
    // Nobody whose report could not be taken, or who does not even write a signature, gets to send one.
    let call = IncomingCall { query: request.query_string(), headers: &headers };
    let mut check = receiver.begin(&call).ok_or_else(Problem::invalid_signature)?;
    let slow = |_| Problem::bad_request("The callback took longer than 30 seconds to arrive.");
    let collected = collect(payload, &mut *check, receiver.max_bytes());
    let body = tokio::time::timeout(CALLBACK_TIMEOUT, collected).await.map_err(slow)??;
    let payload = check.finish(body).map_err(|refused| match refused {
        Refusal::Signature => Problem::invalid_signature(),
        Refusal::Unreadable(why) => Problem::invalid_json(&why),
    })?;
    Ok(callbacks::keep(deps, channel, payload).await?)
}

/// A report, whose signature is checked as it comes: three mebibytes at once would hold up everybody else.
async fn collect(
    mut payload: web::Payload,
    check: &mut dyn Check,
    max_bytes: usize,
) -> Result<Vec<u8>, Problem> {
    let mut body = Vec::new();
    let mut turn = None;
    while let Some(chunk) = payload.next().await {
        let chunk = chunk.map_err(|_| Problem::bad_request("The callback ended early."))?;
        if body.len() + chunk.len() > max_bytes {
            return Err(Problem::payload_too_large(max_bytes));
        }
        if body.len() + chunk.len() > SMALL && turn.is_none() {
            turn = Some(TURNS.acquire().await.map_err(|_| Problem::unavailable())?);
        }
        check.update(&chunk);
        body.extend_from_slice(&chunk);
    }
    Ok(body)
}
