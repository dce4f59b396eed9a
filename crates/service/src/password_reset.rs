//! Choosing a new password with a one-time link from an operator.

use crate::admin::RESET_LINK_TTL;
use auth::password::{self, PasswordError};
use auth::session::SessionToken;
use domain::time::Timestamp;
use persistence::records::Member;
use platform::Deps;
use tokio::task::JoinError;

/// The reason why a password is not changed.
#[derive(Debug, thiserror::Error)]
pub enum ResetError {
    /// The password breaks the rules.
    #[error("{0}")]
    Password(PasswordError),
    #[error("the password cannot be hashed: {0}")]
    Hash(String),
    /// The task was aborted.
    #[error("the task was aborted: {0}")]
    Task(#[from] JoinError),
    #[error(transparent)]
    Database(#[from] persistence::Error),
}

fn cutoff(deps: &Deps) -> Timestamp {
    deps.clock.now().minus(RESET_LINK_TTL)
}

/// Returns the member of a link, if the link is neither expired nor used. Calling this does not use
/// up the link.
pub async fn member(deps: &Deps, token: &SessionToken) -> persistence::Result<Option<Member>> {
    deps.db.member_of_reset(token.digest().as_bytes().to_vec(), cutoff(deps)).await
}

/// Sets a new password for the member of a link and ends the member's sessions. Returns `false` if
/// the link is expired or used.
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
