//! `/channel/…/webhook`: the callbacks of the channels (`docs/contract.md#channel`). Only a
//! channel's adapter knows the format of its callbacks.
//!
//! A callback is stored before it is answered, and processed afterwards. So no callback is lost,
//! and a slow database does not make the channel consider us unavailable.

use actix_web::{HttpRequest, HttpResponse, web};
use channel::receiver::{CallbackRefusal, Check, IncomingCall, Receiver};
use channel::registry::WEBHOOKS;
use domain::account::ChannelKind;
use futures_util::StreamExt as _;
use http_layer::deps::ServerDeps;
use http_layer::problem::Problem;
use http_layer::request_id::request_id;
use pages::refuse;
use service::callbacks;
use std::future;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Semaphore;

const CALLBACK_TIMEOUT: Duration = Duration::from_secs(30);
/// A callback larger than this waits for one of a few permits. Its sender is not authenticated yet,
/// and allowing 3 MiB for each unauthenticated request would take too much memory.
const SMALL: usize = 64 * 1024;
static TURNS: Semaphore = Semaphore::const_new(16);

/// Mounts the callback addresses of all channels.
pub fn mount(app: &mut web::ServiceConfig) {
    for (channel, path) in WEBHOOKS {
        let verified = move |request: HttpRequest, deps: web::Data<Arc<ServerDeps>>| {
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

/// Answers the handshake with which a channel verifies the address.
fn verify(channel: ChannelKind, request: &HttpRequest, deps: &ServerDeps) -> HttpResponse {
    let receiver = deps.config.channel.networks.receiver(channel);
    match receiver.and_then(|receiver| receiver.handshake(request.query_string())) {
        Some(challenge) => HttpResponse::Ok().content_type("text/plain").body(challenge),
        None => Problem::invalid_verify_token().response(&request_id(request)),
    }
}

/// Receives a callback.
async fn receive(
    channel: ChannelKind,
    request: HttpRequest,
    payload: web::Payload,
    deps: web::Data<Arc<ServerDeps>>,
) -> HttpResponse {
    let Some(receiver) = deps.config.channel.networks.receiver(channel) else {
        return Problem::invalid_signature().response(&request_id(&request));
    };
    match store(channel, &*receiver, &request, payload, &deps).await {
        Ok(()) => match receiver.reply() {
            Some((content_type, body)) => HttpResponse::Ok().content_type(content_type).body(body),
            None => HttpResponse::Ok().finish(),
        },
        Err(problem) => problem.response(&request_id(&request)),
    }
}

async fn store(
    channel: ChannelKind,
    receiver: &dyn Receiver,
    request: &HttpRequest,
    payload: web::Payload,
    deps: &ServerDeps,
) -> Result<(), Problem> {
    let headers = |name: &str| {
        let values = request.headers().get_all(name);
        #[expect(
            clippy::disallowed_methods,
            reason = "a header that is not text cannot be a signature"
        )]
        values.map(|value| value.to_str().unwrap_or_default()).collect()
    };
    // A callback that could not be accepted, or that carries no signature, is rejected before its
    // body is read.
    let call = IncomingCall { query: request.query_string(), headers: &headers };
    let mut check = receiver.begin(&call).ok_or_else(Problem::invalid_signature)?;
    let slow = |_| Problem::bad_request("The callback took longer than 30 seconds to arrive.");
    let collected = collect(payload, &mut *check, receiver.max_bytes());
    let body = tokio::time::timeout(CALLBACK_TIMEOUT, collected).await.map_err(slow)??;
    let payload = check.finish(body).map_err(|refused| match refused {
        CallbackRefusal::Signature => Problem::invalid_signature(),
        CallbackRefusal::Unreadable(why) => Problem::invalid_json(&why),
    })?;
    Ok(callbacks::store(deps, channel, payload).await?)
}

/// Collects the body and checks its signature chunk by chunk: checking 3 MiB at once would block
/// other requests.
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
