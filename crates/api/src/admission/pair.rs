//! Who calls (`docs/contract.md#credentials`).

use actix_web::http::header::HeaderMap;
use auth::secret::{Holder, Secret, is_client_id};
use domain::time::Timestamp;
use persistence::Seen;
use persistence::records::{Application, Caller, CallerWithUsage};
use service::credentials;
use web_core::deps::Deps;
use web_core::problem::Problem;

/// The holder of the credential pair in these headers, and what the primary had written by then.
pub async fn authenticate(
    deps: &Deps,
    headers: &HeaderMap,
    now: Timestamp,
) -> Result<(Caller, Seen), Problem> {
    let refused = Problem::invalid_credentials;
    let (client_id, secret) = read(headers, Holder::Key).ok_or_else(refused)?;
    credentials::caller(deps, client_id, &secret, now).await?.ok_or_else(refused)
}

/// The same, with the key's usage.
pub async fn authenticate_with_usage(
    deps: &Deps,
    headers: &HeaderMap,
    now: Timestamp,
) -> Result<CallerWithUsage, Problem> {
    let refused = Problem::invalid_credentials;
    let (client_id, secret) = read(headers, Holder::Key).ok_or_else(refused)?;
    credentials::caller_with_usage(deps, client_id, &secret, now).await?.ok_or_else(refused)
}

/// The application whose own pair is in these headers.
pub async fn application(deps: &Deps, headers: &HeaderMap) -> Result<Application, Problem> {
    let refused = Problem::invalid_credentials;
    let (client_id, secret) = read(headers, Holder::Application).ok_or_else(refused)?;
    credentials::application(deps, client_id, &secret).await?.ok_or_else(refused)
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
