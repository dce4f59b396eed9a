//! Verifies the credentials of callers (`docs/contract.md#credentials`).

use auth::secret::Secret;
use domain::plan::Meter;
use domain::time::Timestamp;
use persistence::records::{Application, Caller, CallerQuestion, CallerWithUsage};
use persistence::{Result, Seen};
use platform::Deps;

/// Finds the owner of credentials with an active key, and the position up to which the primary had
/// written.
///
/// The database looks up the digest of the secret. Then the client id that was found is compared
/// with the given one. So the time of a refusal cannot depend on whether the client id exists
/// (`docs/security.md` 22). The time of the look-up of a digest reveals nothing, because nobody can
/// choose a secret with a given digest.
pub async fn caller(
    deps: &Deps,
    client_id: &str,
    secret: &Secret,
    now: Timestamp,
) -> Result<Option<(Caller, Seen)>> {
    let digest = secret.digest().as_bytes().to_vec();
    let (found, seen) = deps.db.caller_and_seen(digest).await?;
    Ok(found.filter(|it| is_admitted(deps, it, client_id, now)).map(|caller| (caller, seen)))
}

/// Finds the same owner as [`caller`], together with the key's usage.
pub async fn caller_with_usage(
    deps: &Deps,
    client_id: &str,
    secret: &Secret,
    now: Timestamp,
) -> Result<Option<CallerWithUsage>> {
    let secret_digest = secret.digest().as_bytes().to_vec();
    let question = CallerQuestion { secret_digest, period: Meter::Messages.period(now).number };
    let found = deps.db.caller_with_usage(question).await?;
    Ok(found.filter(|it| is_admitted(deps, &it.caller, client_id, now)))
}

/// Whether the credentials belong to an active key. If so, records the current time as that of the
/// key's last use.
fn is_admitted(deps: &Deps, caller: &Caller, client_id: &str, now: Timestamp) -> bool {
    let admitted = caller.key.client_id == client_id && caller.key.is_good(now);
    if admitted {
        deps.usage_counter.used(caller.key.organization_id, caller.key.id, now);
    }
    admitted
}

/// Finds the application with these credentials.
pub async fn application(
    deps: &Deps,
    client_id: &str,
    secret: &Secret,
) -> Result<Option<Application>> {
    let found = deps.db.application_by_secret(secret.digest().as_bytes().to_vec()).await?;
    Ok(found.filter(|it| it.client_id == client_id))
}
