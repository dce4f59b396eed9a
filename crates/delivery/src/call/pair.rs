//! Who calls (`service.md` 5.1 and 5.2).

use crate::deps::{Deps, Stopwatch};
use crate::problem::Problem;
use actix_web::http::header::HeaderMap;
use auth::secret::{Holder, Secret, is_client_id};
use domain::key::KeyState;
use domain::time::Timestamp;
use persistence::rows::{Application, Caller};
use std::time::Duration;

/// What a wrong secret is compared with where no key has that client id, so that both take the same
/// path (`security.md` 22).
const NOBODY: [u8; 32] = [0; 32];

/// When a pair is refused that had to be looked up, from the beginning: later than any look-up takes, for a row
/// that is found is read, and one that is not found is not (`security.md` 22).
const REFUSED_AFTER: Duration = Duration::from_millis(10);

/// The one answer to a pair that was looked up in vain.
async fn refuse(watch: Stopwatch) -> Problem {
    tokio::time::sleep(REFUSED_AFTER.saturating_sub(watch.elapsed())).await;
    Problem::invalid_credentials()
}

/// The holder of the credential pair in these headers.
pub async fn authenticate(
    deps: &Deps,
    headers: &HeaderMap,
    now: Timestamp,
) -> Result<Caller, Problem> {
    let refused = Problem::invalid_credentials;
    let (client_id, secret) = read(headers, Holder::Key).ok_or_else(refused)?;
    let watch = Stopwatch::start();
    let found = deps.db.caller(client_id.to_owned()).await?;
    let stored = found.as_ref().map_or(NOBODY.as_slice(), |caller| &caller.key.secret_digest);
    let matches = secret.digest().matches(stored);
    match found {
        Some(caller) if matches && *caller.key.state == KeyState::Active => {
            deps.ledger.used(*caller.key.id, now);
            Ok(caller)
        }
        _ => Err(refuse(watch).await),
    }
}

/// The application whose own pair is in these headers.
pub async fn application(deps: &Deps, headers: &HeaderMap) -> Result<Application, Problem> {
    let refused = Problem::invalid_credentials;
    let (client_id, secret) = read(headers, Holder::Application).ok_or_else(refused)?;
    let watch = Stopwatch::start();
    let found = deps.db.application(client_id.to_owned()).await?;
    let stored = found.as_ref().map_or(NOBODY.as_slice(), |it| &it.secret_digest);
    let matches = secret.digest().matches(stored);
    match found.filter(|_| matches) {
        Some(application) => Ok(application),
        None => Err(refuse(watch).await),
    }
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
