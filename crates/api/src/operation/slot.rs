//! Where the answer to a request is kept that is to be answered once.

use crate::operation::Answer;
use actix_web::http::StatusCode;
use auth::digest::Digest;
use domain::id::KeyId;
use domain::time::Timestamp;
use persistence::records::{Idempotent, Owner, StoredAnswer};
use serde::Serialize;
use web_core::problem::Problem;

/// Where an operation may keep its answer, in the transaction of its work.
#[derive(Clone, Debug)]
pub struct Slot {
    /// Who asks.
    pub owner: Owner,
    /// With which key.
    pub key: KeyId,
    /// The operation's path.
    pub path: &'static str,
    /// The name that the caller gave it.
    pub name: String,
    /// Of its body.
    pub digest: Digest,
    /// Answers older than this are forgotten.
    pub cutoff: Timestamp,
}

impl Slot {
    /// The slot for an answer of that status.
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

    /// The stored answer, if it answers the same body.
    pub fn again<R: Serialize>(&self, stored: StoredAnswer) -> Result<Answer<R>, Problem> {
        if !self.digest.matches(&stored.body_digest) {
            return Err(Problem::idempotency_key_reused());
        }
        let status = StatusCode::from_u16(stored.status);
        let status = status.map_err(|error| Problem::internal(&error))?;
        Ok(Answer::written(status, stored.answer).replayed())
    }
}
