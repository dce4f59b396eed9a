//! A member's own account: name, password and sessions.

use super::{ActionError, Actor, AuditObject};
use auth::password::{self, MAX_PASSWORD_BYTES, PasswordError};
use auth::session::MAX_IDLE;
use domain::name::Name;
use domain::role::MemberAction;
use persistence::records::{Member, Session};
use platform::login_throttle::OverloadedError;
use std::time::Duration;
use tokio::task::JoinError;

/// Maximum number of sessions that are listed.
const MAX_LISTED_SESSIONS: i64 = 50;

pub struct OwnAccount<'a> {
    actor: Actor<'a>,
    member: &'a Member,
}

/// The reason why a password was not changed.
#[derive(Debug, thiserror::Error)]
pub enum ChangePasswordError {
    /// The current password is wrong.
    #[error("this is not your current password")]
    Incorrect,
    /// There were too many attempts. The next one is allowed after this time.
    #[error("too many attempts; the next one is allowed in {0:?}")]
    Throttled(Duration),
    #[error(transparent)]
    Overloaded(#[from] OverloadedError),
    /// The new password breaks the rules.
    #[error(transparent)]
    Password(#[from] PasswordError),
    /// The task was aborted.
    #[error("the task was aborted: {0}")]
    Task(#[from] JoinError),
    #[error(transparent)]
    Database(#[from] persistence::Error),
}

impl<'a> Actor<'a> {
    /// Returns the actions on the account of the member who acts.
    #[must_use]
    pub const fn own_account(self, member: &'a Member) -> OwnAccount<'a> {
        OwnAccount { actor: self, member }
    }
}

impl OwnAccount<'_> {
    /// Lists the member's sessions, the last used first.
    pub async fn sessions(&self) -> persistence::Result<Vec<Session>> {
        let deps = self.actor.deps;
        let cutoff = deps.clock.now().minus(MAX_IDLE);
        deps.db.member(self.member.id).sessions_of(cutoff, MAX_LISTED_SESSIONS).await
    }

    pub async fn rename(&self, name: &Name) -> Result<(), ActionError<persistence::Error>> {
        let db = self.actor.deps.db.member(self.member.id);
        let work = db.rename_member(name.to_string());
        let renamed = |(): &()| Some(AuditObject::new(self.member.id, name.as_str()));
        self.actor.perform(MemberAction::NameChanged, work, renamed).await
    }

    /// Replaces the password. All sessions of the member end, except the session with the digest
    /// `kept`. Attempts count towards the limit of sign-in attempts.
    pub async fn change_password(
        &self,
        current: String,
        new: String,
        kept: Vec<u8>,
    ) -> Result<(), ActionError<ChangePasswordError>> {
        let work = self.replace_password(current, new, kept);
        let changed = |(): &()| Some(AuditObject::new(self.member.id, &self.member.name));
        self.actor.perform(MemberAction::PasswordChanged, work, changed).await
    }

    async fn replace_password(
        &self,
        current: String,
        new: String,
        kept: Vec<u8>,
    ) -> Result<(), ChangePasswordError> {
        password::check(&new)?;
        let Actor { deps, address, .. } = self.actor;
        let throttle = &deps.login_throttle;
        throttle
            .admit(&self.member.email, address, None)
            .map_err(ChangePasswordError::Throttled)?;
        let stored = self.member.password_hash.clone();
        let right = current.len() <= MAX_PASSWORD_BYTES
            && throttle.verify_password(current, Some(stored.clone())).await?;
        if !right {
            return Err(ChangePasswordError::Incorrect);
        }
        let salt = deps.entropy.bytes();
        let hash = tokio::task::spawn_blocking(move || password::hash(&new, salt)).await??;
        let changed = deps.db.member(self.member.id).change_password(stored, hash, kept).await?;
        if changed { Ok(()) } else { Err(ChangePasswordError::Incorrect) }
    }

    /// Ends all sessions of the member, this one included.
    pub async fn sign_out_everywhere(&self) -> Result<usize, ActionError<persistence::Error>> {
        let work = self.actor.deps.db.member(self.member.id).end_sessions();
        let ended = |_: &usize| Some(AuditObject::new(self.member.id, &self.member.name));
        self.actor.perform(MemberAction::SessionsEnded, work, ended).await
    }

    /// Ends one of the member's sessions. Returns `false` if it does not exist.
    pub async fn end_session(
        &self,
        digest: Vec<u8>,
    ) -> Result<bool, ActionError<persistence::Error>> {
        let work = self.actor.deps.db.member(self.member.id).end_session_of(digest);
        let ended = |done: &bool| done.then(|| AuditObject::new(self.member.id, &self.member.name));
        self.actor.perform(MemberAction::SessionsEnded, work, ended).await
    }
}
