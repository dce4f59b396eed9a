//! Submitted forms: each is processed once, and its result is shown once (`docs/security.md` 23).

use persistence::Result;
use persistence::records::{FormKey, FormResult};
use platform::Deps;
use std::time::Duration;

/// The time within which the browser has to fetch the page that shows a notice.
pub const FLASH_RETENTION: Duration = Duration::from_mins(10);

/// Records that a form is submitted. Returns `false` if it was already submitted.
pub async fn begin(deps: &Deps, key: FormKey) -> Result<bool> {
    deps.db.insert_form(FormResult::new(key, None, None, deps.clock.now())).await
}

/// Records the page that a submitted form leads to, and the sealed notice that is shown there once.
pub async fn finish(deps: &Deps, key: FormKey, location: String, notice: Vec<u8>) -> Result<()> {
    deps.db.finish_form(key, location, Some(notice)).await
}

/// Removes the record of a form that was refused, so that it can be submitted again.
pub async fn release(deps: &Deps, key: FormKey) -> Result<()> {
    deps.db.release_form(key).await
}

/// Returns the result of a form, if it was submitted.
pub async fn result(deps: &Deps, key: FormKey) -> Result<Option<FormResult>> {
    deps.db.form_result(key).await
}

/// Stores a sealed notice that the page at `location` shows once.
pub async fn save_result(
    deps: &Deps,
    key: FormKey,
    location: String,
    sealed: Vec<u8>,
) -> Result<()> {
    let kept = FormResult::new(key, Some(location), Some(sealed), deps.clock.now());
    deps.db.insert_form(kept).await.map(drop)
}

/// Returns a notice and removes it, so that it is shown once.
pub async fn consume_notice(deps: &Deps, key: FormKey) -> Result<Option<Vec<u8>>> {
    deps.db.consume_notice(key, deps.clock.now().minus(FLASH_RETENTION)).await
}

/// Returns the sealed input of a form whose member had to sign in again. The input can be shown
/// several times.
pub async fn typed(deps: &Deps, key: FormKey) -> Result<Option<Vec<u8>>> {
    let cutoff = deps.clock.now().minus(FLASH_RETENTION);
    let found = deps.db.form_result(key).await?;
    Ok(found.filter(|it| it.created_at > cutoff).and_then(|it| it.notice))
}
