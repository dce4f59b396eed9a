//! The exchange of a code for a connection with a key (`docs/contract.md#exchange`).
//!
//! The code is consumed before any check, in a transaction of its own. Then all checks are computed
//! before the result is decided. So every failure gives the same answer in the same time
//! (`docs/security.md` 16 to 20).

use crate::handshake_log;
use auth::code;
use auth::digest::Digest;
use auth::handshake::{Checks, HandshakeFault};
use auth::pkce::{Challenge, Verifier};
use auth::secret::{Holder, Secret, client_id};
use domain::connection::ConnectionState;
use domain::id::{ApplicationId, ConnectionId, KeyId};
use domain::key::{KeyKind, KeyState};
use domain::time::Timestamp;
use persistence::records::{
    self, Account, Application, CodeBusiness, CodeConsumption, Connection, IssuedCode, Key,
    Organization, Plan, ShownCode,
};
use platform::Deps;
use std::sync::Arc;
use tracing::Instrument as _;

/// Maximum number of retries of concurrent reconnects.
const MAX_ATTEMPTS: u32 = 8;

/// The values that an application sends to get a connection.
pub struct Exchange {
    /// The authorization code.
    pub code: String,
    /// The PKCE verifier for the challenge of the authorize request.
    pub code_verifier: String,
    pub client_id: String,
    pub client_secret: String,
    /// The redirect URI, which must match if it is given.
    pub redirect_uri: Option<String>,
}

/// A request for an exchange that cannot be parsed or lacks a field.
pub struct IncompleteExchange {
    pub fault: HandshakeFault,
    /// All authorization codes in the request.
    pub codes: Vec<String>,
    /// The application's client id and secret, if the request has both.
    pub credentials: Option<(String, String)>,
}

/// A new connection with the secret of its key, which is shown only here.
pub struct CreatedConnection {
    pub connection: Connection,
    pub key: Key,
    pub secret: Secret,
    pub organization: Organization,
    pub plan: Option<Plan>,
    /// The account that the member chose.
    pub account: Option<Account>,
}

