//! One-time links with which members choose a new password.

use super::{Admin, MemberEntry, Result};
use auth::session::SessionToken;
use domain::id::MemberId;
use persistence::records;
use serde::Serialize;
use std::time::Duration;

/// The lifetime of a link.
pub const RESET_LINK_TTL: Duration = Duration::from_hours(1);

/// A new link. The URL is shown only here.
#[derive(Clone, Debug, Serialize)]
#[expect(missing_docs, reason = "its fields are what they are called")]
pub struct ResetLink {
    pub member_id: String,
    pub email: String,
    pub url: String,
    pub expires_at: String,
}

impl Admin<'_> {
    /// Creates a link with which a member, named by email address or id, chooses a new password.
    /// Any earlier link stops working.
    pub async fn reset_member(&self, base_url: &str, member: &str) -> Result<ResetLink> {
        let member: MemberEntry = self.one(member).await?;
        let (id, now): (MemberId, _) = (member.id.parse()?, self.deps.clock.now());
        let token = SessionToken::new(self.deps.entropy.bytes());
        let row = records::PasswordReset {
            member_id: id,
            digest: token.digest().as_bytes().to_vec(),
            created_at: now,
        };
        self.deps.db.insert_password_reset(row).await?;
        Ok(ResetLink {
            member_id: member.id,
            email: member.email,
            url: format!("{base_url}/reset/{}", token.reveal()),
            expires_at: now.plus(RESET_LINK_TTL).to_string(),
        })
    }
}
