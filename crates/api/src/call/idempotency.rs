//! `Idempotency-Key`: a repeated POST gets the answer to the first one
//! (`docs/contract.md#idempotency`).

use crate::operation::{Answer, IdempotencySlot, Operation};
use actix_web::http::header::HeaderMap;
use actix_web::http::{Method, StatusCode};
use auth::digest::Digest;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use domain::id::KeyId;
use domain::time::Timestamp;
use domain::violation::{Fault, Field, Violations};
use http_layer::deps::ServerDeps;
use http_layer::problem::Problem;
use persistence::records::{Owner, StoredAnswer};
use platform::in_flight::ANSWERS_RETENTION;
use serde::Serialize;

/// Maximum number of characters in an `Idempotency-Key`.
pub const MAX_IDEMPOTENCY_KEY_LENGTH: usize = 255;

/// A request with an idempotency key.
pub struct IdempotentRequest {
    pub owner: Owner,
    /// The key that authenticated the request.
    pub key: KeyId,
    /// The path of the operation.
    pub path: &'static str,
    /// Whether the answer contains a secret, and is therefore stored sealed.
    pub shows_secret: bool,
    /// The value of `Idempotency-Key`.
    pub name: String,
    /// The digest of the request body.
    pub digest: Digest,
    pub now: Timestamp,
}

/// Returns the value of `Idempotency-Key`, if this operation supports it and the caller sent one.
pub fn name<O: Operation>(headers: &HeaderMap) -> Result<Option<String>, Problem> {
    if O::METHOD == Method::POST { read(headers) } else { Ok(None) }
}

fn read(headers: &HeaderMap) -> Result<Option<String>, Problem> {
    let mut values = headers.get_all("idempotency-key");
    let Some(value) = values.next() else { return Ok(None) };
    let wrong = |fault, message: &str| {
        let mut faults = Violations::default();
        faults.add(&Field::root("Idempotency-Key"), fault, message);
        Err(Problem::validation_failed(faults))
    };
    if values.next().is_some() {
        return wrong(Fault::Duplicate, "the header is repeated");
    }
    let right = |name: &&str| {
        (1..=MAX_IDEMPOTENCY_KEY_LENGTH).contains(&name.len())
            && name.bytes().all(|b| b.is_ascii_graphic())
    };
    let Some(name) = value.to_str().ok().filter(right) else {
        return wrong(Fault::InvalidFormat, "must be 1 to 255 visible ASCII characters");
    };
    Ok(Some(name.to_owned()))
}

/// Runs `work`, unless a request with the same idempotency key was answered before or is in
/// progress.
pub async fn once<R: Serialize>(
    deps: &ServerDeps,
    asked: IdempotentRequest,
    request_id: &str,
    work: impl AsyncFnOnce(IdempotencySlot) -> Result<Answer<R>, Problem>,
) -> Result<Answer<R>, Problem> {
    let held = deps.in_flight.hold(asked.key, asked.path, &asked.name);
    let _held = held.ok_or_else(Problem::idempotency_in_progress)?;
    let cutoff = asked.now.minus(ANSWERS_RETENTION);
    let IdempotentRequest { owner, key, path, shows_secret, name, digest, now } = asked;
    let slot = IdempotencySlot { owner, key, path, name, digest, cutoff };
    if let Some(stored) = stored(deps, &slot, shows_secret).await? {
        return slot.replay(stored);
    }
    let outcome = work(slot.clone()).await;
    let (status, body) = match &outcome {
        Ok(answer) if answer.kept => return outcome,
        Ok(answer) => (answer.status, answer.body.clone()),
        Err(problem) => (problem.code.status(), problem.body(request_id)),
    };
    if status == StatusCode::TOO_MANY_REQUESTS || status.is_server_error() {
        return outcome;
    }
    let body = if shows_secret { seal(deps, &slot, &body)? } else { body };
    if service::idempotency::store_answer(deps, slot.with(status), body, now).await? {
        return outcome;
    }
    // Another instance stored its answer first, so that answer is returned.
    match self::stored(deps, &slot, shows_secret).await? {
        Some(stored) => slot.replay(stored),
        None => outcome,
    }
}

async fn stored(
    deps: &ServerDeps,
    slot: &IdempotencySlot,
    is_sealed: bool,
) -> Result<Option<StoredAnswer>, Problem> {
    let IdempotencySlot { owner, key, path, ref name, cutoff, .. } = *slot;
    let stored = service::idempotency::answer(deps, owner, key, path, name.clone(), cutoff).await?;
    match stored {
        Some(stored) if is_sealed => {
            let answer = open(deps, slot, &stored.answer)?;
            Ok(Some(StoredAnswer { answer, ..stored }))
        }
        stored => Ok(stored),
    }
}

/// Seals an answer for the key that received it. Returns it in base64.
fn seal(deps: &ServerDeps, slot: &IdempotencySlot, answer: &str) -> Result<String, Problem> {
    let (nonce, new_key) = (deps.entropy.bytes(), deps.entropy.bytes());
    let sealed = deps.sealing.seal(answer, &slot.key.to_string(), nonce, new_key);
    Ok(STANDARD.encode(sealed.map_err(|error| Problem::internal(&error))?))
}

fn open(deps: &ServerDeps, slot: &IdempotencySlot, sealed: &str) -> Result<String, Problem> {
    let sealed = STANDARD.decode(sealed).map_err(|error| Problem::internal(&error))?;
    let opened = deps.sealing.open(&sealed, &slot.key.to_string());
    opened.map_err(|error| Problem::internal(&error))
}

#[cfg(test)]
mod tests {
    use super::*;
    use actix_web::http::header::{HeaderName, HeaderValue};
    use proptest::prelude::*;

    proptest! {
        /// A key is accepted exactly as it was sent, if it was sent once. Otherwise it is rejected
        /// as the caller's fault. Both databases can store an accepted key.
        #[test]
        fn a_name_is_taken_as_it_was_sent_or_refused(
            values in prop::collection::vec(
                prop_oneof![
                    "[!-~]{1,20}".prop_map(String::into_bytes),
                    "[!-~]{250,260}".prop_map(String::into_bytes),
                    "[!-~]{0,3}[ \t\u{80}-\u{ff}é][!-~]{0,3}".prop_map(String::into_bytes),
                    prop::collection::vec(any::<u8>(), 0..20),
                ],
                0..3,
            ),
        ) {
            let mut headers = HeaderMap::new();
            for value in &values {
                let Ok(value) = HeaderValue::from_bytes(value) else { return Ok(()) };
                headers.append(HeaderName::from_static("idempotency-key"), value);
            }
            match (read(&headers), values.as_slice()) {
                (Ok(None), []) => {}
                (Ok(Some(name)), [value]) => {
                    prop_assert_eq!(name.as_bytes(), value.as_slice());
                    prop_assert!(name.len() <= MAX_IDEMPOTENCY_KEY_LENGTH);
                    prop_assert!(name.bytes().all(|it| it.is_ascii_graphic()) && !name.is_empty());
                }
                (Err(problem), [_, ..]) => {
                    prop_assert_eq!(problem.code.status(), StatusCode::UNPROCESSABLE_ENTITY);
                    let whole = values.len() == 1
                        && (1..=MAX_IDEMPOTENCY_KEY_LENGTH).contains(&values[0].len())
                        && values[0].iter().all(u8::is_ascii_graphic);
                    prop_assert!(!whole, "{:?}", values);
                }
                (Ok(read), _) => return Err(TestCaseError::fail(format!("{values:?} became {read:?}"))),
                (Err(_), []) => return Err(TestCaseError::fail("no name was refused")),
            }
        }
    }
}
