//! Submitted forms: each does its work once, and what came of it is shown once (`docs/security.md` 23).

use crate::Deps;
use persistence::Result;
use persistence::records::{FormKey, FormResult};
use std::time::Duration;

/// How long what a page shows once waits for the browser to ask for it.
pub const FLASH_RETENTION: Duration = Duration::from_mins(10);

/// Notes that a form is submitted; `false` if it was before.
pub async fn begin(deps: &Deps, key: FormKey) -> Result<bool> {
    deps.db.insert_form(FormResult::new(key, None, None, deps.clock.now())).await
}

/// Notes where a submitted form led, and what is shown there once, sealed.
pub async fn finish(deps: &Deps, key: FormKey, location: String, notice: Vec<u8>) -> Result<()> {
    deps.db.finish_form(key, location, Some(notice)).await
}

/// Forgets that a form was submitted: it was refused, and may be submitted again.
pub async fn release(deps: &Deps, key: FormKey) -> Result<()> {
    deps.db.release_form(key).await
}

/// What a submitted form led to, if it was submitted.
pub async fn result(deps: &Deps, key: FormKey) -> Result<Option<FormResult>> {
    deps.db.form_result(key).await
}

/// Keeps what the page at `location` shows once, sealed.
pub async fn keep(deps: &Deps, key: FormKey, location: String, sealed: Vec<u8>) -> Result<()> {
    let kept = FormResult::new(key, Some(location), Some(sealed), deps.clock.now());
    deps.db.insert_form(kept).await.map(drop)
}

/// Takes what is shown once.
pub async fn take(deps: &Deps, key: FormKey) -> Result<Option<Vec<u8>>> {
    deps.db.take_notice(key, deps.clock.now().minus(FLASH_RETENTION)).await
}

/// What was typed into a form before its member signed in again, sealed; it is shown as often as they reload.
pub async fn typed(deps: &Deps, key: FormKey) -> Result<Option<Vec<u8>>> {
    let cutoff = deps.clock.now().minus(FLASH_RETENTION);
    let found = deps.db.form_result(key).await?;
    Ok(found.filter(|it| it.created_at > cutoff).and_then(|it| it.notice))
}
