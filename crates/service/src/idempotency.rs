//! Stored answers for repeated requests (`docs/contract.md#idempotency`).

use domain::id::KeyId;
use domain::time::Timestamp;
use persistence::Result;
use persistence::records::{AnswerQuestion, Idempotent, Owner, StoredAnswer};
use platform::Deps;

/// Returns the answer to an earlier request with this idempotency key, if it is not older than
/// `cutoff`.
pub async fn answer(
    deps: &Deps,
    owner: Owner,
    key: KeyId,
    path: &'static str,
    name: String,
    cutoff: Timestamp,
) -> Result<Option<StoredAnswer>> {
    deps.db.stored_answer(AnswerQuestion { owner, key, path, name, cutoff }).await
}

/// Stores the answer to a request. Returns `false` if another instance has already stored one.
pub async fn store_answer(
    deps: &Deps,
    request: Idempotent,
    answer: String,
    now: Timestamp,
) -> Result<bool> {
    match deps.db.store_answer(request, answer, now).await {
        Ok(()) => Ok(true),
        Err(error) if error.is_duplicate() => Ok(false),
        Err(error) => Err(error),
    }
}
