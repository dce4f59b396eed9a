//! `POST /connect/token`: a code becomes a connection (`docs/contract.md#connect`, `docs/contract.md#exchange`).
//!
//! The code is burnt before anything is checked, in a transaction of its own. Then everything is computed,
//! and judged at the end: every failure says the same in the same time (`docs/security.md` 16 to 20).

use super::token_answer::{
    Connected, ConnectedAccount, ConnectedOrganization, ConnectedPlan, ExchangeFailure,
    INVALID_GRANT, INVALID_REQUEST,
};
use super::token_request::{Incomplete, TokenRequest};
use actix_web::http::{StatusCode, header};
use actix_web::{HttpRequest, HttpResponse, web};
use auth::code;
use auth::digest::Digest;
use auth::handshake::Checks;
use auth::pkce::{Challenge, Verifier};
use auth::secret::{Holder, Secret, client_id};
use domain::connection::ConnectionState;
use domain::id::{ConnectionId, KeyId};
use domain::key::{KeyKind, KeyState, RateLimit};
use domain::keyword::Keyword as _;
use domain::plan::SubscriptionStatus;
use persistence::rows::{Account, Application, Connection, IssuedCode, Key, Organization, Plan};
use serde::Serialize;
use service::clock::Stopwatch;
use service::handshake_log;
use std::sync::Arc;
use std::time::Duration;
use tracing::Instrument as _;
use web_core::deps::Deps;
use web_core::problem::Problem;
use web_core::request_id::request_id;
use wire::event::connection_event;

/// Maximum number of bytes in a request: the longest fields, with every byte escaped, need half of it.
const MAX_BODY_BYTES: usize = 16 * 1024;
/// When a failure is answered, from the beginning of the request: longer than any of the checks takes, so
/// that the time tells nothing of them.
const FAILURE_RESPONSE_AFTER: Duration = Duration::from_millis(150);
/// Reconnects that race with each other are retried so often.
const MAX_ATTEMPTS: u32 = 8;

/// An answer that holds a secret, or might have held one, is kept nowhere.
const NO_STORE: header::HeaderValue = header::HeaderValue::from_static("no-store");

/// Why there is no connection.
enum ExchangeError {
    /// Something is missing or cannot be read.
    Incomplete(String),
    /// A check failed, and nobody is told which.
    Grant,
    /// We cannot do it now.
    Unavailable,
}

impl From<persistence::Error> for ExchangeError {
    fn from(error: persistence::Error) -> Self {
        tracing::error!(%error, "an exchange failed in the database");
        Self::Unavailable
    }
}

/// Exchanges a code.
pub async fn exchange(
    request: HttpRequest,
    payload: web::Payload,
    deps: web::Data<Arc<Deps>>,
) -> HttpResponse {
    let watch = Stopwatch::start();
    let deps = deps.get_ref().clone();
    let body = payload.to_bytes_limited(MAX_BODY_BYTES).await;
    let read = match body {
        Ok(Ok(body)) => TokenRequest::read(request.headers(), &body),
        _ => Err(Incomplete::unreadable("the body is larger than 16 KiB, or ended early")),
    };
    // In a task of its own: once the code is burnt, the rest runs to its end even if the caller leaves.
    let done = tokio::spawn(async move { redeem(&deps, read).await }.in_current_span()).await;
    let id = request_id(&request);
    let done = done.unwrap_or_else(|error| {
        tracing::error!(%error, "an exchange ended before it was through");
        Err(ExchangeError::Unavailable)
    });
    match done {
        Ok(connected) => answer(StatusCode::OK, &connected),
        Err(ExchangeError::Incomplete(why)) => {
            answer(StatusCode::BAD_REQUEST, &refusal(INVALID_REQUEST, &why, id))
        }
        Err(ExchangeError::Grant) => {
            tokio::time::sleep(FAILURE_RESPONSE_AFTER.saturating_sub(watch.elapsed())).await;
            let why = "The code cannot be exchanged, and is no longer valid. Start a new handshake; your \
                       application's handshake log says which check failed.";
            answer(StatusCode::BAD_REQUEST, &refusal(INVALID_GRANT, why, id))
        }
        Err(ExchangeError::Unavailable) => {
            let mut response = Problem::unavailable().response(&id);
            response.headers_mut().insert(header::CACHE_CONTROL, NO_STORE);
            response
        }
    }
}

/// The answer to all other methods.
pub async fn wrong_method(request: HttpRequest) -> HttpResponse {
    Problem::method_not_allowed("POST").response(&request_id(&request))
}

fn refusal(word: &'static str, why: &str, request_id: String) -> ExchangeFailure {
    ExchangeFailure { error: word, code: word, error_description: why.to_owned(), request_id }
}

fn answer(status: StatusCode, body: &impl Serialize) -> HttpResponse {
    HttpResponse::build(status)
        .insert_header((header::CACHE_CONTROL, NO_STORE))
        .insert_header((header::PRAGMA, "no-cache"))
        .json(body)
}

