//! Choosing another password with a one-time link that an operator made.

use crate::Deps;
use crate::admin::RESET_LINK_TTL;
use auth::password::{self, PasswordError};
use auth::session::SessionToken;
use domain::time::Timestamp;
use persistence::records::Member;
use tokio::task::JoinError;

/// Why a password is not changed.
#[derive(Debug, thiserror::Error)]
pub enum ResetError {
    /// The password cannot be used.
    #[error("{0}")]
    Password(PasswordError),
    /// The password cannot be hashed.
    #[error("the password cannot be hashed: {0}")]
    Hash(String),
    /// The task was cut off.
    #[error("the task was cut off: {0}")]
    Task(#[from] JoinError),
    /// The database failed.
    #[error(transparent)]
    Database(#[from] persistence::Error),
}

fn cutoff(deps: &Deps) -> Timestamp {
    deps.clock.now().minus(RESET_LINK_TTL)
}

/// Whose link it is, if it is not too old and was not used. Looking at it uses nothing up.
pub async fn member(deps: &Deps, token: &SessionToken) -> persistence::Result<Option<Member>> {
    deps.db.member_of_reset(token.digest().as_bytes().to_vec(), cutoff(deps)).await
}

/// Gives the member of a link another password, and ends their sessions; `false` if the link works no longer.
pub async fn choose(
    deps: &Deps,
    token: &SessionToken,
    password: String,
) -> Result<bool, ResetError> {
    let salt = deps.entropy.bytes();
    let hashed = tokio::task::spawn_blocking(move || password::hash(&password, salt)).await?;
    let hash = hashed.map_err(|error| match error {
        PasswordError::Hash(why) => ResetError::Hash(why),
        refused => ResetError::Password(refused),
    })?;
    let digest = token.digest().as_bytes().to_vec();
    Ok(deps.db.reset_password(digest, cutoff(deps), hash).await?)
}
