//! The slot that stores the answer to a request with an idempotency key.

use crate::operation::Answer;
use actix_web::http::StatusCode;
use auth::digest::Digest;
use domain::id::KeyId;
use domain::time::Timestamp;
use http_layer::problem::Problem;
use persistence::records::{Idempotent, Owner, StoredAnswer};
use serde::Serialize;

/// A slot in which an operation may store its answer, in the transaction of its work.
#[derive(Clone, Debug)]
pub struct IdempotencySlot {
    /// The organization or application that the key belongs to.
    pub owner: Owner,
    /// The key that authenticated the request.
    pub key: KeyId,
    /// The path of the operation.
    pub path: &'static str,
    /// The value of `Idempotency-Key`.
    pub name: String,
    /// The digest of the request body.
    pub digest: Digest,
    /// The time before which stored answers have expired.
    pub cutoff: Timestamp,
}

impl IdempotencySlot {
    /// Returns the record that stores an answer of that status.
    #[must_use]
    pub fn with(&self, status: StatusCode) -> Idempotent {
        Idempotent {
            owner: self.owner,
            key: self.key,
            path: self.path,
            name: self.name.clone(),
            body_digest: self.digest.as_bytes().to_vec(),
            status: status.as_u16(),
            cutoff: self.cutoff,
        }
    }

    /// Returns the stored answer.
    ///
    /// # Errors
    ///
    /// `idempotency_key_reused` if that answer was to another body.
    pub fn replay<R: Serialize>(&self, stored: StoredAnswer) -> Result<Answer<R>, Problem> {
        if !self.digest.matches(&stored.body_digest) {
            return Err(Problem::idempotency_key_reused());
        }
        let status = StatusCode::from_u16(stored.status);
        let status = status.map_err(|error| Problem::internal(&error))?;
        Ok(Answer::written(status, stored.answer).replayed())
    }
}