async fn redeem(
    deps: &Arc<Deps>,
    read: Result<TokenRequest, Incomplete>,
) -> Result<Connected, ExchangeError> {
    let request = match read {
        Ok(request) => request,
        Err(incomplete) => {
            // A code that was shown to us is burnt, however little came with it.
            let digests =
                incomplete.codes.iter().map(|code| code::digest(code).as_bytes().to_vec());
            let digests: Vec<Vec<u8>> = digests.collect();
            if !digests.is_empty() {
                deps.db.consume_codes(digests, deps.clock.now()).await?;
            }
            return Err(ExchangeError::Incomplete(incomplete.why));
        }
    };
    let now = deps.clock.now();
    let digest = code::digest(&request.code).as_bytes().to_vec();
    let burnt = deps.db.consume_code(digest.clone(), now).await?;
    let application = super::application(deps, &request.client_id).await?;
    let tried = check_all(&request, burnt.as_ref(), application.as_ref(), now);
    let failure = tried.failure();
    let (Some(code), Some(application), None) = (&burnt, &application, failure) else {
        let noting = deps.clone();
        tokio::spawn(
            async move { handshake_log::note(&noting.service, tried, digest, burnt, application).await }
                .in_current_span(),
        );
        return Err(ExchangeError::Grant);
    };
    let connected = connect(deps, code, application).await?;
    handshake_log::succeeded(deps, code, now).await;
    Ok(connected)
}

/// Computes every check, whatever the others came to.
fn check_all(
    request: &TokenRequest,
    code: Option<&IssuedCode>,
    application: Option<&Application>,
    now: domain::time::Timestamp,
) -> Checks {
    let digest = Secret::parse(&request.client_secret)
        .map_or_else(|_| Digest::of(request.client_secret.as_bytes()), |secret| secret.digest());
    let expected = application.map_or(&[0; 32][..], |it| it.secret_digest.as_slice());
    let right_secret = digest.matches(expected) && application.is_some();
    let read = Verifier::parse(&request.code_verifier);
    let verifier = read.clone().unwrap_or_else(Verifier::not_found_answer);
    let challenge = code.map_or_else(String::new, |code| code.challenge.clone());
    let challenge = Challenge::kept(challenge);
    let redirect = request.redirect_uri.as_ref();
    Checks {
        code_known: code.is_some(),
        in_time: code.is_some_and(|code| code::is_good(*code.issued_at, now)),
        same_application: code
            .zip(application)
            .is_some_and(|(code, it)| code.application_id == it.id),
        right_secret,
        same_redirect: redirect.is_none_or(|it| code.is_some_and(|code| code.redirect_uri == *it)),
        verifier_read: read.is_some(),
        right_verifier: challenge.is_of(&verifier),
        mistake: challenge.mistake(&verifier),
    }
}

/// Makes the connection and its key, in place of the one before.
async fn connect(
    deps: &Deps,
    code: &IssuedCode,
    application: &Application,
) -> Result<Connected, ExchangeError> {
    let now = deps.clock.now();
    let found = deps.db.organization(*code.organization_id).find_with_plan().await?;
    let (organization, plan) = found.ok_or(ExchangeError::Unavailable)?;
    let account = match code.account_id {
        Some(id) => deps.db.organization(*code.organization_id).account(*id).await?,
        None => None,
    };
    let secret = Secret::new(deps.entropy.bytes());
    let (key_id, id): (KeyId, ConnectionId) = (deps.id(now), deps.id(now));
    let key = Key {
        id: key_id.into(),
        organization_id: code.organization_id,
        client_id: client_id(Holder::Key, deps.entropy.bytes()),
        secret_digest: secret.digest().as_bytes().to_vec(),
        name: application.name.clone(),
        kind: KeyKind::Connection.into(),
        state: KeyState::Active.into(),
        account_id: code.account_id,
        scopes: code.scopes.clone(),
        rate_limit: i32::try_from(RateLimit::default().number()).unwrap_or(i32::MAX),
        created_at: now.into(),
        last_used_at: None,
    };
    let connection = Connection {
        id: id.into(),
        application_id: application.id,
        organization_id: code.organization_id,
        account_id: code.account_id,
        key_id: key.id,
        scopes: code.scopes.clone(),
        state: ConnectionState::Connected.into(),
        ending: None,
        ending_reason: None,
        connected_at: now.into(),
        ended_at: None,
    };
    let mut attempts = 0;
    loop {
        match deps.db.connect(key.clone(), connection.clone(), connection_event).await {
            Ok(()) => break,
            // Another reconnect was quicker: now it is the one to be superseded.
            Err(error) if error.is_duplicate() && attempts < MAX_ATTEMPTS => attempts += 1,
            Err(error) => return Err(error.into()),
        }
    }
    metrics::counter!("connections_made_total").increment(1);
    Ok(shown(&key, &connection, &secret, &organization, plan.as_ref(), account.as_ref()))
}

fn shown(
    key: &Key,
    connection: &Connection,
    secret: &Secret,
    organization: &Organization,
    plan: Option<&Plan>,
    account: Option<&Account>,
) -> Connected {
    let status: SubscriptionStatus = *organization.subscription_status;
    Connected {
        client_id: key.client_id.clone(),
        client_secret: secret.reveal().to_owned(),
        connection_id: connection.id.to_string(),
        organization: ConnectedOrganization {
            id: organization.id.to_string(),
            name: organization.name.clone(),
        },
        account: account.map(|account| ConnectedAccount {
            id: account.id.to_string(),
            phone_number: account.phone_number.clone(),
            display_name: account.display_name.clone(),
        }),
        scopes: key.scopes.split(' ').map(str::to_owned).collect(),
        scope: key.scopes.clone(),
        plan: ConnectedPlan {
            name: plan.map(|plan| plan.name.clone()),
            status: status.as_str(),
            api_access: plan.is_some_and(|plan| plan.api_access),
        },
        connected_at: connection.connected_at.to_string(),
    }
}
