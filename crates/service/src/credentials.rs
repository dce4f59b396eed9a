//! Credential pairs of callers (`docs/contract.md#credentials`).

use crate::Deps;
use auth::secret::Secret;
use domain::key::KeyState;
use domain::time::Timestamp;
use persistence::Result;
use persistence::records::{Application, Caller};

/// Who holds this pair, if its key is active.
///
/// The database is asked for the secret's digest, and what is found is compared with the client id: so the time
/// that a refusal takes cannot depend on whether the client id exists (`docs/security.md` 22). Where a digest lies
/// among those stored reveals nothing, because nobody can choose a secret by its digest.
pub async fn caller(
    deps: &Deps,
    client_id: &str,
    secret: &Secret,
    now: Timestamp,
) -> Result<Option<Caller>> {
    let found = deps.db.caller(secret.digest().as_bytes().to_vec()).await?;
    let caller = found
        .filter(|it| it.key.client_id == client_id)
        .filter(|it| it.key.state == KeyState::Active);
    if let Some(caller) = &caller {
        deps.ledger.used(caller.key.id, now);
    }
    Ok(caller)
}

/// The application that holds this pair.
pub async fn application(
    deps: &Deps,
    client_id: &str,
    secret: &Secret,
) -> Result<Option<Application>> {
    let found = deps.db.application_by_secret(secret.digest().as_bytes().to_vec()).await?;
    Ok(found.filter(|it| it.client_id == client_id))
}
