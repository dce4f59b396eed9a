//! `POST /connect/token`: exchanges an authorization code for a connection
//! (`docs/contract.md#connect`, `docs/contract.md#exchange`). All failed checks return the same
//! response after the same time (`docs/security.md` 16 to 20).

use super::token_answer::{
    Connected, ConnectedAccount, ConnectedOrganization, ConnectedPlan, ExchangeFailure, TOKEN_TYPE,
    access_token,
};
use super::token_request::{self, Incomplete};
use actix_web::http::{StatusCode, header};
use actix_web::{HttpRequest, HttpResponse, web};
use domain::keyword::Keyword as _;
use domain::plan::SubscriptionStatus;
use futures_util::StreamExt as _;
use http_layer::deps::ServerDeps;
use http_layer::problem::Problem;
use http_layer::request_id::request_id;
use platform::clock::Stopwatch;
use serde::Serialize;
use service::connect::exchange::{self, CreatedConnection, Exchange, ExchangeError};
use std::sync::Arc;
use std::time::Duration;
use tracing::Instrument as _;

/// Maximum number of bytes in a request. The longest fields, with every byte escaped, need half of
/// it.
const MAX_BODY_BYTES: usize = 16 * 1024;
/// Number of bytes after which the rest of a body that is too large is not received. Up to here it
/// is received, because a client that is still sending would not read the response.
const MAX_RECEIVED_BYTES: usize = 64 * 1024;
/// The time from the start of a request to the response about a failed check. It is longer than any
/// check takes, so that the time does not reveal which one failed.
const FAILURE_RESPONSE_AFTER: Duration = Duration::from_millis(150);

/// The `Cache-Control` of all responses to an exchange, because a successful one contains a secret.
const NO_STORE: header::HeaderValue = header::HeaderValue::from_static("no-store");

/// The reason why an exchange failed.
enum ExchangeFault {
    /// A field is missing or the request cannot be parsed.
    Incomplete(String),
    /// A check failed; the response does not say which.
    Grant,
    /// The database is unavailable, or the outcome of the transaction is unknown.
    Unavailable,
    /// An internal error.
    Internal(ExchangeError),
}

impl From<ExchangeError> for ExchangeFault {
    fn from(error: ExchangeError) -> Self {
        if matches!(error, ExchangeError::Grant) {
            return Self::Grant;
        }
        if let ExchangeError::Database(database) = &error
            && database.is_internal()
        {
            return Self::Internal(error);
        }
        tracing::error!(%error, "an exchange failed");
        Self::Unavailable
    }
}

pub async fn exchange(
    request: HttpRequest,
    payload: web::Payload,
    deps: web::Data<Arc<ServerDeps>>,
) -> HttpResponse {
    let watch = Stopwatch::start();
    let deps = deps.get_ref().clone();
    let read = match whole_body(payload).await {
        Ok(body) => token_request::read(request.headers(), &body),
        Err(beginning) => Err(token_request::unfinished(request.headers(), &beginning)),
    };
    // The exchange runs in a task of its own, so that it completes even if the client disconnects
    // after the code is consumed.
    let done = tokio::spawn(async move { redeem(&deps, read).await }.in_current_span()).await;
    let id = request_id(&request);
    let done = done.unwrap_or_else(|error| {
        tracing::error!(%error, "the task of an exchange did not finish");
        Err(ExchangeFault::Unavailable)
    });
    match done {
        Ok(made) => answer(StatusCode::OK, &connected(&made)),
        Err(ExchangeFault::Incomplete(why)) => {
            answer(StatusCode::BAD_REQUEST, &ExchangeFailure::request(&why, id))
        }
        Err(ExchangeFault::Grant) => {
            tokio::time::sleep(FAILURE_RESPONSE_AFTER.saturating_sub(watch.elapsed())).await;
            answer(StatusCode::BAD_REQUEST, &ExchangeFailure::grant(id))
        }
        Err(ExchangeFault::Unavailable) => not_stored(Problem::unavailable().response(&id)),
        Err(ExchangeFault::Internal(error)) => not_stored(Problem::internal(&error).response(&id)),
    }
}

/// Rejects all other methods.
pub async fn wrong_method(request: HttpRequest) -> HttpResponse {
    Problem::method_not_allowed("POST").response(&request_id(&request))
}

fn not_stored(mut response: HttpResponse) -> HttpResponse {
    response.headers_mut().insert(header::CACHE_CONTROL, NO_STORE);
    response
}

fn answer(status: StatusCode, body: &impl Serialize) -> HttpResponse {
    HttpResponse::build(status)
        .insert_header((header::CACHE_CONTROL, NO_STORE))
        .insert_header((header::PRAGMA, "no-cache"))
        .json(body)
}

/// Receives the body. If the body is too large or ended early, returns its beginning as the error,
/// because the beginning may name a code.
async fn whole_body(mut payload: web::Payload) -> Result<Vec<u8>, Vec<u8>> {
    let (mut body, mut received) = (Vec::new(), 0);
    while let Some(chunk) = payload.next().await {
        let Ok(chunk) = chunk else { return Err(body) };
        let room = MAX_BODY_BYTES.saturating_sub(body.len());
        body.extend_from_slice(chunk.get(..room).unwrap_or(&chunk));
        received += chunk.len();
        if received > MAX_RECEIVED_BYTES {
            break;
        }
    }
    if received > MAX_BODY_BYTES { Err(body) } else { Ok(body) }
}

async fn redeem(
    deps: &ServerDeps,
    read: Result<Exchange, Incomplete>,
) -> Result<CreatedConnection, ExchangeFault> {
    match read {
        Ok(exchange) => Ok(exchange::redeem(&deps.service, &exchange).await?),
        Err(Incomplete { why, exchange }) => {
            // Every code in a request is consumed, even if the rest of the request is invalid.
            let rejected = exchange::reject(&deps.service, exchange).await;
            rejected.map_err(ExchangeError::Database)?;
            Err(ExchangeFault::Incomplete(why))
        }
    }
}

fn connected(made: &CreatedConnection) -> Connected {
    let CreatedConnection { connection, key, secret, organization, plan, account } = made;
    let status: SubscriptionStatus = organization.subscription_status;
    Connected {
        client_id: key.client_id.clone(),
        client_secret: secret.reveal().to_owned(),
        connection_id: connection.id.to_string(),
        organization: ConnectedOrganization {
            id: organization.id.to_string(),
            name: organization.name.clone(),
        },
        account: account.as_ref().map(|account| ConnectedAccount {
            id: account.id.to_string(),
            phone_number: account.phone_number.clone(),
            display_name: account.display_name.clone(),
        }),
        scopes: key.scopes.split(' ').map(str::to_owned).collect(),
        scope: key.scopes.clone(),
        plan: ConnectedPlan {
            name: plan.as_ref().map(|plan| plan.name.clone()),
            status: status.as_str(),
            api_access: plan.as_ref().is_some_and(|plan| plan.api_access),
        },
        connected_at: connection.connected_at.to_string(),
        access_token: access_token(&key.client_id, secret.reveal()),
        token_type: TOKEN_TYPE,
    }
}