/// The reason why no connection is created.
#[derive(Debug, thiserror::Error)]
pub enum ExchangeError {
    /// A check failed. The response does not say which one.
    #[error("the code cannot be exchanged")]
    Grant,
    /// The organization that granted the code does not exist.
    #[error("the organization that granted the code does not exist")]
    NoOrganization,
    #[error(transparent)]
    Database(#[from] persistence::Error),
}

/// Consumes the codes of a request that cannot be processed, and logs it.
pub async fn reject(deps: &Arc<Deps>, incomplete: IncompleteExchange) -> persistence::Result<()> {
    let IncompleteExchange { fault, codes, credentials } = incomplete;
    let digests: Vec<Vec<u8>> =
        codes.iter().map(|code| code::digest(code).as_bytes().to_vec()).collect();
    if !digests.is_empty() {
        deps.db.consume_codes(digests.clone(), deps.clock.now()).await?;
    }
    if digests.is_empty() && credentials.is_none() {
        return Ok(());
    }
    let noting = deps.clone();
    let note = async move {
        match authenticated(&noting, credentials).await {
            Ok(caller) => handshake_log::record_incomplete(&noting, fault, digests, caller).await,
            Err(error) => tracing::error!(%error, "an exchange was not logged"),
        }
    };
    tokio::spawn(note.in_current_span());
    Ok(())
}

/// Returns the application with this client id and secret.
async fn authenticated(
    deps: &Deps,
    credentials: Option<(String, String)>,
) -> persistence::Result<Option<ApplicationId>> {
    let Some((client_id, secret)) = credentials else { return Ok(None) };
    let Ok(secret) = Secret::parse(&secret) else { return Ok(None) };
    let application = super::application(deps, &client_id).await?;
    let application = application.filter(|it| secret.digest().matches(&it.secret_digest));
    Ok(application.map(|it| it.id))
}

/// Exchanges a code. Once the code is consumed, the rest must not be cancelled. So call this
/// function in a task of its own.
pub async fn redeem(
    deps: &Arc<Deps>,
    exchange: &Exchange,
) -> Result<CreatedConnection, ExchangeError> {
    let now = deps.clock.now();
    let digest = code::digest(&exchange.code).as_bytes().to_vec();
    let client_id = super::written_client_id(&exchange.client_id);
    let shown = CodeConsumption { digest: digest.clone(), client_id, at: now };
    let ShownCode { code: consumed, application, business } = deps.db.consume_code(shown).await?;
    let tried = check_all(exchange, consumed.as_ref(), application.as_ref(), now);
    let failure = tried.failure();
    let (Some(code), Some(application), None) = (&consumed, &application, failure) else {
        let noting = deps.clone();
        tokio::spawn(
            async move { handshake_log::record(&noting, tried, digest, consumed, application).await }
                .in_current_span(),
        );
        return Err(ExchangeError::Grant);
    };
    let business = business.ok_or(ExchangeError::NoOrganization)?;
    connect(deps, code, application, business).await
}

/// Computes every check, even after one has failed.
fn check_all(
    exchange: &Exchange,
    code: Option<&IssuedCode>,
    application: Option<&Application>,
    now: Timestamp,
) -> Checks {
    let digest = Secret::parse(&exchange.client_secret)
        .map_or_else(|_| Digest::new(exchange.client_secret.as_bytes()), |secret| secret.digest());
    let expected = application.map_or(&[0; 32][..], |it| it.secret_digest.as_slice());
    let right_secret = digest.matches(expected) && application.is_some();
    let read = Verifier::parse(&exchange.code_verifier);
    let verifier = read.clone().unwrap_or_else(Verifier::placeholder);
    let challenge = code.map_or_else(String::new, |code| code.challenge.clone());
    let challenge = Challenge::from_stored(challenge);
    let redirect = exchange.redirect_uri.as_ref();
    Checks {
        code_known: code.is_some(),
        in_time: code.is_some_and(|code| code::is_good(code.issued_at, now)),
        same_application: code
            .zip(application)
            .is_some_and(|(code, it)| code.application_id == it.id),
        right_secret,
        same_redirect: redirect
            .is_none_or(|it| code.is_some_and(|code| code.redirect_uri.as_str() == it)),
        verifier_read: read.is_some(),
        right_verifier: challenge.matches(&verifier),
        mistake: challenge.mistake(&verifier),
    }
}

/// Creates the connection and its key, and replaces an earlier connection.
async fn connect(
    deps: &Deps,
    code: &IssuedCode,
    application: &Application,
    business: CodeBusiness,
) -> Result<CreatedConnection, ExchangeError> {
    let now = deps.clock.now();
    let CodeBusiness { organization, plan, account } = business;
    let secret = Secret::new(deps.entropy.bytes());
    let (key_id, id): (KeyId, ConnectionId) = (deps.id(now), deps.id(now));
    let key = Key {
        id: key_id,
        organization_id: code.organization_id,
        client_id: client_id(Holder::Key, deps.entropy.bytes()),
        secret_digest: secret.digest().as_bytes().to_vec(),
        name: application.name.clone(),
        kind: KeyKind::Connection,
        state: KeyState::Active,
        account_id: code.account_id,
        scopes: code.scopes.clone(),
        rate_limit: code.rate_limit.unwrap_or_default(),
        created_at: now,
        messages_per_month: code.messages_per_month,
        expires_at: code.expires_at,
    };
    let connection = Connection {
        id,
        application_id: application.id,
        organization_id: code.organization_id,
        account_id: code.account_id,
        key_id: key.id,
        scopes: code.scopes.clone(),
        state: ConnectionState::Connected,
        ending: None,
        ending_reason: None,
        connected_at: now,
        ended_at: None,
    };
    let exchange = handshake_log::success(deps, code, now);
    let new =
        records::NewConnectedKey { key: key.clone(), connection: connection.clone(), exchange };
    let mut attempts = 0;
    loop {
        match deps.db.connect(new.clone()).await {
            Ok(()) => break,
            // Another reconnect was faster. The next attempt replaces its connection.
            Err(error) if error.is_duplicate() && attempts < MAX_ATTEMPTS => attempts += 1,
            Err(error) => return Err(error.into()),
        }
    }
    metrics::counter!("switchboard_connections_created_total").increment(1);
    Ok(CreatedConnection { connection, key, secret, organization, plan, account })
}
