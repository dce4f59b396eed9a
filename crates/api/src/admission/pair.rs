//! Who calls (`docs/contract.md#credentials`).

use actix_web::http::header::HeaderMap;
use auth::secret::{Holder, Secret, is_client_id};
use domain::key::KeyState;
use domain::time::Timestamp;
use persistence::rows::{Application, Caller};
use web_core::deps::Deps;
use web_core::problem::Problem;

/// The holder of the credential pair in these headers.
///
/// The database is asked for the secret's digest, and what is found is compared with the client id: so the time
/// that a refusal takes cannot depend on whether the client id exists (`docs/security.md` 22). Where a digest lies
/// among those stored tells nothing, for nobody can choose a secret by its digest.
pub async fn authenticate(
    deps: &Deps,
    headers: &HeaderMap,
    now: Timestamp,
) -> Result<Caller, Problem> {
    let refused = Problem::invalid_credentials;
    let (client_id, secret) = read(headers, Holder::Key).ok_or_else(refused)?;
    let found = deps.db.caller(secret.digest().as_bytes().to_vec()).await?;
    let caller = found.filter(|it| it.key.client_id == client_id).ok_or_else(refused)?;
    if *caller.key.state != KeyState::Active {
        return Err(refused());
    }
    deps.ledger.used(*caller.key.id, now);
    Ok(caller)
}

/// The application whose own pair is in these headers.
pub async fn application(deps: &Deps, headers: &HeaderMap) -> Result<Application, Problem> {
    let refused = Problem::invalid_credentials;
    let (client_id, secret) = read(headers, Holder::Application).ok_or_else(refused)?;
    let found = deps.db.application_by_secret(secret.digest().as_bytes().to_vec()).await?;
    found.filter(|it| it.client_id == client_id).ok_or_else(refused)
}

/// The pair, if it is written as one.
fn read(headers: &HeaderMap, holder: Holder) -> Option<(&str, Secret)> {
    let client_id = single(headers, "x-client-id")?;
    let secret = Secret::parse(single(headers, "x-client-secret")?).ok()?;
    is_client_id(holder, client_id).then_some((client_id, secret))
}

/// A header's value; nothing where it is missing, given twice or not text.
fn single<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    let mut values = headers.get_all(name);
    let first = values.next()?;
    if values.next().is_some() { None } else { first.to_str().ok() }
}
